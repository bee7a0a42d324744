package simulate

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

// use adds a resource that a message occupies, if it does.
func (b *bundle) use(resource int, ticks float64) {
	if ticks > 0 {
		b.uses = append(b.uses, use{resource: uint32(resource), ticks: ticks})
	}
}

// add appends a flow. The list moves to the begin of its memory if flows that have ended have left
// half of that; else it gets twice as much.
func (b *bundle) add(next flow) {
	if n := len(b.flows); n == cap(b.flows) {
		if 2*n > cap(b.memory) {
			b.memory = make([]flow, max(4, 2*cap(b.memory)))
		}
		b.flows = append(b.memory[:0], b.flows...)
	}
	b.flows = append(b.flows, next)
}

// advance serves a bundle until time t.
func (b *bundle) advance(t uint64) {
	b.served += b.rate * float64(t-b.at)
	b.at = t
}

// remaining returns the ticks until flow i of a bundle ends at the present rate.
func (b *bundle) remaining(i int) float64 { return (b.flows[i].until - b.served) / b.rate }

// servedWith returns how much of its flows, in messages, a bundle of which the fraction served is
// done sends until another flow has sent the fraction most.
func (b *bundle) servedWith(most, served float64) float64 {
	// Flows that end before are mostly those delivered: the search begins there.
	done := b.delivered
	before := b.arrived - float64(done)*served
	for ; done > 0 && b.flows[done-1].until-served > most; done-- {
		before -= b.flows[done-1].until - served
	}
	for ; done < len(b.flows) && b.flows[done].until-served < most; done++ {
		before += b.flows[done].until - served
	}
	return before + most*float64(len(b.flows)-done)
}

// untilNext returns for how many ticks at the present rate a flow goes on when the next one may
// begin.
func (b *bundle) untilNext() float64 { return b.ahead / (b.alone * b.rate) }

// fill sets the rate of a bundle that alone uses some resources: the fullest gives it.
func (b *bundle) fill(open []*resource) {
	rate := b.limit
	for _, r := range open {
		rate = min(rate, r.free/r.load)
	}
	if b.rate = rate / b.size; b.limit <= rate*(1+1e-9) {
		b.rate = 1 / b.alone
	}
}

// limiting reports whether the flows of a resource would exceed it at full speed. The full speed of
// one flow is at most that of its resources. Where they are occupied for longer than its bytes
// take, the rest follows its last byte. Each demand is rounded by up to 1/2, so that three thirds
// may be a little more than the whole.
func (r *resource) limiting() bool { return r.count > 1 && r.demand > fullSpeed+fullSpeed>>24 }

// leastUntil returns a lower bound of the ticks until each flow of the resource has sent as many
// bytes as one of bundle b, of which the fraction rest is left, or all that it has. That time is a
// concave function of the bytes, from 0 to the work of all flows for the most that one of them has
// left, so it is nowhere below the line between the two.
func (r *resource) leastUntil(b *bundle, rest float64) float64 {
	since := float64(b.at) - float64(r.filled)
	bytes := (rest + b.rate*since) * b.size
	return r.work*min(bytes/r.most, 1) - since
}
