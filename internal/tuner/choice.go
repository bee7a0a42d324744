package tuner

import (
	"maps"
	"slices"
)

// margin is the least difference of logarithmic times for which a choice replaces the library's
// own: smaller ones are noise.
const margin = 0.03

// own returns the candidate of a call that is the library's own choice, or -1.
func (t *Tuner) own(call int) int {
	of := t.calls[call]
	if i := slices.IndexFunc(of, func(i int) bool { return t.all[i].Library }); i >= 0 {
		return of[i]
	}
	return -1
}

// Choose returns the candidate for a call, by the [Tuner.Trial] of its group: the library's own
// choice if the choices were worse, the best candidate if they were better. If neither is known, it
// is the best candidate if the library's choice was measured, and is slower by at least the margin
// and a standard deviation of their difference. Without a library's choice it is the best one.
func (t *Tuner) Choose(call int) int {
	best, own := t.best(t.calls[call]), t.own(call)
	if own < 0 || best == own {
		return best
	}
	slower, deviation := t.Difference(own, best)
	trial := t.Trial(t.all[own].Group)
	switch {
	case trial.Worse() || slower < margin:
		return own
	case trial.Better(), t.measured(own) && slower >= deviation:
		return best
	}
	return own
}

// measured reports whether a candidate was measured.
func (t *Tuner) measured(i int) bool {
	return slices.ContainsFunc(t.groups[t.group[i]].measured,
		func(m Measurement) bool { return m.Candidate == i })
}

// Ask returns at most n candidates to measure: up to n/2 of the library's choices that others would
// replace, since most are replaced only if measured, and then those of [Tuner.Next].
func (t *Tuner) Ask(n int) (all []int) {
	any := slices.ContainsFunc(t.groups, func(g group) bool { return len(g.measured) > 0 })
	for _, call := range slices.Sorted(maps.Keys(t.calls)) {
		own := t.own(call)
		replaced := own >= 0 && any && !t.measured(own) && t.best(t.calls[call]) != own
		if replaced && len(all) < n/2 {
			all = append(all, own)
		}
	}
	for _, i := range t.Next(n) {
		if len(all) < n && !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all
}
