package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A model predicts the time of a point in µs, with its interval; NaN where it has none.
type model func(p fitted.Point) (t, low, high float64)

func fit(s series) (model, error) {
	r, err := fitted.FitToPredict(s.data())
	if err != nil {
		return nil, err
	}
	return func(p fitted.Point) (t, low, high float64) {
		q, err := r.PredictAt(fitted.Placement{Ranks: p.Ranks, PerNode: p.PerNode}, p.Size)
		if err != nil {
			return math.NaN(), math.NaN(), math.NaN()
		}
		return float64(q.Time), float64(q.Low), float64(q.High)
	}, nil
}

// interpolation is a model that draws lines between the nearest numbers of nodes, over the logs of
// nodes and times.
func interpolation(s series) model {
	counts := s.counts()
	return func(p fitted.Point) (t, low, high float64) {
		at := func(n int) float64 {
			for _, q := range s.points {
				if nodes(q) == n && q.PerNode == p.PerNode && q.Size == p.Size {
					return math.Log(float64(q.Time))
				}
			}
			return math.NaN()
		}
		i, _ := slices.BinarySearch(counts, nodes(p))
		if i == 0 || i == len(counts) {
			return math.NaN(), math.NaN(), math.NaN()
		}
		part := math.Log(float64(nodes(p))/float64(counts[i-1])) / math.Log(float64(counts[i])/float64(counts[i-1]))
		return math.Exp((1-part)*at(counts[i-1]) + part*at(counts[i])), math.NaN(), math.NaN()
	}
}

// A tally collects the answers to one kind of question.
type tally struct {
	errors, widths []float64 // |predicted/measured − 1|; high/low
	scaled         []float64 // |log(measured/predicted)| over that half width of the interval
	inside, none   int       // measured times in their intervals; times without one
}

func (t *tally) add(predict model, p fitted.Point) {
	v, low, high := predict(p)
	if math.IsNaN(v) {
		return
	}
	m := float64(p.Time)
	t.errors = append(t.errors, math.Abs(v/m-1))
	if math.IsNaN(low) || math.IsInf(high, 0) {
		t.none++
		return
	}
	t.widths = append(t.widths, high/low)
	t.scaled = append(t.scaled, max(math.Log(m/v)/math.Log(high/v), math.Log(m/v)/math.Log(low/v)))
	if low <= m && m <= high {
		t.inside++
	}
}

// cells returns the numbers of a row: times, median and 90th percentile of errors in percent,
// intervals that hold in percent, median width as a factor, and times without an interval.
func (t *tally) cells() []string {
	percent := func(v float64) string { return fmt.Sprintf("%.3g", 100*v) }
	cells := []string{fmt.Sprint(len(t.errors)), percent(stats.QuantileOf(t.errors, 0.5)), percent(stats.QuantileOf(t.errors, 0.9)), "–", "–", fmt.Sprint(t.none)}
	if len(t.widths) > 0 {
		cells[3], cells[4] = percent(float64(t.inside)/float64(len(t.widths))), fmt.Sprintf("%.3g", stats.QuantileOf(t.widths, 0.5))
	}
	return cells
}

// between prints, for every second number of nodes, the errors of predictions beside those of
// interpolation, by series.
func between(w io.Writer, all []series) {
	fmt.Fprintln(w, "\n| machine | measured | times | median error | interpolation's | mean error | interpolation's | intervals right | width |\n|---|---|---|---|---|---|---|---|---|")
	for _, s := range all {
		counts := s.counts()
		if len(counts) < 5 {
			continue
		}
		out := func(p fitted.Point) bool {
			i := slices.Index(counts, nodes(p))
			return i%2 == 1 && i < len(counts)-1
		}
		kept := s.sub(func(p fitted.Point) bool { return !out(p) })
		predict, err := fit(kept)
		if err != nil {
			continue
		}
		line := interpolation(kept)
		var ours, theirs tally
		for _, p := range s.points {
			if t, _, _ := line(p); out(p) && !math.IsNaN(t) {
				ours.add(predict, p)
				theirs.add(line, p)
			}
		}
		c := ours.cells()
		fmt.Fprintf(w, "| %s | %s | %s | %.2f %% | %.2f %% | %.1f %% | %.1f %% | %s %% | %s × |\n", s.machine, strings.TrimSuffix(s.name+", "+s.collective+", "+s.forced, ", "), c[0],
			100*stats.Median(ours.errors), 100*stats.Median(theirs.errors), 100*stats.Mean(ours.errors), 100*stats.Mean(theirs.errors), c[3], c[4])
	}
}
