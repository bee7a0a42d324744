package tuner

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
)

// Nearest returns the measurements by which [Local] predicts a call, the nearest first: at most the
// prior's Near, on numbers of ranks at which the call's group was measured and that are not
// neighbours. The distance is the logarithm by which the prior's terms over sizes and ranks fall,
// and 1 for another group. Other groups say nothing of a call whose own was not measured.
func Nearest(call Candidate, all []Candidate, seen []Measurement, prior Prior) []Measurement {
	ranks := ladder(call, all, slices.DeleteFunc(slices.Clone(seen), func(m Measurement) bool {
		return all[m.Candidate].Group != call.Group
	}))
	distance := func(m Measurement) float64 {
		c := &all[m.Candidate]
		d := math.Abs(math.Log2(c.Size/call.Size))/prior.Size +
			math.Abs(math.Log2(c.Ranks/call.Ranks))/prior.Ranks
		if c.Group != call.Group {
			d++
		}
		return d
	}
	near := slices.DeleteFunc(slices.Clone(seen), func(m Measurement) bool {
		return !slices.Contains(ranks, all[m.Candidate].Ranks)
	})
	slices.SortStableFunc(near, func(a, b Measurement) int {
		return cmp.Compare(distance(a), distance(b))
	})
	return near[:min(len(near), prior.Near)]
}

// apart is the least factor between the numbers of ranks of a ladder. Times on neighbours say
// little else than how much the times differ from run to run.
const apart = 1.5

// ladder returns the measured number of ranks nearest to that of the call, and those at least a
// factor of apart away from each other, up and down from it.
func ladder(call Candidate, of []Candidate, seen []Measurement) (all []float64) {
	for _, m := range seen {
		all = append(all, of[m.Candidate].Ranks)
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

// Local returns a tuner of one call, of whose candidates it has the i'th at index i, from the
// measurements nearest to it. What it says of the call depends on no other call that a user asks
// about.
func Local(call []int, all []Candidate, near []Measurement, prior Prior) *Tuner {
	indices := slices.Clone(call)
	var seen []Measurement
	for _, m := range near {
		i := slices.Index(indices, m.Candidate)
		if i < 0 {
			i, indices = len(indices), append(indices, m.Candidate)
		}
		seen = append(seen, Measurement{i, m.Time})
	}
	t := New(list.Map(indices, func(i int) Candidate { return all[i] }), prior)
	t.Add(seen)
	return t
}

// reach is the number of standard deviations of a 95 % interval of a logarithmic time. Of a normal
// distribution it would be 1.96; times that were not measured are farther out. On the half of the
// machines that numbers are chosen on, it holds 98, 96 and 93 % from 5, 10 and 25 % of the points;
// docs/tables/tune.csv has the shares of times within.
const reach = 3

// Interval returns the median of a candidate's time in µs, and the ends of its 95 % interval.
func (t *Tuner) Interval(i int) (median, low, high float64) {
	mean, variance := t.predict(i)
	d := reach * math.Sqrt(variance)
	return math.Exp(mean), math.Exp(mean - d), math.Exp(mean + d)
}
