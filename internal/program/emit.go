package program

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/calls"
)

// builder returns the builder of the schedule, or of a part, of so many ranks.
func (x *Calls) builder(ranks int) *schedule.Builder {
	b := schedule.NewBuilder(ranks)
	b.Source(x.program.name)
	b.Calls()
	return b
}

// Schedule returns the operations and marks of the calls, which it takes.
func (x *Calls) Schedule(ctx context.Context) (*schedule.Schedule, *schedule.Marks, error) {
	b := x.builder(x.Ranks)
	marks := &schedule.Marks{Names: x.marks}
	for number, r := range x.of {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b.NextRank()
		index := 0 // in its class
		if c := r.class; c != nil {
			index = c.next
			c.next++
		}
		if err := x.emitPiece(b, r, r.whole(), number, index, marks); err != nil {
			return nil, nil, err
		}
		if r.class == nil || r.class.next == len(r.class.ranks) {
			r.tape, r.class = tape{}, nil // memory that the next ranks' operations need
		}
	}
	s, err := b.Build()
	return s, marks, err
}

// A piece is the part of a rank's tape from one cut to the next, with the number of the first of
// its requests.
type piece struct {
	from, to, requests int
}

// whole returns all of the rank's tape.
func (r *rank) whole() piece { return piece{to: len(r.tape.bytes)} }

// emitPiece adds the operations of a piece of the tape of r, for the rank of that number, with its
// index in the class of r. Tags of collectives count from those of the piece.
func (x *Calls) emitPiece(b *schedule.Builder, r *rank, p piece, number, index int,
	marks *schedule.Marks) error {
	to := calls.Rank{Builder: b}
	var requests []uint32
	first := map[*group]uint64{} // the number of its first call
	var ops []schedule.Op
	var waits []uint32
	messages := func(from *reader) []schedule.Op {
		ops = ops[:0]
		for range from.number() {
			ops = append(ops, from.message(r.class, index).op())
		}
		return ops
	}
	for from := reader(r.tape.bytes[p.from:p.to]); len(from) > 0; {
		c := from.code()
		b.Line(uint32(from.number()))
		switch c {
		case compute, computeEach:
			ns := from.number()
			if c == computeEach {
				ns = r.class.vectors[ns][index]
			}
			marks.Computed += float64(ns)
			to.Compute(ns)
		case blocking:
			to.Blocking(messages(&from)...)
		case begin:
			stream := uint16(from.number())
			requests = append(requests, to.Begin(stream, messages(&from)...)...)
		case wait:
			waits = waits[:0]
			for range from.number() {
				waits = append(waits, requests[from.number()-uint64(p.requests)])
			}
			to.Wait(waits...)
		case runCollective, beginRun:
			stream := uint16(0)
			if c == beginRun {
				stream = uint16(from.number())
			}
			g, called, place := x.groups[from.number()], from.number(), int(from.number())
			if r.class != nil {
				place = number // see class
			}
			joint, err := x.jointOf(g, &g.calls[called])
			switch {
			case err != nil:
				return err
			case joint != nil:
				if op := to.Joint(stream, joint.number, joint.ns, joint.links); stream > 0 {
					requests = append(requests, op)
				}
			default:
				if _, known := first[g]; !known {
					first[g] = called
				}
				e, group, call := x.call(g, called, place)
				call.Tag = collectiveTagOf(call, called-first[g])
				of := &g.calls[called]
				for again := max(1, of.times); again > 0; again-- {
					to.Copy(stream, x.Collectives, of.kind, group, call.Bytes)
					switch {
					case stream == 0:
						to.Collective(e, group, call)
					case again == 1: // the stream runs them one after the other
						requests = append(requests, to.BeginCollective(stream, e, group, call))
					default:
						to.BeginCollective(stream, e, group, call)
					}
				}
			}
		case mark:
			marks.Ops = append(marks.Ops, to.Mark())
			marks.Name = append(marks.Name, uint16(from.number()))
		}
	}
	return nil
}

// jointOf returns the joint operation of a collective; nil if it is made of messages.
func (x *Calls) jointOf(g *group, c *groupCall) (*joint, error) {
	if c.joint != nil || x.Time == nil && (x.Mesh == nil || !g.mesh) {
		return c.joint, nil
	}
	of := Collective{Name: c.kind, Algorithm: c.of, Bytes: c.bytes, Unequal: c.unequal,
		Ranks: g.ranks(), Groups: g.family.ranks()}
	var ns uint64
	var is bool
	var err error
	if x.Time != nil {
		ns, is, err = x.Time(of)
	}
	if err == nil && !is && g.mesh && x.Mesh != nil {
		ns, err = x.Mesh(of)
		is = true
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", x.program.name, c.line, err)
	}
	if is {
		c.joint = &joint{x.joints, ns * uint64(max(1, c.times)), x.linksOf(of.Ranks)}
		x.joints++
	}
	return c.joint, nil
}

// The links of a rank that joint operations keep for themselves.
const (
	insideNode uint16 = iota
	betweenNodes
)

// linksOf returns the links that a joint operation of these ranks uses, see Options.PerNode.
func (x *Calls) linksOf(ranks []uint32) uint16 {
	if x.PerNode == 0 {
		return insideNode
	}
	node := func(rank uint32) int { return int(rank) / x.PerNode }
	if slices.ContainsFunc(ranks, func(r uint32) bool { return node(r) != node(ranks[0]) }) {
		return betweenNodes
	}
	return insideNode
}

// call returns a recorded collective, seen from a place.
func (x *Calls) call(g *group, number uint64, place int) (collective.Entry, collective.Group,
	collective.Call) {
	c := &g.calls[number]
	group := collective.Group{Size: g.size, Place: place, Members: g.members}
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
	call := c.chosen
	call.Bytes, call.Context = c.bytes, g.context+1
	return c.entry, group, call
}

// The tags of collectives are those of traces: with the highest bit, and counted up, so that a rank
// that is one collective ahead is not matched with the one before. double-tree takes two tags.
const collectiveTag, collectiveTags = 1 << 31, 1 << 29

// collectiveTagOf returns the tag of the collective of this number in its communicator.
func collectiveTagOf(call collective.Call, number uint64) uint32 {
	if call.Channels > 1 {
		return collective.ChannelTag(uint32(number))
	}
	return collectiveTag + 2*uint32(number%collectiveTags)
}

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
