package collectives

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// algorithms returns the algorithms that are asked for: those that the library's
// rules can name, and that take the parameters of the call. It checks before anything
// is simulated.
func (c Calls) algorithms(l collective.Library) (all Algorithms, err error) {
	switch {
	case c.AnyAlgorithm():
		bound := func(e collective.Entry) bool { return e.Bound }
		all = slices.DeleteFunc(slices.Clone(l.Candidates(collective.Of(c.Collective))), bound)
	case c.Algorithm == "":
		all, err = c.defaults(l)
	default:
		for _, name := range c.Named() {
			e, failed := collective.Find(c.Collective, name)
			all, err = append(all, e), cmp.Or(err, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	all = l.Runs(all)
	if form := c.Form; form.Name != "" {
		unnamed := func(e collective.Entry) bool { return !form.Has(e) }
		named := slices.DeleteFunc(slices.Clone(all), unnamed)
		if len(named) == 0 {
			return nil, fmt.Errorf("rules of the form %s cannot say %s %s",
				form.Name, all[0].Collective, c.Algorithm)
		}
		// The best of segmented calls could not be written down.
		if !form.Segments && len(c.Segments) > 0 {
			err := fmt.Errorf("rules of the form %s have no segments", form.Name)
			return nil, usage.Fields(err, "segment")
		}
		all = named
		for i := range all {
			if form.Pads {
				all[i] = all[i].Padded()
			}
		}
	}
	call := c.Call
	// Any segment serves the check: the sizes are checked with each call.
	if len(c.Segments) > 0 {
		call.Segment = uint64(c.Segments[0])
	}
	return all, all.checkParameters(call)
}

// defaults returns the algorithms that the library runs in calls for which none is named.
func (c Calls) defaults(l collective.Library) (all Algorithms, err error) {
	for _, ranks := range c.Ranks {
		for _, size := range c.sizes() {
			e, known := l.Default(c.Collective, ranks, uint64(size))
			if !known {
				return nil, fmt.Errorf("%s without an algorithm; name one", c.Collective)
			}
			same := func(o collective.Entry) bool { return o.Name == e.Name }
			if !slices.ContainsFunc(all, same) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}
