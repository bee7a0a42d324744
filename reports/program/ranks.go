package program

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// The kinds of boxes in a picture of ranks, and the kind of each span of a timeline. A message in
// flight ends in a receive.
var (
	rankKinds = []string{"computes", "sends", "receives"}
	rankKind  = map[string]int{
		"compute":   0,
		"send":      1,
		"request":   1,
		"send data": 1,
		"receive":   2,
		"flight":    2,
		"grant":     2, // the receiver answers a request, which is part of receiving
	}
)

// More rows or boxes than these are too small to see, and more lines of messages would cover them.
const (
	maxRows  = 512
	maxBoxes = 40000
	maxLines = 250
)

const (
	flightName = "message in flight"
	waitName   = "waits"
)

// figure draws the ranks of a program: a row for each processor
// of a rank, lines of messages from senders to receivers, and the critical path
// of the rank that finishes last. A receiver that waits for a message shows whether it is on its
// way. If there are too many boxes to be seen, it draws the fractions of the processors that
// compute, send, receive and wait. An empty title is made of the names. It is an error if no rank
// of the schedule is in the range, or if the schedule takes no time.
func (x Extent) figure(s *Simulation) (table.Picture, error) {
	r := s.Runs[0].Result
	line, err := r.Timeline()
	if err != nil {
		return nil, err
	}
	// An axis of time needs a length above 0.
	if line.Finish == 0 {
		return nil, fmt.Errorf("%s takes no time, so there is nothing to draw", s.Name)
	}
	title := cmp.Or(x.Title, fmt.Sprintf("%s on %s", s.Name, s.Runs[0].Machine))
	first, last := x.First, min(x.Last, line.Ranks-1)
	if first > last {
		err := fmt.Errorf("%s has ranks 0 to %d", s.Name, line.Ranks-1)
		return nil, usage.Fields(err, "only")
	}
	// Waits first: of boxes that begin together, the work is drawn over the wait.
	spans := func(yield func(simulate.Span) bool) {
		for _, some := range []iter.Seq[simulate.Span]{line.Waits(), line.Spans} {
			for s := range some {
				if s.Rank >= first && s.Rank <= last && !yield(s) {
					return
				}
			}
		}
	}
	// The spans are walked twice, to count and to draw: a list of them could be
	// larger than the schedule.
	rows, names, boxes := rowsOf(spans, first, last, s.Schedule.CPUs())
	if len(rows) > maxRows || boxes > maxBoxes {
		return fractions(spans, len(rows), float64(line.Finish), title), nil
	}
	t := table.Timeline{
		Title:       title,
		Stages:      names,
		Kinds:       rankKinds,
		FlightName:  flightName,
		IdleName:    waitName,
		MessageName: "message",
		PathName:    "critical path",
	}
	for span := range spans {
		kind := rankKind[span.What]
		t.Boxes = append(t.Boxes, table.TimelineBox{
			Stage:  rows[[2]int{span.Rank, span.CPU}],
			Kind:   kind,
			Idle:   span.What == "wait",
			Flight: span.What == "flight",
			Start:  float64(span.Start),
			End:    float64(span.End),
		})
	}
	addMessages(&t, line.Messages, rows)
	slices.SortStableFunc(t.Boxes, func(a, b table.TimelineBox) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Start, b.Start))
	})
	t.Path, err = pathOver(r, s.Schedule, rows)
	return t, err
}

// addMessages adds the messages between rows, and every n-th if they are many: a picture full of
// lines shows none.
func addMessages(t *table.Timeline, messages iter.Seq[simulate.Message], rows map[[2]int]int) {
	all := 0
	drawn := func(yield func(table.TimelineLeg) bool) {
		for m := range messages {
			from, sends := rows[[2]int{m.From, m.FromCPU}]
			to, receives := rows[[2]int{m.To, m.ToCPU}]
			leg := table.TimelineLeg{From: from, To: to,
				Start: float64(m.Sent), End: float64(m.Received)}
			if sends && receives && from != to && !yield(leg) {
				return
			}
		}
	}
	for range drawn {
		all++
	}
	every := (all + maxLines - 1) / maxLines
	k := 0
	for leg := range drawn {
		if k%every == 0 {
			t.Messages = append(t.Messages, leg)
		}
		k++
	}
	if every > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("A line is drawn for 1 of %d messages.", every))
	}
}

