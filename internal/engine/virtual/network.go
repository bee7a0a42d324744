package virtual

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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

// A node runs a program as a coroutine: it continues when the run resumes it, and the run
// continues when the program waits or computes. So programs are straight code, as on a
// real transport, and the order of all steps is the order of events.
type node struct {
	net      *network
	id       int
	endpoint *engine.Endpoint
	resume   func() (struct{}, bool)
	stop     func()
	pause    func(struct{}) bool

	current *packet // the packet that its program is handling
	route   choice
	inbox   fifo
	blocked fifo // packets that wait in the network for room in the inbox
	parked  int  // sent packets that wait for room in the network
	waiting bool // for a packet, or for room
	// gen counts the times that the node was woken: an event to wake it is void if gen has
	// changed since.
	gen uint16
	// For miss, which advances a program that only polls.
	empty   int             // polls in a row that found nothing
	last    quantity.Micros // when the last of them was
	since   quantity.Micros // when the wait began
	busy    quantity.Micros // with messages
	over    bool            // it has ended or died
	state   state
	changed quantity.Micros // when it came into this state
}

// A choice is the route of the last piece that a node sent; all packets of the piece take
// it. The route of most packets is that of the packet before, so the plan is asked once
// for a piece.
type choice struct {
	whole, piece uint32
	route        int32
}

const (
	works state = iota
	ended
	stopped // polling
	dead
)

type state uint8

// Values of held for a packet that waits for room and does not hold a resource.
const (
	// Numbers of resources are 0 or more.
	processor = -1 // of its sender
	nothing   = -2
)

func (nd *node) setState(s state) {
	// A node that has stopped polling has not ended: its program counts as running, so a run
	// that waits for it ends as a deadlock with its name in the report.
	if !nd.over && s != stopped {
		nd.over = true
		nd.net.running--
	}
	nd.state, nd.changed = s, nd.net.now
}

func (n *network) schedule(at quantity.Micros, host int, e event) {
	n.sequence++
	// The order of simultaneous events: first by the number of the node, so that adding a
	// node does not reorder the others, then by the order in which they were caused. 20 bits
	// are for the node, which [Run] checks, and 44 for the sequence, enough for 1.7·10¹³
	// events.
	order := uint64(host)<<44 | n.sequence
	n.events.Push(list.Item[quantity.Micros, uint64, event]{Key: at, Order: order, Value: e})
}

