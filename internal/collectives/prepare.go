package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Prepare returns the calls ready to be timed with other costs of the design that it returns. Their
// names are "finish", or "finish_ring_64_1MiB" if there are several. The time is that of
// [Calls.On]: when the last rank is done.
//
// The algorithm "best" gives one call for each number of ranks and size, timed by the algorithm
// that is first with the costs that are asked for; it is an error if the schedule of another one is
// too large, which may be faster. "all" gives one for each algorithm, without those whose schedule
// is too large; it is an error if none remains.
//
// If the platform's file has measurements of the collective, the time is the measured one, as
// [Calls.On] has it, times the ratio of the simulated time to that of the design. It is an error if
// the simulation is far from the measurement, or if the algorithm was not measured. If the file has
// measurements alone, the design gets a layer "network", whose changes scale what is between nodes,
// see [fitted.Result.Changed].
func (c Calls) Prepare(ctx context.Context, d platforms.Design) (
	platforms.Design, []study.Call, error) {
	b, err := c.Basis(d)
	if err != nil {
		return d, nil, err
	}
	var calls []study.Call
	if d.Layer.Model == nil {
		d, calls, err = b.onChangedNetwork(ctx)
	} else {
		calls, err = b.prepare(ctx)
	}
	if len(calls) == 1 {
		calls[0].Name = study.Finish // a single quantity keeps its plain name
	}
	return d, calls, err
}

// prepare returns the calls that are simulated.
func (b Basis) prepare(ctx context.Context) (calls []study.Call, err error) {
	c, fits := b.takeFits()
	p, err := Basis{c, b.design, nil}.planDescribed(ctx)
	if err != nil {
		return nil, err
	}
	s, cells := p.source.(described), p.Cells
	// Among several algorithms, those that were measured are compared, unless the library chose or
	// had one that has no schedule here.
	if len(fits) > 0 && c.Several() {
		cells = slices.DeleteFunc(cells, func(c Cell) bool {
			return !slices.ContainsFunc(fits, func(f fitOf) bool {
				return f.Entry.Name == c.Name || f.Entry.Algorithm == nil
			})
		})
	}
	var tooLarge []string
	standsIn := false // for a library's choice
	for len(cells) > 0 {
		var here []Cell
		here, cells = cut(cells, func(a, b Cell) bool {
			same := a.Name == b.Name && a.Call.Segment == b.Call.Segment
			return a.Place() == b.Place() && (c.Algorithm == "best" || same)
		})
		r := newRepeated(c, b.design, here)
		call, skipped, err := r.prepare(ctx, s, fits)
		if err != nil {
			return nil, err
		}
		if c.Algorithm == "best" && len(fits) == 0 && call.Run != nil && len(skipped) > 0 {
			return nil, undecidedBy(c.Collective, skipped)
		}
		tooLarge = append(tooLarge, skipped...)
		if call.Run != nil {
			calls, standsIn = append(calls, call), standsIn || r.like != ""
		}
	}
	switch {
	case len(calls) == 0 && len(tooLarge) > 0:
		return nil, noneSmallEnough(c.Collective, tooLarge)
	case len(calls) == 0:
		return nil, c.noCalls()
	}
	notes := []remark.Note{remark.Described(s.text())}
	if len(fits) == 0 {
		notes = append(notes, s.deviates())
	} else {
		notes = append(notes, remark.Scaled())
	}
	if standsIn {
		notes = append(notes, remark.StandsIn())
	}
	notes = append(notes, (&Times{TooLarge: tooLarge}).LeftOut()...)
	for i := range calls {
		calls[i].Notes = notes
	}
	return calls, nil
}

// takeFits returns the calls as they are simulated, and the measurements that their times are
// scaled to. If their algorithm has no schedule here, since it was forced or since an unknown
// library chose it, the measurements are that algorithm's alone, and the calls are simulated by any
// algorithm.
func (b Basis) takeFits() (Calls, []fitOf) {
	c, l, all := b.asMeasured(b.fits), b.design.Platform.Library, b.fits
	if c.Algorithm == "" && len(all) > 0 {
		names := (&measured{Calls: c, library: l, all: all}).unnamed()
		if len(names) == 1 && names[0] != LibraryChoice {
			c.Algorithm = names[0]
		} else if l.Name == "" && names[0] == LibraryChoice {
			c.Algorithm = "best"
		}
		if names[0] == LibraryChoice {
			return c, slices.DeleteFunc(slices.Clone(all), func(f fitOf) bool {
				return f.Entry.Name != LibraryChoice
			})
		}
	}
	named := slices.DeleteFunc(slices.Clone(all), func(f fitOf) bool {
		return f.Data.Foreign == "" || c.Algorithm != f.Data.Foreign && c.Algorithm != f.Data.Name
	})
	if len(named) == 0 {
		return c, all
	}
	c.Algorithm = "best"
	return c, named
}

// Repeated cells are one call: they differ in their algorithms alone. They are timed again with the
// costs of each design.
type repeated struct {
	Calls
	design   platforms.Design
	cells    []Cell
	programs []*compiled     // of each cell
	nearest  quantity.Micros // the measured time whose nearest run counts; 0: the first counts
	like     string          // what precedes an algorithm that stands for one not known here
}

func newRepeated(c Calls, d platforms.Design, cells []Cell) *repeated {
	r := &repeated{Calls: c, design: d, cells: cells}
	for range cells {
		r.programs = append(r.programs, newCompiled(true))
	}
	return r
}