// rowsOf numbers the processors of the ranks by rank and processor, and names them:
// the first of each rank, and its further ones that have a span. It also returns the
// number of spans, by which the caller decides whether boxes can be seen.
func rowsOf(spans iter.Seq[simulate.Span], first, last, cpus int) (
	rows map[[2]int]int, names []string, boxes int) {
	busy := map[[2]int]bool{}
	for span := range spans {
		busy[[2]int{span.Rank, span.CPU}] = true
		boxes++
	}
	rows = map[[2]int]int{}
	for rank := first; rank <= last; rank++ {
		for cpu := range cpus {
			at := [2]int{rank, cpu}
			// A further processor without a span has no row; the first stands for the rank itself.
			if !busy[at] && cpu > 0 {
				continue
			}
			name := fmt.Sprintf("rank %d", rank)
			if cpu > 0 {
				name = fmt.Sprintf("rank %d, CPU %d", rank, cpu)
			}
			rows[at] = len(rows)
			names = append(names, name)
		}
	}
	return rows, names, boxes
}

// fractions draws how the processors divide over their activities: means over equal parts of the
// time until the finish, in µs: 400, or fewer if steps that repeat would draw a comb. A processor
// without a span is done.
func fractions(spans iter.Seq[simulate.Span], processors int, finish float64,
	title string) table.Areas {
	// A figure is a few hundred points wide, so finer parts could not be seen.
	const parts = 400
	width := finish / parts
	a := table.Areas{
		Title: title,
		X:     table.Axis{Label: "time", Dim: quantity.DimTime},
		Y:     table.Axis{Label: fmt.Sprintf("of %d processors (%%)", processors), Max: 100},
	}
	for i := range parts {
		a.XS = append(a.XS, (float64(i)+0.5)*width)
	}
	for _, name := range append(slices.Clone(rankKinds), flightName, waitName, "is done") {
		a.Parts = append(a.Parts, table.AreaPart{Name: name, Y: make([]float64, parts)})
	}
	done := a.Parts[len(a.Parts)-1].Y
	for i := range done {
		done[i] = 100
	}
	for span := range spans {
		part := a.Parts[rankKind[span.What]].Y
		switch span.What {
		case "flight":
			part = a.Parts[len(rankKinds)].Y
		case "wait":
			part = a.Parts[len(rankKinds)+1].Y
		}
		start, end := float64(span.Start), float64(span.End)
		for i := int(start / width); i < parts && float64(i)*width < end; i++ {
			// Rounding can leave a difference a little below 0, which an area cannot be.
			inside := min(end, float64(i+1)*width) - max(start, float64(i)*width)
			share := max(0, 100*inside/width/float64(processors))
			part[i] += share
			done[i] = max(0, done[i]-share)
		}
	}
	// Half as many parts each hold two, as long as 25 remain. Ten teeth can be told apart.
	const fewest, teeth = 25, 10
	for len(a.XS) > fewest && slices.ContainsFunc(a.Parts, func(p table.AreaPart) bool {
		return swings(p.Y) > 2*teeth*100
	}) {
		a.XS = halved(a.XS)
		for k := range a.Parts {
			a.Parts[k].Y = halved(a.Parts[k].Y)
		}
	}
	a.Notes = []string{fmt.Sprintf("Means over %d parts of the time: there are too many ranks or "+
		"steps to draw each. Choose some of the ranks to see their steps and the critical path.",
		len(a.XS))}
	return a
}

// swings returns how far the values go up and down in all.
func swings(ys []float64) (sum float64) {
	for i := 1; i < len(ys); i++ {
		sum += math.Abs(ys[i] - ys[i-1])
	}
	return sum
}

// halved returns the means of neighbouring pairs.
func halved(ys []float64) []float64 {
	half := make([]float64, len(ys)/2)
	for i := range half {
		half[i] = (ys[2*i] + ys[2*i+1]) / 2
	}
	return half
}

// pathOver returns the critical path over the rows of ranks and processors. Steps
// that begin or end outside the rows are left out; successive steps in one row become
// one leg, since a path of thousands of steps may lie on one rank.
func pathOver(r *simulate.Result, s *schedule.Schedule, rows map[[2]int]int) (
	legs []table.TimelineLeg, err error) {
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
		if k := len(legs) - 1; k >= 0 {
			staysInRow := from == to && legs[k].From == from && legs[k].To == from
			if staysInRow {
				legs[k].End = end
				continue
			}
		}
		legs = append(legs, table.TimelineLeg{From: from, To: to, Start: start, End: end})
	}
	return legs, nil
}
