package program

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// normal90 is the 95 % quantile of the normal distribution, which bounds 90 % on both sides.
const normal90 = 1.645

// stepError is the deviation of a step's time from that of a program with two fitted rates, over
// the published steps that were not fitted (docs/tables/training.csv).
const stepError = 0.04

// finishWithin returns the 90 % interval of the finish of a program whose collectives were all
// measured, by the finishes with all of them at one end of their 95 % intervals together: calls
// share the error of a fit. It is zero of another program.
//
// If the program counts units of work and the rates of the machine were fitted to steps, the error
// of a step, [stepError], is independent of that, and so is added as squares of logarithms. Else
// the interval is no narrower than that of measured programs, and zero if it would be no wider.
func (q Question) finishWithin(ctx context.Context, in *Input, finish quantity.Micros) (
	within quantity.Interval, err error) {
	joint := in.joint
	if joint == nil || !joint.Complete() {
		return within, nil
	}
	step := in.isStep()
	if _, widest := joint.Widest(); !step && !isWide(widest) || math.IsInf(widest.High, 1) {
		return within, nil
	}
	within = quantity.Interval{Value: float64(finish)}
	for _, side := range []struct {
		end   collectives.End
		least float64 // the factor of measured programs
		to    *float64
	}{{collectives.Low, lowRatio, &within.Low}, {collectives.High, highRatio, &within.High}} {
		at := in.at
		at.end = side.end
		other, err := in.with(ctx, in.choices, at)
		if err != nil {
			return quantity.Interval{}, err
		}
		q.Run.Record = false
		run, err := q.run(ctx, other)
		if err != nil {
			return quantity.Interval{}, err
		}
		last, _ := run.Runs[0].Result.Finish()
		off, least := math.Log(float64(last/finish)), math.Log(side.least)
		if off = math.Abs(off); step {
			off = math.Hypot(normal90*stepError, off)
		} else {
			off = max(off, math.Abs(least))
		}
		*side.to = within.Value * math.Exp(math.Copysign(off, least))
	}
	if !step && !isWide(within) {
		return quantity.Interval{}, nil
	}
	return within, nil
}

// isStep reports whether the input is a step whose rates were fitted to measured ones.
func (in *Input) isStep() bool { return in.unit != "" && hasFittedRates(in.at.Design) }

// ratioWithin returns the interval of the ratio of two finishes, as if their errors were
// independent: the squares of the logarithms add. What both steps share, such as rates that are too
// high, cancels in a ratio, so that the interval is rather too wide.
func ratioWithin(above, below quantity.Interval) quantity.Interval {
	value := above.Value / below.Value
	down := math.Hypot(math.Log(above.Value/above.Low), math.Log(below.High/below.Value))
	up := math.Hypot(math.Log(above.High/above.Value), math.Log(below.Value/below.Low))
	return quantity.Interval{Value: value, Low: value * math.Exp(-down), High: value * math.Exp(up)}
}

// hasFittedRates reports whether a rate of the machine's computation has an interval, as those have
// that were fitted to measured steps.
func hasFittedRates(d platforms.Design) bool {
	return slices.ContainsFunc(d.Platform.Params, func(p platforms.Param) bool {
		return p.Table == "compute" && p.PlusMinus > 0
	})
}

// unmeasured returns the collectives that no log of the machine has; "" if it has all, or no logs.
func (in *Input) unmeasured() string {
	if in.joint == nil {
		return ""
	}
	return strings.Join(in.joint.Described(), ", ")
}
