package main

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/fitted"
)

// A model predicts the time of a point in µs, with its interval; NaN where it has
// none. The judge sees nothing else of a fit.
type model func(p fitted.Point) (t, low, high float64)

// fitSeries fits a series as halfpeak fit does; fewer than two times are an error.
func fitSeries(s series) (model, error) {
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
