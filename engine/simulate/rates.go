package simulate

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// flows holds the messages in transit through what ranks share. It is nil on a machine that shares
// nothing.
//
// The bytes of a message flow at a rate of at most its size over the time that it takes alone. No
// shared resource exceeds its capacity: for each, the sum of rate · occupancy/size over the
// messages that use it is at most 1. Above [machine.Level.Packet], the NICs of both ranks are such
// resources too, where a message occupies a NIC for the gap. A message also takes the part
// [machine.Level.Reverse] of this from the opposite direction of each. The rates are max-min fair
// (Bertsekas, Gallager, Data Networks, §6.5.2): all rates rise together; a rate that can rise no
// further stays, while the remaining rates rise on.
//
// Flows of one size that use the same resources have the same rate, so they are served as one
// bundle: a bundle of k flows is one unknown of the filling, and its flows end in the order of
// their starts. When a flow begins or ends, only the rates of its component are computed again: of
// the bundles that it reaches through resources whose users would exceed them at full speed. Other
// resources limit nobody.
type flows struct {
	bundles  map[bundleKey]*bundle // by path
	same     map[string]*bundle    // by uses, of whatever paths
	near     [256]nearBundle
	transits []transit // by send
	pairs    pairs
	turns    []pairTurn      // by pair; only where NICs interleave messages
	last     []uint32        // by pair and NIC: the last send that flows, plus 1; 0: none
	sent     map[uint32]link // by recorded send: the step that sent the data
	next     uint64          // time at which the first flow is delivered or ends
	queued   uint64          // time of the last entry for that
	pending  bool            // rates must be computed at the end of this moment
	held     bool            // the entry for that is tick, which is not in the queue yet
	tick     entry
	changed  []*bundle // in which a flow began or ended since the rates were computed
	due      []*bundle // bundles with flows, a binary heap by event
	shared   []resource
	fill     filling
	seed     uint32 // of the ranks' first moments
}

// A resource is shared by the bundles that use it.
type resource struct {
	users []user // bundles with flows
	count int    // of flows
	// demand is the part of its capacity that the flows would take at full speed, in units of
	// fullSpeed. A whole number returns to 0 when the last flow ends; a sum of floats would not.
	demand int64
	limits bool // it was part of a component when its rates were last computed
	mark   uint32
	free   float64 // while rates rise: the capacity that is not used by rates that stay
	load   float64 // while rates rise: its use by rising rates, for each byte per tick
	rising int     // while rates rise: the number of users whose rates rise
}

// fullSpeed is the demand that a resource can just satisfy. 2⁴⁰ leaves room for 2²³ flows.
const fullSpeed = 1 << 40

// A user is a bundle, and the index of the resource in its uses.
type user struct {
	*bundle
	use int
}

// A bundle holds the flows of one size that use the same resources.
type bundle struct {
	uses []use
	size float64 // of each flow, in bytes
	// alone is the time in ticks that a flow takes and occupies its resources without other flows.
	// Its last byte arrives excess earlier: a gap follows the bytes. The next message from its
	// sender to its receiver flows ahead earlier: a gap can be shorter than the bytes.
	alone, excess, ahead float64
	// lag is the part of the bytes' time, in ticks, in which they occupy nothing: before the flow.
	lag          uint64
	rate         float64 // of each flow, as a fraction of the message per tick
	served       float64 // fraction of a message served at time at, since it was empty
	at           uint64
	flows        []flow // in the order of their starts
	delivered    int    // leading flows whose last byte has arrived
	followed     int    // leading flows behind which the next message may flow
	event        uint64 // when the next one is delivered or ends
	place        int    // in flows.due
	mark         uint32
	rises, dirty bool
}

// A flow is one message. It ends when its bundle has served the fraction until.
type flow struct {
	op    uint32
	until float64
}

// A use is the number of ticks for which a message occupies a resource.
type use struct {
	resource uint32
	ticks    float64
	demand   int64 // of one flow
	index    int   // of the bundle in the users of the resource
}

// A bundleKey is a path, and what a message on it has. The ranks are replaced by their innermost
// units where the path depends on these alone.
type bundleKey struct {
	from, to uint32
	size     uint64
}

// A transit is how far the message of a send is that flows.
type transit struct {
	started, ended uint64 // when its first and its last byte arrived
	taken          uint64 // when its receiver's NIC began to take it in
	take           uint32 // the recorded step that takes it in
	next           uint32 // the send whose flow waits for the end of this one, plus 1
	state          transitState
	admitted       bool // its turn has come
	lags           bool // it has arrived, and its flow begins after the lag of its bundle
}

type transitState uint8

const (
	unsent    transitState = iota
	inTransit              // and no receive has matched it
	taken                  // it flows, and the NIC of its receive takes it in
	arrived
)

// A pairTurn orders the messages from one rank to another on a machine whose NICs interleave them.
type pairTurn struct{ last, next uint64 } // begin of the last; earliest begin of the next flow

// A nearBundle is a bundle that was met lately, by its key.
type nearBundle struct {
	key bundleKey
	*bundle
}

