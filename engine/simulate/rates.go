package simulate

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/memory"
)

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
		next:     math.MaxUint64,
		wake:     entry{time: math.MaxUint64},
		queued:   math.MaxUint64,
		settle:   math.MaxUint64,
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
		b.limit = b.size / b.alone
		f.same[string(text)] = b
	}
	f.bundles[k] = b
	return b
}

// begin adds a flow to its bundle at time t.
func (f *flows) begin(b *bundle, op uint32, t uint64) {
	b.advance(t)
	if len(b.flows) == 0 {
		b.served, b.arrived, b.rate = 0, 0, 0 // sums of rounded parts begin anew
		b.at, b.begun, b.steady, b.counted, b.patience = t, t, t, 0, 0
		b.event, b.place = math.MaxUint64, len(f.due)
		f.due = append(f.due, b)
		for i := range b.uses {
			u := &b.uses[i]
			r := &f.shared[u.resource]
			u.index = len(r.users)
			r.users = append(r.users, user{b, i})
		}
	}
	b.add(flow{op, b.served + 1})
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		r.demand, r.count = r.demand+u.demand, r.count+1
	}
	f.change(b)
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

// end removes the first flow of a bundle.
func (f *flows) end(b *bundle) {
	b.arrived -= b.flows[0].until
	b.flows = b.flows[1:]
	b.delivered--
	b.followed--
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		r.demand, r.count = r.demand-u.demand, r.count-1
	}
	if len(b.flows) == 0 {
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

// untilEnd returns the ticks until flow i of a bundle ends if no flow begins. Its rate rises when
// others end, which matters where that lets its last byte arrive before: a gap of those messages is
// a large part of their time. Until the flow ends, each other flow then sends as many bytes as this
// one through the resources that limit both, or all that it has. That is exact for one resource.
// Where another one holds a flow back, it sends less, and the present rate may give an earlier end.
func (f *flows) untilEnd(b *bundle, i int) float64 {
	left, rest := b.remaining(i), b.flows[i].until-b.served
	steady := float64(b.steady) - float64(b.at)
	if b.excess == 0 || left <= steady || (rest-b.rate*steady)*b.alone > b.excess {
		return left
	}
	longest := rest * b.alone
	enough := min(left, steady+b.excess) // the rate changes before the last byte is there
	for _, u := range b.uses {
		if r := &f.shared[u.resource]; r.limits && r.leastUntil(b, rest) >= enough {
			return left
		}
	}
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		if !r.limits {
			continue
		}
		sum := 0.0
		for _, other := range r.users {
			served := other.served + other.rate*float64(b.at-other.at)
			most := rest * b.size / other.size
			sum += other.uses[other.use].ticks * other.servedWith(most, served)
			if sum >= enough {
				return left
			}
		}
		longest = max(longest, sum)
	}
	return min(left, longest)
}

// leastUntil returns a lower bound of the ticks until each flow of the resource has sent as many
// bytes as one of bundle b, of which the fraction rest is left, or all that it has. That time is a
// concave function of the bytes, from 0 to the work of all flows for the most that one of them has
// left, so it is nowhere below the line between the two.
func (r *resource) leastUntil(b *bundle, rest float64) float64 {
	since := float64(b.at) - float64(r.filled)
	bytes := (rest + b.rate*since) * b.size
	return r.work*min(bytes/r.most, 1) - since
}

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

// slack is the rounding in ticks by which a flow may end early. Sums of fractions of a message of
// a second, each rounded by 10⁻¹⁶, are 10⁻⁴ ticks off. A whole tick more would let equal
// messages fall out of step.
const slack = 0.01

// schedule sets the next event of a bundle: a delivery or an end.
func (f *flows) schedule(b *bundle) {
	b.event = f.nextEvent(b)
	f.sift(b)
}

// nextEvent returns the time of the next delivery or end in a bundle.
func (f *flows) nextEvent(b *bundle) uint64 {
	if b.rate <= 0 {
		return math.MaxUint64
	}
	t := b.remaining(0)
	if b.delivered < len(b.flows) {
		t = min(t, f.untilEnd(b, b.delivered)-b.excess)
	}
	if b.followed < len(b.flows) {
		t = min(t, b.remaining(b.followed)-b.untilNext())
	}
	return b.at + uint64(math.Ceil(max(t-slack, 0)))
}

// sift restores the order of the heap around a bundle whose event has changed, or removes it if it
// has none.
func (f *flows) sift(b *bundle) {
	i, last := b.place, len(f.due)-1
	if len(b.flows) == 0 {
		// The last bundle takes its place, from where it may have to move either way.
		moved := f.due[last]
		f.due = f.due[:last]
		if moved == b {
			return
		}
		b = moved
	}
	for i > 0 && f.due[(i-1)/2].event > b.event {
		f.due[i] = f.due[(i-1)/2]
		f.due[i].place = i
		i = (i - 1) / 2
	}
	f.sink(b, i)
}

