package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/simulations"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Finishes adds one quantity for each call to the design: "finish", or "finish_ring_64_1MiB" if
// there are several. The quantity is the time of [Question.Compute]: when the last rank is done.
//
// The algorithm "best" gives one quantity for each number of ranks and size: the finish of the
// algorithm that is first in the design that is evaluated. "all" gives one for each algorithm.
// Algorithms whose schedule is too large are left out; it is an error if none remains. Without a
// collective, the design is returned as it is.
//
// If the platform's file has measurements of the collective, the quantity is the measured time, as
// [FittedQuestion] fits it, times the ratio of the simulated time to that of the design d. It is an
// error if the simulation is far from the measurement, or if the algorithm was not measured.
//
// Each simulation that has ended is passed to watch, unless that is nil.
func Finishes(ctx context.Context, d whatif.Design, calls Calls, watch func()) (
	whatif.Design, error) {
	if calls.Collective == "" {
		return d, nil
	}
	q := Question{
		Calls:   calls,
		Layer:   d.Layer,
		Machine: d.Machine(),
		Within:  calibrate.IntervalOf(d.Platform),
	}
	all, _, cells, err := q.prepared(ctx)
	if err != nil {
		return d, err
	}
	fits, err := PlatformFits(d.Platform, d.Platform.Name, q.Collective)
	if err != nil {
		return d, err
	}
	// Among several algorithms, those that were measured are compared, unless the library chose.
	if len(fits) > 0 && q.several() {
		cells = slices.DeleteFunc(cells, func(c Timing) bool {
			return !slices.ContainsFunc(fits, func(f Fit) bool {
				return f.Entry.Name == c.Name || f.Entry.Name == libraryChoice
			})
		})
	}
	var finishes []simulations.Finish
	var tooLarge []string
	for len(cells) > 0 {
		var here []Timing
		here, cells = cut(cells, func(a, b Timing) bool {
			same := a.Name == b.Name && a.Call.Segment == b.Call.Segment
			return a.place() == b.place() && (q.Algorithm == "best" || same)
		})
		f := newFinishing(q, here)
		f.watch = watch
		first, skipped, err := f.run(ctx, d.Costs(), false)
		if err != nil {
			return d, err
		}
		for _, i := range slices.Backward(skipped) {
			tooLarge = append(tooLarge, f.cells[i].tooLarge())
			f.cells = slices.Delete(f.cells, i, i+1)
			f.programs = slices.Delete(f.programs, i, i+1)
		}
		if first == nil {
			continue
		}
		finish := f.quantity()
		if err := q.scale(ctx, &finish, fits, f.cells[0], first.Time); err != nil {
			return d, err
		}
		finish.Run = func(c platforms.Costs, record bool) (*simulations.Finished, error) {
			first, _, err := f.run(ctx, c, record)
			return first, err
		}
		finishes = append(finishes, finish)
	}
	switch {
	case len(finishes) == 0 && len(tooLarge) > 0:
		return d, noneSmallEnough(all[0].Collective, tooLarge)
	case len(finishes) == 0:
		return d, noneForRanks(all[0].Collective)
	}
	notes := []string{q.platformText()}
	if finishes[0].Scale == 0 {
		notes = append(notes, q.Within.String())
	} else {
		notes = append(notes, scaledNote)
	}
	if len(tooLarge) > 0 {
		notes = append(notes, leftOut(tooLarge))
	}
	for _, f := range finishes {
		if len(finishes) == 1 {
			f.Name = whatif.Finish // a single quantity keeps its plain name
		}
		f.Notes = notes
		d = f.AddTo(d)
	}
	return d, nil
}

// A finishing runs the calls of one quantity with the costs of any design. The calls differ in
// their algorithms alone.
type finishing struct {
	q        Question // whose calls have no local work, since each design has its own
	most     int      // ranks of the question, which have the places
	cells    []Timing
	programs []*programs // of each cell
	watch    func()
}

func newFinishing(q Question, cells []Timing) *finishing {
	f := &finishing{q: q, most: slices.Max(q.Ranks), cells: cells}
	for range cells {
		f.programs = append(f.programs, newPrograms(true))
	}
	return f
}

