package program

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Scaling is what a program takes on numbers of ranks, for values of its parameters, on each of
// several machines.
type Scaling struct {
	Name  string
	Rows  []Scaled
	Knees []knee
	Notes []remark.Note
	// NoInterval says why times have no interval; see [Simulation].
	NoInterval []remark.Note

	off        string          // what is known of the errors, in a clause
	faster     quantity.Micros // the last finish with the link of that name twice as fast; 0: none
	fasterLink string
	uncertain  []remark.Note // the last [Input].Uncertain, which are among the notes
	bound      string        // the collectives that make the last finish a bound; "": none
	measured   bool          // collectives of the last program have measured times
}

// Scaled is a program on one number of ranks. Times are means over the ranks, but for the finish
// and Max of marks. The finish is that of the last rank, so that a rank that has ended waits.
type Scaled struct {
	Machine string // a layer, or "LogGOPS"
	Params  string // those that have several values
	Ranks   int
	Finish  quantity.Micros
	// Within is the 90 % interval of the finish, see [Question.finishWithin]; zero if it has none.
	Within quantity.Interval
	// Computing, Messages (the processor's parts of messages) and Waiting add up to the finish. By
	// LogGOPSim's rules they are NaN.
	Computing, Messages, Waiting quantity.Micros
	// SpeedUp is the finish on the smallest number of ranks over this one, and Growth the
	// computation of all ranks together over that on the smallest number of ranks. Efficiency is
	// the speed-up over the ratio of ranks if the computation grows by less than the square root
	// of that ratio, as of a fixed problem; else, as of fixed work per rank, times the growth. They
	// are not finite if a finish is 0, nor are the last two if the program computes nothing.
	SpeedUp, Growth, Efficiency float64
	// SpeedUpWithin is the 90 % interval of the speed-up where both finishes have one, see
	// [ratioWithin]; zero on the smallest number of ranks. The efficiency's is as wide.
	SpeedUpWithin quantity.Interval
	Split
	// Marks are in the order in which the program first reaches them.
	Marks    []MarkTime
	on       int             // which of the machines: two can have one name
	computed quantity.Micros // of the program itself, in all
	onPath   pathShare
	assumed  bool // see [simulate.Result]
}

// A MarkTime is the time from the marks of a name to each rank's next mark.
type MarkTime struct {
	Name      string
	Mean, Max quantity.Micros // over ranks
}

// A pathShare is the part of the critical path that messages take, and the line of the program
// whose messages take most, with its part.
type pathShare struct {
	messages float64
	line     string
	part     float64
}

// A knee is the smallest number of ranks at which messages take more than half of the critical
// path.
type knee struct {
	Machine, Params string
	Ranks           int
	Messages        float64 // their part of the path
	Line            string  // of the program, whose messages take most: "halo.star:12"
	Part            float64 // of this line
}

// maxPathOps is the largest number of operations of which a critical path is recorded: it takes 200
// bytes for each.
const maxPathOps = 4 << 20