// prepare runs the call with the costs of the unchanged design, keeps the cells that other runs
// need, and returns descriptions of those whose schedules are too large. The call has no Run if all
// are. A library does not choose anew when the network changes, since its rules have sizes and
// numbers of ranks alone: of its choices the nearest stays.
func (r *repeated) prepare(ctx context.Context, of described, fits []fitOf) (
	call study.Call, tooLarge []string, err error) {
	now := r.design.Costs()
	m, err := r.measuredCall(ctx, fits)
	if err != nil {
		return call, nil, err
	}
	if r.Several() && len(fits) > 0 && m.Entry.Algorithm == nil {
		r.nearest, r.like = m.Time, "like"
		if m.Name != LibraryChoice {
			r.like = m.Name + " like"
		}
	}
	first, at, skipped, err := r.run(ctx, now, false)
	if err != nil {
		return call, nil, err
	}
	if r.nearest > 0 && first != nil {
		r.nearest = 0
		r.cells, r.programs, skipped = r.cells[at:at+1], r.programs[at:at+1], nil
	}
	for _, i := range slices.Backward(skipped) {
		tooLarge = append(tooLarge, r.cells[i].tooLarge())
		r.cells = slices.Delete(r.cells, i, i+1)
		r.programs = slices.Delete(r.programs, i, i+1)
	}
	if first == nil {
		return call, tooLarge, nil
	}
	call = r.callOf(r.cells[0], r.like)
	call.Run = func(c platforms.Costs, parts bool) (f study.Finished, err error) {
		// The critical path of the first alone is asked for, and records take memory.
		first, at, _, err := r.run(ctx, c, parts && len(r.cells) == 1)
		if err == nil && parts && len(r.cells) > 1 {
			one := *r
			one.cells, one.programs = r.cells[at:at+1], r.programs[at:at+1]
			first, _, _, err = one.run(ctx, c, true)
		}
		if err == nil {
			f = *first
		}
		return f, err
	}
	if len(fits) > 0 {
		err = scaled(&call, m, first.Time, now)
	} else if ranks := r.cells[0].Ranks; of.known && of.within.Of(ranks, first.Time).Known() {
		call.Within = func(_ platforms.Costs, v float64) quantity.Interval {
			return of.within.Of(ranks, quantity.Micros(v))
		}
	} else if !of.known {
		call.Off = calibrate.OfSimulations("real times were")
	}
	return call, tooLarge, err
}

// run returns the run of the algorithm that is first with these costs, or nearest to the measured
// time, with the index of its cell, and the indices of the cells whose schedules are too large; the
// run is nil if all are.
func (r *repeated) run(ctx context.Context, c platforms.Costs, record bool) (
	first *study.Finished, at int, tooLarge []int, err error) {
	s := r.describe(r.design, c)
	// The calls have the places: their largest number of ranks may be another call's.
	if err := s.place(); err != nil {
		return nil, 0, nil, err
	}
	rank := func(t quantity.Micros) float64 {
		if r.nearest > 0 {
			return math.Abs(math.Log(float64(t / r.nearest)))
		}
		return float64(t)
	}
	g := s.group(r.cells[0].Ranks)
	s.timer = s.timerOf(1)
	// One rank that stands for all has no average, which nobody asks for.
	s.timer.few, s.timer.loop, s.timer.record = 0, false, record
	for i, cell := range r.cells {
		call, err := onNodes(r.design.Platform.Library, cell.Entry, s.Call, g.nodes)
		if err != nil {
			return nil, 0, nil, err
		}
		cell.Call = g.sized(cell.Entry, call, cell.Call.Bytes, cell.Call.Segment)
		s.timer.programs = r.programs[i]
		e, err := s.Time(ctx, cell)
		if err != nil {
			return nil, 0, nil, fmt.Errorf("%s %s: %w", cell.Collective, cell.Name, err)
		}
		if e.From == "" {
			tooLarge = append(tooLarge, i)
			continue
		}
		if r.Watch != nil {
			r.Watch()
		}
		if first == nil || rank(e.Time) < rank(first.Time) {
			first, at = &study.Finished{Time: e.Time}, i
			if record {
				first.Parts, err = study.Parts(e.result, s.copies(cell.Size()))
				if err != nil {
					return nil, 0, nil, err
				}
			}
		}
	}
	return first, at, tooLarge, nil
}

// measuredCall returns the time of the call from measurements; the zero value without them.
func (r *repeated) measuredCall(ctx context.Context, fits []fitOf) (m Timing, err error) {
	if len(fits) == 0 {
		return m, nil
	}
	c := r.cells[0]
	calls := Calls{Collective: c.Collective, Algorithm: c.Name, Ranks: []int{c.Ranks},
		Sizes: []quantity.Bytes{c.Size()}}
	switch {
	case r.Algorithm == "best":
		calls.Algorithm = r.Algorithm
	case fits[0].Entry.Name == LibraryChoice:
		calls.Algorithm = ""
	}
	times, err := Basis{fits: fits}.TimesOf(ctx, calls)
	if err != nil {
		return m, fmt.Errorf("the platform has measured collectives: %w", err)
	}
	m = times.Best()
	m.Within = m.Answer()
	m.Time = quantity.Micros(m.Within.Value)
	return m, nil
}
