package tune

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// Decisions returns the choices for all calls, in the order of the question. They hold for the
// measurements added so far, and change with each further one; that of a call does not depend on
// the other calls of the question. The error is that of the context.
func (m *Map) Decisions(ctx context.Context) (all []Decision, err error) {
	of, near, part, err := m.nearest(ctx)
	if err != nil {
		return nil, err
	}
	calls := len(m.tuner.Calls())
	for call := range calls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, m.decide(call, of, near[call], part))
		if m.Progress != nil {
			m.Progress(call+1, calls)
		}
	}
	return all, nil
}

// decide returns the choice for a call by the measurements nearest to it, which are of all these
// candidates. Part is that of losses which is real.
func (m *Map) decide(call int, all []tuner.Candidate, near []tuner.Measurement,
	part float64) Decision {
	of := m.tuner.Calls()[call]
	local := tuner.Local(of, all, near, tuner.Default())
	k := m.choose(of, local)
	i, own := of[k], m.own(call)
	time := func(i int) Time { return m.timeOf(i, local, slices.Index(of, i)) }
	d := Decision{
		Choice:    m.Choices[i],
		Time:      time(i),
		Own:       time(own),
		OwnName:   LibraryChoice,
		Loss:      part * local.Loss(k, m.contrasts(of)...),
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
	// To keep the library's choice is to take it for the fastest, whichever it is.
	if d.Own.Measured || d.Name == LibraryChoice {
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
	if m.Choices[i].Name == LibraryChoice || len(m.seen) == 0 {
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

// nearest returns the candidates with the measured choices of other calls behind them, by call the
// measurements nearest to it, and the part of losses that measured calls show to be real. Only the
// schedules of those are priced: a file may have thousands of measurements.
func (m *Map) nearest(ctx context.Context) (all []tuner.Candidate,
	near map[int][]tuner.Measurement, part float64, err error) {
	all, near = slices.Clone(m.candidates), map[int][]tuner.Measurement{}
	prior := tuner.Default()
	for _, c := range m.elsewhere {
		all = append(all, tuner.Candidate{Group: c.Collective, Call: -1, Ranks: float64(c.Ranks),
			Size: max(1, float64(c.Size))})
	}
	wanted := map[int]bool{}
	for call, of := range m.tuner.Calls() {
		near[call] = tuner.Nearest(all[of[0]], all, m.seen, prior)
		for _, s := range near[call] {
			wanted[s.Candidate] = true
		}
	}
	checks := m.measuredCalls()
	for _, of := range checks {
		for _, i := range of {
			wanted[i] = true
		}
		for _, s := range tuner.Without(of, all, m.seen, prior) {
			wanted[s.Candidate] = true
		}
	}
	if err := m.price(ctx, all, wanted); err != nil {
		return nil, nil, 0, err
	}
	for call := range near {
		near[call] = slices.DeleteFunc(near[call], func(s tuner.Measurement) bool {
			return all[s.Candidate].Schedule == ""
		})
	}
	return all, near, tuner.Part(checks, all, m.seen, prior), nil
}

// maxChecks is the largest number of measured calls that tell how much of losses is real: more say
// little more.
const maxChecks = 64

// measuredCalls returns the measured candidates of calls of which several were measured, whether or
// not they are asked.
func (m *Map) measuredCalls() (all [][]int) {
	choices := slices.Concat(m.Choices, m.elsewhere)
	of := map[string][]int{} // by the name of the file of the library's own choice
	for _, s := range m.seen {
		name := ownChoice(choices[s.Candidate]).file()
		if !slices.Contains(of[name], s.Candidate) {
			of[name] = append(of[name], s.Candidate)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if len(of[name]) > 1 {
			all = append(all, of[name])
		}
	}
	thin := make([][]int, 0, min(len(all), maxChecks))
	for i := range cap(thin) {
		thin = append(thin, all[i*len(all)/cap(thin)])
	}
	return thin
}

// price sets the candidates of choices of other calls. Those of algorithms that the library does
// not run in their call get no schedule.
func (m *Map) price(ctx context.Context, all []tuner.Candidate, wanted map[int]bool) error {
	type grid struct {
		collective string
		ranks      int
	}
	grids := map[grid][]int{}
	for i, c := range m.elsewhere {
		if wanted[len(m.Choices)+i] {
			g := grid{c.Collective, c.Ranks}
			grids[g] = append(grids[g], i)
		}
	}
	for g, indices := range grids {
		calls := collectives.Calls{Collective: g.collective, Ranks: []int{g.ranks},
			Segments: m.Segments}
		var names []string
		for _, i := range indices {
			c := m.elsewhere[i]
			names, calls.Sizes = append(names, c.Name), append(calls.Sizes, c.Size)
		}
		calls.Sizes, calls.Algorithm = stats.Ascending(calls.Sizes), "all"
		// The library's own choice has the time of the fastest of all; others have their own.
		if names = stats.Ascending(names); !slices.Contains(names, LibraryChoice) {
			calls.Algorithm = strings.Join(names, ",")
		}
		parts, err := PartsOf(ctx, m.Design, calls)
		if err != nil {
			return err
		}
		for _, i := range indices {
			c := m.elsewhere[i]
			choices := m.choicesOf(c.Collective, c.Ranks, c.Size)
			k := slices.IndexFunc(choices, func(o Choice) bool {
				return o.Name == c.Name && o.Segment == c.Segment
			})
			if k >= 0 {
				all[len(m.Choices)+i] = candidatesOf(choices, -1, parts)[k]
			}
		}
	}
	return nil
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
