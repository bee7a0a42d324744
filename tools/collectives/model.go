package main

import (
	"math"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
)

// A model predicts the time of a point in µs, with its interval; NaN where it has none.
type model func(p fitted.Point) (t, low, high float64)

func fit(s series) (model, error) {
	r, err := fitted.FitToPredict(s.data(), fitted.Options{Algorithm: s.algorithm})
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

func (s series) data() fitted.Data {
	of := fitted.Slowest
	if strings.Contains(s.name, "latency") { // OSU's main column
		of = fitted.Average
	}
	return fitted.Data{Collective: s.collective, Statistic: of, Points: s.points}
}
