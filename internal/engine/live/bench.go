//go:build linux

package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Runner runs jobs: a [Pair].
type Runner interface {
	Run(Job) (programs.Result, error)
}

// BenchOptions select the measurements and their precision.
type BenchOptions struct {
	Programs []string
	Jobs     []Job         // measured as well; their counts are chosen
	Sizes    []int         // of the programs that have none of their own
	Credits  int           // 0: 64
	Check    bool          // packets have checksums
	Within   float64       // wanted half width of the 95 % interval, as a fraction of the median
	Budget   time.Duration // for all measurements
	Seed     uint64        // of the order
	Progress func(share float64)
}

// A Row holds the measurements of a program at a size.
type Row struct {
	Program string
	Stages  programs.StageTimes // of a program that measures them: medians over repeats
	Size    int                 // bytes
	// Time is one way, or the interval between messages, in µs: the median over repeats, with its
	// 95 % interval.
	Time     quantity.Interval
	P50, P99 quantity.Micros // of single messages in ping_bulk, of repeats elsewhere
	Repeats  int
	Done     bool // the interval is as narrow as wanted
}

// A point is a program and size while it is measured.
type point struct {
	Job
	times []quantity.Micros
	parts [len(programs.Stages)][]quantity.Micros // of a program that measures stages
	each  *hdrhistogram.Histogram                 // ns
}

const (
	// Beyond this, a larger budget gives more repeats, not longer ones.
	longestRepeat = 10_000 // µs; half as many messages warm up before
	// The histogram needs an upper bound. Longer round trips count as this one.
	highestNano = int64(100 * time.Second)
)

// Fewest is the number of repeats that each program and size has, whatever the budget. Of
// nine values the 95 % interval of the median is the second to the eighth; with five or fewer
// it would be all.
const Fewest = 9

// Bench measures until all medians are as certain as wanted or the budget is spent, and every
// program and size at least [Fewest] times. Repeats come in random order, so that a change in the
// machine's speed does not look like an effect of the size. The first error of a run ends it.
func Bench(r Runner, o BenchOptions) ([]Row, error) {
	start := time.Now()
	var jobs []Job
	for _, name := range o.Programs {
		program, err := programs.Find(name, programs.Real)
		if err != nil {
			return nil, err
		}
		sizes := o.Sizes
		if program.Sizes == programs.Own {
			sizes = []int{program.Bytes}
		}
		for _, n := range sizes {
			jobs = append(jobs, Job{Program: name, Size: n, Credits: o.Credits, Check: o.Check})
		}
	}
	points := list.Map(append(jobs, o.Jobs...), func(j Job) *point {
		return &point{Job: j, each: hdrhistogram.New(1, highestNano, 3)}
	})
	// The budget divided by the repeats of all points and their runs to warm up. A repeat takes
	// at least 1 ms, so that an interruption of some µs is a small part of it.
	repeat := min(max(float64(o.Budget.Microseconds())/float64((Fewest+3)*len(points)), 1000),
		longestRepeat)
	for _, p := range points {
		if err := p.warm(r, repeat); err != nil {
			return nil, fmt.Errorf("%s of %d bytes: %w", p.Program, p.Size, err)
		}
	}
	// The order alone is random: a seed gives the same order again, not the same times.
	random := rand.New(rand.NewPCG(o.Seed, 0))
	open := slices.Clone(points)
	for round := 1; len(open) > 0 && (round <= Fewest || time.Since(start) < o.Budget); round++ {
		random.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		for _, p := range open {
			if round > Fewest && time.Since(start) > o.Budget {
				break
			}
			if err := p.measure(r); err != nil {
				return nil, fmt.Errorf("%s of %d bytes: %w", p.Program, p.Size, err)
			}
		}
		open = slices.DeleteFunc(open, func(p *point) bool {
			// A point that is certain enough is not measured again. Stopping when an interval is
			// narrow picks narrow ones a little too often; at least Fewest repeats keep that small.
			return round >= Fewest && p.row(o.Within).Done
		})
		if o.Progress != nil {
			spent := float64(time.Since(start)) / float64(max(1, o.Budget))
			o.Progress(max(spent, 1-float64(len(open))/float64(len(points))))
		}
	}
	return list.Map(points, func(p *point) Row { return p.row(o.Within) }), nil
}

// warm chooses the job's count so that a repeat takes about as long as said, in µs.
func (p *point) warm(r Runner, repeat float64) error {
	// Enough to wake the other node up, and few enough for a size that takes seconds.
	p.Count = 8
	// The first run is short and cold. The second one has a count from it, and corrects that.
	for range 2 {
		result, err := r.Run(p.Job)
		if err != nil {
			return err
		}
		// At least 8, or one slow message would be the result; at most 100,000, so that a wrong
		// first time of nearly 0 does not order minutes of work.
		p.Count = int(min(max(repeat/float64(result.Time), 8), 100_000))
	}
	return nil
}

