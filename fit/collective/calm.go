package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// outlier is the number of standard deviations from both neighbours beyond which a call counts as
// disturbed.
const outlier = 4

// replaceOutliers replaces the times of disturbed calls, so that they do not change predictions
// nearby. A call is disturbed if its time differs in the same direction from the neighbouring sizes
// and places, by more than outlier standard deviations. Times that repeats confirm are kept.
// Samples are sorted by place and size.
func replaceOutliers(samples []sample) {
	at := map[place]map[float64]int{}
	var places []place
	for i, s := range samples {
		if at[s.place] == nil {
			at[s.place] = map[float64]int{}
			places = append(places, s.place)
		}
		at[s.place][s.n] = i
	}
	off := make([][2]float64, len(samples)) // from the sizes and from the places on both sides
	var all [2][]float64
	for i, s := range samples {
		off[i] = [2]float64{math.NaN(), math.NaN()}
		if i > 0 && i+1 < len(samples) && samples[i-1].place == s.place && samples[i+1].place == s.place {
			off[i][0] = math.Log(s.t) - math.Log(samples[i-1].t*samples[i+1].t)/2
		}
		if k := slices.Index(places, s.place); k > 0 && k+1 < len(places) {
			below, has := at[places[k-1]][s.n]
			if above, hasAbove := at[places[k+1]][s.n]; has && hasAbove {
				part := math.Log(s.nodes/places[k-1].nodes) / math.Log(places[k+1].nodes/places[k-1].nodes)
				off[i][1] = math.Log(s.t) - (1-part)*math.Log(samples[below].t) - part*math.Log(samples[above].t)
			}
		}
		for k, v := range off[i] {
			if !math.IsNaN(v) {
				all[k] = append(all[k], math.Abs(v))
			}
		}
	}
	if len(all[0]) == 0 || len(all[1]) == 0 {
		return
	}
	var limit [2]float64
	for k := range limit {
		limit[k] = outlier * 1.4826 * stats.QuantileOf(all[k], 0.5)
	}
	for i, o := range off {
		least := min(math.Abs(o[0]), math.Abs(o[1]))
		if math.Abs(o[0]) > limit[0] && math.Abs(o[1]) > limit[1] && o[0]*o[1] > 0 && least < outlier*samples[i].error {
			samples[i].t *= math.Exp(-(o[0] + o[1]) / 2)
		}
	}
}
