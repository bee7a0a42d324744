package tuner

import (
	"cmp"
	"math"
	"slices"
)

// An Observation is a measured time of a candidate in µs. Its Call is −1 if no algorithm is chosen
// for that call.
type Observation struct {
	Candidate
	Time float64
}

// Nearest returns the indices of the observations by which [Local] predicts a call, the nearest
// first: at most the prior's Near, on numbers of ranks that are not neighbours. The distance is the
// logarithm by which the prior's terms over sizes and ranks fall, and 1 for another group.
func Nearest(call Candidate, seen []Observation, prior Prior) []int {
	ranks := ladder(call, seen)
	distance := make([]float64, len(seen))
	var near []int
	for i, o := range seen {
		if !slices.Contains(ranks, o.Ranks) {
			continue
		}
		near = append(near, i)
		distance[i] = math.Abs(math.Log2(o.Size/call.Size))/prior.Size +
			math.Abs(math.Log2(o.Ranks/call.Ranks))/prior.Ranks
		if o.Group != call.Group {
			distance[i]++
		}
	}
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	return near[:min(len(near), prior.Near)]
}

// apart is the least factor between the numbers of ranks of a ladder. Times on neighbours say
// little else than how much the times differ from run to run.
const apart = 2

// ladder returns the measured number of ranks nearest to that of the call, and those at least a
// factor of apart away from each other, up and down from it.
func ladder(call Candidate, seen []Observation) (all []float64) {
	for _, o := range seen {
		all = append(all, o.Ranks)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return nil
	}
	far := func(ranks float64) float64 { return math.Abs(math.Log(ranks / call.Ranks)) }
	first := slices.MinFunc(all, func(a, b float64) int { return cmp.Compare(far(a), far(b)) })
	kept, up, down := []float64{first}, first, first
	for _, ranks := range all {
		if ranks >= apart*up {
			kept, up = append(kept, ranks), ranks
		}
	}
	for _, ranks := range slices.Backward(all) {
		if ranks <= down/apart {
			kept, down = append(kept, ranks), ranks
		}
	}
	return kept
}

// Local returns a tuner of one call, whose candidates keep their indices, from the observations
// nearest to it. What it says of the call depends on no other call that a user asks about.
func Local(call []Candidate, near []Observation, prior Prior) *Tuner {
	all := slices.Clone(call)
	var seen []Measurement
	for _, o := range near {
		i := slices.Index(all, o.Candidate)
		if i < 0 {
			i, all = len(all), append(all, o.Candidate)
		}
		seen = append(seen, Measurement{i, o.Time})
	}
	t := New(all, prior)
	t.Add(seen)
	return t
}

// reach is the number of standard deviations of a 95 % interval of a logarithmic time. Of a normal
// distribution it would be 1.96; times that were not measured are farther out. It is the largest
// that any machine but one asks for, rounded up; docs/tables/tune.csv has the shares of times
// within.
const reach = 3

// Interval returns the median of a candidate's time in µs, and the ends of its 95 % interval.
func (t *Tuner) Interval(i int) (median, low, high float64) {
	mean, variance := t.predict(i)
	d := reach * math.Sqrt(variance)
	return math.Exp(mean), math.Exp(mean - d), math.Exp(mean + d)
}
