// Package judge scores predictions of times against measurements that they have not seen. A program
// holds rows out, asks for them, and collects an [Answer] for each; the scores are the same for all
// programs, so that their tables can be compared. Nothing of what predicts is imported.
package judge

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"gonum.org/v1/gonum/stat"
)

// Level is the probability with which intervals promise to hold a measurement.
const Level = 0.95

// An Answer is a prediction beside the measurement that was held out. A prediction without an
// interval has NaN or ±Inf at an end: it counts among the errors alone.
type Answer struct {
	Machine  string  // which is left out whole, or whose rows were held out
	Question string  // the row of a table: what was given and what was asked
	Case     string  // what was measured and asked, for a list of the worst; may be empty
	Measured float64 // above 0, in the unit of the interval
	quantity.Interval
}

// Given reports whether the answer has an interval. An open one would hold every measurement.
func (a Answer) Given() bool {
	return a.Low > 0 && a.High >= a.Low && !math.IsInf(a.High, 0)
}

// Right reports whether the interval holds the measurement.
func (a Answer) Right() bool { return a.Low <= a.Measured && a.Measured <= a.High }

// MaxLog bounds the error of one answer in a mean: a wild one counts as e² times too long.
const MaxLog = 2

// Log is |ln(predicted/measured)|, at most [MaxLog].
func (a Answer) Log() float64 {
	return min(MaxLog, math.Abs(math.Log(a.Value/a.Measured)))
}

// score is the interval score of the logarithm of the measurement: the width, and 2/(1−Level) times
// how far the measurement is outside (Gneiting and Raftery 2007, eq. 43). Of two intervals that
// hold equally often, the narrower has the lower score.
func (a Answer) score() float64 {
	low, y, high := math.Log(a.Low), math.Log(a.Measured), math.Log(a.High)
	return high - low + 2/(1-Level)*(max(0, low-y)+max(0, y-high))
}

// A Score summarizes answers. Quantities of intervals are NaN without one.
type Score struct {
	Name        string
	Machines    int
	Answers     int
	Intervals   int
	Log         float64 // mean of |ln(predicted/measured)|, each at most MaxLog
	Median, P90 float64 // of |predicted/measured − 1|
	Right       float64 // share of the intervals that hold the measurement
	Width       float64 // median of the upper over the lower end
	Score       float64 // mean interval score of the logarithm; the lower, the better
	// RightSpread and LogSpread are the standard errors of Right and Log over machines, which other
	// machines would differ by; NaN of fewer than two.
	RightSpread, LogSpread float64
}

// Of scores answers, each of which counts as much.
func Of(name string, all []Answer) Score {
	s := Score{Name: name, Answers: len(all), RightSpread: math.NaN(), LogSpread: math.NaN()}
	machines := map[string]bool{}
	var logs, errors, widths, right, scores []float64
	for _, a := range all {
		machines[a.Machine] = true
		logs = append(logs, a.Log())
		errors = append(errors, math.Abs(a.Value/a.Measured-1))
		if !a.Given() {
			continue
		}
		widths, scores = append(widths, a.High/a.Low), append(scores, a.score())
		right = append(right, 0)
		if a.Right() {
			right[len(right)-1] = 1
		}
	}
	s.Machines, s.Intervals = len(machines), len(widths)
	s.Log, s.Right, s.Score = mean(logs), mean(right), mean(scores)
	s.Median, s.P90 = stats.QuantileOf(errors, 0.5), stats.QuantileOf(errors, 0.9)
	s.Width = stats.QuantileOf(widths, 0.5)
	return s
}

// mean is NaN without values.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return stats.Mean(values)
}

// ByMachine scores the answers of each machine, in the order of their names.
func ByMachine(all []Answer) (scores []Score) {
	of := group(all, func(a Answer) string { return a.Machine })
	for _, name := range slices.Sorted(maps.Keys(of)) {
		scores = append(scores, Of(name, of[name]))
	}
	return scores
}

// ByQuestion scores the answers of each question, in the order of their names, in the mean over
// the machines of each half.
func ByQuestion(all []Answer) (scores []Score) {
	of := group(all, func(a Answer) string { return a.Question })
	for _, name := range slices.Sorted(maps.Keys(of)) {
		scores = append(scores, ByHalf(name, of[name])...)
	}
	return scores
}

func group(all []Answer, key func(Answer) string) map[string][]Answer {
	of := map[string][]Answer{}
	for _, a := range all {
		of[key(a)] = append(of[key(a)], a)
	}
	return of
}

// Mean is the mean over machines, so that one with many measurements counts as much as one with
// few. Machines without intervals count in the errors alone.
func Mean(name string, machines []Score) Score {
	s := Score{Name: name, Machines: len(machines)}
	values := func(value func(Score) float64) (all []float64) {
		for _, m := range machines {
			if v := value(m); !math.IsNaN(v) {
				all = append(all, v)
			}
		}
		return all
	}
	of := func(value func(Score) float64) float64 { return mean(values(value)) }
	for _, m := range machines {
		s.Answers, s.Intervals = s.Answers+m.Answers, s.Intervals+m.Intervals
	}
	s.Log = of(func(m Score) float64 { return m.Log })
	s.Median = of(func(m Score) float64 { return m.Median })
	s.P90 = of(func(m Score) float64 { return m.P90 })
	s.Right = of(func(m Score) float64 { return m.Right })
	s.Width = of(func(m Score) float64 { return m.Width })
	s.Score = of(func(m Score) float64 { return m.Score })
	s.RightSpread = standardError(values(func(m Score) float64 { return m.Right }))
	s.LogSpread = standardError(values(func(m Score) float64 { return m.Log }))
	return s
}

// standardError is that of the mean of values; NaN of fewer than two.
func standardError(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	return stat.StdErr(stat.StdDev(values, nil), float64(len(values)))
}

// WriteCSV writes scores as rows of CSV.
func WriteCSV(w io.Writer, scores []Score) error {
	_, err := fmt.Fprintln(w, "name,machines,answers,intervals,log_error,median_error,p90_error,"+
		"right,width,interval_score,log_spread,right_spread")
	for _, s := range scores {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%q,%d,%d,%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.2g,%.2g\n", s.Name,
			s.Machines, s.Answers, s.Intervals, s.Log, s.Median, s.P90, s.Right, s.Width, s.Score,
			s.LogSpread, s.RightSpread)
	}
	return err
}
