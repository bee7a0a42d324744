package virtual

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Config holds the options of a run.
type Config struct {
	Nodes  int // ≥ 2
	Faults Faults
	Trace  *Trace // if not nil, records when each resource was busy
}

// A Report is the outcome of a run.
type Report struct {
	Time   quantity.Micros // time of the last event
	Events int64
	Nodes  []engine.Stats
	Busy   []quantity.Micros // the time for which messages kept the processor of each node busy
	Faults FaultStats
}

// Run runs a program on all nodes, until it has ended on each. It returns the programs' error;
// if they deadlock, the error lists which node waits for which.
func Run(s *System, c Config, program func(*engine.Endpoint) error) (Report, error) {
	// An event has 20 bits for its node.
	if c.Nodes < 2 || c.Nodes > 1<<20 {
		return Report{}, fmt.Errorf("%d nodes: a run has 2 to %d", c.Nodes, 1<<20)
	}
	if err := c.Faults.check(c.Nodes); err != nil {
		return Report{}, err
	}
	n := &network{System: s, faults: c.Faults, trace: c.Trace, running: c.Nodes}
	n.nodes = make([]*node, c.Nodes)
	n.resources = make([]resource, c.Nodes*len(s.kinds))
	// Without faults there is no generator, which arrive takes as its sign to skip them.
	if c.Faults.any() {
		// The second number is "halfpeak" in ASCII; the seed alone selects the faults.
		n.random = rand.New(rand.NewPCG(c.Faults.Seed, 0x68616c667065616b))
	}
	if n.trace != nil {
		n.trace.start(s, c.Nodes)
	}
	// Programs that wait are suspended in the middle of a call. Stopping their coroutines
	// unwinds them, so that their deferred calls run and nothing is left behind.
	defer func() {
		for _, nd := range n.nodes {
			if nd != nil {
				nd.stop()
			}
		}
	}()
	for id := range c.Nodes {
		if err := n.add(id, program); err != nil {
			return Report{}, err
		}
	}
	// Without events no program can go on: all have ended, or the rest wait for each other.
	for len(n.events) > 0 {
		n.step()
	}
	r := Report{Time: n.now, Events: n.count, Faults: n.lost}
	for _, nd := range n.nodes {
		r.Nodes, r.Busy = append(r.Nodes, nd.endpoint.Stats()), append(r.Busy, nd.busy)
	}
	// A program that still waits does so for ever. Its error comes last, behind those of
	// programs that failed: one of these is often the cause.
	if n.running > 0 {
		n.errs = append(n.errs, n.deadlock())
	}
	return r, errors.Join(n.errs...)
}

// Measure runs a benchmark program on a system, on the program's own number of nodes if it has one.
// The result is that of node 0.
func Measure(
	s *System, c Config, p programs.Program, a programs.Args,
) (result programs.Result, report Report, err error) {
	if p.On&programs.Simulated == 0 {
		return result, report, fmt.Errorf("%s: %s needs a real transport", s.Name, p.Name)
	}
	if p.Nodes > 0 {
		c.Nodes = p.Nodes
	}
	report, err = Run(s, c, func(ep *engine.Endpoint) error {
		r, err := p.Run(ep, a)
		if ep.Node() == 0 {
			result = r
		}
		return err
	})
	return result, report, err
}

func (n *network) add(id int, program func(*engine.Endpoint) error) (err error) {
	nd := &node{net: n, id: id}
	if nd.endpoint, err = engine.New(port{nd}, n.Options); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	// The node's program is a coroutine that yields nothing: each pause hands control back to
	// the loop.
	nd.resume, nd.stop = iter.Pull(func(pause func(struct{}) bool) {
		defer func() {
			// Only the end of the run is recovered here. Any other panic is a fault of the program,
			// and goes on.
			if r := recover(); r != nil && r != (unwound{}) {
				panic(r)
			}
		}()
		nd.pause = pause
		err := program(nd.endpoint)
		if err != nil {
			n.errs = append(n.errs, fmt.Errorf("node %d: %w", id, err))
		}
		nd.setState(ended)
		// Other nodes may still send requests to it: it serves them until the run ends.
		nd.endpoint.Linger(func() bool { return false })
	})
	n.nodes[id] = nd
	// All programs begin at time 0, in the order of the nodes.
	n.schedule(0, id, event{what: wake, index: uint32(id)})
	if at, dies := n.faults.Die[id]; dies {
		n.schedule(at, id, event{what: die, index: uint32(id)})
	}
	return nil
}

// deadlock returns an error that lists which node waits for which.
func (n *network) deadlock() error {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at %v: %d of %d programs wait for events that cannot happen",
		n.now, n.running, len(n.nodes))
	shown := 0
	for _, nd := range n.nodes {
		var what string
		switch {
		case nd.state == dead:
			what = fmt.Sprintf("died at %v", nd.changed)
		case nd.state == stopped:
			what = fmt.Sprintf("stopped polling at %v, %d packets in its inbox", nd.changed,
				nd.inbox.count)
		case nd.state == works && nd.endpoint.Waiting() != "":
			what = "waits for " + nd.endpoint.Waiting()
		default:
			continue
		}
		// Twenty nodes fill a screen, and show the pattern of a deadlock among thousands.
		if shown++; shown > 20 {
			fmt.Fprintf(&b, "\n  …")
			break
		}
		fmt.Fprintf(&b, "\n  node %d %s", nd.id, what)
	}
	if n.lost != (FaultStats{}) {
		fmt.Fprintf(&b, "\n  %v", n.lost)
	}
	return errors.New(b.String())
}