func (k bundleKey) hash() uint32 {
	return (k.from*0x9e3779b1 ^ k.to*0x85ebca6b ^ uint32(k.size)*0xc2b2ae35) >> 24
}

// newFlows returns nil for a machine without shared resources, whose runs then pay nothing for
// flows. A resource exists for each rank's NIC in both directions, and for what its levels share.
func newFlows(m Machine, p *Program, seed uint64) *flows {
	l, ok := m.(*levels)
	if !ok || !l.Shares() && !l.interleaves() {
		return nil
	}
	of := p.pairsOf()
	turns := 0
	if l.interleaves() {
		turns = of.count
	}
	return &flows{
		bundles:  map[bundleKey]*bundle{},
		same:     map[string]*bundle{},
		transits: memory.Make[transit](len(p.ops)),
		pairs:    of,
		turns:    memory.Make[pairTurn](turns),
		last:     memory.Make[uint32](of.count * len(p.nics.list)),
		sent:     map[uint32]link{},
		next:     math.MaxUint64,
		queued:   math.MaxUint64,
		shared:   make([]resource, 2*l.ranks()+l.resources()),
		seed:     uint32(seed),
	}
}

// maxBundles bounds the memory of bundles that have no flow. A bundle that is forgotten while it
// has flows is only met by its own resources: a second one beside it has the same rates.
const maxBundles = 1 << 15

// add returns the bundle with the uses, size and times of b, which is b if there was none.
func (f *flows) add(k bundleKey, b *bundle) *bundle {
	// The key is the bits of the numbers: two bundles are the same only if every time is the same
	// to the last bit, and then so are their rates.
	text := make([]byte, 0, 32+12*len(b.uses))
	for _, x := range []float64{b.size, b.alone, b.excess, b.ahead} {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x))
	}
	for _, u := range b.uses {
		text = binary.LittleEndian.AppendUint32(text, u.resource)
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(u.ticks))
	}
	if len(f.bundles) >= maxBundles {
		clear(f.bundles)
		clear(f.same)
		clear(f.near[:])
	}
	if known, ok := f.same[string(text)]; ok {
		b = known
	} else {
		f.same[string(text)] = b
	}
	f.bundles[k] = b
	return b
}

// begin adds a flow to its bundle at time t.
func (f *flows) begin(b *bundle, op uint32, t uint64) {
	b.advance(t)
	if len(b.flows) == 0 {
		b.served, b.rate, b.at = 0, 0, t // sums of rounded parts begin anew
		b.event, b.place = math.MaxUint64, len(f.due)
		f.due = append(f.due, b)
		for i := range b.uses {
			u := &b.uses[i]
			r := &f.shared[u.resource]
			u.index = len(r.users)
			r.users = append(r.users, user{b, i})
		}
	}
	b.flows = append(b.flows, flow{op, b.served + 1})
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		r.demand, r.count = r.demand+u.demand, r.count+1
	}
	f.change(b)
}

// end removes the first flow of a bundle.
func (f *flows) end(b *bundle) {
	b.flows = b.flows[1:]
	b.delivered--
	b.followed--
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		r.demand, r.count = r.demand-u.demand, r.count-1
	}
	if len(b.flows) == 0 {
		b.flows = b.flows[:0:0]
		f.sift(b)
		for _, u := range b.uses {
			r := &f.shared[u.resource]
			last := r.users[len(r.users)-1]
			r.users[u.index] = last
			last.uses[last.use].index = u.index
			r.users = r.users[:len(r.users)-1]
		}
	}
	f.change(b)
}

// change notes that the rates around a bundle must be computed, once for all flows that begin or
// end at the same moment.
func (f *flows) change(b *bundle) {
	if !b.dirty {
		b.dirty = true
		f.changed = append(f.changed, b)
	}
}

// advance serves a bundle until time t.
func (b *bundle) advance(t uint64) {
	b.served += b.rate * float64(t-b.at)
	b.at = t
}

// remaining returns the ticks until flow i of a bundle ends at the present rate.
func (b *bundle) remaining(i int) float64 { return (b.flows[i].until - b.served) / b.rate }

// untilNext returns for how many ticks at the present rate a flow goes on when the next one may
// begin.
func (b *bundle) untilNext() float64 { return b.ahead / (b.alone * b.rate) }

// slack is the rounding in ticks by which a flow may end early. Sums of fractions of a message of
// a second, each rounded by 10⁻¹⁶, are 10⁻⁴ ticks off. A whole tick more would let equal
// messages fall out of step.
const slack = 0.01

// schedule sets the next event of a bundle: a delivery or an end.
func (f *flows) schedule(b *bundle) {
	b.event = math.MaxUint64
	if b.rate > 0 {
		t := b.remaining(0)
		if b.delivered < len(b.flows) {
			t = min(t, b.remaining(b.delivered)-b.excess)
		}
		if b.followed < len(b.flows) {
			t = min(t, b.remaining(b.followed)-b.untilNext())
		}
		b.event = b.at + uint64(math.Ceil(max(t-slack, 0)))
	}
	f.sift(b)
}

