package fitted

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// repeats returns the number of repeats whose deviation is known, or 1 if the file gives only a
// mean.
func (p Point) repeats() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// byCalls sorts points by call, and returns those of each call.
func byCalls(points []Point) (all [][]Point) {
	points = slices.SortedStableFunc(slices.Values(points), byCall)
	for i, p := range points {
		if i == 0 || byCall(points[i-1], p) != 0 {
			all = append(all, nil)
		}
		last := len(all) - 1
		all[last] = append(all[last], p)
	}
	return all
}

// OnePerCall returns one point for each call, sorted by call. If there are several of a call, each
// counts once, whatever its Count is: of means, a longer run is no better against disturbances.
func OnePerCall(points []Point) (all []Point) {
	for _, same := range byCalls(points) {
		if len(same) > 1 {
			for i := range same {
				same[i].Count, same[i].Deviation = 1, 0
			}
		}
		all = append(all, repeated(same))
	}
	return all
}

// AnotherSetting is the factor between repeats of a call above which they have different settings.
// Two jobs on shared networks differ by up to 1.9 times in the median.
const AnotherSetting = 3

// repeated returns the point of a call from those of its repeats: the median of their times, which
// a disturbed repeat does not move, with the number of repeats and their deviation.
func repeated(all []Point) (p Point) {
	if p = all[0]; len(all) == 1 {
		return p
	}
	var times []float64
	var count, sum, squares float64
	for _, o := range all {
		k, t := o.repeats(), float64(o.Time)
		times = append(times, t)
		count, sum = count+k, sum+k*t
		// k repeats of mean t have the squares k·t² + (k − 1)·deviation².
		deviation := o.Deviation * t
		squares += k*t*t + (k-1)*deviation*deviation
	}
	center := stats.Median(times)
	slices.Sort(times)
	if n := len(times); n%2 == 0 && times[n/2] > AnotherSetting*times[n/2-1] {
		center = times[n/2-1] // their mean is a time of neither setting
	}
	variance := max(0, squares-sum*sum/count) / (count - 1)
	p.Time, p.Count = quantity.Micros(center), int64(count)
	p.Deviation = math.Sqrt(variance) / center
	return p
}

const (
	// quantile95 is the quantile of a normal deviation that a 95 % interval reaches to.
	quantile95 = 1.96
	// minRepeats is the minimum number of repeats for using their standard deviation.
	minRepeats = 3
	// priorRepeats is the number of repeats that the median deviation of all calls counts for: few
	// repeats show little of their own.
	priorRepeats = 4
)

// deviation returns the standard deviation of one more measurement of the call, as a log, for
// [quantile95] of it; infinite with fewer than minRepeats of them. noise is the median deviation of
// all calls.
func (p Point) deviation(noise float64) float64 {
	count := p.repeats()
	if count < minRepeats {
		return math.Inf(1)
	}
	free := count - 1 + priorRepeats
	variance := ((count-1)*p.Deviation*p.Deviation + priorRepeats*noise*noise) / free
	// One more measurement has its own error, and the mean of count has 1/count of its variance.
	return stats.T95(free) / quantile95 * math.Sqrt(variance*(1+1/count))
}
