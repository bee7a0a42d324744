package simulate

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// shared is the network of a machine whose levels have resources that ranks share, or requests that
// take no time. The bytes of a message flow through these at [rates].
type shared struct {
	*kernel
	*costs
	rates
	record    *record
	delivered func(send uint32, t uint64) // what follows when a last byte arrives
	taken     func(send uint32, t uint64) // what follows when the receiver's NIC has it

	byRank   bool // the path of a message depends on its ranks, not on their units alone
	byNIC    bool // NICs interleave messages
	bundles  map[bundleKey]*bundle
	near     []nearBundle // by hash, a power of two
	transits []transit    // by send
	pairs    pairs
	turns    []pairTurn // by pair; only where NICs interleave messages
	flowing  []uint32   // by pair and NIC: the last send that flows, plus 1; 0: none
	order    order
	due      uint64 // when the first flow is delivered or ends
	wake     entry  // for that; its time is the largest number if there is none
	queued   uint64 // time of the earliest such entry in the queue
	pending  bool   // rates must be computed at the end of this moment
	seed     uint32 // of the ranks' first moments
}

// A bundleKey is a path, and what a message on it has. The ranks are replaced by their innermost
// units where the path depends on these alone.
type bundleKey struct {
	from, to uint32
	size     uint64
	channel  uint16 // its NIC, where ports have rails; else 0
}

// A transit is how far the message of a send is that flows. There is one for each message of the
// program, and each is touched when others have replaced it in the cache, so it is small.
type transit struct {
	cost     *cost  // once its first byte, or its request, has arrived
	since    uint64 // when its receiver's NIC began to take it in; arrived: when its last byte did
	next     uint32 // the send whose flow waits for the end of this one, plus 1
	state    transitState
	admitted bool // its turn has come
	lags     bool // it has arrived, and its flow begins after the lag of its bundle
}

// prefetch brings what a message flows by into the cache.
func (f *shared) prefetch(send uint32) {
	memory.Prefetch(unsafe.Pointer(&f.transits[send]), unsafe.Pointer(&f.pairs.of[send]))
}

type transitState uint8

const (
	unsent    transitState = iota
	inTransit              // and no receive has matched it
	takenIn                // it flows, and the NIC of its receive takes it in
	arrived
)

// A pairTurn orders the messages from one rank to another on a machine whose NICs interleave them.
type pairTurn struct{ last, next uint64 } // begin of the last; earliest begin of the next flow

// A nearBundle is a bundle that was met lately, by its key.
type nearBundle struct {
	key bundleKey
	*bundle
}

func (k bundleKey) hash() int {
	path := k.from*0x9e3779b1 ^ k.to*0x85ebca6b
	return int((path ^ uint32(k.size)*0xc2b2ae35 ^ uint32(k.channel)*0x27d4eb2f) >> 16)
}

// on returns the network of a run. It is nil on a machine that shares nothing and whose messages
// keep their order by themselves, whose runs then pay nothing for it. It takes the memory of the
// network before, and its bundles if costs are the same. A resource exists for each rank's NIC in
// both directions, and for what its levels share.
func (f *shared) on(k *kernel, c *costs, seed uint64) *shared {
	if !c.shared {
		return nil
	}
	if f == nil || f.costs != c {
		f = &shared{
			kernel:  k,
			costs:   c,
			rates:   newRates(2*c.levels.ranks() + c.levels.resources()),
			byRank:  c.levels.ways != nil || c.levels.routes > 1,
			byNIC:   c.levels.interleaves(),
			bundles: map[bundleKey]*bundle{},
			// A rank of a ring has a partner by each of a few channels.
			near: make([]nearBundle, 1<<min(bits.Len(uint(8*c.ranks)), 13)),
		}
	}
	f.rates.reset()
	f.pairs, f.seed = k.pairsOf(), uint32(seed)
	f.transits = memory.Again(f.transits, len(k.ops))
	if f.byNIC {
		f.turns = memory.Again(f.turns, f.pairs.count)
	}
	f.flowing = memory.Again(f.flowing, f.pairs.count*len(k.nics.list))
	f.order.on(k)
	f.due, f.queued, f.wake = math.MaxUint64, math.MaxUint64, entry{time: math.MaxUint64}
	f.pending = false
	return f
}

// mostSkew is 10 ns: below the noise of any network, and above the tick by enough that all ranks
// differ.
const mostSkew = 10 * picos / nanos

// skew delays the first operations of each rank by up to 10 ns, the same in each run of a seed.
// Ranks that begin at exactly the same time keep in step, since equal flows end together; that
// state is unstable, and no clock keeps ranks in it.
func (f *shared) skew(rank uint32) uint64 {
	if !f.byNIC {
		return 0
	}
	// A multiplicative hash (Knuth, TAOCP 3, §6.4) spreads neighbouring ranks, which a shift by
	// their number would keep in step at a distance.
	return uint64(rank*(2654435761^f.seed<<1)) % mostSkew
}

func (f *shared) costOf(send uint32) *cost { return f.transits[send].cost }

