package virtual

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/internal/heap"
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

type network struct {
	*System
	now       quantity.Micros
	events    queue
	sequence  uint64
	count     int64
	nodes     []*node
	resources []resource // those of node 0, of node 1, …
	pool      []*packet
	running   int // programs that have not ended
	faults    Faults
	random    *rand.Rand
	lost      FaultStats
	trace     *Trace
	errs      []error
}

// A node runs a program as a coroutine: it continues when the run resumes it, and the run continues
// when the program waits or computes.
type node struct {
	net      *network
	id       int
	endpoint *engine.Endpoint
	resume   func() (struct{}, bool)
	stop     func()
	pause    func(struct{}) bool

	current *packet // the packet that its program is handling
	route   choice
	inbox   list
	blocked list // packets that wait in the network for room in the inbox
	parked  int  // sent packets that wait for room in the network
	waiting bool // for a packet, or for room
	gen     uint16
	empty   int             // polls in a row that found nothing
	last    quantity.Micros // when the last of them was
	since   quantity.Micros // when the wait began
	busy    quantity.Micros // with messages
	over    bool            // it has ended or died
	state   state
	changed quantity.Micros // when it came into this state
}

type state uint8

const (
	works state = iota
	ended
	stopped // polling
	dead
)

// Values of held for a packet that waits for room and does not hold a resource.
const (
	processor = -1 // of its sender
	nothing   = -2
)

// unwound ends a program whose run is over.
type unwound struct{}

// Run runs a program on all nodes, until it has ended on each. It returns the programs' error;
// if they deadlock, the error lists which node waits for which.
func Run(s *System, c Config, program func(*engine.Endpoint) error) (Report, error) {
	if c.Nodes < 2 || c.Nodes > 1<<20 {
		return Report{}, fmt.Errorf("%d nodes: a run has 2 to %d", c.Nodes, 1<<20)
	}
	if err := c.Faults.check(c.Nodes); err != nil {
		return Report{}, err
	}
	n := &network{System: s, faults: c.Faults, trace: c.Trace, running: c.Nodes}
	n.nodes = make([]*node, c.Nodes)
	n.resources = make([]resource, c.Nodes*len(s.kinds))
	if c.Faults.any() {
		n.random = rand.New(rand.NewPCG(c.Faults.Seed, 0x68616c667065616b))
	}
	if n.trace != nil {
		n.trace.start(s, c.Nodes)
	}
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
	for len(n.events) > 0 {
		n.step()
	}
	r := Report{Time: n.now, Events: n.count, Faults: n.lost}
	for _, nd := range n.nodes {
		r.Nodes, r.Busy = append(r.Nodes, nd.endpoint.Stats()), append(r.Busy, nd.busy)
	}
	if n.running > 0 {
		n.errs = append(n.errs, n.deadlock())
	}
	return r, errors.Join(n.errs...)
}

func (n *network) add(id int, program func(*engine.Endpoint) error) (err error) {
	nd := &node{net: n, id: id}
	if nd.endpoint, err = engine.New(port{nd}, n.Options); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	nd.resume, nd.stop = iter.Pull(func(pause func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (unwound{}) {
				panic(r)
			}
		}()
		nd.pause = pause
		err := program(nd.endpoint)
		if err != nil {
			n.errs = append(n.errs, fmt.Errorf("node %d: %w", id, err))
		}
		nd.turn(ended)
		nd.endpoint.Linger(func() bool { return false })
	})
	n.nodes[id] = nd
	n.schedule(0, id, event{what: wake, index: uint32(id)})
	if at, dies := n.faults.Die[id]; dies {
		n.schedule(at, id, event{what: die, index: uint32(id)})
	}
	return nil
}

func (nd *node) turn(s state) {
	if !nd.over && s != stopped {
		nd.over = true
		nd.net.running--
	}
	nd.state, nd.changed = s, nd.net.now
}

func (n *network) schedule(at quantity.Micros, host int, e event) {
	n.sequence++
	n.events.Push(heap.Item[quantity.Micros, uint64, event]{Key: at, Order: uint64(host)<<44 | n.sequence, Value: e})
}

func (n *network) step() {
	next := n.events.Pop()
	if next.Key < n.now {
		panic(fmt.Sprintf("virtual: time goes back from %v to %v", n.now, next.Key))
	}
	n.now = next.Key
	n.count++
	e := next.Value
	switch {
	case e.frame != nil:
		n.leave(e.frame)
	case e.what == free:
		n.resources[e.index].asked = false
		n.serve(int32(e.index))
	case e.what == wake:
		if nd := n.nodes[e.index]; nd.gen == e.gen && nd.state != dead {
			nd.gen++
			nd.waiting = false
			nd.resume()
		}
	case e.what == die:
		n.kill(n.nodes[e.index])
	}
}