// measure is one repeat. After every fourth, round trips are also timed one by one, if the program
// can do so: in the repeat itself, reading the clock for each would add to the time of all.
func (p *point) measure(r Runner) error {
	result, err := r.Run(p.Job)
	if err != nil {
		return err
	}
	p.times = append(p.times, result.Time)
	for i, t := range result.Stages {
		p.parts[i] = append(p.parts[i], t)
	}
	// Every fourth: the histogram gets thousands of messages in one of these runs, and the
	// budget belongs to the medians.
	if program, err := p.program(); err != nil || !program.Timed || len(p.times)%4 != 1 {
		return err
	}
	each := p.Job
	each.Each = true
	if result, err = r.Run(each); err != nil {
		return err
	}
	for _, t := range result.Each {
		nanos := int64(math.Round(float64(t) * 1000))
		_ = p.each.RecordValue(min(max(1, nanos), highestNano)) // no error: the value is in range
	}
	return nil
}

func (p *point) row(within float64) Row {
	t := slices.Clone(p.times)
	slices.Sort(t)
	row := Row{Program: p.Program, Size: p.Size, Repeats: len(t)}
	row.Time = medianOf(t)
	for i, part := range p.parts {
		row.Stages[i] = quantity.Micros(medianOf(slices.Sorted(slices.Values(part))).Value)
	}
	// Within is a half width on each side of the median.
	row.Done = row.Time.High-row.Time.Low <= 2*within*row.Time.Value
	if p.each.TotalCount() > 0 {
		row.P50 = quantity.Micros(p.each.ValueAtQuantile(50)) / 1000
		row.P99 = quantity.Micros(p.each.ValueAtQuantile(99)) / 1000
	} else {
		// Of fewer than 100 repeats this is the largest one.
		row.P50, row.P99 = quantity.Micros(row.Time.Value), t[min(len(t)-1, len(t)*99/100)]
	}
	return row
}

// medianOf returns the median of sorted values with its 95 % confidence interval from their order
// alone: from the k-th smallest to the k-th largest, for the largest k such that fewer than k
// values lie below the true median with a probability of at most 2.5 %. Of five values or fewer the
// interval is all.
func medianOf(t []quantity.Micros) quantity.Interval {
	n := len(t)
	if n == 0 {
		return quantity.Interval{}
	}
	median := (t[(n-1)/2] + t[n/2]) / 2
	k, below, term := 0, 0.0, math.Exp2(-float64(n))
	for ; k < n/2; k++ {
		// term is the binomial probability that exactly k of the n values lie below the true
		// median.
		if below += term; below > 0.025 {
			break
		}
		term *= float64(n-k) / float64(k+1)
	}
	k = max(k-1, 0)
	return quantity.Interval{Value: float64(median), Low: float64(t[k]), High: float64(t[n-1-k])}
}

// longest is the number of messages of the longest burst of a signature: many times the
// default number of credits, so that the interval has reached its flat right.
const longest = 1024

// Signature measures the LogP signature with computations of deltas µs. Each point is the median
// over 3 to 31 repeats, as many as the budget allows, with its 95 % interval and without the cost
// of the clock.
func Signature(
	r Runner, deltas []float64, credits int, budget time.Duration,
) ([]benchfile.Burst, error) {
	start := time.Now()
	var bursts []benchfile.Burst
	var intervals [][]quantity.Micros
	// A median needs three. The interval of 31 values is the 10th to the 22nd; more would hardly
	// narrow it.
	for i := 0; i < 3 || i < 31 && time.Since(start) < budget; i++ {
		result, err := r.Run(Job{Program: "signature", Size: 1, Count: longest, Deltas: deltas,
			Credits: credits})
		if err != nil {
			return nil, err
		}
		bursts = result.Bursts
		if intervals == nil {
			intervals = make([][]quantity.Micros, len(bursts))
		}
		for i, b := range bursts {
			// The time of a burst contains one reading of the clock, which its messages share.
			clock := clockCost() / quantity.Micros(b.Messages)
			intervals[i] = append(intervals[i], max(0, b.Interval-clock))
		}
	}
	for i := range bursts {
		slices.Sort(intervals[i])
		b := &bursts[i]
		b.Within = medianOf(intervals[i])
		b.Interval = quantity.Micros(b.Within.Value)
	}
	return bursts, nil
}