func (f *shared) take(send uint32, from, end uint64) (last uint64, known bool) {
	switch way := &f.transits[send]; way.state {
	case arrived:
		return max(end, way.since), true
	case inTransit:
		way.state, way.since = takenIn, from
		return 0, false
	}
	return end, true
}

// quiet returns the time behind which no message must wait for another one of its pair.
func (f *shared) quiet() (t uint64) {
	for _, turn := range f.turns {
		t = max(t, turn.next)
	}
	return t
}

// arrive begins the flow of send i, if its message flows, when its first byte is at the receiver.
// It returns false if that must wait for messages between the same ranks: NICs that interleave
// messages begin the next one of a pair a gap after the last unless they overlap, and no message
// overtakes another.
func (f *shared) arrive(i uint32, t uint64) bool {
	if way := &f.transits[i]; way.lags {
		way.lags = false
		f.beginFlow(f.bundleOf(i), i, t)
		return false
	}
	n, op := &f.nodes[i], &f.ops[i]
	c := f.costs.of(n.rank, op.Peer, op.Size)
	data := !c.rendezvous && !c.deferred || n.waits == streaming
	way := &f.transits[i]
	way.cost = c
	pair := f.pairs.of[i]
	if !way.admitted && pair > 0 && f.byNIC && (c.interleaved || n.waits == flying) {
		way.admitted = true
		turn := &f.turns[pair]
		begin := max(t, turn.last)
		if c.interleaved && data && !c.overlaps {
			begin = max(t, turn.next)
			turn.next = begin + c.gap
		}
		turn.last = begin
		if begin > t {
			by := delay{shared: begin - t}
			if !data {
				by = delay{request: begin - t}
			}
			f.record.delay(i, by)
			f.push(begin, i|message)
			return false
		}
	}
	if !data {
		way.admitted = false // the data take a turn of their own
	} else if c.flows {
		way.state = inTransit
		f.record.flow(i).started = t
		// The same entry comes again after the lag, when the bytes reach what they share.
		if b := f.bundleOf(i); b.lag > 0 {
			way.lags = true
			f.push(t+b.lag, i|message)
		} else {
			f.beginFlow(b, i, t)
		}
	}
	return true
}

// beginFlow begins the flow of send i in its bundle, unless it must wait for flows between the same
// ranks.
func (f *shared) beginFlow(b *bundle, i uint32, t uint64) {
	if f.followsOthers(i) {
		before := f.lastFlow(i)
		last := *before
		if *before = i + 1; last > 0 {
			f.transits[last-1].next = i + 1
			return
		}
	}
	f.begin(b, i, t)
	f.computeRates(t)
}

// followsOthers reports whether the flow of send i waits for those before it between the same
// ranks, and those behind it for it. A channel is one connection, so that its messages follow each
// other where NICs interleave, too.
func (f *shared) followsOthers(i uint32) bool {
	c := f.transits[i].cost
	return f.pairs.of[i] > 0 && (!c.interleaved || f.ops[i].NIC > 0 && !c.overlaps)
}

// lastFlow returns the place of the last send, plus 1, that flows between the ranks of send i by
// its NIC.
func (f *shared) lastFlow(i uint32) *uint32 {
	pair, nics := int(f.pairs.of[i]), len(f.nics.list)
	return &f.flowing[pair*nics+f.nics.number(f.ops[i].NIC)]
}

// follow begins the flow that waits for send i, whose flow is far enough.
func (f *shared) follow(i uint32, t uint64) {
	if !f.followsOthers(i) {
		return
	}
	next := f.transits[i].next
	if next == 0 {
		*f.lastFlow(i) = 0
		return
	}
	f.begin(f.bundleOf(next-1), next-1, t)
}

// bundleOf returns the bundle of the message of send i, whose cost is known.
func (f *shared) bundleOf(i uint32) *bundle {
	from, to, size := f.nodes[i].rank, f.ops[i].Peer, f.ops[i].Size
	c := f.transits[i].cost
	k := bundleKey{from: from, to: to, size: size}
	if f.levels.rails > 1 {
		k.channel = f.ops[i].NIC
	}
	if !c.interleaved && !f.byRank {
		k.from, k.to = f.levels.unitsOf(int(from))[0], f.levels.unitsOf(int(to))[0]
	}
	near := &f.near[k.hash()&(len(f.near)-1)]
	if near.key == k && near.bundle != nil {
		return near.bundle
	}
	if b := f.bundles[k]; b != nil {
		*near = nearBundle{k, b}
		return b
	}
	b := &bundle{size: float64(max(size, 1)) * f.levels.slowness(int(from), int(to))}
	bytes := f.addUses(b, k.channel, from, to, size, c)
	// Where a message uses nothing, as on links without a layer, the flow is all of its time.
	if c.interleaved && len(b.uses) > 0 {
		// Bytes that take longer than they occupy anything pass stages that nobody shares. Messages
		// that NICs do not interleave follow each other, so their order counts, not their shares.
		own := b.alone
		for _, u := range b.uses {
			own = max(own, u.ticks)
		}
		b.lag = uint64(max(float64(c.stream)-own, 0))
	}
	b.alone = max(b.alone, float64(c.stream-b.lag))
	// The bytes of a message alone pass its slowest resource, and a gap follows them.
	b.excess = b.alone - max(float64(c.stream-b.lag), bytes)
	b.ahead = max(b.alone-float64(c.gap), 0)
	for i := range b.uses {
		u := &b.uses[i]
		u.demand = int64(math.Round(u.ticks / b.alone * fullSpeed))
	}
	return f.add(k, b)
}