// sift restores the order of the heap around a bundle whose event has changed, or removes it if it
// has none.
func (f *flows) sift(b *bundle) {
	i, last := b.place, len(f.due)-1
	if len(b.flows) == 0 {
		moved := f.due[last]
		f.due = f.due[:last]
		if moved == b {
			return
		}
		b, last = moved, last-1
	}
	for i > 0 && f.due[(i-1)/2].event > b.event {
		f.due[i] = f.due[(i-1)/2]
		f.due[i].place = i
		i = (i - 1) / 2
	}
	for child := 2*i + 1; child <= last; child = 2*i + 1 {
		if child < last && f.due[child+1].event < f.due[child].event {
			child++
		}
		if f.due[child].event >= b.event {
			break
		}
		f.due[i] = f.due[child]
		f.due[i].place = i
		i = child
	}
	f.due[i], b.place = b, i
}

// A filling is a component whose rates are computed.
type filling struct {
	mark      uint32
	bundles   []*bundle
	resources []*resource
}

// limiting reports whether the flows of a resource would exceed it at full speed. One flow alone
// has the speed of its level, also where a NIC is occupied for longer than its bytes take. Each
// demand is rounded by up to 1/2, so that three thirds may be a little more than the whole.
func (r *resource) limiting() bool { return r.count > 1 && r.demand > fullSpeed+fullSpeed>>24 }

// share computes the rates that flows which began or ended until time t can have changed.
func (f *flows) share(t uint64) {
	f.fill.mark++
	for _, b := range f.changed {
		b.dirty = false
		if b.mark == f.fill.mark {
			continue // it was part of the component of another one
		}
		f.fill.bundles, f.fill.resources = f.fill.bundles[:0], f.fill.resources[:0]
		f.collect(b)
		for _, other := range f.fill.bundles {
			other.advance(t)
		}
		f.rise()
		for _, other := range f.fill.bundles {
			f.schedule(other)
		}
	}
	f.changed = f.changed[:0]
}

// collect sets the bundles and resources of the filling to the component of a bundle in which a
// flow began or ended.
func (f *flows) collect(b *bundle) {
	if b.mark = f.fill.mark; len(b.flows) > 0 {
		f.fill.bundles = append(f.fill.bundles, b)
	}
	f.reach(b)
	for i := 0; i < len(f.fill.bundles); i++ {
		f.reach(f.fill.bundles[i])
	}
}

// reach adds to the component the resources that limit a bundle, and the bundles that use them. A
// resource that limited rates until now belongs to it too, since those rates can rise.
func (f *flows) reach(b *bundle) {
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		limits := r.limiting()
		if r.mark == f.fill.mark || !limits && !r.limits {
			continue
		}
		r.mark = f.fill.mark
		if r.limits = limits; limits {
			f.fill.resources = append(f.fill.resources, r)
		}
		for _, other := range r.users {
			if other.mark != f.fill.mark {
				other.mark = f.fill.mark
				f.fill.bundles = append(f.fill.bundles, other.bundle)
			}
		}
	}
}

// rise lets the rates of the filling's bundles rise together until each is limited.
func (f *flows) rise() {
	all, open := f.fill.bundles, f.fill.resources
	if len(open) == 0 {
		for _, b := range all {
			b.rate = 1 / b.alone
		}
		return
	}
	for _, r := range open {
		r.free, r.load, r.rising = 1, 0, len(r.users)
		for _, u := range r.users {
			r.load += float64(len(u.flows)) * u.uses[u.use].ticks / u.size
		}
	}
	for _, b := range all {
		b.rises = true
	}
	// In the order in which their own limits stop them.
	if len(all) > 1 {
		slices.SortFunc(all, func(a, b *bundle) int { return cmp.Compare(a.limit(), b.limit()) })
	}
	for len(all) > 0 {
		rate := all[0].limit() // bytes per tick
		for _, r := range open {
			rate = min(rate, r.free/r.load)
		}
		equal := rate * (1 + 1e-9) // but for rounding
		for _, b := range all {
			if b.limit() > equal {
				break
			}
			f.stop(b, 1/b.alone)
		}
		going := open[:0]
		for _, r := range open {
			if r.rising > 0 && r.free <= equal*r.load {
				for _, u := range r.users {
					f.stop(u.bundle, rate/u.size)
				}
			}
			if r.rising > 0 {
				going = append(going, r)
			}
		}
		open = going
		for len(all) > 0 && !all[0].rises {
			all = all[1:]
		}
	}
}

// limit returns the rate of a flow alone, in bytes per tick.
func (b *bundle) limit() float64 { return b.size / b.alone }

// stop sets the rate of a bundle unless it has stopped before. The resources that it uses have the
// less for the bundles whose rates rise on.
func (f *flows) stop(b *bundle, rate float64) {
	if !b.rises {
		return
	}
	b.rises, b.rate = false, rate
	n := float64(len(b.flows))
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		r.rising--
		r.free = max(r.free-n*rate*u.ticks, 0)
		r.load -= n * u.ticks / b.size
	}
}
