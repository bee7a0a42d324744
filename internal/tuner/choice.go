package tuner

import "slices"

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

// Choose returns the candidate for a call: the best one, or the library's own choice if that is
// slower by less than the margin. It is also the library's own where the [Tuner.Trial] of the group
// was lost and one of the two was not measured: where both were, their times need no prediction.
func (t *Tuner) Choose(call int) int {
	best, own := t.best(t.calls[call]), t.own(call)
	if own < 0 || best == own {
		return best
	}
	slower, _ := t.Difference(own, best)
	predicted := !t.measured(own) || !t.measured(best)
	if slower < margin || predicted && t.Trial(t.all[own].Group).Worse() {
		return own
	}
	return best
}

// measured reports whether a candidate was measured.
func (t *Tuner) measured(i int) bool {
	return slices.ContainsFunc(t.groups[t.group[i]].measured,
		func(m Measurement) bool { return m.Candidate == i })
}
