package fitted

import (
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A blend predicts a collective by several candidates, the forms and last the line between places,
// each weighted by how well it predicted measurements that were held out. Beyond the places it is a
// mean of the forms and of the growth, see [table.grown].
type blend struct {
	table
	forms []*localForm

	// beyond has the calls on more ranks than those in the fit, between those at places between
	// others, and sizesBetween those of sizes between others.
	beyond, between, sizesBetween func() *backTest
}

// newBlend fits forms to measurements.
func newBlend(points []measurement, blockwise bool, forms []form) *blend {
	b := &blend{table: newTable(points, blockwise), forms: make([]*localForm, len(forms))}
	parallel.For(len(forms), func(i int) { b.forms[i] = forms[i].fit(points) })
	b.beyond, b.between = sync.OnceValue(b.heldBeyond), sync.OnceValue(b.heldBetween)
	b.sizesBetween = sync.OnceValue(b.heldSizes)
	return b
}

// A backTest has calls that were held out of fits.
type backTest struct {
	calls  []heldOut
	inside bool // the calls are of places or sizes between others
	// fromOne says that the fits have one place each, at which steps and base are alike.
	fromOne bool
	// growth is the weight of [table.grown] beside the forms, 0 to 1.
	growth float64
}

// A heldOut is a call that was held out of a fit, with the errors of predictions, as
// log(predicted/measured).
type heldOut struct {
	place
	fit     int       // the number of the fit
	total   float64   // lg of the total bytes
	octaves float64   // from the nearest place of the fit
	errors  []float64 // by candidate; NaN where one has no prediction
	grown   float64   // of the growth; NaN where there is none
	own     float64   // of the blend, with weights from the other calls
}

// evidenceRange is the distance, in octaves of total bytes, over which the weight of a held-out
// call falls by exp(-1).
const evidenceRange = 4

// near returns the weight of a held-out call for a call of as many bytes, as lg.
func (c *heldOut) near(total float64) float64 {
	return math.Exp(-math.Abs(total-c.total) / evidenceRange)
}

// maxHeld is the number of calls that are held out of one fit at most: more show little more.
const maxHeld = 240

// holdOut fits the forms to the points that are not held out, and adds those that are. It does
// nothing if fewer than two points are left, or those of one place after fits of several.
func (b *blend) holdOut(h *backTest, fit int, out func(measurement) bool) {
	var kept, held []measurement
	for _, s := range b.points {
		if out(s) {
			held = append(held, s)
		} else {
			kept = append(kept, s)
		}
	}
	if len(kept) < 2 {
		return
	}
	onePlace := kept[0].place == kept[len(kept)-1].place
	if onePlace && len(b.places) > 1 && !h.inside {
		if len(h.calls) > 0 {
			return // fits of several places show more
		}
		h.fromOne = true
	}
	forms := make([]form, len(b.forms))
	for i, f := range b.forms {
		forms[i] = *f.form
	}
	rest := newBlend(kept, b.blockwise, forms)
	for i := 0; i < len(held); i += 1 + len(held)/maxHeld {
		s := held[i]
		c := heldOut{place: s.place, fit: fit, total: b.totalLg(s.place, s.size),
			octaves: rest.octaves(s.place), errors: rest.logs(s.place, s.size),
			grown: rest.grown(s.place, s.size) - math.Log(s.time)}
		for k := range c.errors {
			c.errors[k] -= math.Log(s.time)
		}
		h.calls = append(h.calls, c)
	}
}

// finished sets the errors of the blend.
func (b *blend) finished(h *backTest) *backTest {
	for i := range h.calls {
		c := &h.calls[i]
		c.own, _ = average(b.weights(h, c.errors, c.total, i), c.errors)
	}
	h.growth = h.shareOfGrowth()
	if named := len(b.forms) == 1; named && h.growth <= 0.5 {
		h.growth = 0 // the steps of a named algorithm are known
	}
	for i := range h.calls {
		c := &h.calls[i]
		c.own, _ = h.withGrowth(c.own, 0, c.grown)
	}
	return h
}

// heldBeyond holds out the places above a half and a quarter of the ranks of the largest, and the
// largest alone.
func (b *blend) heldBeyond() *backTest {
	h, last, before := &backTest{}, 0.0, 0
	for _, p := range b.places {
		last = max(last, p.ranks)
	}
	for fit, part := range []float64{1.25, 2, 4} { // the largest are those of a third of an octave
		out := func(s measurement) bool { return s.ranks > last/part }
		count := 0
		for _, s := range b.points {
			if out(s) {
				count++
			}
		}
		if count != before { // else it is the hold-out before
			b.holdOut(h, fit, out)
		}
		before = count
	}
	return b.finished(h)
}

// folds is the number of groups that are held out in turn.
const folds = 3

// heldBetween holds out places between others.
func (b *blend) heldBetween() *backTest {
	h, inner := &backTest{inside: true}, len(b.places)-2
	for f := range min(inner, folds) {
		b.holdOut(h, f, func(s measurement) bool {
			i, _ := slices.BinarySearchFunc(b.places, s.place, comparePlaces)
			return i > 0 && i <= inner && i%folds == f
		})
	}
	return b.finished(h)
}

// heldSizes holds out sizes between others.
func (b *blend) heldSizes() *backTest {
	h := &backTest{inside: true}
	for f := range folds {
		b.holdOut(h, f, func(s measurement) bool {
			i, _ := slices.BinarySearch(b.sizes, s.size)
			return i > 0 && i < len(b.sizes)-1 && i%folds == f
		})
	}
	return b.finished(h)
}

// evidence returns the held-out calls that are like a call at a place.
func (b *blend) evidence(p place) *backTest {
	h := b.beyond
	switch {
	case slices.Contains(b.places, p):
		h = b.sizesBetween
	case b.inside(p):
		h = b.between
	}
	for _, h := range []func() *backTest{h, b.beyond} {
		if h := h(); len(h.calls) > 0 {
			return h
		}
	}
	return b.sizesBetween()
}

// evidenceFloor is added to the mean error of a candidate, so that few errors of nearly 0 do not
// decide alone.
const evidenceFloor = 0.05

// weights returns the weights of the candidates of a call of as many bytes, as lg, of sum 1: 1 over
// the square of the mean error at held-out calls; those of candidates that are NaN are 0. The
// held-out call of the index without does not count; -1 is none.
func (b *blend) weights(h *backTest, logs []float64, total float64, without int) []float64 {
	w, all := make([]float64, len(logs)), 0.0
	near := make([]float64, len(h.calls))
	for j := range near {
		if j != without {
			near[j] = h.calls[j].near(total)
		}
	}
	for i, v := range logs {
		if !math.IsNaN(v) {
			e := h.meanError(i, near) + evidenceFloor
			w[i] = 1 / (e * e)
			all += w[i]
		}
	}
	for i := range w {
		w[i] /= max(all, math.SmallestNonzeroFloat64)
	}
	return w
}

// meanError returns the mean error of a candidate at the held-out calls, with weights; the usual
// error of an octave without any.
func (h *backTest) meanError(candidate int, weights []float64) float64 {
	sum, count := 0.0, 0.0
	for j, w := range weights {
		if e := h.calls[j].errors[candidate]; w > 0 && !math.IsNaN(e) {
			sum, count = sum+w*math.Abs(e), count+w
		}
	}
	if count == 0 {
		return known.Machines().Collectives.UsualError
	}
	return sum / count
}

// average returns the weighted mean of logs, and their weighted standard deviation.
func average(weights, logs []float64) (mean, spread float64) {
	for i, w := range weights {
		if w > 0 {
			mean += w * logs[i]
		}
	}
	for i, w := range weights {
		if w > 0 {
			spread += w * (logs[i] - mean) * (logs[i] - mean)
		}
	}
	return mean, math.Sqrt(spread)
}

// logs returns the log of the time in µs by each candidate.
func (b *blend) logs(p place, n float64) (all []float64) {
	for _, f := range b.forms {
		all = append(all, f.predict(p, n, -1))
	}
	return append(all, b.trend(p, n))
}

// combine returns the log of the time in µs by the weighted candidates, their spread and weights.
func (b *blend) combine(p place, n float64) (mean, spread float64, weights []float64) {
	logs := b.logs(p, n)
	h := b.evidence(p)
	weights = b.weights(h, logs, b.totalLg(p, n), -1)
	mean, spread = average(weights, logs)
	mean, spread = h.withGrowth(mean, spread, b.grown(p, n))
	return mean, spread, weights
}

// shareOfGrowth returns the weight of the growth beside the forms, by their errors at held-out
// calls as that of a candidate; 0 without any.
func (h *backTest) shareOfGrowth() float64 {
	var forms, grown, count float64
	for _, c := range h.calls {
		if !math.IsNaN(c.own + c.grown) {
			forms, grown, count = forms+math.Abs(c.own), grown+math.Abs(c.grown), count+1
		}
	}
	if count == 0 {
		return 0
	}
	f, g := forms/count+evidenceFloor, grown/count+evidenceFloor
	return f * f / (f*f + g*g)
}

// withGrowth returns the weighted mean of the forms' log of a time and that of the growth, if there
// is one, with the spread of both.
func (h *backTest) withGrowth(forms, spread, grown float64) (mean, both float64) {
	if math.IsNaN(grown) || h.growth == 0 {
		return forms, spread
	}
	w := h.growth
	variance := (1-w)*spread*spread + w*(1-w)*(grown-forms)*(grown-forms)
	return (1-w)*forms + w*grown, math.Sqrt(variance)
}

// similar returns the time in µs that other calls foresee for a measured one: that of the forms,
// with what they miss at the calls nearby.
func (b *blend) similar(p place, n float64) float64 {
	call := slices.IndexFunc(b.points, func(s measurement) bool {
		return s.place == p && s.size == n
	})
	var logs []float64
	for _, f := range b.forms {
		logs = append(logs, f.predict(p, n, call))
	}
	weights := b.weights(b.evidence(p), logs, b.totalLg(p, n), -1)
	mean, _ := average(weights, logs)
	return math.Exp(mean)
}

// Beyond the measured sizes, the slope of the time over the size comes from two octaves of measured
// sizes. One size has no slope: half of its time is then taken to be for bytes if it is halfSize
// (Hockney's n½), and nearly all if it is much larger.
const halfSize = 16384

// predict returns the log of the time in µs, the spread of the candidates, and their weights.
// Beyond the measured sizes the log is the mean of three continuations, which are apart by a
// standard deviation: the candidates, whose steps and bytes differ by place; a line through the
// largest or smallest sizes; and a power of the size. Forms cannot separate steps from bytes there
// if they grow alike with the ranks. Lines keep a base that smaller messages may avoid by another
// protocol, and powers keep none.
func (b *blend) predict(p place, n float64) (mean, spread, apart float64, weights []float64) {
	least, most := b.sizes[0], b.sizes[len(b.sizes)-1]
	edge := min(max(n, least), most)
	atEdge, spread, weights := b.combine(p, edge)
	if n == edge {
		return atEdge, spread, 0, weights
	}
	ratio := max(1, n) / max(1, edge)
	if least == most {
		part := edge / (edge + halfSize)
		return atEdge + math.Log(1-part+part*ratio), spread, 0, weights
	}
	inner := 4.0
	if n > edge {
		inner = 1 / inner
	}
	atInner, _, _ := b.combine(p, inner*edge)
	byForms, _, _ := b.combine(p, n)
	// No message gets faster with its size, and none takes longer than in proportion to it.
	slope := min(1, max(0, (atInner-atEdge)/math.Log(inner)))
	byPower := atEdge + slope*math.Log(ratio)
	part := min(1, max(0, math.Expm1(atInner-atEdge)/(inner-1))) // of the edge's time: for bytes
	byLine := atEdge + math.Log(1-part+part*ratio)
	mean = stats.Mean([]float64{byForms, byLine, byPower})
	apart = math.Sqrt(stats.Mean([]float64{(byForms - mean) * (byForms - mean),
		(byLine - mean) * (byLine - mean), (byPower - mean) * (byPower - mean)}))
	return mean, spread, apart, weights
}
