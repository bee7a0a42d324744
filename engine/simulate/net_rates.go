package simulate

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// rates divide what ranks share among the messages in transit.
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
type rates struct {
	same      map[string]*bundle // by uses
	resources []resource
	due       []*bundle // bundles with flows, a binary heap by event
	changed   []*bundle // in which a flow began or ended at this moment
	waiting   []*bundle // those of crowds since their rates were computed
	settle    uint64    // when the rates around these are computed
	first     uint64    // when the first of these changed
	later     float64   // sum of the ticks by which they changed later than that
	fill      filling
	computed  uint64 // rates, so far
}

func newRates(resources int) rates {
	return rates{
		same:      map[string]*bundle{},
		resources: make([]resource, resources),
		settle:    math.MaxUint64,
	}
}

// reset forgets what earlier flows, which have ended, have left at resources.
func (f *rates) reset() {
	for i := range f.resources {
		f.resources[i] = resource{users: f.resources[i].users[:0]}
	}
	f.fill.mark++ // no mark of a resource is that of a bundle
	f.computed, f.first, f.later, f.settle = 0, 0, 0, math.MaxUint64
}

// next returns when the next flow is delivered or ends, or when rates are computed.
func (f *rates) next() uint64 {
	if len(f.due) == 0 {
		return f.settle
	}
	return min(f.settle, f.due[0].event)
}

// A filling is a component whose rates are computed.
type filling struct {
	mark      uint32
	bundles   []*bundle
	resources []*resource
	open      []*resource // those with rates that rise
}

// bundle returns the bundle with the uses, size and times of b, which is b if there was none.
func (f *rates) bundle(b *bundle) *bundle {
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
	if known, ok := f.same[string(text)]; ok {
		return known
	}
	b.limit = b.size / b.alone
	f.same[string(text)] = b
	return b
}

// begin adds a flow to its bundle at time t.
func (f *rates) begin(b *bundle, op uint32, t uint64) {
	b.advance(t)
	if len(b.flows) == 0 {
		b.served, b.arrived, b.rate = 0, 0, 0 // sums of rounded parts begin anew
		b.at, b.begun, b.steady, b.counted, b.patience = t, t, t, 0, 0
		b.event, b.place = math.MaxUint64, len(f.due)
		f.due = append(f.due, b)
		for i := range b.uses {
			u := &b.uses[i]
			r := &f.resources[u.resource]
			u.index = len(r.users)
			r.users = append(r.users, user{b, i})
		}
	}
	b.add(flow{op, b.served + 1})
	for _, u := range b.uses {
		r := &f.resources[u.resource]
		r.demand, r.count = r.demand+u.demand, r.count+1
	}
	f.change(b)
}

// end removes the first flow of a bundle.
func (f *rates) end(b *bundle) {
	b.arrived -= b.flows[0].until
	b.flows = b.flows[1:]
	b.delivered--
	b.followed--
	for _, u := range b.uses {
		r := &f.resources[u.resource]
		r.demand, r.count = r.demand-u.demand, r.count-1
	}
	if len(b.flows) == 0 {
		f.sift(b)
		for _, u := range b.uses {
			r := &f.resources[u.resource]
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
func (f *rates) change(b *bundle) {
	if !b.dirty {
		b.dirty = true
		f.changed = append(f.changed, b)
	}
}

// untilEnd returns the ticks until flow i of a bundle ends if no flow begins. Its rate rises when
// others end, which matters where that lets its last byte arrive before: a gap of those messages is
// a large part of their time. Until the flow ends, each other flow then sends as many bytes as this
// one through the resources that limit both, or all that it has. That is exact for one resource.
// Where another one holds a flow back, it sends less, and the present rate may give an earlier end.
func (f *rates) untilEnd(b *bundle, i int) float64 {
	left, rest := b.remaining(i), b.flows[i].until-b.served
	steady := float64(b.steady) - float64(b.at)
	if b.excess == 0 || left <= steady || (rest-b.rate*steady)*b.alone > b.excess {
		return left
	}
	longest := rest * b.alone
	enough := min(left, steady+b.excess) // the rate changes before the last byte is there
	for _, u := range b.uses {
		if r := &f.resources[u.resource]; r.limits && r.leastUntil(b, rest) >= enough {
			return left
		}
	}
	for _, u := range b.uses {
		r := &f.resources[u.resource]
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

// slack is the rounding in ticks by which a flow may end early. Sums of fractions of a message of
// a second, each rounded by 10⁻¹⁶, are 10⁻⁴ ticks off. A whole tick more would let equal
// messages fall out of step.
const slack = 0.01

// schedule sets the next event of a bundle: a delivery or an end.
func (f *rates) schedule(b *bundle) {
	b.event = f.nextEvent(b)
	f.sift(b)
}

// nextEvent returns the time of the next delivery or end in a bundle.
func (f *rates) nextEvent(b *bundle) uint64 {
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
func (f *rates) sift(b *bundle) {
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
func (f *rates) sink(b *bundle, i int) {
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
func (f *rates) share(t uint64) {
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
func (f *rates) wait(b *bundle) (ticks uint64, estimate float64) {
	patience, load := 0.0, 1.0
	for _, u := range b.uses {
		r := &f.resources[u.resource]
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
func (f *rates) shareAround(b *bundle, t uint64, late float64) {
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
func (f *rates) scheduleAll(bundles []*bundle) {
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
func (f *rates) collect(b *bundle) {
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
func (f *rates) reach(b *bundle) {
	for _, u := range b.uses {
		r := &f.resources[u.resource]
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
func (f *rates) rise() {
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

// stop sets the rate of a bundle unless it has stopped before. The resources that it uses have the
// less for the bundles whose rates rise on.
func (f *rates) stop(b *bundle, rate float64) {
	if !b.rises {
		return
	}
	b.rises, b.rate = false, rate
	n := float64(len(b.flows))
	for _, u := range b.uses {
		r := &f.resources[u.resource]
		r.rising--
		r.free = max(r.free-n*rate*u.ticks, 0)
		r.load -= n * u.ticks / b.size
	}
}
