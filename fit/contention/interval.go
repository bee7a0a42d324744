package contention

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// An Interval bounds the ratio of a measured to a predicted time: about 19 of 20 ratios are between
// Low and High. High is infinite if the data give no upper bound.
type Interval struct {
	Low, High float64
	Source    string
}

// Of returns the bounds of a time with the prediction t.
func (i Interval) Of(t quantity.Micros) (low, high quantity.Micros) {
	return t * quantity.Micros(i.Low), t * quantity.Micros(i.High)
}

// The default bounds come from broadcasts on two nodes with 128 cores (docs/collectives.md): 19 of
// 20 times were 0.47 to 1.73 of those predicted from point-to-point data alone, for any two of the
// three algorithms. Other machines may deviate in the other direction, so the bounds are symmetric.
const (
	unseenLow  = 1 / unseenHigh
	unseenHigh = 2.2
)

// minOtherWidth is the minimum half-width of the interval of an algorithm that was not measured, as
// a logarithm: a factor of 2. Nine tenths of the errors of such algorithms were below factors of
// 1.5 to 1.8, whichever of three algorithms the factors were fitted to.
const minOtherWidth = math.Ln2

// maxMedianError is the median absolute error, as a logarithm, above which the model is rejected
// for a machine: a factor of 2. Fits to a third of an algorithm's points had medians of 0.12 to
// 0.16.
var maxMedianError = math.Ln2

// DefaultInterval returns the interval of collectives on a machine without measured collectives. It
// is wide, and unbounded if a level was not measured.
func (e *Estimate) DefaultInterval() Interval {
	for _, l := range e.levels {
		if l.unmeasured {
			return Interval{0, math.Inf(1), fmt.Sprintf("nothing was measured between ranks that meet in a %s", l.Name)}
		}
		if len(l.Fans) == 0 {
			return Interval{unseenLow, unseenHigh * unseenHigh, fmt.Sprintf("no collective was measured on this machine, and at level %s no root with several receivers", l.Name)}
		}
	}
	return Interval{unseenLow, unseenHigh, "no collective was measured on this machine; on another one 19 of 20 broadcasts were between these factors"}
}

// FittedIntervals returns the intervals of the fitted algorithms and of all other algorithms. The
// half-width for the fitted ones is the 97.5 % quantile of the points' errors, and at least a
// fifth, since fitted points are closer to the model than new ones. It is an error if no factors
// bring the model close enough to the points.
func (f Fit) FittedIntervals() (same, other Interval, err error) {
	if typical := stats.QuantileOf(f.errors, 0.5); typical > maxMedianError {
		return same, other, fmt.Errorf("the model does not describe this machine: half of the measured collectives differ by more than a factor of %.2g from what it gives", math.Exp(typical))
	}
	q := max(stats.QuantileOf(f.errors, 0.975), math.Log(1.2))
	wide := max(q, minOtherWidth)
	return Interval{math.Exp(-q), math.Exp(q), fmt.Sprintf("from the errors of %d measured collectives of the same algorithm", f.Points)},
		Interval{math.Exp(-wide), math.Exp(wide), fmt.Sprintf("from the errors of %d measured collectives of another algorithm, at least a factor of 2", f.Points)}, nil
}

// uselessFactor is the largest half-width of an interval, as a factor; a wider one is not reported.
const uselessFactor = 10

// CheckedInterval returns the interval of a collective's time from the errors of measured ones. Its
// half-width is the 97.5 % quantile of the errors, as a factor, and at least 1.2. The interval is
// unbounded if a level was not measured. With fewer than 4 measured collectives it is a default.
func CheckedInterval(checks []Checked, unmeasured []string) Interval {
	if len(unmeasured) > 0 {
		return Interval{0, math.Inf(1), fmt.Sprintf("nothing was measured between ranks that meet in a %s", unmeasured[0])}
	}
	var errors []float64
	for _, k := range checks {
		if k.IsCollective() && k.Predicted > 0 {
			errors = append(errors, math.Abs(math.Log(float64(k.Predicted/k.Time))))
		}
	}
	if len(errors) < 4 {
		return Interval{unseenLow, unseenHigh * unseenHigh, "fewer than 4 collectives were measured on this machine"}
	}
	q := max(stats.QuantileOf(errors, 0.975), math.Log(1.2))
	if q > math.Log(uselessFactor) {
		return Interval{0, math.Inf(1), fmt.Sprintf("measured collectives differ from its times by up to a factor of %.0f", math.Exp(q))}
	}
	return Interval{math.Exp(-q), math.Exp(q), fmt.Sprintf("from the errors of %d measured collectives that were not used in the fit", len(errors))}
}

// A platform file stores an [Interval] in two constants. The suffix "_bcast_chain", for example,
// restricts them to one algorithm. If the constant of High is missing, there is no upper bound.
const (
	lowConstant  = "collective_low"
	highConstant = "collective_high"
)

// Intervals holds the intervals of a platform's collectives. The zero value has no intervals.
type Intervals struct {
	Any Interval // of algorithms that are not in Of
	// Of holds the intervals of the fitted algorithms, by [IntervalKey], for example bcast_chain.
	Of map[string]Interval
}

// IntervalKey returns the key of an algorithm in [Intervals], without hyphens, as in bcast_chain.
func IntervalKey(e collective.Entry) string {
	return strings.ReplaceAll(e.Collective+"_"+e.Name, "-", "_")
}

// Interval returns the interval of an algorithm; the zero value if there is no interval.
func (i Intervals) Interval(e collective.Entry) Interval {
	if one, ok := i.Of[IntervalKey(e)]; ok {
		return one
	}
	return i.Any
}

// IntervalsOf returns the intervals in a platform file's constants.
func IntervalsOf(p platforms.Platform) (i Intervals) {
	high := map[string]float64{}
	for _, c := range p.Constants {
		if name, ok := strings.CutPrefix(c.Owner, highConstant); ok {
			high[name] = c.Value.Num
		}
	}
	i.Of = map[string]Interval{}
	for _, c := range p.Constants {
		name, ok := strings.CutPrefix(c.Owner, lowConstant)
		if !ok {
			continue
		}
		one := Interval{Low: c.Value.Num, High: math.Inf(1), Source: c.Source}
		if v, given := high[name]; given {
			one.High = v
		}
		if name == "" {
			i.Any = one
		} else {
			i.Of[name[1:]] = one
		}
	}
	return i
}

// Tables returns the intervals as constants for a platform file.
func (i Intervals) Tables() (all []platforms.Table) {
	add := func(suffix string, i Interval) {
		all = append(all, platforms.NewTable("constant", lowConstant+suffix, "value", fmt.Sprintf("%.4g", i.Low), "source", i.Source))
		if !math.IsInf(i.High, 1) {
			all = append(all, platforms.NewTable("constant", highConstant+suffix, "value", fmt.Sprintf("%.4g", i.High), "source", i.Source))
		}
	}
	add("", i.Any)
	for _, name := range slices.Sorted(maps.Keys(i.Of)) {
		add("_"+name, i.Of[name])
	}
	return all
}
