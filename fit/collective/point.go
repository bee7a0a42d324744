package collective

import (
	"cmp"
	"errors"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ErrNoFit is wrapped by the errors of [Fit] about data that cannot be fitted.
var ErrNoFit = errors.New("cannot be fitted")

// A Point is a measured call, or one repeat of it.
type Point struct {
	Ranks   int             // at least 2
	PerNode int             // ranks on each node; 0 if not known
	Size    quantity.Bytes  // in bytes, from 0, as in the call's argument: see [engine.Call]
	Time    quantity.Micros // above 0
	// Count is the number of repeats behind the time, from 1; Deviation is their standard deviation
	// over the time, 0 with one.
	Count     int64
	Deviation float64
}

// Data is one collective as measured, by one algorithm or by the library's choice.
type Data struct {
	Collective string // as in the registry: allreduce, bcast, …
	Statistic  Statistic
	Points     []Point
}

// byCall orders points by ranks, ranks on a node, and size.
func byCall(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode), cmp.Compare(a.Size, b.Size))
}

// repeats returns the number of repeats whose deviation is known, or 1 if the file gives only a
// mean.
func (p Point) repeats() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// Repeated returns the point of a call from those of its repeats: the median of their times, which
// a disturbed repeat does not move, with the number of repeats and their deviation.
func Repeated(all []Point) (p Point) {
	if p = all[0]; len(all) == 1 {
		return p
	}
	var times []float64
	var count, sum, squares float64
	for _, o := range all {
		k, t := o.repeats(), float64(o.Time)
		times, count, sum = append(times, t), count+k, sum+k*t
		squares += k*t*t + (k-1)*(o.Deviation*t)*(o.Deviation*t)
	}
	center := stats.Median(times)
	p.Time, p.Count = quantity.Micros(center), int64(count)
	p.Deviation = math.Sqrt(max(0, squares-sum*sum/count)/(count-1)) / center
	return p
}
