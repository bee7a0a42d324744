package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
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
// [Question.Compute] has it, times the ratio of the simulated time to that of the design d. It is
// an error if the simulation is far from the measurement, or if the algorithm was not measured. If
// the file has measurements alone, the design gets a layer "network", whose changes scale what is
// between nodes, see [fitted.Result.Changed].
//
// Each simulation that has ended is passed to watch, unless that is nil.
func Finishes(ctx context.Context, d whatif.Design, calls Calls, watch func()) (
	whatif.Design, error) {
	if calls.Collective == "" {
		return d, nil
	}
	q, err := Question{Calls: calls}.On(d.Design)
	if err != nil {
		return d, err
	}
	if d.Layer.Model == nil {
		return q.onChangedNetwork(ctx, d)
	}
	fits := q.takeFits()
	all, _, cells, err := q.prepared(ctx)
	if err != nil {
		return d, err
	}
	// Among several algorithms, those that were measured are compared, unless the library chose or
	// had one that has no schedule here.
	if len(fits) > 0 && q.several() {
		cells = slices.DeleteFunc(cells, func(c Timing) bool {
			return !slices.ContainsFunc(fits, func(f Fit) bool {
				return f.Entry.Name == c.Name || f.Entry.Algorithm == nil
			})
		})
	}
	var finishes []programs.Finish
	var tooLarge []string
	chosen := false // by a library
	for len(cells) > 0 {
		var here []Timing
		here, cells = cut(cells, func(a, b Timing) bool {
			same := a.Name == b.Name && a.Call.Segment == b.Call.Segment
			return a.Place() == b.Place() && (q.Algorithm == "best" || same)
		})
		f := newFinishing(q, here)
		f.watch = watch
		m, err := q.measuredCall(ctx, fits, here[0])
		if err != nil {
			return d, err
		}
		if q.several() && len(fits) > 0 && m.Entry.Algorithm == nil {
			f.nearest, f.like = m.Time, "like"
			if m.Name != libraryChoice {
				f.like = m.Name + " like"
			}
		}
		first, skipped, err := f.begin(ctx, d.Costs())
		if err != nil {
			return d, err
		}
		tooLarge = append(tooLarge, skipped...)
		if first == nil {
			continue
		}
		finish := f.q.finishOf(f.cells[0], f.like)
		chosen = chosen || f.like != ""
		if len(fits) > 0 {
			if err := scaled(&finish, m, first.Time, d.Costs()); err != nil {
				return d, err
			}
		}
		finish.Run = func(c platforms.Costs, record bool) (*programs.Finished, error) {
			first, _, _, err := f.run(ctx, c, record)
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
	if chosen {
		notes = append(notes, likeNote)
	}
	if len(tooLarge) > 0 {
		notes = append(notes, LeftOut(tooLarge))
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

// takeFits takes the measurements out of the question, which is then answered by simulation. If its
// algorithm has no schedule here, since it was forced or since an unknown library chose it, they
// are that algorithm's alone, and the question becomes one about any algorithm, by which it is
// simulated.
func (q *Question) takeFits() []Fit {
	all := q.Fits
	if q.Algorithm == "" && len(all) > 0 {
		names := q.unnamed()
		if q.Fits = nil; len(names) == 1 && names[0] != libraryChoice {
			q.Algorithm = names[0]
		} else if q.library == "" && names[0] == libraryChoice {
			q.Algorithm = "best"
		}
		if names[0] == libraryChoice {
			return slices.DeleteFunc(slices.Clone(all), func(f Fit) bool {
				return f.Entry.Name != libraryChoice
			})
		}
	}
	q.Fits = nil
	named := slices.DeleteFunc(slices.Clone(all), func(f Fit) bool {
		return f.Data.Foreign == "" || q.Algorithm != f.Data.Foreign && q.Algorithm != f.Data.Name
	})
	if len(named) == 0 {
		return all
	}
	q.Algorithm = "best"
	return named
}

// A finishing runs the calls of one quantity with the costs of any design. The calls differ in
// their algorithms alone.
type finishing struct {
	q        Question // whose calls have no local work, since each design has its own
	most     int      // ranks of the question, which have the places
	cells    []Timing
	programs []*compiled // of each cell
	watch    func()
	nearest  quantity.Micros // the measured time whose nearest run counts; 0: the first counts
	like     string          // what precedes an algorithm that stands for one not known here
}

func newFinishing(q Question, cells []Timing) *finishing {
	f := &finishing{q: q, most: slices.Max(q.Ranks), cells: cells}
	for range cells {
		f.programs = append(f.programs, newCompiled(true))
	}
	return f
}

// begin returns the run with the costs of the unchanged design, keeps the cells that the other runs
// need, and returns descriptions of those whose schedules are too large. A library does not choose
// anew when the network changes, since its rules have sizes and numbers of ranks alone: of its
// choices the nearest stays.
func (f *finishing) begin(ctx context.Context, c platforms.Costs) (
	first *programs.Finished, tooLarge []string, err error) {
	first, at, skipped, err := f.run(ctx, c, false)
	if err != nil {
		return nil, nil, err
	}
	if f.nearest > 0 && first != nil {
		f.nearest = 0
		f.cells, f.programs, skipped = f.cells[at:at+1], f.programs[at:at+1], nil
	}
	for _, i := range slices.Backward(skipped) {
		tooLarge = append(tooLarge, f.cells[i].tooLarge())
		f.cells = slices.Delete(f.cells, i, i+1)
		f.programs = slices.Delete(f.programs, i, i+1)
	}
	return first, tooLarge, nil
}

// run returns the run of the algorithm that is first with these costs, or nearest to the measured
// time, with the index of its cell, and the indices of the cells whose schedules are too large; the
// run is nil if all are.
func (f *finishing) run(ctx context.Context, c platforms.Costs, record bool) (
	first *programs.Finished, at int, tooLarge []int, err error) {
	layer := f.q.Layer
	layer.Model = c.Layer
	on, err := programs.MachineOf(c.Machine, layer, f.q.Map, f.most, simulate.NoLimit)
	if err != nil {
		return nil, 0, nil, err
	}
	rank := func(t quantity.Micros) float64 {
		if f.nearest > 0 {
			return math.Abs(math.Log(float64(t / f.nearest)))
		}
		return float64(t)
	}
	calls := f.q.Calls
	calls.takeLocalWork(c)
	design := f.q
	design.Machine = c.Machine
	for i, cell := range f.cells {
		cell.Call.Gamma = calls.Call.Gamma
		perNode, rails := design.nodes(on, cell.Ranks)
		placed, err := design.onNodes(cell.Entry, calls.Call, perNode, rails)
		if err != nil {
			return nil, 0, nil, err
		}
		cell.Call.Channels, cell.Call.PerNode = placed.Channels, placed.PerNode
		if cell.Params&collective.Shape != 0 {
			cell.Call.LogP = logPOf(on, cell.Ranks, cell.Call)
		}
		t := timer{
			m:        on,
			plain:    len(c.Machine.Levels) == 0,
			windowed: model.HasWindow(c.Layer),
			most:     f.q.maxOps(1),
			record:   record,
			programs: f.programs[i],
		}
		if err := t.time(ctx, &cell); err != nil {
			return nil, 0, nil, fmt.Errorf("%s %s: %w", cell.Collective, cell.Name, err)
		}
		if cell.From == "" {
			tooLarge = append(tooLarge, i)
			continue
		}
		if f.watch != nil {
			f.watch()
		}
		copying := calls.Copy.Times(cell.Size())
		if time := cell.Time + copying; first == nil || rank(time) < rank(first.Time) {
			first, at = &programs.Finished{Result: cell.result, Time: time, Copy: copying}, i
		}
	}
	return first, at, tooLarge, nil
}

// measuredCall returns the time of a call from measurements; the zero value without them.
func (q Question) measuredCall(ctx context.Context, fits []Fit, c Timing) (m Timing, err error) {
	if len(fits) == 0 {
		return m, nil
	}
	calls := Calls{Collective: c.Collective, Algorithm: c.Name, Ranks: []int{c.Ranks},
		PerNode: q.PerNode, Sizes: []quantity.Bytes{c.Size()}}
	switch {
	case q.Algorithm == "best":
		calls.Algorithm = q.Algorithm
	case fits[0].Entry.Name == libraryChoice:
		calls.Algorithm = ""
	}
	times, err := Question{Calls: calls, Fits: fits}.Compute(ctx)
	if err != nil {
		return m, fmt.Errorf("the platform has measured collectives: %w", err)
	}
	at := max(0, slices.IndexFunc(times.Times, func(t Timing) bool { return t.Best }))
	m = times.Times[at]
	if math.IsNaN(float64(m.Time)) {
		m.Time, m.Within = m.Average, m.AverageWithin // the slowest rank was not measured
	}
	return m, nil
}