// run adds the rows of a schedule on the machines.
func (s *Scaling) run(ctx context.Context, in *Input, params string, q Question) error {
	q.Table, q.Run.Parts = Totals, true
	q.Run.Record = q.Run.Rules == simulate.Default && len(in.Schedule.Ops()) <= maxPathOps
	on := q.On
	for i := range max(len(on), 1) {
		if len(on) > 0 {
			var err error
			if in, err = in.on(ctx, on[i], q.Map); err != nil {
				return err
			}
			q.On = on[i : i+1]
		}
		done, err := q.run(ctx, in)
		if err != nil {
			return fmt.Errorf("%s on %d ranks: %w", in.Name, in.Schedule.Ranks(), err)
		}
		r := done.Runs[0].Result
		row := Scaled{Machine: done.Runs[0].Machine, on: i, Params: params, Ranks: len(r.Ranks),
			assumed: r.Assumed}
		row.Finish, _ = r.Finish()
		row.computed = quantity.Micros(in.Marks.Computed / 1e3)
		row.shareTime(r)
		row.Marks = markTimes(in, r)
		if row.Split, err = splitOf(ctx, in, q.Run, row.Finish, row.Computing); err != nil {
			return err
		}
		if row.Within, err = q.finishWithin(ctx, in, row.Finish); err != nil {
			return err
		}
		if q.Run.Record {
			path, err := r.Path()
			if err != nil {
				return err
			}
			sums := newPathSums()
			sums.add(in.Schedule, path.Segments, 1)
			row.onPath = sums.share()
		}
		s.Rows = append(s.Rows, row)
		s.bound, s.measured = in.unmeasured(), in.joint != nil && in.joint.Measured()
		if len(in.Uncertain) > 0 { // of all programs so far
			s.NoInterval = slices.DeleteFunc(s.NoInterval, func(n remark.Note) bool {
				return slices.Contains(s.uncertain, n)
			})
			s.uncertain = in.Uncertain
		}
		for i, n := range done.Notes {
			// Where simultaneous events decide, it is said of each number of ranks.
			if n.Kind == remark.Doubt && strings.Contains(n.Text, "simultaneous") {
				done.Notes[i] = n.About(fmt.Sprintf("%d ranks", row.Ranks))
			}
		}
		if row.Within.Value > 0 {
			of := remark.CollectivesOff(lowRatio, highRatio)
			if in.isStep() {
				of = remark.StepsOff(stepError)
			}
			done.NoInterval = append(slices.Clone(in.Uncertain), of)
			done.off = cmp.Or(s.off, done.off) // of the rows without an interval
		}
		s.note(done)
	}
	return nil
}

// note adds the notes of a simulation that it has not yet.
func (s *Scaling) note(one *Simulation) {
	s.Notes = remark.Add(s.Notes, one.Notes...)
	s.NoInterval = remark.Add(s.NoInterval, one.NoInterval...)
	s.off = one.off
}

// shareTime sets the parts of the time.
func (row *Scaled) shareTime(r *simulate.Result) {
	if r.Parts == nil { // by LogGOPSim's rules they are not known
		unknown := quantity.Micros(math.NaN())
		row.Computing, row.Messages, row.Waiting = unknown, unknown, unknown
		return
	}
	var computing, messages uint64
	for _, p := range r.Parts {
		computing += p.Computing
		messages += p.Messages
	}
	n := quantity.Micros(len(r.Parts))
	row.Computing, row.Messages = r.Micros(computing)/n, r.Micros(messages)/n
	row.Waiting = row.Finish - row.Computing - row.Messages
	const rounding = 1e-12 // of the three
	if row.Waiting < rounding*row.Finish {
		row.Waiting = 0
	}
}

// markTimes returns the times of a program's marks.
func markTimes(in *Input, r *simulate.Result) []MarkTime {
	if in.Marks == nil || len(in.Marks.Ops) != len(r.Marks) {
		return nil
	}
	all := make([]MarkTime, len(in.Marks.Names))
	for i, name := range in.Marks.Names {
		all[i].Name = name
	}
	at := 0 // the next mark; they are in the order of operations, and so of ranks
	for rank := range r.Ranks {
		_, end := in.Schedule.Rank(rank)
		sums := make([]quantity.Micros, len(all))
		for ; at < len(r.Marks) && r.Marks[at].Op < end; at++ {
			until := r.Ranks[rank]
			if at+1 < len(r.Marks) && r.Marks[at+1].Op < end {
				until = r.Marks[at+1].End
			}
			sums[in.Marks.Name[at]] += r.Micros(until) - r.Micros(r.Marks[at].End)
		}
		for i, t := range sums {
			all[i].Mean += t / quantity.Micros(len(r.Ranks))
			all[i].Max = max(all[i].Max, t)
		}
	}
	return all
}

