package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/tune"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// normal is the half of a 95 % interval of a normal distribution, in standard deviations.
const normal = 1.96

// models writes how well tune's Gaussian process answers the questions about more nodes of the
// published machines, beside the model of fit, as rows of docs/tables/models.csv.
func models(w io.Writer, all []series) error {
	var asks []question
	for _, q := range questions(all) {
		if slices.Contains([]string{"×2", "×4", "×8"}, q.name) && len(q.kept.points) > 1 &&
			slices.ContainsFunc(all, func(s series) bool { return s.machine == q.kept.machine }) {
			asks = append(asks, q)
		}
	}
	ours, err := answers(asks)
	if err != nil {
		return err
	}
	var process []judge.Answer
	for _, q := range asks {
		more, err := processed(q)
		if err != nil {
			return err
		}
		process = append(process, more...)
	}
	for _, m := range []struct {
		name string
		all  []judge.Answer
	}{{"fit", ours}, {"tune's Gaussian process", process}} {
		for i := range m.all {
			m.all[i].Question += ", " + m.name
		}
	}
	return judge.WriteCSV(w, judge.ByQuestion(append(ours, process...)))
}

// processed answers a question with a Gaussian process over the calls that were measured.
func processed(q question) (all []judge.Answer, err error) {
	points := append(slices.Clip(q.kept.points), q.asked.points...)
	calls := collective.Calls{Collective: q.kept.collective, Algorithm: q.kept.algorithm}
	for _, p := range points {
		if !slices.Contains(calls.Ranks, p.Ranks) {
			calls.Ranks = append(calls.Ranks, p.Ranks)
		}
		size := quantity.Bytes(math.Floor(float64(p.Size)))
		if !slices.Contains(calls.Sizes, size) {
			calls.Sizes = append(calls.Sizes, size)
		}
	}
	var parts map[tune.Place]tuner.Parts
	if q.kept.algorithm != "" {
		parts, err = tune.PartsOf(context.Background(), platforms.Design{}, calls)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.kept.name, err)
		}
	}
	var candidates []tuner.Candidate
	for i, p := range points {
		at := tune.Place{Algorithm: q.kept.algorithm, Ranks: p.Ranks,
			Size: quantity.Bytes(math.Floor(float64(p.Size)))}
		candidates = append(candidates, tuner.Candidate{Call: i, Ranks: float64(p.Ranks),
			Size: max(1, float64(p.Size)), Parts: parts[at]})
	}
	tuner.Complete(candidates)
	process := tuner.New(candidates, tuner.Default())
	var seen []tuner.Measurement
	for i, p := range q.kept.points {
		seen = append(seen, tuner.Measurement{Candidate: i, Time: float64(p.Time)})
	}
	process.Add(seen)
	for i, p := range q.asked.points {
		all = append(all, judge.Answer{Machine: q.kept.machine, Question: q.name,
			Measured: float64(p.Time),
			Interval: expected(process, len(seen)+i, seen[len(seen)-1])})
	}
	return all, nil
}

// expected returns the median time of a candidate and its interval, relative to a measurement.
func expected(t *tuner.Tuner, candidate int, m tuner.Measurement) quantity.Interval {
	log, deviation := t.Difference(candidate, m.Candidate)
	log += math.Log(m.Time)
	return quantity.Interval{Value: math.Exp(log), Low: math.Exp(log - normal*deviation),
		High: math.Exp(log + normal*deviation)}
}