// maxBundles bounds the memory of bundles that have no flow. A bundle that is forgotten while it
// has flows is only met by its own resources: a second one beside it has the same rates.
const maxBundles = 1 << 15

// add returns the bundle of a path: b, or the one that has the same uses.
func (f *shared) add(k bundleKey, b *bundle) *bundle {
	if len(f.bundles) >= maxBundles {
		clear(f.bundles)
		clear(f.same)
		clear(f.near)
	}
	b = f.bundle(b)
	f.bundles[k] = b
	return b
}

// addUses adds to a bundle the resources on the way from one rank to another, and the part that the
// message takes of their opposite directions. It returns the longest time, in ticks, that one of
// them needs for the bytes.
func (f *shared) addUses(b *bundle, channel uint16, from, to uint32, size uint64, c *cost) (
	bytes float64) {
	ranks := f.s.Ranks()
	links := f.levels.pass(from, to, channel, size, c, func(resource, opposite int, o occupancy) {
		if resource != none && o.each > 0 {
			b.alone = max(b.alone, float64(o.alone))
			bytes = max(bytes, float64(o.bytes))
			b.use(2*ranks+resource, float64(o.each))
		}
		if opposite != none {
			b.use(2*ranks+opposite, o.reverse*float64(o.each))
		}
	})
	if c.interleaved && links == 0 {
		reverse := f.levels.levelAt(f.levels.Level(int(from), int(to))).Reverse
		nic := c.nic
		if channel > 0 {
			nic = c.railNIC
		}
		send, receive := float64(nic), float64(min(c.intake, nic))
		b.use(int(from), send)
		b.use(ranks+int(to), receive)
		b.use(ranks+int(from), reverse*send)
		b.use(int(to), reverse*receive)
	}
	return bytes
}

// computeRates schedules a computation of the rates for the end of moment t.
func (f *shared) computeRates(t uint64) {
	if !f.pending {
		f.pending = true
		f.callNetwork(t)
	}
}

// advance delivers and ends the flows that are complete at time t, and computes the rates.
func (f *shared) advance(t uint64) {
	if t == f.queued {
		f.queued = math.MaxUint64 // this entry may be that one
	}
	if t == f.wake.time {
		f.wake.time = math.MaxUint64
	}
	if t != f.due && !f.pending { // the rates have changed since
		f.queueFlows()
		return
	}
	f.pending = false
	for len(f.rates.due) > 0 && f.rates.due[0].event <= t {
		b := f.rates.due[0]
		b.advance(t)
		// Events are rounded to ticks: a flow is complete within half of one.
		for b.delivered < len(b.flows) && f.untilEnd(b, b.delivered)-b.excess < 0.5 {
			b.arrived += b.flows[b.delivered].until
			b.delivered++
			f.deliver(b.flows[b.delivered-1].op, t)
		}
		for b.followed < len(b.flows) && b.remaining(b.followed)-b.untilNext() < 0.5 {
			b.followed++
			f.follow(b.flows[b.followed-1].op, t)
		}
		for min(b.delivered, b.followed) > 0 && b.remaining(0) < 0.5 {
			f.end(b)
		}
		if len(b.flows) > 0 {
			f.schedule(b)
		}
	}
	f.share(t)
	f.kernel.computed = f.rates.computed
	if f.due = f.rates.next(); f.due == math.MaxUint64 {
		return
	}
	if f.due != f.wake.time { // else the first entry of that time serves
		f.wake = f.entry(f.due, networkTick)
	}
	f.queueFlows()
}

// queueFlows queues the entry for the next event of flows, unless an earlier one is in the queue,
// which will do so. Each flow that begins may delay those before it: the entries made meanwhile
// would all come too early.
func (f *shared) queueFlows() {
	if f.wake.time < f.queued {
		f.queued = f.wake.time
		f.q.push(f.wake)
	}
}

// deliver completes the message of send i, whose last byte arrives at time t.
func (f *shared) deliver(i uint32, t uint64) {
	way := &f.transits[i]
	f.delivered(i, t)
	if way.state == takenIn {
		f.taken(i, max(t, way.since+way.cost.stream))
	}
	way.state, way.since = arrived, t
}

// leave returns when message i, or its request, arrives. A message that flows also leaves its rank
// later.
func (f *shared) leave(i uint32, request, flows bool, t uint64) uint64 {
	latest := f.order.after(i, t)
	switch by := latest - t; {
	case request:
		f.record.delay(i, delay{request: by})
	case flows:
		f.record.delay(i, delay{shared: by})
	default:
		f.record.delay(i, delay{order: by})
	}
	return latest
}
