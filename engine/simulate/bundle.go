package simulate

import (
	"unsafe"

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
// further stays, while the remaining rates rise on. With [machine.Level.ByLatency] they rise in the
// proportion that it gives.
//
// Flows of one size that use the same resources have the same rate, so they are served as one
// bundle: a bundle of k flows is one unknown of the filling, and its flows end in the order of
// their starts. When the number of a bundle's flows changes, only the rates of its component are
// computed again: of the bundles that it reaches through resources whose users would exceed them at
// full speed. Other resources limit no rate. If a flow begins when another one of its bundle ends,
// as in a ring, no rate changes. A large component, as of an all-to-all, would cost the square of
// its bundles: there rates wait for the begins and ends within a tolerance, see [crowd].
type flows struct {
	bundles  map[bundleKey]*bundle // by path
	same     map[string]*bundle    // by uses, of whatever paths
	near     [256]nearBundle
	transits []transit // by send
	pairs    pairs
	turns    []pairTurn     // by pair; only where NICs interleave messages
	last     []uint32       // by pair and NIC: the last send that flows, plus 1; 0: none
	recorded []recordedFlow // by send; nil unless the run is recorded
	next     uint64         // when the first flow is delivered or ends
	wake     entry          // for that; its time is the largest number if there is none
	queued   uint64         // time of the earliest such entry in the queue
	pending  bool           // rates must be computed at the end of this moment
	held     bool           // the entry for that is tick, which is not in the queue yet
	tick     entry
	changed  []*bundle // in which a flow began or ended at this moment
	waiting  []*bundle // those of crowds since their rates were computed
	settle   uint64    // when the rates around these are computed
	first    uint64    // when the first of these changed
	later    float64   // sum of the ticks by which they changed later than that
	due      []*bundle // bundles with flows, a binary heap by event
	shared   []resource
	fill     filling
	computed uint64 // rates, so far
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
	// Of a resource that limits, when its rates were last computed:
	filled   uint64
	work     float64 // ticks until its flows have ended, at least
	most     float64 // bytes that one of them has left, at most
	patience float64 // of its component
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
	// size is that of each flow in bytes, times the slowness of its path: rates rise together in
	// such bytes.
	size float64
	// alone is the time in ticks that a flow takes and occupies its resources without other flows.
	// Its last byte arrives excess earlier: a gap follows the bytes. The next message from its
	// sender to its receiver flows ahead earlier: a gap can be shorter than the bytes.
	alone, excess, ahead float64
	// lag is the part of the bytes' time, in ticks, in which they occupy nothing: before the flow.
	lag          uint64
	limit        float64 // rate of a flow alone, in bytes per tick
	rate, before float64 // of each flow, as a fraction of the message per tick; the one before that
	steady       uint64  // when the rate may rise, if no flow begins: one of its component ends
	patience     float64 // ticks by which rates may lag behind its component; 0 if that is no crowd
	served       float64 // fraction of a message served at time at, since it was empty
	at, begun    uint64  // begun: when its first flow began
	flows        []flow  // in the order of their starts
	memory       []flow  // of flows, from its begin
	counted      int     // number of flows when the rate was computed
	delivered    int     // leading flows whose last byte has arrived
	arrived      float64 // sum of until of these
	followed     int     // leading flows behind which the next message may flow
	event        uint64  // when the next one is delivered or ends
	place        int     // in flows.due
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

// A recordedFlow is what a recorded run keeps of a message that flows.
type recordedFlow struct {
	sent    link   // the step that sent the data
	started uint64 // when its first byte arrived
	take    link   // the step that takes it in
}

// prefetch brings what a message flows by into the cache.
func (f *flows) prefetch(send uint32) {
	memory.Prefetch(unsafe.Pointer(&f.transits[send]), unsafe.Pointer(&f.pairs.of[send]))
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

// A filling is a component whose rates are computed.
type filling struct {
	mark      uint32
	bundles   []*bundle
	resources []*resource
	open      []*resource // those with rates that rise
}
