package main

import (
	"context"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	scores "github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// models writes the errors of the times that tune's Gaussian process and the model of fit predict
// for the points that tune has not measured, at each share, as rows of docs/tables/models.csv. They
// have no intervals.
func models(w io.Writer) error {
	var all []scores.Answer
	for _, q := range questions {
		s, err := load(q)
		if err != nil {
			return err
		}
		of := tuner.New(s.all, tuner.Default())
		var seen []tuner.Measurement
		for _, share := range shares {
			for n := int(share * float64(len(s.all))); len(seen) < n; {
				most := min(n-len(seen), max(10, len(seen)/4))
				next, err := of.Next(context.Background(), most, nil)
				if err != nil {
					return err
				}
				var more []tuner.Measurement
				for _, i := range next {
					more = append(more, tuner.Measurement{Candidate: i, Time: s.times[i]})
				}
				of.Add(more)
				seen = append(seen, more...)
			}
			all = append(all, s.compare(percent(share)+" % of tune's points, ", of, seen)...)
		}
	}
	return scores.WriteCSV(w, scores.ByQuestion(all))
}

// compare predicts the candidates that were not measured by both models.
func (s *set) compare(question string, of *tuner.Tuner, seen []tuner.Measurement) (
	all []scores.Answer) {
	measured := map[int]bool{}
	for _, m := range seen {
		measured[m.Candidate] = true
	}
	fit := s.fitted(seen)
	answer := func(i int, model string, t float64) {
		all = append(all, scores.Answer{Machine: s.machine, Question: question + model,
			Measured: s.times[i],
			Interval: quantity.Interval{Value: t, Low: math.NaN(), High: math.NaN()}})
	}
	for i, c := range s.all {
		if measured[i] || c.Library {
			continue
		}
		log, _ := of.Difference(i, seen[0].Candidate)
		answer(i, "tune's Gaussian process", seen[0].Time*math.Exp(log))
		answer(i, "fit", fit(i))
	}
	return all
}

// fitted returns predictions by the model of fit, an algorithm at a time, since it fits one
// algorithm. An algorithm that was measured at less than two calls takes the schedule's time, and
// the median ratio to it of all measurements.
func (s *set) fitted(seen []tuner.Measurement) func(candidate int) float64 {
	algorithm := func(c tuner.Candidate) string { return c.Group + " " + c.Variant }
	point := func(c tuner.Candidate, time float64) fitted.Point {
		_, name, _ := strings.Cut(c.Group, " ")
		size := c.Size
		if published.InBlocks(name) {
			size = max(1, math.Floor(size/c.Ranks))
		}
		return fitted.Point{Ranks: int(c.Ranks), Count: 1, Size: quantity.Bytes(size),
			Time: quantity.Micros(time)}
	}
	data, ratios := map[string]*fitted.Data{}, []float64{}
	for _, m := range seen {
		c := s.all[m.Candidate]
		ratios = append(ratios, m.Time/c.Parts.Sum())
		if data[algorithm(c)] == nil {
			_, name, _ := strings.Cut(c.Group, " ")
			d := &fitted.Data{Statistic: fitted.Slowest, Foreign: c.Variant}
			d.Of.Collective = name
			if e, err := collective.Find(name, c.Schedule); err == nil && e.Name != "" {
				d.Of, d.Foreign = e, ""
			}
			data[algorithm(c)] = d
		}
		d := data[algorithm(c)]
		d.Points = append(d.Points, point(c, m.Time))
	}
	fits := map[string]*fitted.Result{}
	for name, d := range data {
		if r, err := fitted.Fit(*d); err == nil && len(d.Points) > 1 {
			fits[name] = r
		}
	}
	return func(i int) float64 {
		c := s.all[i]
		if r := fits[algorithm(c)]; r != nil {
			p := point(c, 0)
			if t, err := r.PredictAt(fitted.Placement{Ranks: p.Ranks}, p.Size); err == nil {
				return t.Value
			}
		}
		return c.Parts.Sum() * stats.Median(ratios)
	}
}
