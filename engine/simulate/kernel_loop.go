package simulate

// loop processes the entries in the order of their times, and those of one time in the order of
// their numbers, until none is left. What an entry has set free is queued before the next entry is
// taken, since it may belong at the same time.
func (k *kernel) loop(by rules) error {
	for k.q.size > 0 || k.held {
		if k.events++; k.events&tickMask == 0 {
			if err := k.check(k.ctx, Progress{k.done, uint64(len(k.ops)), 0}); err != nil {
				return err
			}
		}
		e := k.next()
		k.last = max(k.last, e.time)
		switch {
		case e.what == networkTick:
			by.network(e.time)
		case e.what&armed != 0:
			k.call(e, by)
		default:
			by.proceed(e, false)
		}
		if k.err != nil {
			return k.err
		}
		if len(k.here) > 0 {
			by.queue(k.here)
			k.here = k.here[:0]
		}
	}
	return nil
}

// next takes the next entry. Most moments in which a flow begins have no other event, so that their
// computation of rates need not go through the queue.
func (k *kernel) next() entry {
	if k.held {
		k.held = false
		if k.q.isBeforeAll(k.tick) {
			return k.tick
		}
		k.q.push(k.tick)
	}
	k.lookAhead()
	return k.q.pop()
}

// callNetwork calls the network at the end of the moment t.
func (k *kernel) callNetwork(t uint64) { k.held, k.tick = true, k.entry(t, networkTick) }

// call begins the operation of a desk that is due, if there is one, and queues a call for the next
// operation.
func (k *kernel) call(e entry, by rules) {
	rank := e.what & opMask
	d := &k.desks[rank]
	if d.time != e.time || d.num != e.num {
		return // a newer entry represents the desk
	}
	d.time = noEntry
	l, at := k.nextLine(d)
	if at == e.time && l.waiting[l.first].num == e.num {
		what := l.waiting[l.first].what
		if l.first++; l.first == len(l.waiting) { // empty: the next new line reuses its memory
			d.used--
			*l, d.lines[d.used] = d.lines[d.used], *l
		}
		by.proceed(entry{e.time, e.num, what}, true)
		l, at = k.nextLine(d)
	}
	if l != nil {
		k.callAt(rank, at, l.waiting[l.first].num)
	}
}