// sink puts a bundle at place i of the heap, or behind those below it that come before.
func (f *flows) sink(b *bundle, i int) {
	last := len(f.due) - 1
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

// limiting reports whether the flows of a resource would exceed it at full speed. The full speed of
// one flow is at most that of its resources. Where they are occupied for longer than its bytes
// take, the rest follows its last byte. Each demand is rounded by up to 1/2, so that three thirds
// may be a little more than the whole.
func (r *resource) limiting() bool { return r.count > 1 && r.demand > fullSpeed+fullSpeed>>24 }

// crowd is the number of bundles above which a component is a crowd, whose rates are computed once
// for many begins and ends: computing them takes longer than all else that an event does.
var crowd = 64 // a variable for tests

// tolerance is the part of the flows of a crowd that may end, at their present rates, before its
// rates are computed anew; so many may begin. The new rates then hold from the mean time of these
// begins and ends, and those of bundles that have begun, from their beginning: what resources
// carry is as if the rates had been right at once.
const tolerance = 1. / 250

// share computes the rates that flows which began or ended until time t can have changed, or lets a
// crowd wait for it.
func (f *flows) share(t uint64) {
	f.fill.mark++
	for _, b := range f.changed {
		wait, estimate := f.wait(b)
		if wait == 0 {
			f.shareAround(b, t, 0)
			continue
		}
		if len(f.waiting) == 0 {
			f.first, f.later = t, 0
		}
		f.later += float64(t - f.first)
		f.waiting, f.settle = append(f.waiting, b), min(f.settle, t+wait)
		if b.counted == 0 && len(b.flows) > 0 {
			b.rate = estimate
			f.schedule(b)
		}
	}
	f.changed = f.changed[:0]
	if f.settle <= t {
		late := float64(t-f.first) - f.later/float64(len(f.waiting))
		for _, b := range f.waiting {
			f.shareAround(b, t, late)
		}
		f.waiting, f.settle = f.waiting[:0], math.MaxUint64
	}
}

// glance is the part of a message's time, by a first estimate, until the rates of a crowd count its
// begin or its end.
const glance = 1. / 16

// wait returns for how many ticks the rates around a bundle, in which a flow began or ended, may
// stay as they are; 0 if it is not in a crowd. A bundle whose rate is not known has the estimate
// that it would have if all flows of its fullest resource were as fast.
func (f *flows) wait(b *bundle) (ticks uint64, estimate float64) {
	patience, load := 0.0, 1.0
	for _, u := range b.uses {
		r := &f.shared[u.resource]
		limiting := r.limiting()
		if limiting {
			load = max(load, float64(r.demand)/fullSpeed)
		}
		switch {
		case r.limits:
			patience = max(patience, r.patience)
		case limiting: // from now on
			for _, other := range r.users {
				patience = max(patience, other.patience)
			}
		}
	}
	return uint64(min(patience, glance*b.alone*load)), 1 / (b.alone * load)
}

// shareAround computes the rates of the component of a bundle at time t; they hold since late ticks
// before.
func (f *flows) shareAround(b *bundle, t uint64, late float64) {
	b.dirty = false
	if b.mark == f.fill.mark || len(b.flows) == b.counted {
		return // it was part of the component of another one, or as many flows began as ended
	}
	f.fill.bundles, f.fill.resources = f.fill.bundles[:0], f.fill.resources[:0]
	f.collect(b)
	for _, other := range f.fill.bundles {
		other.advance(t)
		other.before = other.rate
	}
	for _, r := range f.fill.resources {
		r.filled = t
	}
	f.computed += uint64(len(f.fill.bundles))
	f.rise()
	first, sum := math.Inf(1), 0.0
	for _, other := range f.fill.bundles {
		if other.counted > 0 {
			other.served += (other.rate - other.before) * late
		} else if other.flows[0].until == 1 { // replaces the estimate
			other.served = other.rate * float64(t-other.begun)
		}
		first = min(first, other.remaining(0))
		sum += other.rate
	}
	patience := 0.0
	if n := len(f.fill.bundles); n > crowd {
		patience = tolerance * float64(n) / sum
	}
	for _, r := range f.fill.resources {
		r.patience = patience
	}
	for _, other := range f.fill.bundles {
		other.counted, other.patience = len(other.flows), patience
		other.steady = t + uint64(max(0, min(first, latest)))
	}
	f.scheduleAll(f.fill.bundles)
}

// scheduleAll sets the next events of bundles whose rates have changed. If they are many, it orders
// the heap once.
func (f *flows) scheduleAll(bundles []*bundle) {
	if len(bundles) < len(f.due)/4 || len(bundles) < crowd {
		for _, b := range bundles {
			f.schedule(b)
		}
		return
	}
	for _, b := range bundles {
		b.event = f.nextEvent(b)
	}
	for i := len(f.due)/2 - 1; i >= 0; i-- {
		f.sink(f.due[i], i)
	}
}

// collect sets the bundles and resources of the filling to the component of a bundle in which a
// flow began or ended.
func (f *flows) collect(b *bundle) {
	if b.mark = f.fill.mark; len(b.flows) > 0 {
		f.fill.bundles = append(f.fill.bundles, b)
	} else {
		f.reach(b)
	}
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
	f.fill.open = append(f.fill.open[:0], f.fill.resources...) // of which fewer and fewer are left
	all, open := f.fill.bundles, f.fill.open
	if len(open) == 0 {
		for _, b := range all {
			b.rate = 1 / b.alone
		}
		return
	}
	for _, r := range open {
		r.free, r.load, r.rising = 1, 0, len(r.users)
		r.work, r.most = 0, 0
		for _, u := range r.users {
			occupied := float64(len(u.flows)) * u.uses[u.use].ticks
			r.load += occupied / u.size
			r.work += occupied * (u.flows[0].until - u.served)
			r.most = max(r.most, (u.flows[len(u.flows)-1].until-u.served)*u.size)
		}
	}
	if len(all) == 1 { // as most components are
		all[0].fill(open)
		return
	}
	for _, b := range all {
		b.rises = true
	}
	// In the order in which their own limits stop them.
	slices.SortFunc(all, func(a, b *bundle) int { return cmp.Compare(a.limit, b.limit) })
	for len(all) > 0 {
		rate := all[0].limit // bytes per tick
		for _, r := range open {
			rate = min(rate, r.free/r.load)
		}
		equal := rate * (1 + 1e-9) // but for rounding
		for _, b := range all {
			if b.limit > equal {
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