func (n *network) step() {
	next := n.events.Pop()
	if next.Key < n.now {
		// A negative cost has scheduled it. Going on would show a packet that arrives before it was
		// sent.
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
		// A wait may have two events, its timeout and the arrival of a packet. The first one wakes
		// the node and changes its generation, which makes the other one void.
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
	// The packets that it holds are lost. Those that wait in the network for its inbox give
	// back the resources that they occupy, so that packets to other nodes go on.
	nd.setState(dead)
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

// enter moves a packet into its stage, or into the inbox after the last. It returns false
// if there is no room; the packet then stays where it is until it is released. A packet
// that was dropped has left its stage, so the result is true.
func (n *network) enter(f *packet) bool {
	r := &n.routes[f.route]
	if f.Control() || int(f.stage) >= len(r.Stages) {
		return n.arrive(f)
	}
	st := &r.Stages[f.stage]
	at := n.instance(f, st)
	res := &n.resources[at]
	// A full queue drops the packet, or leaves it where it keeps its previous resource busy.
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
func (n *network) instance(f *packet, st *stage) int32 {
	switch st.Side {
	case model.AtSender:
		return f.Src*int32(len(n.kinds)) + st.kind
	case model.AtReceiver:
		return f.Dst*int32(len(n.kinds)) + st.kind
	}
	return st.kind // the network's are with node 0
}

// serve starts the next packets of a resource, if it is free.
func (n *network) serve(at int32) {
	res := &n.resources[at]
	// It serves several packets in one call only if they occupy it for no time. While a packet
	// that it has served cannot leave, the resource serves no other one: that is back-pressure.
	for res.queue.count > 0 && res.holding == 0 && n.now >= res.until {
		f := res.queue.pop()
		st := &n.routes[f.route].Stages[f.stage]
		delay, busy := st.times(&f.Frame)
		res.until = n.now + busy
		if n.trace != nil {
			n.trace.add(at, n.now, res.until, &f.Frame)
		}
		// The queue has room for one more: the packet that has waited longest moves up and frees
		// its stage.
		if res.blocked.count > 0 {
			g := res.blocked.pop()
			res.queue.push(g)
			n.release(g)
		}
		f.held = at
		// Without an event, which would only sort itself behind others of the same time.
		if delay == 0 {
			n.leave(f)
			continue
		}
		n.schedule(n.now+delay, int(f.Src), event{frame: f})
	}
	// One event is enough, however many packets wait. None is needed if the resource holds a
	// packet: release serves it then.
	if res.queue.count > 0 && !res.asked && n.now < res.until {
		res.asked = true
		n.schedule(res.until, int(at)/len(n.kinds), event{what: free, index: uint32(at)})
	}
}

// leave moves a packet from its stage to the next. Without room there, the packet goes on
// holding the resource of its stage.
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
		// The node may be waiting for room to send its next packet. Its processor is free
		// meanwhile: a parked packet occupies the way out, not the program.
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
	// Faults happen here, after the last stage, so that a lost packet has occupied every
	// resource of its way, as in a real network. A packet that comes late because of a fault
	// gets no second one.
	if n.random != nil && f.stage != faulty && !n.fault(f) {
		return true
	}
	if nd.state == dead {
		n.drop(f)
		return true
	}
	// Packets of the protocol are not bounded by the inbox. If data could hold up
	// acknowledgements, senders would repeat packets that have arrived.
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
	// A node that waits polls every Poll µs from the beginning of its wait. It sees the
	// packet at the first of these polls after its arrival.
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

// faulty is the stage of a packet that has had its faults. It is above the number of stages
// of any route, so the packet goes straight to the inbox.
const faulty = 1 << 20

func (n *network) fault(f *packet) bool {
	// A fault of probability 0 draws no number, so that the packets that are lost at a seed
	// do not depend on faults that are switched off.
	chance := func(p float64) bool { return p > 0 && n.random.Float64() < p }
	if chance(n.faults.Drop) {
		n.drop(f)
		return false
	}
	if chance(n.faults.Duplicate) {
		n.lost.Duplicated++
		// The copy has its own payload, so damage to one does not show in the other.
		twin := n.packet(&f.Frame)
		twin.route = f.route
		n.deliverLate(twin, n.faults.Late*quantity.Micros(n.random.Float64()))
	}
	if chance(n.faults.Corrupt) {
		n.lost.Corrupted++
		// The low bits choose the bit, the others the byte or the word.
		if bit := n.random.Uint32(); len(f.Payload) > 0 {
			f.Payload[int(bit>>3)%len(f.Payload)] ^= 1 << (bit & 7)
		} else {
			f.Words[bit>>5&3] ^= 1 << (bit & 31)
		}
	}
	switch {
	case chance(n.faults.Reorder):
		n.lost.Delayed++
		n.deliverLate(f, n.faults.Late*quantity.Micros(n.random.Float64()))
		return false
	case chance(n.faults.Delay):
		n.lost.Delayed++
		n.deliverLate(f, 10*n.faults.Late)
		return false
	}
	return true
}

func (n *network) deliverLate(f *packet, by quantity.Micros) {
	f.stage, f.held = faulty-1, nothing
	n.schedule(n.now+by, int(f.Dst), event{frame: f})
}

// slab is the number of packets allocated together: 34 of 120 bytes fill one of Go's size classes;
// a single one would take 128.
const slab = 34

func (n *network) packet(f *engine.Frame) *packet {
	last := len(n.pool) - 1
	if last < 0 {
		fresh := make([]packet, slab)
		for i := range fresh {
			n.pool = append(n.pool, &fresh[i])
		}
		last = slab - 1
	}
	g := n.pool[last]
	n.pool = n.pool[:last]
	// The sender may change its data when Send returns, so a packet has a copy.
	payload := append(g.Payload[:0], f.Payload...)
	*g = packet{Frame: *f}
	g.Payload = payload
	return g
}

// unwound ends a program whose run is over.
type unwound struct{}
