package platforms

import (
	"cmp"
	"slices"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Place is the place of a stage in the engine's pipeline. No formula depends on it.
type Place struct {
	Resource string // stages that name the same resource share it
	At       string // owner of the resource: "sender", "receiver" or "network"
	Queue    int    // packets that may wait for it; 0: no bound
	Drop     bool   // a packet that finds the queue full is lost; else it waits in the stage before
}

// A Protocol configures the engine beyond moving packets when it runs a layer. The zero value disables
// all of it.
type Protocol struct {
	Credits        int             // requests to one node that may be without a reply; 0: the engine's default
	EagerThreshold quantity.Bytes  // the largest message that is sent immediately; 0: all are
	Retry          quantity.Micros // the time after which a packet without an acknowledgement is sent again; 0: never
	Rounds         bool            // a receiver that misses a packet asks at once
	Inbox          int             // packets that a node has room for; 0: no bound
	Drop           bool            // a packet that finds no room is lost; else it waits in the network
	Poll           quantity.Micros // cost of a poll that finds nothing
	Interrupt      quantity.Micros // cost of an interrupt; negative: the processor polls
}

// sides are the names of those of [model.Side], in their order.
var sides = []string{"sender", "receiver", "network"}

// Side returns the side of the place; the zero value is at the sender.
func (p Place) Side() model.Side { return model.Side(max(0, slices.Index(sides, p.At))) }

// place reads the place of a stage.
func (b *builder) place(s *scope, host model.Host) (p Place, err error) {
	path, t := s.path, s.table
	side := "sender"
	if host == model.Receiver {
		side = "receiver"
	}
	resource, at := text(t.Keys, "resource"), text(t.Keys, "at")
	p = Place{Resource: cmp.Or(resource, t.Name), At: cmp.Or(at, side)}
	if resource != "" {
		if err := b.named(path+".resource", resource); err != nil {
			return p, err
		}
	}
	if !slices.Contains(sides, p.At) {
		return p, b.errorf(path+".at", "%q%s", p.At, nearest.Hint(p.At, sides))
	}
	if host != model.NoHost && (resource != "" || at != "" || text(t.Keys, "queue") != "") {
		return p, b.errorf(path+".host", "a stage of a processor occupies that; leave out resource, at and queue")
	}
	queue, err := s.optional("queue")
	if err != nil {
		return p, err
	}
	p.Queue = int(queue)
	p.Drop, err = b.full(path, text(t.Keys, "full"), p.Queue > 0, "queue")
	return p, err
}

// optional returns the value of a key; 0 if it is missing.
func (s *scope) optional(key string) (float64, error) {
	if text(s.table.Keys, key) == "" {
		return 0, nil
	}
	i, err := s.slot(key)
	if err != nil {
		return 0, err
	}
	return s.b.values[i], nil
}

// full reads the treatment of a packet without room.
func (b *builder) full(path, full string, bounded bool, what string) (drop bool, err error) {
	if full != "" && !bounded {
		return false, b.errorf(path+".full", "without %s there is always room", what)
	}
	return choose(b, path+".full", full, map[string]bool{"wait": false, "drop": true})
}

// protocolFields are the numbers of a protocol.
var protocolFields = map[string]Param{
	"credits":         {Measure: model.Count},
	"inbox":           {Measure: model.Count},
	"eager_threshold": {Measure: model.Size},
	"retry":           {Measure: model.Time},
	"poll":            {Measure: model.Time},
	"interrupt":       {Measure: model.Time},
}

// protocolTables reads the protocols, which layers name.
func (b *builder) protocolTables() error {
	for _, t := range b.tables("protocol") {
		path := "protocol." + t.Name
		if err := b.named(path, t.Name); err != nil {
			return err
		}
		if err := b.sourced(path, text(t.Keys, "source")); err != nil {
			return err
		}
		s := scope{b: b, table: t, path: path, fields: protocolFields}
		v := map[string]float64{}
		for _, key := range []string{"credits", "inbox", "eager_threshold", "retry", "poll", "interrupt"} {
			var err error
			if v[key], err = s.optional(key); err != nil {
				return err
			}
		}
		rounds, _ := find(t.Keys, "rounds")
		p := Protocol{Credits: int(v["credits"]), Inbox: int(v["inbox"]), EagerThreshold: quantity.Bytes(v["eager_threshold"]), Retry: quantity.Micros(v["retry"]),
			Rounds: rounds == true, Poll: quantity.Micros(v["poll"]), Interrupt: -1}
		interrupts := text(t.Keys, "interrupt") != ""
		if interrupts {
			p.Interrupt = quantity.Micros(v["interrupt"])
		}
		if p.Rounds && p.Retry == 0 {
			return b.errorf(path+".rounds", "rounds send again what retry keeps; give retry too")
		}
		if text(t.Keys, "poll") != "" && interrupts {
			return b.errorf(path+".interrupt", "a processor that is interrupted does not poll; leave one out")
		}
		var err error
		if p.Drop, err = b.full(path, text(t.Keys, "full"), p.Inbox > 0, "inbox"); err != nil {
			return err
		}
		b.protocols[t.Name] = p
	}
	return nil
}

// protocol returns the protocol that a layer names.
func (b *builder) protocol(path, name string) (Protocol, error) {
	if name == "" {
		return Protocol{Interrupt: -1}, nil
	}
	p, known := b.protocols[name]
	if !known {
		return p, b.errorf(path+".protocol", "no [protocol.%s]%s", name, nearest.Hint(name, b.tableNames("protocol")))
	}
	return p, nil
}

// Resources are those that a message of the layer occupies, in the places that the file gives its
// stages.
func (p Platform) Resources(l Layer) model.Resources {
	return model.Placed(l.Model.Resources(), func(h model.Hop) model.Hop {
		if at, known := p.Places[h.Stage]; known {
			h.Resource, h.Side = at.Resource, at.Side()
		}
		return h
	})
}
