package calibrate

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Deviation says how far measured times of collectives are from predicted ones. The zero value
// says that it is not known.
type Deviation struct {
	// Ratio of a measured to a predicted time: about 19 of 20 are between the ends. High is
	// infinite if the data give no upper bound.
	Ratio  quantity.Interval
	Source string
	// Ranks is the largest number of ranks whose times have the interval. 0 stands for any number,
	// on a machine that was measured itself.
	Ranks int
}

func deviation(low, high float64, source string) Deviation {
	return Deviation{Ratio: quantity.Interval{Value: 1, Low: low, High: high}, Source: source}
}

// Simulated returns how far real times of collectives are from simulations of their messages.
func Simulated() Deviation {
	r := fromLatencies()
	return Deviation{Ratio: r.ratio,
		Source: fmt.Sprintf("the interval is that of simulations of %d machines", r.machines)}
}

// Of returns the interval of a time among the ranks with the prediction t.
func (d Deviation) Of(ranks int, t quantity.Micros) quantity.Interval {
	if d == (Deviation{}) || d.Ranks > 0 && ranks > d.Ranks {
		return quantity.Alone(t)
	}
	v := float64(t)
	return quantity.Interval{Value: v, Low: v * d.Ratio.Low, High: v * d.Ratio.High}
}

// String describes the interval in a sentence. A calibration whose collectives disagree too much
// has an infinite end: then the honest answer is that there is no prediction.
func (d Deviation) String() string {
	switch {
	case d == Deviation{}:
		return "No collective was measured on this machine, nor many messages at once."
	case math.IsInf(d.Ratio.High, 1):
		return "The time of a collective on this machine cannot be predicted: " + d.Source + "."
	}
	text := fmt.Sprintf("A time is between %.2g and %.2g of what is predicted: %s",
		d.Ratio.Low, d.Ratio.High, d.Source)
	if d.Ranks > 0 {
		text += fmt.Sprintf(". Beyond %d ranks it is not known", d.Ranks)
	}
	return text + "."
}

// unseenFactor bounds the ratio of a measured to a predicted time if too few collectives were
// measured on a machine to know their errors. Of broadcasts by three algorithms on two nodes with
// 128 cores, 19 of 20 times were between 0.47 and 1.73 of those predicted from messages and fans
// alone. Other machines may deviate in the other direction, so the bounds are factors of 2.2 to
// either side. The upper bound is squared: contention that nothing measured makes times longer
// only.
const unseenFactor = 2.2

// fewCollectives is the number of measured collectives below which their errors give no interval.
const fewCollectives = 4

// minHalfWidth is the minimum half-width of an interval, as a factor: a few measured collectives
// may all be close to the machine by chance.
const minHalfWidth = 1.2

// uselessFactor is the largest half-width of an interval, as a factor; a wider one is
// not reported. A time between a tenth and ten times of what is said decides nothing.
const uselessFactor = 10

// CheckedDeviation returns the interval of a collective's time from the errors of
// measured ones. Its half-width is the 97.5 % quantile of the errors, as a factor,
// and at least 1.2: the errors have no sign, so the quantile leaves a fortieth beyond
// both ends together, and a margin for the next collective. The interval is unbounded
// if a level was not measured. With fewer than 4 measured collectives it is a
// default.
func CheckedDeviation(checks []Checked, unmeasured []string) Deviation {
	if len(unmeasured) > 0 {
		source := "nothing was measured between ranks that meet in a " + unmeasured[0]
		return deviation(0, math.Inf(1), source)
	}
	var errors []float64
	for _, k := range checks {
		if k.IsCollective() && k.Predicted > 0 {
			errors = append(errors, math.Abs(math.Log(float64(k.Predicted/k.Time))))
		}
	}
	if len(errors) < fewCollectives {
		source := fmt.Sprintf("fewer than %d collectives were measured on this machine",
			fewCollectives)
		return deviation(1/unseenFactor, unseenFactor*unseenFactor, source)
	}
	q := max(stats.QuantileOf(errors, 0.975), math.Log(minHalfWidth))
	if q > math.Log(uselessFactor) {
		source := fmt.Sprintf("measured collectives differ from its times "+
			"by up to a factor of %.0f", math.Exp(q))
		return deviation(0, math.Inf(1), source)
	}
	source := fmt.Sprintf("from the errors of %d measured collectives "+
		"that were not used in the fit", len(errors))
	return deviation(math.Exp(-q), math.Exp(q), source)
}

// A platform file stores a [Deviation] in two constants. If that of the high end is missing, there
// is no upper bound.
const (
	lowConstant  = "constant.collective_low"
	highConstant = "constant.collective_high"
)

// DeviationOf returns the deviation of collectives in a platform file's constants. Without them, a
// machine that is known from latencies has that of such machines, and any other machine the
// zero value.
func DeviationOf(p platforms.Platform) Deviation {
	d, found := deviation(0, math.Inf(1), ""), false
	for _, c := range p.Params {
		switch c.Path {
		case lowConstant:
			d.Ratio.Low, d.Source, found = c.Value.Num, c.Source, true
		case highConstant:
			d.Ratio.High = c.Value.Num
		}
	}
	switch {
	case found:
		return d
	case knownFromLatencies(p):
		r := fromLatencies()
		source := fmt.Sprintf("no collective was measured on this machine; "+
			"the interval is that of %d machines known from their latencies", r.machines)
		return Deviation{Ratio: r.ratio, Source: source, Ranks: r.ranks}
	}
	return Deviation{}
}

// MeasuredAs returns the note about the algorithms of a collective of a platform file, and their
// largest relative error; none if the file does not say them.
func MeasuredAs(p platforms.Platform, collective string) (notes []remark.Note) {
	for _, c := range p.Params {
		if c.Path == platforms.MeasuredConstant+collective {
			notes = append(notes, remark.RunsAs(collective, c.Source, c.Value.Num))
		}
	}
	return notes
}

// Constants returns the interval as constants of a platform file, which is all that
// remains of the calibration's checks there.
func (d Deviation) Constants() (all []platforms.Param) {
	add := func(name string, end float64) {
		all = append(all,
			platforms.Param{Path: name, Text: fmt.Sprintf("%.4g", end), Source: d.Source})
	}
	add(lowConstant, d.Ratio.Low)
	if !math.IsInf(d.Ratio.High, 1) {
		add(highConstant, d.Ratio.High)
	}
	return all
}
