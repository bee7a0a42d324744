package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/machine"
)

func (r *run) startPresence() {
	r.calls = r.s.Calls()
	if !r.calls {
		return
	}
	r.computing = make([]uint64, len(r.clock))
	if l := r.levels; l != nil {
		stops := func(l machine.Level) bool { return l.Data.OfSender() || l.Data.OfReceiver() }
		if slices.ContainsFunc(l.Levels, stops) {
			r.outside, r.holds = make([][]interval, r.s.Ranks()), map[uint32]stopping{}
		}
	}
}

// doesNotBlock reports whether operation i is a send whose call returns after its overhead, so that
// its message queues at the NIC.
func (r *run) doesNotBlock(i uint32) bool {
	return r.calls && len(r.s.AfterStarted(i)) > 0
}

// compute notes that a rank's processor computes. Handshakes that waited for the processor and need
// no rank inside go on without it.
func (r *run) compute(i, rank uint32, cpu int, from, to uint64) {
	if !r.calls || to == from {
		return
	}
	r.computing[cpu] = to
	if r.outside != nil && r.ops[i].CPU == 0 {
		r.outside[rank] = append(r.outside[rank], interval{from, to})
	}
	d := &r.desks[rank]
	for k := 0; k < d.used; k++ {
		l := &d.lines[k]
		if !l.independent || l.cpu != cpu {
			continue
		}
		for _, p := range l.waiting[l.first:] {
			r.push(from, p.what)
		}
		d.used--
		*l, d.lines[d.used] = d.lines[d.used], *l
		k--
	}
}

// hold notes that the bytes of send i, which begin now, stop while a rank is outside.
func (r *run) hold(i uint32, c *cost, now uint64, by link) bool {
	if c.handshake == machine.NotMeasured {
		r.assumed = r.assumed || r.doesNotBlock(i) || r.doesNotBlock(r.nodes[i].next)
	}
	if r.outside == nil || !c.data.OfSender() && !c.data.OfReceiver() {
		return false
	}
	r.holds[i] = stopping{since: now, sent: by}
	return true
}

// paused reports whether the bytes of receive j, whose last one would arrive at time t, stopped for
// a rank that was outside; the entry comes again when they are in. If not, their send is done.
func (r *run) paused(j uint32, t uint64) bool {
	i := r.nodes[j].next
	h, held := r.holds[i]
	if !held {
		return false
	}
	c, from := r.net.costOf(i), &r.nodes[i]
	var all [2][]interval
	if c.data.OfSender() && r.ops[i].CPU == 0 {
		all[0] = r.outside[from.rank]
	}
	if c.data.OfReceiver() && r.ops[j].CPU == 0 {
		all[1] = r.outside[r.nodes[j].rank]
	}
	if paused := outsideWithin(all, h.since, t); paused > h.paused {
		more := paused - h.paused
		h.paused = paused
		r.holds[i] = h
		r.record.pause(i, j, more)
		r.push(t+more, j)
		return true
	}
	delete(r.holds, i)
	left := t
	if !c.joint {
		left = uint64(int64(t) - c.latency)
	}
	r.setLastByte(from.rank, left, h.sent)
	r.finish(r.ended(i), left, h.sent.as(atDone))
	r.queueHere()
	return false
}

// outsideWithin returns for how long between two moments at least one of two ranks computes. The
// intervals of each are in order and do not overlap.
func outsideWithin(all [2][]interval, since, until uint64) (sum uint64) {
	for k, list := range all {
		first, _ := slices.BinarySearchFunc(list, since, func(x interval, t uint64) int {
			if x.to <= t {
				return -1
			}
			return 1
		})
		all[k] = list[first:]
	}
	for at := since; ; {
		k := 0
		if len(all[0]) == 0 || len(all[1]) > 0 && all[1][0].from < all[0][0].from {
			k = 1
		}
		if len(all[k]) == 0 || all[k][0].from >= until {
			return sum
		}
		x := all[k][0]
		all[k] = all[k][1:]
		from, to := max(x.from, at), min(x.to, until)
		if to > from {
			sum += to - from
			at = to
		}
	}
}