// quantity returns the finish with its names.
func (f *finishing) quantity() simulations.Finish {
	c, name := f.cells[0], f.cells[0].Name
	// The quantity is of no single algorithm: which one finishes first depends on the design.
	if f.q.Algorithm == "best" {
		c.Call.Segment, name = 0, f.q.Algorithm
	}
	size := c.size().String()
	finish := simulations.Finish{
		Name: fmt.Sprintf("%s_%s_%d_%s", whatif.Finish, name, c.Ranks, size),
		Of:   fmt.Sprintf("%s %s, %d ranks, %s", c.Collective, name, c.Ranks, size),
	}
	if segment := quantity.Bytes(c.Call.Segment); segment > 0 {
		finish.Of += " in segments of " + segment.String()
		finish.Name += "_" + segment.String()
	}
	finish.Name = strings.ReplaceAll(finish.Name, " ", "")
	return finish
}

// run returns the run of the algorithm that is first with these costs, and the indices of the cells
// whose schedules are too large; the run is nil if all are.
func (f *finishing) run(ctx context.Context, c platforms.Costs, record bool) (
	first *simulations.Finished, tooLarge []int, err error) {
	layer := f.q.Layer
	layer.Model = c.Layer
	on, err := simulations.MachineOf(c.Machine, layer, f.q.Map, f.most, simulate.NoLimit)
	if err != nil {
		return nil, nil, err
	}
	calls := f.q.Calls
	calls.TakeLocalWork(c)
	for i, cell := range f.cells {
		cell.Call.Gamma = calls.Call.Gamma
		if cell.Params&collective.Shape != 0 {
			cell.Call.LogP = logPOf(on, cell.Ranks, cell.Call)
		}
		t := timer{
			m:        on,
			plain:    len(c.Machine.Levels) == 0,
			most:     f.q.maxOps(1),
			record:   record,
			programs: f.programs[i],
		}
		if err := t.time(ctx, &cell); err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", cell.Collective, cell.Name, err)
		}
		if cell.From == "" {
			tooLarge = append(tooLarge, i)
			continue
		}
		if f.watch != nil {
			f.watch()
		}
		copying := calls.Copy.Times(cell.size())
		if time := cell.Time + copying; first == nil || time < first.Time {
			first = &simulations.Finished{Result: cell.result, Time: time, Copy: copying}
		}
	}
	return first, tooLarge, nil
}

// maxScale is the largest factor, either way, between a measured and a simulated time whose ratios
// are used. Beyond it the simulation lacks, or invents, more than the measured time has, and what a
// change does to that is not known. The factor is a guess: no published machine has the same
// collective measured before and after a change of which both sides can be simulated.
const maxScale = 2

// scale makes the finish of a measured call the measured time in the design that was simulated in
// the time given. Without measurements of the collective it changes nothing.
//
// The interval of a value v is that of the measurement times the smaller and the larger of two
// ratios: v/m, as if all of the time changed like the simulated one, and 1 + s(v/m − 1)/m, as if
// the rest of the measured time stayed as it is.
//
// Where: m = the measured time; s = the simulated time.
func (q Question) scale(ctx context.Context, f *simulations.Finish, fits []Fit, c Timing,
	simulated quantity.Micros) error {
	if len(fits) == 0 {
		return nil
	}
	calls := Calls{Collective: c.Collective, Algorithm: c.Name, Ranks: []int{c.Ranks},
		Sizes: []quantity.Bytes{c.size()}}
	if q.several() && q.Algorithm == "best" {
		calls.Algorithm = q.Algorithm
	}
	times, err := FittedQuestion{Calls: calls, Fits: fits}.Compute(ctx)
	if err != nil {
		return fmt.Errorf("the platform has measured collectives: %w", err)
	}
	at := max(0, slices.IndexFunc(times.Times, func(t Timing) bool { return t.Best }))
	m := times.Times[at]
	if math.IsNaN(float64(m.Time)) {
		m.Time = m.Average // the slowest rank was not measured
	}
	f.Scale = float64(m.Time / simulated)
	if !(f.Scale <= maxScale && f.Scale >= 1./maxScale) {
		return fmt.Errorf("%s: the simulation takes %s, and %s were measured: too far apart for a "+
			"ratio of simulations; calibrate the machine, or ask about a file without the "+
			"measurements", f.Of, simulated, m.Time)
	}
	f.Within = func(v float64) quantity.Interval {
		alike := v / float64(m.Time)
		stays := max(0, 1+(alike-1)/f.Scale)
		return quantity.Interval{Value: v, Low: float64(m.Low) * min(alike, stays),
			High: float64(m.High) * max(alike, stays)}
	}
	return nil
}

// scaledNote describes the times of measured collectives.
const scaledNote = "The first time is fitted to measurements of this machine, and the second is " +
	"it times the ratio of two simulations. The interval is of one more measurement, widened by " +
	"what the simulations lack of the measured time: it may change alike, or not at all. That " +
	"this widening suffices is assumed: no machine was measured before and after a change."
