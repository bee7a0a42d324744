package fit

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Change is the difference of two results over a range of sizes: the second minus the first.
type Change struct {
	// From and To are sizes that both results have, in one segment of each.
	From, To quantity.Bytes
	Beta     quantity.Interval // µs
	Tau      quantity.Interval // µs per byte
	// BetaReal and TauReal report that the interval of the difference excludes 0. One in 20
	// unchanged parameters counts as real by chance.
	BetaReal, TauReal bool
	// Time is the ratio of the second time to the first at the middle of the range (of logarithms):
	// 1.1 is 10 % slower.
	Time float64
	// TimeReal reports that the change exceeds the scatter: the relative errors of both lines over
	// the root of their numbers of points.
	TimeReal bool
}

// Compare returns the changes from one result to another, over each range of sizes within one
// segment of both. Results without a common size are an error.
func Compare(before, after *Result) ([]Change, error) {
	var changes []Change
	for i := range before.Segments {
		for j := range after.Segments {
			a, b := &before.Segments[i], &after.Segments[j]
			from, to := max(a.From, b.From), min(a.To, b.To)
			if from > to {
				continue
			}
			beta := difference(a.Beta, b.Beta)
			tau := difference(a.Tau, b.Tau)
			middle := quantity.Bytes(math.Sqrt(float64(from) * float64(to)))
			time := float64(b.Time(middle) / a.Time(middle))
			scatter := math.Hypot(before.deviation(i), after.deviation(j))
			changes = append(changes, Change{
				From: from, To: to, Beta: beta, Tau: tau,
				BetaReal: beta.Low > 0 || beta.High < 0, TauReal: tau.Low > 0 || tau.High < 0,
				Time: time, TimeReal: math.Abs(math.Log(time)) > scatter,
			})
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s and %s have no sizes in common: %s, and %s",
			before.Name, after.Name, before.measured(), after.measured())
	}
	return changes, nil
}

// measured returns the range of measured sizes: "1 B to 4 MiB".
func (r *Result) measured() string {
	return fmt.Sprintf("%v to %v", r.Points[0].Size, r.Points[len(r.Points)-1].Size)
}

// difference returns b − a; its interval is the root of the sum of the squared intervals.
func difference(a, b quantity.Interval) quantity.Interval {
	// The two fits are independent, so their variances add.
	half := math.Hypot(halfWidth(a), halfWidth(b))
	d := b.Value - a.Value
	return quantity.Interval{Value: d, Low: d - half, High: d + half}
}

// halfWidth returns the longer side of the interval. One side is cut off at 0 where the value is
// small.
func halfWidth(i quantity.Interval) float64 { return max(i.High-i.Value, i.Value-i.Low) }

// deviation returns half of the relative 95 % interval of a segment's line at its middle: the
// relative scatter over the root of its number of points.
func (r *Result) deviation(segment int) float64 {
	var ss float64
	n := 0
	for _, p := range r.Points {
		if p.Segment == segment {
			ss += p.Error() * p.Error()
			n++
		}
	}
	if n < minPoints {
		return math.Inf(1)
	}
	return stats.T95(float64(n-2)) * math.Sqrt(ss/float64(n-2)/float64(n))
}
