package program

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/calls"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// emit returns the schedule of the recorded calls.
func (x *run) emit(ctx context.Context) (*schedule.Schedule, *schedule.Marks, error) {
	b := schedule.NewBuilder(len(x.ranks))
	b.Source(x.program.name)
	marks := &schedule.Marks{Names: x.marks}
	for _, r := range x.ranks {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b.NextRank()
		x.emitRank(b, r, marks)
		r.tape = tape{} // its memory is needed by the next ranks' operations
	}
	s, err := b.Build()
	return s, marks, err
}

func (x *run) emitRank(b *schedule.Builder, r *rank, marks *schedule.Marks) {
	to := calls.Rank{Builder: b}
	requests := make([]uint32, 0, r.requests)
	var ops []schedule.Op
	var waits []uint32
	messages := func(from *reader) []schedule.Op {
		ops = ops[:0]
		for range from.number() {
			ops = append(ops, from.message().op())
		}
		return ops
	}
	for from := reader(r.tape.bytes); len(from) > 0; {
		c := from.code()
		b.Line(uint32(from.number()))
		switch c {
		case compute:
			to.Compute(from.number())
		case blocking:
			to.Blocking(messages(&from)...)
		case begin:
			stream := uint16(from.number())
			requests = append(requests, to.Begin(stream, messages(&from)...)...)
		case wait:
			waits = waits[:0]
			for range from.number() {
				waits = append(waits, requests[from.number()])
			}
			to.Wait(waits...)
		case runCollective:
			to.Collective(x.call(&from))
		case beginRun:
			stream := uint16(from.number())
			a, g, call := x.call(&from)
			requests = append(requests, to.BeginCollective(stream, a, g, call))
		case mark:
			marks.Ops = append(marks.Ops, to.Mark())
			marks.Name = append(marks.Name, uint16(from.number()))
		}
	}
}

// call returns a recorded collective, seen from its rank.
func (x *run) call(from *reader) (collective.Algorithm, collective.Group,
	collective.Call) {
	g := x.groups[from.number()]
	number := from.number()
	c := &g.calls[number]
	group := collective.Group{Size: g.size, Place: int(from.number()), Members: g.members}
	switch {
	case c.rows != nil:
		group.Blocks = make([]uint64, 2*group.Size)
		copy(group.Blocks, c.rows[group.Place])
		for sender, row := range c.rows {
			group.Blocks[group.Size+sender] = row[group.Place]
		}
	case c.blocks != nil:
		group.Blocks = c.blocks
	}
	return c.algorithm, group, collective.Call{Root: c.root, Bytes: c.bytes, Segment: c.segment,
		Context: g.context + 1, Tag: collectiveTag + 2*uint32(number%collectiveTags)}
}

// The tags of collectives are those of traces: with the highest bit, and counted up, so that a rank
// that is one collective ahead is not matched with the one before. double-tree takes two tags.
const collectiveTag, collectiveTags = 1 << 31, 1 << 29

// op returns the operation of a message.
func (m message) op() schedule.Op {
	o := schedule.Op{Kind: schedule.Send, Size: m.size, Peer: schedule.Any, Tag: schedule.Any,
		Context: m.context}
	if m.receive {
		o.Kind = schedule.Recv
	}
	if m.peer > 0 {
		o.Peer = uint32(m.peer - 1)
	}
	if m.tag > 0 {
		o.Tag = uint32(m.tag - 1)
	}
	return o
}
