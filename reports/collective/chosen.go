package collective

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// algorithms returns the algorithms that are asked for: those that the library's
// rules can name, and that take the parameters of the call. It checks before anything
// is simulated.
func (q question) algorithms() (all Algorithms, err error) {
	switch {
	case q.Algorithm == "all" || q.Algorithm == "best":
		bound := func(e collective.Entry) bool { return e.Bound }
		all = slices.DeleteFunc(slices.Clone(q.library.Candidates(q.of)), bound)
	case q.Algorithm == "":
		all, err = q.defaults()
	default:
		for _, name := range q.named() {
			e, failed := collective.Find(q.Collective, name)
			all, err = append(all, e), cmp.Or(err, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	all = q.library.Runs(all)
	if l := q.Form; l.Name != "" {
		unnamed := func(e collective.Entry) bool { return !l.Has(e) }
		named := slices.DeleteFunc(slices.Clone(all), unnamed)
		if len(named) == 0 {
			return nil, fmt.Errorf("rules of the form %s cannot say %s %s",
				l.Name, all[0].Collective, q.Algorithm)
		}
		// The best of segmented calls could not be written down.
		if !l.Segments && len(q.Segments) > 0 {
			err := fmt.Errorf("rules of the form %s have no segments", l.Name)
			return nil, usage.Fields(err, "segment")
		}
		all = named
		for i := range all {
			if l.Pads {
				all[i] = all[i].Padded()
			}
		}
	}
	c := q.Call
	// Any segment serves the check: the sizes are checked with each call.
	if len(q.Segments) > 0 {
		c.Segment = uint64(q.Segments[0])
	}
	return all, all.checkParameters(c)
}

// defaults returns the algorithms of calls for which none is named.
func (q question) defaults() (all Algorithms, err error) {
	for _, ranks := range q.Ranks {
		for _, size := range q.sizes() {
			e, known := q.defaultOf(ranks, size)
			if !known {
				return nil, fmt.Errorf("%s without an algorithm; name one", q.Collective)
			}
			same := func(o collective.Entry) bool { return o.Name == e.Name }
			if !slices.ContainsFunc(all, same) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// defaultOf returns the algorithm of a call for which none is named.
func (q question) defaultOf(ranks int, size quantity.Bytes) (collective.Entry, bool) {
	return q.library.Default(q.Collective, ranks, uint64(size))
}
