package collective

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// measured answers the question from the measurements: the time of an algorithm is that of the
// slowest rank, as fitted, the average that of the average. Algorithms are compared by the slowest
// where all have it, else by the average. Of two tables of the same algorithm and statistic the
// first counts.
func (q question) measured(ctx context.Context) (*Times, error) {
	g, err := q.grid(ctx)
	if err != nil {
		return nil, err
	}
	answer := &Times{Algorithms: g.algorithms, BestOnly: q.Algorithm == "best", Fitted: true}
	for _, ranks := range stats.Ascending(q.Ranks) {
		for _, n := range stats.Ascending(q.Sizes) {
			here, err := g.timings(ranks, n)
			if err != nil {
				return nil, err
			}
			answer.Times = append(answer.Times, here...)
		}
	}
	answer.Notes, answer.Measured = g.notes(), g.points()
	answer.ByBusbw = slices.ContainsFunc(g.used, func(f *fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	})
	return answer, nil
}

// points returns the measured calls on the numbers of ranks of the question.
func (g *grid) points() (all []Timing) {
	for _, e := range g.algorithms {
		f := g.tables[e.Name][fitted.Average]
		if g.slowest {
			f = g.tables[e.Name][fitted.Slowest]
		}
		for _, p := range f.Points {
			at := fitted.Placement{Ranks: p.Ranks, PerNode: cmp.Or(g.PerNode, p.PerNode)}
			if !slices.Contains(g.Ranks, p.Ranks) || at.PerNode != p.PerNode {
				continue
			}
			n := uint64(p.Size)
			if g.Total && e.InBlocks() {
				n *= uint64(p.Ranks)
			}
			c := newTiming(e, p.Ranks, collective.Call{Bytes: n, PerNode: at.PerNode})
			if c.Total, c.Average = g.Total, p.Time; g.slowest {
				c.Time = p.Time
			}
			all = append(all, c)
		}
	}
	return all
}

// grid returns the fits that answer the question, fitted.
func (q question) grid(ctx context.Context) (*grid, error) {
	// A fit holds for the placement and the calls that were measured; it cannot be asked for
	// others.
	if q.Map.By != "" || len(q.Map.Nodes) > 0 {
		err := fmt.Errorf("%s was measured with its own placement of ranks; omit the placement",
			q.Collective)
		return nil, usage.Fields(err, "map-by")
	}
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"segment", len(q.Segments) > 0}, {"root", q.Call.Root != 0},
		{"fan-out", q.Call.Fanout != 0}, {"gamma", q.Call.Gamma != 0},
		{"channels", q.Call.Channels != 0}, {"osu-loop", q.Loop},
	} {
		if option.given {
			return nil, usage.Fields(fmt.Errorf("%s was measured with its own work and without "+
				"segments, from root 0; omit the option", q.Collective), option.name)
		}
	}
	g := grid{
		question: q,
		tables:   map[string]map[fitted.Statistic]*fitOf{},
		others:   map[*fitOf][]string{},
	}
	if err := g.choose(); err != nil {
		return nil, err
	}
	return &g, q.fit(ctx, g.used)
}

// timings returns the times of the algorithms for one call, with the best marked. The time of the
// slowest rank is never below the average.
func (g *grid) timings(ranks int, n quantity.Bytes) (here []Timing, err error) {
	at, block := fitted.Placement{Ranks: ranks, PerNode: g.PerNode}, g.block(ranks, n)
	only := ""
	if g.Algorithm == "" && len(g.unnamed()) > 1 {
		e, _ := g.defaultOf(ranks, block)
		only = e.Name
	}
	var predictions []fitted.Prediction
	for _, e := range g.algorithms {
		if e.Name != only && only != "" {
			continue
		}
		call := collective.Call{Bytes: uint64(n), PerNode: g.perNode(e, at)}
		c := newTiming(e, ranks, call)
		c.From, c.Total = FromFit, g.Total
		p, err := g.predict(&c, at, block)
		if err != nil {
			return nil, err
		}
		predictions = append(predictions, p)
		here = append(here, c)
	}
	if len(here) == 0 {
		return nil, g.noMeasurement()
	}
	if len(here) > 1 {
		choosable := rivals(here)
		choice := fitted.Choose(list.Map(choosable, func(i int) fitted.Prediction {
			return predictions[i]
		}))
		expected := func(p fitted.Prediction) quantity.Micros { return p.Expected }
		compare(here, list.Map(predictions, expected))
		// The loss is a fraction, as the fits have it; tables have percent.
		here[choosable[choice.Index]].MayLose = 100 * choice.LossHigh
	}
	// The averages served the comparison alone: they are not the time when the last rank is done.
	if !g.slowest {
		for i := range here {
			c := &here[i]
			c.Time, c.AverageWithin = quantity.Unknown, c.Within
			c.Within = quantity.Alone(c.Time)
		}
	}
	return here, nil
}

// notes describes the fits, and counts the times with a caveat.
func (g *grid) notes() (notes []string) {
	add := func(format string, args ...any) {
		notes = append(notes, fmt.Sprintf(format, args...))
	}
	for _, f := range g.used {
		if text := f.Accuracy(); text != "" {
			add("%s, %s: %s", f.Entry.Name, f.Data.Statistic, text)
		}
	}
	add("Times are of algorithms' forms, fitted to the measurements nearby and weighted by how " +
		"well they predict those held out; intervals are of one more measurement.")
	if !g.slowest && g.Statistic == "" {
		add("The time of the slowest rank was not measured for all: algorithms are compared by " +
			"the average over ranks, whose interval this is.")
	}
	// Times of one algorithm, or of what the library chose, leave nothing to choose from.
	if len(g.algorithms) == 1 && g.several() && g.Tune != nil {
		what := "by " + g.algorithms[0].Name + " only"
		if g.algorithms[0].Name == LibraryChoice {
			what = "by the library's own choice"
		}
		add("Measured %s: to choose an algorithm, measure each: %s.", what, g.tune())
	}
	if (collective.Entry{Collective: g.algorithms[0].Collective}).InBlocks() && !g.Total {
		add("Sizes are of one rank's block. For the bytes of all ranks, which nccl-tests prints, " +
			"ask with total sizes.")
	}
	for _, f := range g.used {
		if others := g.others[f]; others != nil {
			add("%s, %s: from the table %s; its name as the algorithm selects another one: %s.",
				f.Entry.Name, f.Data.Statistic, f.Data.Name, strings.Join(others, ", "))
		}
	}
	repeated := slices.ContainsFunc(g.used, func(f *fitOf) bool { return f.Noise > 0 })
	return slices.Concat(g.beyondNotes(repeated), g.noInterval(), notes, g.caveats.notes())
}