// kill ends a node, which accepts no more packets.
func (n *network) kill(nd *node) {
	nd.turn(dead)
	for nd.inbox.count > 0 {
		n.drop(nd.inbox.pop())
	}
	for nd.blocked.count > 0 {
		f := nd.blocked.pop()
		n.release(f)
		n.drop(f)
	}
}

func (n *network) drop(f *packet) {
	n.lost.Lost++
	n.pool = append(n.pool, f)
}

// enter moves a packet into its stage, or into the inbox after the last. It returns false if there
// is no room; the packet then stays where it is until it is released.
func (n *network) enter(f *packet) bool {
	r := &n.routes[f.route]
	if f.Control() {
		return n.arrive(f)
	}
	if int(f.stage) >= len(r.Stages) {
		return n.arrive(f)
	}
	st := &r.Stages[f.stage]
	at := n.instance(f, r)
	res := &n.resources[at]
	if st.Queue > 0 && res.queue.count >= st.Queue {
		if st.Drop {
			n.drop(f)
			return true
		}
		res.blocked.push(f)
		return false
	}
	res.queue.push(f)
	n.serve(at)
	return true
}

// instance returns the number of the resource of the packet's stage.
func (n *network) instance(f *packet, r *route) int32 {
	kind := r.resources[f.stage]
	switch r.Stages[f.stage].Side {
	case Sender:
		return f.Src*int32(len(n.kinds)) + kind
	case Receiver:
		return f.Dst*int32(len(n.kinds)) + kind
	}
	return kind // the network's are with node 0
}

// serve starts the next packets of a resource, if it is free.
func (n *network) serve(at int32) {
	res := &n.resources[at]
	for res.queue.count > 0 && res.holding == 0 && n.now >= res.until {
		f := res.queue.pop()
		st := &n.routes[f.route].Stages[f.stage]
		delay, busy := st.times(&f.Frame)
		res.until = n.now + busy
		if n.trace != nil {
			n.trace.add(at, n.now, res.until, &f.Frame)
		}
		if res.blocked.count > 0 {
			g := res.blocked.pop()
			res.queue.push(g)
			n.release(g)
		}
		f.held = at
		if delay == 0 {
			n.leave(f)
			continue
		}
		n.schedule(n.now+delay, int(f.Src), event{frame: f})
	}
	if res.queue.count > 0 && !res.asked && n.now < res.until {
		res.asked = true
		n.schedule(res.until, int(at)/len(n.kinds), event{what: free, index: uint32(at)})
	}
}

// leave moves a packet from its stage to the next.
func (n *network) leave(f *packet) {
	held := f.held
	f.stage++
	if !n.enter(f) {
		f.held = held
		if held >= 0 {
			n.resources[held].holding++
		}
	}
}

// release frees the resource that a packet held while it waited for room.
func (n *network) release(f *packet) {
	switch f.held {
	case nothing:
	case processor:
		nd := n.nodes[f.Src]
		nd.parked--
		nd.wake(n.now)
	default:
		n.resources[f.held].holding--
		n.serve(f.held)
	}
}

// arrive puts a packet into the inbox of its receiver.
func (n *network) arrive(f *packet) bool {
	nd := n.nodes[f.Dst]
	if n.random != nil && f.stage != faulty && !n.fault(f) {
		return true
	}
	if nd.state == dead {
		n.drop(f)
		return true
	}
	if n.Inbox > 0 && nd.inbox.count >= n.Inbox && !f.Control() {
		if n.Drop {
			n.drop(f)
			return true
		}
		nd.blocked.push(f)
		return false
	}
	nd.take(f)
	return true
}

// take puts a packet into the inbox, and wakes the node.
func (nd *node) take(f *packet) {
	nd.inbox.push(f)
	at := nd.net.now
	if poll := nd.net.Poll; poll > 0 { // its next poll finds the packet
		at = max(at, nd.since+poll*quantity.Micros(math.Ceil(float64((at-nd.since)/poll))))
	}
	nd.wake(at)
}

func (nd *node) wake(at quantity.Micros) {
	if nd.waiting {
		nd.waiting = false
		nd.net.schedule(at, nd.id, event{what: wake, index: uint32(nd.id), gen: nd.gen})
	}
}

// deadlock returns an error that lists which node waits for which.
func (n *network) deadlock() error {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at %v: %d of %d programs wait for events that cannot happen", n.now, n.running, len(n.nodes))
	shown := 0
	for _, nd := range n.nodes {
		var what string
		switch {
		case nd.state == dead:
			what = fmt.Sprintf("died at %v", nd.changed)
		case nd.state == stopped:
			what = fmt.Sprintf("stopped polling at %v, %d packets in its inbox", nd.changed, nd.inbox.count)
		case nd.state == works && nd.endpoint.Waiting() != "":
			what = "waits for " + nd.endpoint.Waiting()
		default:
			continue
		}
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
