package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/whatif"
)

// Finish is the name of the quantity that [Scheduled] adds, and how those of [Collectives] begin.
const Finish = "finish"

// finishes reports whether a quantity is the finish of a schedule, each time by another simulation.
func finishes(name string) bool { return strings.HasPrefix(name, Finish) }

// Scheduled is the design with one more quantity: when a schedule is finished if all messages cost
// what the layer says, each time by another simulation. What limits it are the parts of its
// critical path. The end of the context ends all of them at once. The schedule runs once here; it
// is an error if it cannot. Without input it is the design as it is.
func Scheduled(ctx context.Context, d whatif.Design, in *Input) (whatif.Design, error) {
	if in == nil {
		return d, nil
	}
	return scheduled(ctx, d, Finish, in.Name, in.Schedule)
}

// scheduled is the design with the finish of the schedule that is finished first.
func scheduled(ctx context.Context, d whatif.Design, name, of string, schedules ...*schedule.Schedule) (whatif.Design, error) {
	if d.Whole {
		return d, fmt.Errorf("%s has levels, and a changed design is one layer: name it, as in %s", d.Name(), d.Layer.Ref())
	}
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
		m, err := simulate.FromLayer(layer, simulate.NoLimit)
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			r, err := p.Run(ctx, simulate.Options{Machine: m, Record: record})
			if err != nil {
				return nil, err
			}
			if first == nil || slices.Max(r.Ranks) < slices.Max(first.Ranks) {
				first = r
			}
		}
		return first, nil
	}
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
			r, err := run(l, true)
			if err != nil {
				return nil, err
			}
			path, err := r.Path()
			if err != nil {
				return nil, err
			}
			var shares []whatif.Share
			for _, part := range path.Shares.Parts() {
				shares = append(shares, whatif.Share{Owner: part.Name, OneWay: r.Micros(part.Ticks)})
			}
			return shares, nil
		},
	}), nil
}

// Collectives is the design with the finish of each collective of the question, as by [Scheduled],
// and the names of these quantities: finish if there is one, else with algorithm, ranks and size,
// as in "finish_ring_64_1MiB". Of the algorithm "best" it is the finish of the one that is first in
// each design; "all" are all. The design's layer takes the place of the question's, and the trees
// of logp-optimal stay those that are best in it. It is an error if a schedule has more operations
// than the question says (0: 2²⁰). Without a collective it is the design as it is.
func Collectives(ctx context.Context, d whatif.Design, q CollectiveQuestion) (whatif.Design, []string, error) {
	if q.Collective == "" {
		return d, nil, nil
	}
	q.Layer = d.Layer
	all, err := q.algorithms()
	if err != nil {
		return d, nil, err
	}
	m, err := simulate.FromLayer(q.Layer, simulate.NoLimit)
	if err != nil {
		return d, nil, err
	}
	cells, err := q.cells(all, m)
	if err != nil {
		return d, nil, err
	}
	alike := func(a, b CollectiveTime) bool {
		return a.Ranks == b.Ranks && a.Call.Bytes == b.Call.Bytes && (q.Algorithm == "best" || a.Name == b.Name && a.Call.Segment == b.Call.Segment)
	}
	var names []string
	for one := true; len(cells) > 0; one = false {
		var here []CollectiveTime
		here, cells = cut(cells, alike)
		c, most := here[0], q.most(1)
		if q.Algorithm == "best" {
			c.Name, c.Call.Segment = "best", 0
		}
		var schedules []*schedule.Schedule
		for _, each := range here {
			s, err := each.ScheduleLimit(ctx, most, each.Ranks, each.Call)
			if err != nil {
				return d, nil, fmt.Errorf("%s %s: %w", each.Collective, each.Name, err)
			}
			schedules = append(schedules, s)
		}
		size := quantity.Bytes(c.Call.Bytes).String()
		name, of := Finish, fmt.Sprintf("%s %s, %d ranks, %s", c.Collective, c.Name, c.Ranks, size)
		if !one || len(cells) > 0 {
			name += fmt.Sprintf("_%s_%d_%s", c.Name, c.Ranks, strings.ReplaceAll(size, " ", ""))
		}
		if c.Call.Segment > 0 {
			of += " in segments of " + quantity.Bytes(c.Call.Segment).String()
			name += "_" + strings.ReplaceAll(quantity.Bytes(c.Call.Segment).String(), " ", "")
		}
		if d, err = scheduled(ctx, d, name, of, schedules...); err != nil {
			return d, nil, err
		}
		names = append(names, name)
	}
	if names == nil {
		return d, nil, fmt.Errorf("%s: none of the algorithms is for these numbers of ranks", all[0].Collective)
	}
	return d, names, nil
}

// sized reports whether one of the quantities is of messages of some size.
func sized(d whatif.Design, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		q, err := d.Quantity(name, 1)
		return err != nil || q.Sized()
	})
}
