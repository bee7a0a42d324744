package tune

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/tuner"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Decisions returns the choices for all calls, in the order of the question. They hold for the
// measurements added so far, and change with each further one; that of a call does not depend on
// the other calls of the question. The error is that of the context.
func (m *Map) Decisions(ctx context.Context) (all []Decision, err error) {
	near, err := m.nearest(ctx)
	if err != nil {
		return nil, err
	}
	calls := len(m.tuner.Calls())
	for call := range calls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, m.decide(call, near[call]))
		if m.Progress != nil {
			m.Progress(call+1, calls)
		}
	}
	return all, nil
}

// decide returns the choice for a call by the observations nearest to it.
func (m *Map) decide(call int, near []tuner.Observation) Decision {
	of := m.tuner.Calls()[call]
	local := tuner.Local(list.Map(of, func(i int) tuner.Candidate { return m.candidates[i] }),
		near, tuner.Default())
	k := m.choose(of, local)
	i, own := of[k], m.own(call)
	time := func(i int) Time { return m.timeOf(i, local, slices.Index(of, i)) }
	d := Decision{
		Choice:    m.Choices[i],
		Time:      time(i),
		Own:       time(own),
		OwnName:   LibraryChoice,
		Loss:      local.Loss(k, m.contrasts(of)...),
		Of:        len(of),
		Duel:      m.duels[i],
		candidate: i,
	}
	for k, j := range of {
		if len(m.measured[j]) == 0 {
			if local.Excluded(k) {
				d.Excluded++
			}
			continue
		}
		d.Measured++
		if t := time(j); d.Best.Name == "" || t.Value < d.BestTime.Value {
			d.Best, d.BestTime = m.Choices[j], t
		}
	}
	if d.Own.Measured {
		return d
	}
	c := m.Choices[own]
	e, known := m.library.Choice(m.entries(c.Collective)[1:], c.Ranks, uint64(c.Size))
	if j := m.candidate(Choice{Entry: e, Ranks: c.Ranks, Size: c.Size}); known && j >= 0 {
		d.Own, d.OwnName = time(j), e.Name
	}
	return d
}

// timeOf returns the time of candidate i, which a local tuner of its call has at index k.
func (m *Map) timeOf(i int, local *tuner.Tuner, k int) Time {
	if times := m.measured[i]; len(times) > 0 {
		return Time{quantity.Alone(stats.Mean(times)), true}
	}
	if m.Choices[i].Name == LibraryChoice || len(m.observed) == 0 {
		// Any algorithm may be the library's, so that no schedule tells its time.
		return Time{quantity.Alone(math.NaN()), false}
	}
	median, low, high := local.Interval(k)
	return Time{quantity.Interval{Value: median, Low: low, High: high}, false}
}

// choose returns the index of the candidate for a call: one that won its duel, or the tuner's
// choice unless that lost its duel. Otherwise it is the library's choice.
func (m *Map) choose(of []int, local *tuner.Tuner) int {
	best := -1
	for k, i := range of {
		if m.duels[i].wins() && (best < 0 || m.duels[i].Low > m.duels[of[best]].Low) {
			best = k
		}
	}
	if best >= 0 {
		return best
	}
	if best = local.Choose(m.candidates[of[0]].Call); m.duels[of[best]].over() {
		return slices.Index(of, m.own(m.candidates[of[0]].Call))
	}
	return best
}

// contrasts returns the duels of a call's candidates with the library's choice, of at least two
// rounds: what the model believed of their times before is no longer what is known of them.
func (m *Map) contrasts(of []int) (all []tuner.Contrast) {
	own := slices.Index(of, m.own(m.candidates[of[0]].Call))
	for k, i := range of {
		if d := m.duels[i]; d.Rounds > 1 {
			all = append(all, tuner.Contrast{Slow: own, Fast: k, Log: d.Gain,
				Deviation: d.deviation()})
		}
	}
	return all
}

// nearest returns by call the observations nearest to it, with the parts of their schedules. Only
// the schedules of those are priced: a file may have thousands of measurements.
func (m *Map) nearest(ctx context.Context) (map[int][]tuner.Observation, error) {
	var rough []tuner.Observation
	for _, o := range m.observed {
		rough = append(rough, tuner.Observation{Candidate: tuner.Candidate{Group: o.Collective,
			Ranks: float64(o.Ranks), Size: max(1, float64(o.Size))}})
	}
	indices, wanted := map[int][]int{}, map[int]bool{}
	for call, of := range m.tuner.Calls() {
		indices[call] = tuner.Nearest(m.candidates[of[0]], rough, tuner.Default())
		for _, k := range indices[call] {
			wanted[k] = true
		}
	}
	priced, err := m.priced(ctx, wanted)
	if err != nil {
		return nil, err
	}
	near := map[int][]tuner.Observation{}
	for call, all := range indices {
		for _, k := range all {
			if o, known := priced[k]; known {
				near[call] = append(near[call], o)
			}
		}
	}
	return near, nil
}

// priced returns the candidates of observations, by their indices. Those of algorithms that the
// library does not run in their call are left out.
func (m *Map) priced(ctx context.Context, wanted map[int]bool) (
	map[int]tuner.Observation, error) {
	type grid struct {
		collective string
		ranks      int
	}
	all, others := map[int]tuner.Observation{}, map[grid][]int{}
	for k, o := range m.observed {
		switch {
		case !wanted[k]:
		case o.candidate >= 0:
			all[k] = tuner.Observation{Candidate: m.candidates[o.candidate], Time: float64(o.time)}
		default:
			g := grid{o.Collective, o.Ranks}
			others[g] = append(others[g], k)
		}
	}
	for g, indices := range others {
		calls := collectives.Calls{Collective: g.collective, Ranks: []int{g.ranks},
			Segments: m.Segments}
		var names []string
		for _, k := range indices {
			o := m.observed[k]
			names, calls.Sizes = append(names, o.Name), append(calls.Sizes, o.Size)
		}
		calls.Sizes, calls.Algorithm = stats.Ascending(calls.Sizes), "all"
		// The library's own choice has the time of the fastest of all; others have their own.
		if names = stats.Ascending(names); !slices.Contains(names, LibraryChoice) {
			calls.Algorithm = strings.Join(names, ",")
		}
		parts, err := PartsOf(ctx, m.Design, calls)
		if err != nil {
			return nil, err
		}
		for _, k := range indices {
			o := m.observed[k]
			choices := m.choicesOf(o.Collective, o.Ranks, o.Size)
			i := slices.IndexFunc(choices, func(c Choice) bool {
				return c.Name == o.Name && c.Segment == o.Segment
			})
			if i >= 0 {
				all[k] = tuner.Observation{Candidate: candidatesOf(choices, -1, parts)[i],
					Time: float64(o.time)}
			}
		}
	}
	return all, nil
}

// ownLosses returns the mean of the losses of the library's choices that are known, the largest,
// and their number.
func ownLosses(all []Decision) (mean float64, worst Decision, n int) {
	most := math.Inf(-1)
	for _, d := range all {
		loss, known := d.OwnLoss()
		if !known {
			continue
		}
		n++
		mean += loss
		if loss > most {
			worst, most = d, loss
		}
	}
	return mean / float64(n), worst, n
}
