package platforms

import "github.com/halfpeak/halfpeak/model"

// LowestRoof is the lowest roof that the file states for the layer, and the layer's r∞ as a
// share of it; ok is false if the file states none. A share above 1 cannot be: then a parameter
// or the roof is wrong.
func (l Layer) LowestRoof() (roof Roof, share float64, ok bool) {
	if len(l.Roofs) == 0 {
		return Roof{}, 0, false
	}
	return l.Roofs[0], float64(model.Asymptote(l.Model) / l.Roofs[0].Rate), true
}
