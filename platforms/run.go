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

// A Protocol configures the engine beyond moving packets when it runs a layer. The zero value
// disables all of it.
type Protocol struct {
	Credits        int             // requests to a node without a reply; 0: the engine's default
	EagerThreshold quantity.Bytes  // the largest message that is sent immediately; 0: all are
	Retry          quantity.Micros // time until a packet without acknowledgement is resent; 0: never
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

func (s *scope) place(host model.Host) Place {
	side := "sender"
	if host == model.Receiver {
		side = "receiver"
	}
	resource, at := s.text("resource"), s.text("at")
	p := Place{Resource: cmp.Or(resource, s.Name), At: cmp.Or(at, side)}
	if resource != "" {
		s.must(s.path+".resource", checkName(resource))
	}
	if !slices.Contains(sides, p.At) {
		s.fail("at", "%q%s", p.At, nearest.Hint(p.At, sides))
	}
	if host != model.NoHost && (resource != "" || at != "" || s.text("queue") != "") {
		s.fail("host", "a stage of a processor occupies that; leave out resource, at and queue")
	}
	p.Queue = int(s.optional("queue"))
	p.Drop = s.full(p.Queue > 0, "queue")
	return p
}

// optional returns the value of a key; 0 if it is missing.
func (s *scope) optional(key string) float64 {
	if s.text(key) == "" {
		return 0
	}
	return s.values[s.slot(key)]
}

// full reports whether a packet without room is dropped.
func (s *scope) full(bounded bool, what string) (drop bool) {
	if s.text("full") != "" && !bounded {
		s.fail("full", "without %s there is always room", what)
	}
	return choose(&s.section, "full", map[string]bool{"wait": false, "drop": true})
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

func (b *builder) protocolTables() {
	b.protocols[""] = Protocol{Interrupt: -1} // of a layer that names none
	for _, t := range b.sections("protocol") {
		t.named()
		s := scope{section: t, fields: protocolFields}
		p := Protocol{
			Credits: int(s.optional("credits")), Inbox: int(s.optional("inbox")),
			EagerThreshold: quantity.Bytes(s.optional("eager_threshold")), Retry: quantity.Micros(s.optional("retry")),
			Rounds: value[bool](t.Keys, "rounds"), Poll: quantity.Micros(s.optional("poll")), Interrupt: -1,
		}
		interrupts := t.text("interrupt") != ""
		if interrupts {
			p.Interrupt = quantity.Micros(s.optional("interrupt"))
		}
		if p.Rounds && p.Retry == 0 {
			t.fail("rounds", "rounds send again what retry keeps; give retry too")
		}
		if t.text("poll") != "" && interrupts {
			t.fail("interrupt", "a processor that is interrupted does not poll; leave one out")
		}
		p.Drop = s.full(p.Inbox > 0, "inbox")
		b.protocols[t.Name] = p
	}
}

// Resources returns the resources that a message of the layer occupies, in the places that the file
// gives its stages.
func (p Platform) Resources(l Layer) model.Resources {
	return model.Placed(l.Model.Resources(), func(h model.Hop) model.Hop {
		if at, known := p.Places[h.Stage]; known {
			h.Resource, h.Side = at.Resource, at.Side()
		}
		return h
	})
}
