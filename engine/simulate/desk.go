package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// By the default rules, operations that need a processor or a NIC which is busy wait at the desk of
// their rank, in one line for each processor, or processor and NIC. When something is free, that
// one of the heads of the lines begins which became ready first. One entry of the queue stands for
// the whole desk, at the time when its next operation can begin; so the others cost nothing
// meanwhile. All that is parked came in the order of time, so its number says who was first.
type desk struct {
	lines []line // of those in use the first; the others have room
	used  int
	time  uint64 // of the entry in the queue; noEntry: there is none
	num   uint32 // its number: that of an operation
}

const noEntry = math.MaxUint64

// A line is operations that need the same clocks, in order.
type line struct {
	cpu, nic int // indices of clocks; nic is −1 where none is needed
	waiting  []parked
	first    int // in waiting
}

type parked struct{ num, op uint32 }

// freeAt returns when what the line needs is free.
func (r *run) freeAt(cpu, nic int) uint64 {
	if nic < 0 {
		return r.clock[cpu]
	}
	return max(r.clock[cpu], r.clock[nic])
}

// park lets an operation of a rank wait for its clocks.
func (r *run) park(rank, op uint32, cpu, nic int) {
	d := &r.desks[rank]
	var l *line
	for i := range d.lines[:d.used] {
		if d.lines[i].cpu == cpu && d.lines[i].nic == nic {
			l = &d.lines[i]
			break
		}
	}
	if l == nil {
		if d.used == len(d.lines) {
			d.lines = append(d.lines, line{})
		}
		l = &d.lines[d.used]
		d.used++
		l.cpu, l.nic, l.first, l.waiting = cpu, nic, 0, l.waiting[:0]
	}
	r.parked++
	l.waiting = append(l.waiting, parked{r.parked, op})
	if at := r.freeAt(cpu, nic); at < d.time {
		r.callAt(rank, at, l.waiting[l.first].num)
	}
}

// callAt lets the desk be asked then.
func (r *run) callAt(rank uint32, at uint64, num uint32) {
	d := &r.desks[rank]
	d.time, d.num = at, num
	r.q.push(entry{at, num, armed | rank})
}

// next returns the line whose head begins next, and when; nil if nothing waits.
func (r *run) next(d *desk) (best *line, at uint64) {
	at = noEntry
	for i := range d.lines[:d.used] {
		l := &d.lines[i]
		free := r.freeAt(l.cpu, l.nic)
		if free < at || free == at && l.waiting[l.first].num < best.waiting[best.first].num {
			best, at = l, free
		}
	}
	return best, at
}

// call begins the operation of a desk that begins now, if there is one, and lets the next be
// called.
func (r *run) call(e entry) error {
	rank := e.what & opMask
	d := &r.desks[rank]
	if d.time != e.time || d.num != e.num {
		return nil // another entry stands for it since then
	}
	d.time = noEntry
	l, at := r.next(d)
	if at == e.time && l.waiting[l.first].num == e.num {
		op := l.waiting[l.first].op
		if l.first++; l.first == len(l.waiting) { // out of use: its room goes to the next line
			d.used--
			*l, d.lines[d.used] = d.lines[d.used], *l
		}
		if err := r.begin(op, e.time, true); err != nil {
			return err
		}
		l, at = r.next(&r.desks[rank])
	}
	if l != nil {
		r.callAt(rank, at, l.waiting[l.first].num)
	}
	return nil
}

// needs returns the clocks of an operation's next part.
func (r *run) needs(i uint32) (cpu, nic int) {
	n, op := &r.nodes[i], &r.ops[i]
	cpu, nic = r.cpuOf(n.rank, op), -1
	if op.Kind == schedule.Send || n.waits == granting {
		nic = r.sendNIC(n.rank, op)
	}
	return cpu, nic
}

// begin begins the next part of an operation, whose clocks are free; late says that it had to wait
// for them.
func (r *run) begin(i uint32, t uint64, late bool) error {
	n, op := &r.nodes[i], &r.ops[i]
	switch {
	case op.Kind == schedule.Calc:
		return r.calc(i, t, late)
	case op.Kind == schedule.Send:
		return r.send(i, t, late)
	case n.waits == granting:
		return r.grant(i, t, late)
	}
	return r.receive(i, t, late)
}
