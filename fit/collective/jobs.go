package collective

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// Two jobs take different times for the same call: other jobs share the network, and the nodes are
// others. Repeats tell how different, if they are of several jobs, as those of several files are.
// Without repeats, another day was not measured: a deviation is then assumed.
const (
	// AssumedJobs is the deviation that is assumed, as a log, with the weight of assumedRepeats.
	// Machines that nobody else uses have 0.01 to 0.05, shared networks 0.1 to 0.3.
	AssumedJobs    = 0.05
	assumedRepeats = 2
	// jobsElsewhere is the factor on the deviation of repeats for a job on other nodes: repeats
	// often run on the same nodes, one after the other.
	jobsElsewhere = 1.15
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

// jobsOf estimates the deviation from points that are sorted by place. All calls of a place were
// made in the same jobs, so that more sizes tell no more about them.
func jobsOf(points []Point) jobs {
	squares, free := assumedRepeats*AssumedJobs*AssumedJobs, float64(assumedRepeats)
	var runs []float64
	for len(points) > 0 {
		var variances, counts []float64
		here := points[0].place()
		for len(points) > 0 && points[0].place() == here {
			p := points[0]
			counts = append(counts, p.repeats())
			if p.repeats() > 1 {
				variances = append(variances, p.Deviation*p.Deviation)
			}
			points = points[1:]
		}
		count := stats.Median(counts)
		if runs = append(runs, count); count > 1 {
			squares += (count - 1) * stats.Median(variances)
			free += count - 1
		}
	}
	return jobs{math.Sqrt(squares / free), stats.Mean(runs)}
}

// variance returns the variance of the log of a time in another job. Its mean comes from the
// measured jobs, whose errors a prediction beyond the places enlarges.
func (j jobs) variance(reach float64) float64 {
	elsewhere := jobsElsewhere * j.deviation
	return elsewhere * elsewhere * (1 + (1+jobLever*reach*reach)/j.runs)
}
