package tune

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// isDuel reports whether a file's pass is a round of a duel: "duel2-1" of the second script.
func isDuel(pass string) bool { return strings.HasPrefix(pass, "duel") }

// A round is a measurement of a choice in one round of a duel.
type round struct {
	choice Choice
	pass   string
	time   quantity.Micros
}

// ownChoice returns the library's own choice for the call of a choice.
func ownChoice(c Choice) Choice {
	c.Entry = collective.Entry{Collective: c.Collective, Name: LibraryChoice}
	c.Segment = 0
	return c
}

// addDuels sets the duels of all candidates that rounds measured beside the library's choice.
func (m *Map) addDuels(rounds []round) {
	own := map[string]quantity.Micros{} // by call and pass
	call := func(r round) string { return ownChoice(r.choice).file() + "." + r.pass }
	for _, r := range rounds {
		if r.choice.Name == LibraryChoice {
			own[call(r)] = r.time
		}
	}
	gains := map[int][]float64{}
	for _, r := range rounds {
		before, known := own[call(r)]
		if i := m.candidate(r.choice); known && i >= 0 && r.choice.Name != LibraryChoice {
			gains[i] = append(gains[i], math.Log(float64(before/r.time)))
		}
	}
	for i, g := range gains {
		m.duels[i] = newDuel(g)
	}
}

// nextDuels returns at most n candidates that are the choices for a call and have no duel yet. The
// first have the largest lower bound of the gain, the expected one less a standard deviation, and
// the last at least this one: a duel takes four times as long as a measurement, which comes before
// it where the gain is only a guess.
func (m *Map) nextDuels(decisions []Decision, n int, least float64) (all []int) {
	low := map[int]float64{}
	for call, d := range decisions {
		i, own := d.candidate, m.own(call)
		if i == own || m.duels[i].over() {
			continue
		}
		gain, deviation := m.tuner.Difference(own, i)
		if low[i] = gain - deviation; low[i] >= least {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Compare(low[b], low[a])
	})
	return all[:min(n, len(all))]
}

// kept returns the decisions whose choices won their duels; for all other calls the library's own.
func kept(decisions []Decision) []Decision {
	all := slices.Clone(decisions)
	for i, d := range all {
		if d.Name != LibraryChoice && !d.Duel.wins() {
			all[i].Choice = ownChoice(d.Choice)
		}
	}
	return all
}
