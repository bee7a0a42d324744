package simulations

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Scheduled returns the design with one more quantity: the finish of a schedule whose messages cost
// what the layer says. Each value is another simulation, and the limits of the finish are the parts
// of its critical path. The end of the context ends all simulations at once. Scheduled runs the
// schedule once, and fails if it cannot run. Without input it returns d. It calls watch, unless
// that is nil, after each simulation.
func Scheduled(ctx context.Context, d whatif.Design, in *Input, watch func()) (
	whatif.Design, error) {
	if in == nil {
		return d, nil
	}
	return FinishOf(ctx, d, whatif.Finish, in.Name, watch, in.Schedule)
}

// FinishOf is like [Scheduled] for the schedule that finishes first; of names it in
// messages. Several schedules are the algorithms of a collective: which one is first
// depends on the point of a sweep.
func FinishOf(ctx context.Context, d whatif.Design, name, of string, watch func(),
	schedules ...*schedule.Schedule) (whatif.Design, error) {
	// A changed platform keeps one layer and its parts, so the machine of its levels is gone.
	if d.Whole {
		return d, fmt.Errorf("%s has levels, but only one layer can be changed; name it, as in %s",
			d.Name(), d.Layer.Ref())
	}
	// Each program is made ready once, and run for every point of a sweep.
	var programs []*simulate.Program
	for _, s := range schedules {
		p, err := simulate.New(s)
		if err != nil {
			return d, fmt.Errorf("%s: %w", of, err)
		}
		programs = append(programs, p)
	}
	run := func(l model.Layer, record bool) (first *simulate.Result, err error) {
		layer := d.Layer
		layer.Model = l
		// A layer's times include its rendezvous, so the simulation adds none.
		m, err := simulate.FromLayer(layer, simulate.NoLimit)
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			r, err := p.Run(ctx, simulate.Setup{Machine: m, Record: record})
			if err != nil {
				return nil, err
			}
			if watch != nil {
				watch()
			}
			if first == nil || slices.Max(r.Ranks) < slices.Max(first.Ranks) {
				first = r
			}
		}
		return first, nil
	}
	// Errors come here, once: a point of a sweep has no way to report one, and becomes NaN.
	if _, err := run(d.Layer.Model, false); err != nil {
		return d, fmt.Errorf("%s: %w", of, err)
	}
	return d.Measured(whatif.Measure{
		Quantity: model.Quantity{Name: name, Title: "finish of " + of, Dim: quantity.DimTime,
			Of: func(l model.Layer, _, _ quantity.Bytes) float64 {
				r, err := run(l, false)
				if err != nil {
					return math.NaN()
				}
				t, _ := r.Finish()
				return float64(t)
			}},
		Limits: func(l model.Layer) ([]whatif.Share, error) {
			// Only a recorded run has a path, and recording costs memory, so the sweeps above do
			// without.
			r, err := run(l, true)
			if err != nil {
				return nil, err
			}
			path, err := r.Path()
			if err != nil {
				return nil, err
			}
			shares := list.Map(path.Shares.Parts(), func(part simulate.Share) whatif.Share {
				return whatif.Share{Owner: part.Name, OneWay: r.Micros(part.Ticks)}
			})
			return shares, nil
		},
	}), nil
}
