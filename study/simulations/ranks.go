package simulations

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// The kinds of boxes in a picture of ranks, and what of a timeline each is.
var (
	rankKinds = []string{"computes", "sends", "receives"}
	rankKind  = map[string]int{"compute": 0, "send": 1, "request": 1, "send data": 1, "receive": 2, "grant": 2}
)

// maxPictured bounds the picture: more rows or spans are too small to see.
const maxPictured = 20000

// Ranks draws what the ranks of a schedule do whose messages cost what the layer says: a row for
// each processor of a rank from first to last, with the critical path of the rank that finishes
// last. It is an error if there are too many boxes to be seen.
func Ranks(ctx context.Context, d whatif.Design, in *Input, first, last int) (reports.Timeline, error) {
	o := Options{Run: simulate.Options{Record: true}, Machines: []whatif.Design{d}, Eager: simulate.NoLimit}
	s, err := Run(ctx, in, o)
	if err != nil {
		return reports.Timeline{}, fmt.Errorf("%s: %w", in.Name, err)
	}
	r := s.Runs[0].Result
	line, err := r.Timeline()
	if err != nil {
		return reports.Timeline{}, err
	}
	t := reports.Timeline{Title: fmt.Sprintf("%s on %s", in.Name, d.Name()), Kinds: rankKinds, IdleName: "waits", PathName: "critical path"}
	cpus := in.Schedule.CPUs()
	if last = min(last, line.Ranks-1); first > last {
		return t, usage.Fields(fmt.Errorf("%s has ranks 0 to %d", in.Name, line.Ranks-1), "ranks")
	}
	spans := slices.DeleteFunc(append(line.Waits(), line.Spans...), func(s simulate.Span) bool { return s.Rank < first || s.Rank > last })
	if ranks := last - first + 1; ranks*cpus > maxPictured || len(spans) > 2*maxPictured {
		return t, usage.Fields(fmt.Errorf("%s makes a picture of %d ranks and %d boxes; choose some of the ranks, or write a trace of the simulation for Perfetto, which shows a part at a time", in.Name, ranks, len(spans)), "ranks")
	}
	busy := map[[2]int]bool{} // by rank and processor
	for _, span := range spans {
		busy[[2]int{span.Rank, span.CPU}] = true
	}
	rows := map[[2]int]int{}
	for rank := first; rank <= last; rank++ {
		for cpu := range cpus {
			at := [2]int{rank, cpu}
			if !busy[at] && cpu > 0 {
				continue
			}
			name := fmt.Sprintf("rank %d", rank)
			if cpu > 0 {
				name = fmt.Sprintf("rank %d, CPU %d", rank, cpu)
			}
			rows[at] = len(t.Stages)
			t.Stages = append(t.Stages, name)
		}
	}
	for _, span := range spans {
		kind := rankKind[span.What]
		t.Boxes = append(t.Boxes, reports.Box{Stage: rows[[2]int{span.Rank, span.CPU}], Kind: kind, Idle: span.What == "wait",
			Start: float64(span.Start), End: float64(span.End)})
	}
	slices.SortStableFunc(t.Boxes, func(a, b reports.Box) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Start, b.Start))
	})
	t.Path, err = pathOver(r, in.Schedule, rows)
	return t, err
}

// pathOver returns the critical path over the rows of ranks and processors.
func pathOver(r *simulate.Result, s *schedule.Schedule, rows map[[2]int]int) (legs []reports.Leg, err error) {
	path, err := r.Path()
	if err != nil {
		return nil, err
	}
	for i, hop := range path.Segments {
		next := path.Segments[min(i+1, len(path.Segments)-1)]
		from, drawn := rows[[2]int{hop.Rank, int(s.Ops()[hop.Op].CPU)}]
		to, too := rows[[2]int{next.Rank, int(s.Ops()[next.Op].CPU)}]
		if !drawn || !too {
			continue
		}
		start, end := float64(r.Micros(hop.From)), float64(r.Micros(hop.To))
		if k := len(legs) - 1; from == to && k >= 0 && legs[k].From == from && legs[k].To == from {
			legs[k].End = end
			continue
		}
		legs = append(legs, reports.Leg{From: from, To: to, Start: start, End: end})
	}
	return legs, nil
}
