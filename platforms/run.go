package platforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Place is where a stage is, when the engine runs its pipeline. No formula depends on it.
type Place struct {
	Resource string // what it occupies: stages that name the same one share it
	At       string // "sender", "receiver" or "network": whose that is
	Queue    int    // packets that may wait for it; 0: no bound
	Drop     bool   // a packet that finds the queue full is lost; else it waits in the stage before
}

// A Protocol is what the engine does beside moving packets, when it runs a layer. Its zero value
// does none of it.
type Protocol struct {
	Credits    int             // requests to one node that may be without a reply; 0: the engine's default
	Rendezvous quantity.Bytes  // the largest message that goes without asking; 0: none asks
	Retry      quantity.Micros // the time after which a packet without an acknowledgement is sent again; 0: never
	Rounds     bool            // a receiver that misses a packet asks at once
	Inbox      int             // packets that a node has room for; 0: no bound
	Drop       bool            // a packet that finds no room is lost; else it waits in the network
	Poll       quantity.Micros // what a look costs that finds nothing
	Interrupt  quantity.Micros // what an interrupt costs; negative: the processor polls
}

type placeKeys struct {
	Resource string `toml:"resource"`
	At       string `toml:"at"`
	Queue    string `toml:"queue"`
	Full     string `toml:"full"`
}

type protocolTable struct {
	Credits    string `toml:"credits"`
	Rendezvous string `toml:"rendezvous"`
	Retry      string `toml:"retry"`
	Rounds     bool   `toml:"rounds"`
	Inbox      string `toml:"inbox"`
	Full       string `toml:"full"`
	Poll       string `toml:"poll"`
	Interrupt  string `toml:"interrupt"`
	Source     string `toml:"source"`
}

var (
	stageKeys    = []string{"beta", "tau", "host", "resource", "at", "queue", "full", "source"}
	protocolKeys = []string{"credits", "rendezvous", "retry", "rounds", "inbox", "full", "poll", "interrupt", "source"}
	sides        = []string{"sender", "receiver", "network"}
)

// place reads where a stage is.
func (b *builder) place(path, name string, t stageTable, host model.Host) (p Place, err error) {
	side := "sender"
	if host == model.Receiver {
		side = "receiver"
	}
	p = Place{Resource: cmp.Or(t.Resource, name), At: cmp.Or(t.At, side)}
	if t.Resource != "" {
		if err := b.named(path+".resource", t.Resource); err != nil {
			return p, err
		}
	}
	if !slices.Contains(sides, p.At) {
		return p, b.errorf(path+".at", "%q%s", p.At, nearest.Hint(p.At, sides))
	}
	if host != model.NoHost && (t.Resource != "" || t.At != "" || t.Queue != "") {
		return p, b.errorf(path+".host", "a stage of a processor occupies that; leave out resource, at and queue")
	}
	r := b.reader(path, layerTable{Source: t.Source}, map[string]string{"queue": t.Queue})
	p.Queue = r.count("queue")
	if r.err != nil {
		return p, r.err
	}
	p.Drop, err = b.full(path, t.Full, p.Queue > 0, "queue")
	return p, err
}

// full reads what happens to a packet for which there is no room.
func (b *builder) full(path, full string, bounded bool, what string) (drop bool, err error) {
	switch {
	case full != "" && !bounded:
		return false, b.errorf(path+".full", "without %s there is always room", what)
	case full == "" || full == "wait":
		return false, nil
	case full == "drop":
		return true, nil
	}
	return false, b.errorf(path+".full", "%q%s", full, nearest.Hint(full, []string{"wait", "drop"}))
}

// protocolTables reads the protocols, which layers name.
func (b *builder) protocolTables() error {
	for _, name := range inOrder(b.document, "protocol", b.Protocol) {
		path := "protocol." + name
		t := b.Protocol[name]
		if err := b.named(path, name); err != nil {
			return err
		}
		if err := b.sourced(path, t.Source); err != nil {
			return err
		}
		r := b.reader(path, layerTable{Source: t.Source}, map[string]string{
			"credits": t.Credits, "rendezvous": t.Rendezvous, "retry": t.Retry, "inbox": t.Inbox, "poll": t.Poll, "interrupt": t.Interrupt,
		})
		p := Protocol{Credits: r.count("credits"), Rounds: t.Rounds, Inbox: r.count("inbox"), Interrupt: -1}
		if t.Rendezvous != "" {
			p.Rendezvous = r.size("rendezvous")
		}
		if t.Retry != "" {
			p.Retry = r.micros("retry")
		}
		if t.Poll != "" {
			p.Poll = r.micros("poll")
		}
		if t.Interrupt != "" {
			p.Interrupt = r.micros("interrupt")
		}
		if r.err != nil {
			return r.err
		}
		if p.Rounds && p.Retry == 0 {
			return b.errorf(path+".rounds", "rounds send again what retry keeps; give retry too")
		}
		if t.Poll != "" && t.Interrupt != "" {
			return b.errorf(path+".interrupt", "a processor that is interrupted does not poll; leave one out")
		}
		var err error
		if p.Drop, err = b.full(path, t.Full, p.Inbox > 0, "inbox"); err != nil {
			return err
		}
		b.protocols[name] = p
	}
	return nil
}

// protocol is the protocol that a layer names.
func (b *builder) protocol(path, name string) (Protocol, error) {
	if name == "" {
		return Protocol{Interrupt: -1}, nil
	}
	p, known := b.protocols[name]
	if !known {
		return p, b.errorf(path+".protocol", "no [protocol.%s]%s", name, nearest.Hint(name, inOrder(b.document, "protocol", b.Protocol)))
	}
	return p, nil
}

// count takes an optional whole number from 1.
func (r *reader) count(key string) (n int) {
	if r.given[key] == "" {
		return 0
	}
	r.take(key, func(v quantity.Value) error {
		w, err := v.Number()
		if err == nil && (w < 1 || w > 1<<30 || w != math.Trunc(w)) {
			err = fmt.Errorf("must be a whole number, at least 1")
		}
		n = int(w)
		return err
	})
	return n
}
