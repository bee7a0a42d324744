package main

import (
	"math"
	"slices"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
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
