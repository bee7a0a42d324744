package collectives

import (
	"context"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/simulations"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Finishes adds one quantity for each call to the design, and returns their names: "finish", or
// "finish_ring_64_1MiB" if there are several. The quantity is when the last rank is done, as by
// [simulations.FinishOf].
//
// The algorithm "best" gives one quantity for each number of ranks and size: the finish of the
// algorithm that is first in the design that is evaluated. "all" gives one for each algorithm. The
// trees of logp-optimal stay those that are best in the design d. A schedule of more than 2²⁰
// operations is an error. Without a collective, the design is returned as it is.
//
// Each simulation that has ended is passed to watch, unless that is nil.
func Finishes(ctx context.Context, d whatif.Design, calls Calls, watch func()) (
	whatif.Design, []string, error) {
	if calls.Collective == "" {
		return d, nil, nil
	}
	q := Question{Calls: calls, Layer: d.Layer}
	all, err := q.algorithms()
	if err != nil {
		return d, nil, err
	}
	// A layer's times include its rendezvous, so the simulation adds none.
	m, err := simulate.FromLayer(q.Layer, simulate.NoLimit)
	if err != nil {
		return d, nil, err
	}
	cells, err := q.cells(ctx, all, m)
	if err != nil {
		return d, nil, err
	}
	alike := func(a, b Timing) bool {
		same := a.Name == b.Name && a.Call.Segment == b.Call.Segment
		return a.place() == b.place() && (q.Algorithm == "best" || same)
	}
	var names []string
	for one := true; len(cells) > 0; one = false {
		var here []Timing
		// For "best", all algorithms of a place are one quantity; otherwise each is
		// one.
		here, cells = cut(cells, alike)
		c, most := here[0], q.maxOps(1)
		// The quantity is of no single algorithm: which one finishes first depends on the design.
		if q.Algorithm == "best" {
			c.Name, c.Call.Segment = "best", 0
		}
		var schedules []*schedule.Schedule
		for _, each := range here {
			s, err := scheduleOf(ctx, each, most)
			if err != nil {
				return d, nil, fmt.Errorf("%s %s: %w", each.Collective, each.Name, err)
			}
			schedules = append(schedules, s)
		}
		size := quantity.Bytes(c.Call.Bytes).String()
		name := whatif.Finish
		of := fmt.Sprintf("%s %s, %d ranks, %s", c.Collective, c.Name, c.Ranks, size)
		// A single quantity keeps its plain name; several need names that differ.
		if !one || len(cells) > 0 {
			name += fmt.Sprintf("_%s_%d_%s", c.Name, c.Ranks, strings.ReplaceAll(size, " ", ""))
		}
		if c.Call.Segment > 0 {
			of += " in segments of " + quantity.Bytes(c.Call.Segment).String()
			name += "_" + strings.ReplaceAll(quantity.Bytes(c.Call.Segment).String(), " ", "")
		}
		if d, err = simulations.FinishOf(ctx, d, name, of, watch, schedules...); err != nil {
			return d, nil, err
		}
		names = append(names, name)
	}
	if names == nil {
		return d, nil, fmt.Errorf("%s: none of the algorithms is for these numbers of ranks",
			all[0].Collective)
	}
	return d, names, nil
}

// scheduleOf returns the schedule of a call: of one rank if it stands for all, as on a layer, which
// has no levels. A sample or a step of a sweep is a simulation, and one rank of 512 takes a
// hundredth of the time.
func scheduleOf(ctx context.Context, c Timing, most int) (*schedule.Schedule, error) {
	var s *schedule.Schedule
	var err error
	if c.Call.Segment == 0 || c.Call.Bytes/c.Call.Segment <= uint64(most) { // else it is too large
		s, err = c.SymmetricSchedule(c.Ranks, c.Call)
	}
	if s == nil && err == nil {
		s, err = c.ScheduleLimit(ctx, most, c.Ranks, c.Call)
	}
	return s, err
}
