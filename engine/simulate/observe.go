package simulate

// observers keep what a run is asked for beside its finish.
type observers struct {
	record *record   // of steps; nil if none is kept
	tally  []Parts   // by rank; nil if it is not wanted
	marks  []MarkEnd // in the order of time
	leaves []leave   // the same; nil unless the run is a part of a sequence
}

// Parts are the times, in ticks, that the program of a rank spends on computations and on the
// processor's parts of messages. It waits the rest of the time. What other processors of the rank
// do, as for streams, is not in it.
type Parts struct{ Computing, Messages uint64 }

func (p *Parts) add(a *act) {
	switch a.step {
	case stepCalc:
		p.Computing += a.end - a.start
	case stepJoint:
		p.Messages += a.end - a.begin
	default:
		p.Messages += a.end - a.start
	}
}

// A MarkEnd is the moment, in ticks, at which a mark of a program is reached.
type MarkEnd struct {
	Op  uint32
	End uint64
}

// A leave is the end of a part on a rank.
type leave struct {
	rank uint32
	time uint64
	by   link // to the step that ends it
}
