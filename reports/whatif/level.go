//go:build !js

package whatif

import (
	"github.com/halfpeak/halfpeak/internal/study"
)

// Change returns the design as it is, and with parameters changed. On a machine of levels, one
// message is one of the layer that has all parameters that are changed, and the others that are
// searched or swept, as [Design.Searched] reads them; if several layers have them, it is an error
// that lists the levels.
func (d Design) Change(assignments, others []string) (before, after Design, err error) {
	after, err = d.Set(assignments...)
	if !d.Whole || len(d.Calls) > 0 {
		return d, after, err
	}
	found := 0
	for _, l := range d.Platform.Layers {
		of := d
		of.Layer, of.Whole = l, false
		if l.Messages() != nil {
			continue
		}
		if changed, wrong := of.Set(assignments...); wrong == nil && changed.has(others) {
			before, after = of, changed
			found++
		}
	}
	switch {
	case found == 1:
		return before, after, nil
	case found > 1 || err == nil:
		_, err = study.Way{}.Of(d.Design)
	}
	return d, after, err
}

// has reports whether the design has these parameters.
func (d Design) has(parameters []string) bool {
	for _, text := range parameters {
		if _, err := d.Searched(text); err != nil {
			return false
		}
	}
	return true
}
