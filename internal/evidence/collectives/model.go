package main

import (
	"math"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A model predicts the time of a point in µs, with its interval; NaN where it has
// none. The judge sees nothing else of a fit.
type model func(p fitted.Point) (t, low, high float64)

// fit fits a series as halfpeak fit does; fewer than two times are an error.
func fit(s series) (model, error) {
	r, err := fitted.Fit(s.data())
	if err != nil {
		return nil, err
	}
	return func(p fitted.Point) (t, low, high float64) {
		q, err := r.PredictAt(fitted.Placement{Ranks: p.Ranks, PerNode: p.PerNode}, p.Size)
		if err != nil {
			return math.NaN(), math.NaN(), math.NaN()
		}
		return q.Value, q.Low, q.High
	}, nil
}

// A tally collects the answers to one kind of question.
type tally struct {
	errors []float64 // |predicted/measured − 1|
	signs  []float64 // predicted/measured − 1
	logs   []float64 // |log(predicted/measured)| of the times with an interval
	widths []float64 // high/low of the intervals
	inside int       // intervals that contain the measured time

	// scaled has, for each interval, the factor on its logarithmic half width that would just make
	// it contain the measured time: below 1 for intervals that are right.
	scaled []float64
}

func (t *tally) add(predict model, p fitted.Point) {
	v, low, high := predict(p)
	if math.IsNaN(v) {
		return
	}
	m := float64(p.Time)
	t.signs = append(t.signs, v/m-1)
	t.errors = append(t.errors, math.Abs(v/m-1))
	// An open interval would contain every time, and count as right. Its error counts all the same.
	if math.IsNaN(low) || math.IsInf(high, 0) {
		return
	}
	t.widths = append(t.widths, high/low)
	// Sides are judged apart, since intervals of times are not symmetric; the wrong side of v gives
	// a negative factor, and max takes the other.
	off := math.Log(m / v)
	t.logs = append(t.logs, math.Abs(off))
	t.scaled = append(t.scaled, max(off/math.Log(high/v), off/math.Log(low/v)))
	if low <= m && m <= high {
		t.inside++
	}
}

// median and width are medians: a few wild times must not decide a row of the table.
func (t *tally) median() float64 { return stats.QuantileOf(t.errors, 0.5) }

func (t *tally) signed() float64 { return stats.QuantileOf(t.signs, 0.5) }

// ninety returns the 90th percentile of the errors.
func (t *tally) ninety() float64 { return stats.QuantileOf(t.errors, 0.9) }

// right returns the share of intervals that contain the measured time. There is at
// least one. It should be 95 %: more means that intervals are wider than need be.
func (t *tally) right() float64 { return float64(t.inside) / float64(len(t.widths)) }

func (t *tally) width() float64 { return stats.QuantileOf(t.widths, 0.5) }
