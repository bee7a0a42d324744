package program

import (
	"context"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// minParts is the number of operations above which a program runs in parts: one of fewer also runs
// in the other order.
var minParts = maxReversed // a variable for tests

// partTolerance lets states repeat where NICs interleave messages: moments of ranks move by up to
// 0.006 % of the time of a part, far below the error of any such time.
const partTolerance = 1. / (1 << 13)

// maxScattered is the number of operations of equal parts that are simulated although only chance
// sets apart the moments at which their ranks begin, unless fewer tell their mean time: 16 million
// take some ten seconds.
var maxScattered = 16 << 20 // a variable for tests

// inParts adds the rows of a program that runs in parts. It returns false if the program must run
// whole: it is small, its parts do not repeat or overlap, or machines differ in its collectives.
func (s *Scaling) inParts(ctx context.Context, in *Input, calls *program.Calls, params string,
	q Question) (bool, error) {
	if q.Run.Rules != simulate.Default || q.Run.Noise != (simulate.Noise{}) {
		return false, nil
	}
	for _, d := range q.On {
		if again, err := in.on(ctx, d, q.Map); err != nil || again != in {
			return false, err
		}
		if d.Layer.Model == nil && messagesOf(d.Platform).Model == nil {
			return false, nil
		}
	}
	all := calls.Ranks
	sim := &Simulation{Name: in.Name, NoInterval: noInterval(q.On),
		off: in.offBy(q.On, q.Reading.Ranks)}
	names, machines, err := sim.machinesOf(&Input{Marks: &schedule.Marks{}}, all, q)
	if err != nil {
		return false, err
	}
	for _, unit := range []int{equalUnits(machines), 0} {
		seq, err := calls.Sequence(ctx, unit)
		if err != nil || seq == nil || seq.Ops <= minParts {
			return false, err
		}
		one := *sim
		rows, err := one.partRows(ctx, seq, all, machines, q)
		switch {
		case errors.Is(err, simulate.ErrUneven) && unit > 0:
			continue
		case errors.Is(err, simulate.ErrOverlap):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("%s on %d ranks: %w", in.Name, all, err)
		}
		for i := range rows {
			rows[i].Machine, rows[i].Params = names[i], params
			if rows[i].assumed && len(q.On) > 0 {
				one.noteAssumed(names[i])
			}
		}
		s.Rows = append(s.Rows, rows...)
		s.note(&one)
		break
	}
	return true, nil
}

// partRows returns the rows of a sequence on machines, and adds notes.
func (s *Simulation) partRows(ctx context.Context, seq *program.Sequence, ranks int,
	machines []simulate.Machine, q Question) (rows []Scaled, err error) {
	parts := &simulate.Sequence{Ranks: ranks, Order: seq.Order, Tolerance: partTolerance,
		Recorded: maxPathOps, Scattered: maxScattered}
	few := ranks // that stand for all in some parts
	records := true
	for _, p := range seq.Parts {
		one, err := simulate.New(p.Schedule)
		if err != nil {
			return nil, err
		}
		parts.Parts = append(parts.Parts, one)
		few = min(few, ranks/p.Of)
		records = records && len(p.Schedule.Ops()) <= maxPathOps
	}
	for i, m := range machines {
		run := q.Run
		run.Machine, run.Parts, run.Record = m, true, records
		marks := newMarkSums(seq, ranks)
		r, err := parts.Run(ctx, run, marks.add)
		if err != nil {
			return nil, err
		}
		row := Scaled{on: i, Ranks: ranks, assumed: r.Assumed}
		row.Finish, _ = r.Finish()
		for _, part := range seq.Order {
			p := seq.Parts[part]
			row.computed += quantity.Micros(p.Marks.Computed / 1e3 * float64(p.Of))
		}
		row.shareTime(r.Result)
		row.Marks = marks.times(r.Result)
		if r.Recorded() {
			if row.onPath, err = messagesOnParts(seq, r); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
		if n := len(seq.Order); r.Simulated < n {
			s.Notes = append(s.Notes, remark.EqualParts(ranks, r.Simulated, n))
			if r.Scattered > 0 {
				s.Notes = append(s.Notes, remark.ScatteredParts(ranks, r.Off))
			}
		}
		if few < ranks {
			s.Notes = append(s.Notes, remark.EqualRanks(ranks, few))
		}
		s.Notes = append(s.Notes, remark.OrderNotTried())
	}
	return rows, nil
}

// messagesOnParts returns the part of the path through a sequence that messages take.
func messagesOnParts(seq *program.Sequence, r *simulate.SequenceResult) (pathShare, error) {
	pieces, err := r.Path()
	if err != nil {
		return pathShare{}, err
	}
	times := map[*simulate.Segment]float64{} // how often a piece occurs, by its first segment
	for _, p := range pieces {
		times[&p.Segments[0]]++
	}
	sums := newPathSums()
	for _, p := range pieces {
		if first := &p.Segments[0]; times[first] > 0 {
			sums.add(seq.Parts[p.Part].Schedule, p.Segments, times[first])
			times[first] = 0
		}
	}
	return sums.share(), nil
}

// equalUnits returns the number of consecutive ranks in units that are equal on all machines; 0 if
// there are none.
func equalUnits(machines []simulate.Machine) int {
	all := 1
	for _, m := range machines {
		unit := simulate.EqualUnits(m)
		if unit == 0 {
			return 0
		}
		for before := all; all%unit != 0; {
			all += before
		}
	}
	return all
}

// markSums are the times of the marks of a program that runs in parts.
type markSums struct {
	seq  *program.Sequence
	sums [][]uint64 // ticks by rank and name
	name []int      // of the mark that each rank has reached; none before the first
	at   []uint64   // when
}

const noMark = -1

func newMarkSums(seq *program.Sequence, ranks int) *markSums {
	m := &markSums{seq: seq, name: make([]int, ranks), at: make([]uint64, ranks)}
	for rank := range ranks {
		m.name[rank] = noMark
		m.sums = append(m.sums, make([]uint64, len(seq.Parts[0].Marks.Names)))
	}
	return m
}

// add adds the marks of a part that begins at some ticks.
func (m *markSums) add(part int32, begin uint64, r *simulate.Result) {
	p := m.seq.Parts[part]
	rank := 0
	for i, mark := range r.Marks { // in the order of operations, and so of ranks
		for _, end := p.Schedule.Rank(rank); mark.Op >= end; _, end = p.Schedule.Rank(rank) {
			rank++
		}
		for of := rank; of < len(m.at); of += p.Schedule.Ranks() {
			m.reach(of, begin+mark.End)
			m.name[of] = int(p.Marks.Name[i])
		}
	}
}

// reach ends the time of the mark that a rank has reached last.
func (m *markSums) reach(rank int, at uint64) {
	if name := m.name[rank]; name != noMark {
		m.sums[rank][name] += at - m.at[rank]
	}
	m.at[rank] = at
}

// times returns the times of the marks, when all parts were added.
func (m *markSums) times(r *simulate.Result) (all []MarkTime) {
	for name, text := range m.seq.Parts[0].Marks.Names {
		t := MarkTime{Name: text}
		for rank := range m.sums {
			if name == 0 {
				m.reach(rank, r.Ranks[rank])
			}
			one := r.Micros(m.sums[rank][name])
			t.Mean += one / quantity.Micros(len(m.sums))
			t.Max = max(t.Max, one)
		}
		all = append(all, t)
	}
	return all
}
