package collective

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// Two jobs take different times for the same call: other jobs share the network, and the nodes are
// others. Repeats tell how different, if they are of several jobs, as those of several files are.
// Without repeats, another day was not measured: a deviation is then assumed, by how much single
// calls of a job deviate from calls of other sizes. Where other jobs disturb calls, they disturb
// jobs too. Runs on three machines deviate by 0.0015, 0.01 and 0.09, with calls that deviate by
// 0.003, 0.01 and 0.035 (AWS hpc7g, H100, LUMI): jobs by a power of 1.7 of the calls.
const (
	// assumedJobs is the deviation that is assumed for calls that deviate by usualCalls, both as
	// logs, and of calls that cannot be compared over sizes. It counts as assumedRepeats.
	assumedJobs    = 0.05
	usualCalls     = 0.04
	assumedPower   = 1.5
	leastJobs      = 0.03
	mostJobs       = 0.3
	assumedRepeats = 1
	// jobLever is the weight of the squared reach, octaves beyond the measured places over those
	// between them, with which errors of measured jobs move a time beyond. A line through two
	// places has 2; the steps of an algorithm hold it, and leave less.
	jobLever = 0.6
)

// jobs describes the deviation between jobs.
type jobs struct {
	deviation float64 // as a log
	runs      float64 // repeats of each call, in the mean over places
}

// jobsOf estimates the deviation from points that are sorted by place and size. All calls of a
// place were made in the same jobs, so that more sizes tell no more about them.
func jobsOf(points []Point) jobs {
	assumed := assumedJobs
	if calls := callDeviation(points); !math.IsNaN(calls) {
		assumed *= math.Pow(calls/usualCalls, assumedPower)
		assumed = min(max(assumed, leastJobs), mostJobs)
	}
	squares, free := assumedRepeats*assumed*assumed, float64(assumedRepeats)
	var runs []float64
	for len(points) > 0 {
		var variances, counts []float64
		var here []Point
		here, points = firstPlace(points)
		for _, p := range here {
			counts = append(counts, p.repeats())
			if p.repeats() > 1 {
				variances = append(variances, p.Deviation*p.Deviation)
			}
		}
		count := stats.Median(counts)
		if runs = append(runs, count); count > 1 {
			squares += (count - 1) * stats.Median(variances)
			free += count - 1
		}
	}
	return jobs{math.Sqrt(squares / free), stats.Mean(runs)}
}

// firstPlace returns the points of the first place, and the others.
func firstPlace(points []Point) (here, rest []Point) {
	n := 1
	for n < len(points) && points[n].place() == points[0].place() {
		n++
	}
	return points[:n], points[n:]
}

// callDeviation estimates the standard deviation of the logs of single calls, from points that are
// sorted by place and size. The ratio of the times at two neighbouring places bends little from
// size to size, as the protocols of both change at the same sizes: what it bends is deviation. The
// second difference of a ratio has 12 times the variance of a time, and the median of normal
// deviations is 0.67 of the standard deviation. It is NaN with fewer than minBends of them: three
// sizes at two places that are at most a factor of maxStep apart, nodes and sizes, are one. Over
// more, ratios bend by themselves.
func callDeviation(points []Point) float64 {
	var bends []float64
	var before map[float64]float64
	nodes := math.NaN()
	for len(points) > 0 {
		var here []Point
		here, points = firstPlace(points)
		times := map[float64]float64{}
		var sizes, ratios []float64
		for _, p := range here {
			size, log := float64(p.Size), math.Log(float64(p.Time))
			times[size] = log
			if o, has := before[size]; has {
				sizes, ratios = append(sizes, max(1, size)), append(ratios, log-o)
			}
		}
		apart := here[0].place().nodes / nodes
		for i := 2; i < len(ratios); i++ {
			if max(apart, sizes[i]/sizes[i-1], sizes[i-1]/sizes[i-2]) <= maxStep {
				bends = append(bends, math.Abs(ratios[i]-2*ratios[i-1]+ratios[i-2]))
			}
		}
		before, nodes = times, here[0].place().nodes
	}
	if len(bends) < minBends {
		return math.NaN()
	}
	return stats.Median(bends) / 0.6745 / math.Sqrt(12)
}

const (
	maxStep  = 4
	minBends = 10 // a median of fewer is off by more than a third
)

// variance returns the variance of the log of a time in another job. Its mean comes from the
// measured jobs, whose errors a prediction beyond the places enlarges.
func (j jobs) variance(reach float64) float64 {
	return j.deviation * j.deviation * (1 + (1+jobLever*reach*reach)/j.runs)
}
