package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws what the first quantity of the first size becomes with each parameter 10 % smaller
// and larger, the widest bar first. Parameters that change it by less than 0.01 % would be bars
// without a width, and are only counted.
func (s *Sensitivities) Figure() (table.Picture, error) {
	q := s.Quantities[0].At(s.Sizes[0])
	t := table.Tornado{
		Title: s.After.Subject() + ": " + axis(q).Label,
		X:     table.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim},
		Less:  "10 % smaller", More: "10 % larger",
	}
	var all []SensitivityOf
	for _, one := range s.Of {
		if one.Quantity == q && one.Size == s.Sizes[0] {
			all = append(all, one)
			t.Base, t.BaseLabel = one.Now.Value, q.Value(one.Now.Value).String()
		}
	}
	slices.SortStableFunc(all, func(a, b SensitivityOf) int {
		return cmp.Compare(b.width(), a.width())
	})
	for _, one := range all {
		if one.width() > 1e-4*t.Base {
			t.Bars = append(t.Bars, table.TornadoBar{Less: one.Less, More: one.More,
				Name: one.Param.Short() + " " + one.Param.Value.String()})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("Parameters that change it by less than 0.01 %%: %d.", still))
	}
	return t, nil
}

// width returns the larger change of the quantity; 0 if the parameter has no other value.
func (s SensitivityOf) width() (w float64) {
	for _, v := range []float64{s.Less, s.More} {
		if !math.IsNaN(v) {
			w = max(w, math.Abs(v-s.Now.Value))
		}
	}
	return w
}
