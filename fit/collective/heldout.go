package collective

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// heldOut has the errors of candidates, log(predicted/measured), at calls that were held out. The
// candidates are the forms and, last, interpolation from the nearest places, plain and smoothed.
type heldOut struct {
	calls  []Point
	total  []float64   // lg of the total bytes of each call
	errors [][]float64 // by candidate and call; NaN where the candidate has no prediction
	own    []float64   // errors of the blend, each with weights from the other calls
	// expected has the variances that were expected of the errors, and folds, ascending, the
	// numbers of points in the fits behind them.
	expected []float64
	folds    []int
	gaps     []float64 // octaves from the sizes of calls to the nearest size in the fit
	// quantile is the 96 % point of the errors of the blend over their scales, which take in the
	// mean of all errors with the weight of scalePrior calls.
	quantile, scalePrior float64
}

// add adds a call with the logs of the times that the candidates predict.
func (h *heldOut) add(s Point, total float64, logs []float64) {
	h.calls, h.total = append(h.calls, s), append(h.total, total)
	if h.errors == nil {
		h.errors = make([][]float64, len(logs))
	}
	for k, v := range logs {
		h.errors[k] = append(h.errors[k], v-math.Log(float64(s.Time)))
	}
}

// judge adds a call with the error of a predicted log, and the variance that was expected of it.
func (h *heldOut) judge(s Point, total, log, expected float64) {
	h.calls, h.total = append(h.calls, s), append(h.total, total)
	h.own = append(h.own, log-math.Log(float64(s.Time)))
	h.expected = append(h.expected, expected)
}

// rootMeanSquare returns the weighted root mean square of the errors of the blend.
func (h *heldOut) rootMeanSquare(weight func(i int) float64) float64 {
	squares, sum := 0.0, 0.0
	for i, e := range h.own {
		w := weight(i)
		squares, sum = squares+w*min(e*e, 1), sum+w // an error counts as a factor of e at most
	}
	return math.Sqrt(squares / max(sum, 1e-9))
}

// maxScore is the largest error of a place that counts, in expected deviations.
const maxScore = 3

// scores returns the sum over places that were held out from a fit, and their number: of the
// weighted mean square of the errors over the expected one. All calls of a place have the same jobs
// and the same growth, so that more of them tell no more.
func (h *heldOut) scores(weight func(i int) float64) (sum, places float64) {
	type fold struct {
		kept int
		at   Placement
	}
	type squares struct{ seen, expected float64 }
	of := map[fold]squares{}
	var order []fold
	for i, e := range h.own {
		key := fold{h.folds[i], h.calls[i].placement()}
		s, has := of[key]
		if !has {
			order = append(order, key)
		}
		w := weight(i)
		of[key] = squares{s.seen + w*e*e, s.expected + w*h.expected[i]}
	}
	for _, key := range order {
		s := of[key]
		sum += min(s.seen/max(s.expected, math.SmallestNonzeroFloat64), maxScore*maxScore)
	}
	return sum, float64(len(order))
}

// Held-out calls between places count for the scale of an error by exp(-1) for each octave of total
// bytes and half an octave of nodes. Errors are divided by scales, so none is below minScale.
const (
	scaleSizes  = 1
	scalePlaces = 0.5
	minScale    = 0.003
)

// scalePriors are tried for scalePrior: from scales of similar calls to one scale for all.
var scalePriors = []float64{0.5, 4, 1e6}

// scale returns the mean error of held-out calls that are like a call on these nodes with these
// total bytes. The held-out call of the index without does not count; -1 is none.
func (h *heldOut) scale(nodes, total float64, without int) float64 {
	all, sum, weights := 0.0, 0.0, 0.0
	for i, e := range h.own {
		if i != without {
			sizes := math.Abs(total - h.total[i])
			places := math.Abs(math.Log2(nodes / h.calls[i].place().nodes))
			near := math.Exp(-sizes/scaleSizes - places/scalePlaces)
			sum, weights = sum+near*math.Abs(e), weights+near
			all += math.Abs(e) / float64(len(h.own))
		}
	}
	return max(minScale, (sum+h.scalePrior*all)/(weights+h.scalePrior))
}

// normalize sets the 96 % point of the errors over their scales, as scales are uncertain, and the
// prior of the scales that makes intervals the shortest: few errors show little of where calls
// differ more.
func (h *heldOut) normalize() {
	shortest := math.Inf(1)
	for _, prior := range scalePriors {
		var scores []float64
		sum, before := 0.0, h.scalePrior
		h.scalePrior = prior
		for i, e := range h.own {
			s := h.scale(h.calls[i].place().nodes, h.total[i], i)
			scores, sum = append(scores, math.Abs(e)/s), sum+s
		}
		// The point for one more error than there are: (n + 1)/n of them (Lei et al. 2018).
		quantile := stats.QuantileOf(scores, min(1, 0.96*(1+1/float64(len(scores)))))
		if quantile*sum < shortest {
			shortest, h.quantile = quantile*sum, quantile
		} else {
			h.scalePrior = before
		}
	}
}
