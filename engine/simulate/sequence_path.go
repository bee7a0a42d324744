package simulate

import "slices"

// A PartPath is the piece of a critical path that lies in one part of a sequence. Times are in
// ticks, relative to the begin of the part. Parts of a sequence that have the same piece share its
// segments.
type PartPath struct {
	Part     int32
	Segments []Segment
}

// Recorded reports whether the run has a path: that of a long one is not kept, see [Sequence].
func (r *SequenceResult) Recorded() bool { return len(r.exits) > 0 && r.exits[0].record != nil }

// Path returns the critical path of the rank that finishes last, by the parts in which it has
// steps. The run must have been recorded. Where states are equal within [Sequence.Tolerance], the
// pieces add up to the finish within that.
func (r *SequenceResult) Path() ([]PartPath, error) {
	var pieces []PartPath
	known := map[gate]*partPiece{}
	rank := r.last()
	at := gate{rank: uint32(rank), final: true}
	for i := r.lastOf[rank]; i >= 0; i-- {
		at.exit = r.exits[i]
		if at.exit.record == nil {
			return nil, errNotRecorded
		}
		at.rank %= uint32(len(at.exit.Ranks))
		p := known[at]
		if p == nil {
			p = at.piece()
			known[at] = p
		}
		if len(p.segments) > 0 {
			pieces = append(pieces, PartPath{r.order[i], p.segments})
		}
		at = p.from
	}
	slices.Reverse(pieces)
	if len(pieces) > 0 {
		pieces[0].Segments[0].fromBegin()
	}
	return pieces, nil
}

// A gate is where a path leaves a part: with the last step of a rank, or, if busy, where one of its
// NICs is free again. A final one is the last moment of a rank.
type gate struct {
	exit        *exit
	rank        uint32
	label       uint16 // of the NIC
	busy, takes bool
	final       bool
}

// A partPiece is the path in a part, and from where in the part before it comes.
type partPiece struct {
	segments []Segment
	from     gate
}

// piece returns the path through the part to the gate.
func (g gate) piece() *partPiece {
	r := g.exit.record
	var by link
	var end uint64
	switch {
	case g.final:
		by, end = r.finisher(int(g.rank))
	case g.busy:
		i, _ := clockOf(r.Program, busyNIC{rank: g.rank, label: g.label, takes: g.takes})
		by, end = r.clockBy[i], r.clock[i]
	default:
		by, end = g.exit.leaves[g.rank].by, g.exit.leaves[g.rank].time
	}
	p := &partPiece{from: gate{rank: g.rank, label: g.label, takes: g.takes}}
	first, _ := r.walk(by, end, func(s Segment, _ Slopes) {
		p.segments = append(p.segments, s)
		p.from = gate{rank: uint32(s.Rank), label: r.ops[s.Op].NIC,
			takes: s.What == stepNames[stepTake]}
	})
	p.from.busy = first.at == atNIC
	slices.Reverse(p.segments)
	return p
}
