package main

import (
	"fmt"
	"math"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

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
