package simulate

// gatherings returns the state of all joint operations before the run.
func (p *Program) gatherings() []gathering {
	all := make([]gathering, len(p.joints))
	for i, ops := range p.joints {
		all[i].left = ops
	}
	return all
}

// join lets a rank come to a joint operation at time t; noise delays its arrival. While it waits,
// its processor is free for messages. When all have come and their links are free, the operation
// runs to an end that is the same for all.
func (r *run) join(i uint32, t uint64, late bool) {
	n, op := &r.nodes[i], &r.ops[i]
	g := &r.joined[op.Peer]
	if op.Size > 1<<60/1000 {
		r.fail("rank %d: %s takes %d ns; the longest is 13 days", n.rank, r.name(i), op.Size)
		return
	}
	arrival := t + r.noise.delay(n.rank, t, 0)
	if g.list == 0 || arrival > g.last.arrival {
		g.last.op, g.last.start, g.last.arrival, g.last.late = i, t, arrival, late
	}
	n.waits, n.next, g.list = meeting, g.list, i+1
	r.finish(r.s.AfterStarted(i), t, r.record.lastStep(i))
	if g.left--; g.left == 0 {
		if op.Size == 0 || r.instant {
			r.conclude(g, g.last.arrival)
			return
		}
		r.follow(g)
		r.conclude(g, g.last.arrival+op.Size*1000)
	}
}

// linksOf returns the links that a joint operation keeps for itself at a rank.
func (r *run) linksOf(i uint32) *links {
	return &r.links[2*int(r.nodes[i].rank)+int(r.ops[i].NIC)]
}

// follow lets a joint operation, to which all ranks have come, wait for the links of its ranks: its
// time is that of one that has them for itself. So those that have links in common run in the order
// in which their last ranks came. The rank whose links are free last then stands for the one that
// came last.
func (r *run) follow(g *gathering) {
	for next := g.list; next != 0; next = r.nodes[next-1].next {
		i := next - 1
		if l := r.linksOf(i); l.until > g.last.arrival {
			g.last.op, g.last.start, g.last.arrival, g.last.late = i, l.until, l.until, false
			r.record.setCause(i, l.by)
		}
	}
}

// conclude ends a joint operation on all its ranks. The path to the end goes through the rank that
// came last.
func (r *run) conclude(g *gathering, end uint64) {
	step := func(i uint32, start uint64, late bool) link {
		a := act{start: start, begin: g.last.arrival, end: end, op: i, step: stepJoint}
		return r.observe(a, late, r.cpuOf(r.nodes[i].rank, &r.ops[i]), -1)
	}
	by := step(g.last.op, g.last.start, g.last.late)
	for next := g.list; next != 0; {
		i := next - 1
		n := &r.nodes[i]
		next = n.next
		cpu := r.cpuOf(n.rank, &r.ops[i])
		if i != g.last.op {
			step(i, g.last.arrival, false)
		}
		if r.clock[cpu] = max(r.clock[cpu], end); r.record != nil {
			r.record.clockBy[cpu] = by.as(atDone)
		}
		if end > g.last.arrival {
			*r.linksOf(i) = links{end, by.as(atDone)}
		}
		n.waits = done
		r.finish(r.ended(i), end, by.as(atDone))
		r.queueHere() // those of one rank at a time
	}
}