// pathSums are the times that messages take on a path, by the line of the program, in ticks.
type pathSums struct {
	lines map[string]float64
	all   float64 // also of what is no message
}

func newPathSums() *pathSums { return &pathSums{lines: map[string]float64{}} }

// add adds a piece of a path that occurs so many times.
func (p *pathSums) add(s *schedule.Schedule, path []simulate.Segment, times float64) {
	for _, g := range path {
		takes := times * float64(g.To-g.From)
		p.all += takes
		if line := s.Line(g.Op); line != "" && s.Ops()[g.Op].Kind != schedule.Calc {
			p.lines[line] += takes
		}
	}
}

// share returns the part of the path that messages take.
func (p *pathSums) share() (share pathShare) {
	for _, line := range slices.Sorted(maps.Keys(p.lines)) {
		part := p.lines[line] / max(p.all, 1)
		share.messages += part
		if part > share.part {
			share.line, share.part = line, part
		}
	}
	return share
}

// compare sets speed-ups and efficiencies, and finds the knees.
func (s *Scaling) compare() {
	type series struct {
		on     int
		params string
	}
	smallest := map[series]*Scaled{}
	var order []series
	for i := range s.Rows {
		row := &s.Rows[i]
		key := series{row.on, row.Params}
		if first, ok := smallest[key]; !ok {
			order = append(order, key)
			smallest[key] = row
		} else if row.Ranks < first.Ranks {
			smallest[key] = row
		}
	}
	for i := range s.Rows {
		row := &s.Rows[i]
		first := smallest[series{row.on, row.Params}]
		row.SpeedUp = float64(first.Finish / row.Finish)
		if row.Ranks > first.Ranks && row.Within.Value > 0 && first.Within.Value > 0 {
			row.SpeedUpWithin = ratioWithin(first.Within, row.Within)
		}
		row.Growth = float64(row.computed / first.computed)
		ratio := float64(row.Ranks) / float64(first.Ranks)
		if row.Efficiency = row.SpeedUp * row.Growth / ratio; row.isFixedProblem(ratio) {
			row.Efficiency /= row.Growth
		}
	}
	for _, key := range order {
		var rows []Scaled
		for _, row := range s.Rows {
			if (series{row.on, row.Params}) == key {
				rows = append(rows, row)
			}
		}
		slices.SortFunc(rows, func(a, b Scaled) int { return a.Ranks - b.Ranks })
		for _, row := range rows {
			if row.onPath.messages > 0.5 {
				s.Knees = append(s.Knees, knee{row.Machine, key.params, row.Ranks,
					row.onPath.messages, row.onPath.line, row.onPath.part})
				break
			}
		}
	}
}

// isFixedProblem reports whether the ranks share a problem, on a number of ranks in this ratio to
// the smallest.
func (row *Scaled) isFixedProblem(ratio float64) bool { return row.Growth < math.Sqrt(ratio) }

// efficiencyNote says what the efficiency of a row is; the first row has the smallest number of
// ranks.
func (row *Scaled) efficiencyNote(first *Scaled) remark.Note {
	const same = 0.01 // of the computation: what programs round off
	ratio := float64(row.Ranks) / float64(first.Ranks)
	fixed := row.isFixedProblem(ratio)
	switch {
	case fixed && math.Abs(row.Growth-1) <= same:
		return remark.EfficiencyShared()
	case fixed:
		return remark.EfficiencyGrown(row.Ranks, row.Growth, first.Ranks, row.Efficiency)
	case math.Abs(row.Growth/ratio-1) <= same:
		return remark.EfficiencyEach()
	}
	return remark.EfficiencyMore(row.Growth/ratio, row.Ranks, first.Ranks)
}

// counts reports whether the program counts units of work.
func (s *Scaling) counts() bool {
	return slices.ContainsFunc(s.Rows, func(r Scaled) bool { return r.Unit != "" })
}
