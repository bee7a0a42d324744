package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A blend predicts a collective by several forms, each weighted by how well it predicted the
// measurements that were held out.
type blend struct {
	table
	oneNode  bool // all ranks are on one node
	unplaced bool // the ranks on each node are not known
	forms    []*localForm
	// between has held-out places that lie between other places, beyond those with more nodes than
	// any place in the fit. With too few places for that, beyond has held-out sizes, and sizesOnly
	// is set; undescribed then says that no form describes all places, and sizesBetween has the
	// errors of predictions at these sizes, whose forms are corrected by the residuals nearby.
	between, beyond heldOut
	sizesBetween    heldOut
	// ahead has the calls on more than most ranks, the largest places, as predicted from the
	// others: own are logs of times in µs.
	ahead      heldOut
	most       float64
	aheadOfOne bool // the others are one place
	// fromOne has the errors of ahead if the others are one place.
	fromOne                heldOut
	sizesOnly, undescribed bool
	jobs                   jobs
	changed                libraryChange
}

// newBlend fits forms to the points of a table.
func newBlend(t table, oneNode bool, forms []form) *blend {
	b := &blend{
		table: t, oneNode: oneNode, jobs: jobsOf(t.points), changed: t.change(),
		forms: make([]*localForm, len(forms)),
	}
	parallel.For(len(forms), func(i int) { b.forms[i] = forms[i].fit(t.points, oneNode) })
	return b
}

const (
	maxFolds = 4 // groups of places that are held out in turn between other places
	// manySamples is the number above which two groups do, as each takes the time of a fit.
	manySamples = 1000
	maxHeld     = 240 // calls held out of one group
	// sizeFolds is the number of groups of sizes that are held out in turn.
	sizeFolds = 3
	// undescribedError is the error of calls that were held out at places in the fit, without their
	// residuals, above which no form describes these places.
	undescribedError = 0.3
)

// learn holds out places, and collects the errors of the candidates and of the blend.
func (b *blend) learn() {
	if inner := len(b.places) - 2; inner > 0 {
		folds := min(maxFolds, inner)
		if len(b.points) > manySamples {
			folds = min(folds, 2)
		}
		for f := range folds {
			b.holdOut(&b.between, func(s Point) bool {
				i, _ := slices.BinarySearchFunc(b.places, s.place(), comparePlaces)
				return i > 0 && i <= inner && (i-1)%folds == f
			})
		}
	}
	// Predictions beyond the measured places are judged by places that are up to four times as
	// large as those in the fit, as far as the measurements reach.
	last := 0.0
	for _, q := range b.places {
		last = max(last, q.ranks)
	}
	b.predictAhead(last)
	for _, limit := range []float64{last / aheadFactor, last / 2, last / 4} {
		b.holdOut(&b.beyond, func(s Point) bool { return float64(s.Ranks) > limit })
	}
	if b.sizesOnly = len(b.beyond.calls) == 0; b.sizesOnly {
		for f := range sizeFolds {
			b.holdOut(&b.beyond, func(s Point) bool {
				i, _ := slices.BinarySearch(b.sizes, float64(s.Size))
				return i > 0 && i < len(b.sizes)-1 && i%sizeFolds == f
			})
		}
	}
	for _, h := range []*heldOut{&b.between, &b.beyond, &b.sizesBetween} {
		logs := make([]float64, len(h.errors))
		for i, s := range h.calls {
			for k := range logs {
				logs[k] = h.errors[k][i]
			}
			var weights []float64
			if h == &b.sizesBetween {
				weights = b.mix(s.place(), logs, h.total[i], i)
			} else {
				weights = b.weights(h, logs, h.total[i], i)
			}
			own, _ := average(weights, logs)
			h.own = append(h.own, own)
		}
		h.normalize()
	}
	alike := func(int) float64 { return 1 }
	b.undescribed = b.sizesOnly && b.beyond.rootMeanSquare(alike) > undescribedError
}

// predictAhead predicts the calls of the largest places from those of the others, even of one.
func (b *blend) predictAhead(last float64) {
	b.most = last / aheadFactor
	kept, held := b.split(func(s Point) bool { return float64(s.Ranks) > b.most })
	if len(kept) < 2 {
		return
	}
	rest := b.without(kept)
	b.aheadOfOne = len(rest.places) == 1
	for i := 0; i < len(held); i += 1 + len(held)/maxHeld {
		s := held[i]
		at, n := s.place(), float64(s.Size)
		log, spread, _, _ := rest.predict(at, n)
		b.ahead.calls, b.ahead.own = append(b.ahead.calls, s), append(b.ahead.own, log)
		if b.aheadOfOne {
			expected := ofOnePlace*ofOnePlace*rest.octaves(at) + partSpread*partSpread*spread*spread
			b.fromOne.judge(s, b.totalLg(at, n), log, expected)
			b.fromOne.folds = append(b.fromOne.folds, len(kept))
		}
	}
}

// aheadFactor is the factor between the ranks of the largest places that are held out: those of the
// last third of an octave.
const aheadFactor = 1.3

// split returns the points that are kept, and those that are held out.
func (b *blend) split(out func(Point) bool) (kept, held []Point) {
	for _, s := range b.points {
		if out(s) {
			held = append(held, s)
		} else {
			kept = append(kept, s)
		}
	}
	return kept, held
}

// without fits the forms to the points that are kept.
func (b *blend) without(kept []Point) *blend {
	forms := make([]form, len(b.forms))
	for i, f := range b.forms {
		forms[i] = *f.form
	}
	return newBlend(newTable(kept, b.blockwise), b.oneNode, forms)
}

// holdOut fits the forms to the points that are not held out, and adds the errors at up to maxHeld
// held-out points to h. It does nothing if fewer than two points are left, or points of only one
// of several places.
func (b *blend) holdOut(h *heldOut, out func(Point) bool) {
	kept, held := b.split(out)
	if len(kept) < 2 {
		return
	}
	elsewhere := func(s Point) bool { return s.place() != kept[0].place() }
	if len(b.places) > 1 && !slices.ContainsFunc(kept, elsewhere) {
		return
	}
	rest := b.without(kept)
	for i := 0; i < len(held); i += 1 + len(held)/maxHeld {
		s := held[i]
		at, n := s.place(), float64(s.Size)
		h.add(s, b.totalLg(at, n), rest.candidates(at, n, b.sizesOnly))
		_, spread, _ := rest.combine(at, n)
		h.expected = append(h.expected, rest.variance(at, spread, true))
		h.folds = append(h.folds, len(kept))
		if b.sizesOnly {
			b.sizesBetween.add(s, b.totalLg(at, n), rest.candidates(at, n, false))
			b.sizesBetween.gaps = append(b.sizesBetween.gaps, rest.gap(at, n))
		}
	}
}

// The parts of an expected variance, frozen with the constants of intervals.
const (
	leastDeviation = 0.04
	unseenGrowth   = 0.1
	memoryGrowth   = 0.115 // of the cores of a node, which share its memory
	partSpread     = 0.8
	// ofOnePlace is the deviation of a call an octave beyond the one place of a fit, where steps
	// and base are alike.
	ofOnePlace = 0.2
)

// variance returns the expected variance of the log of measured over predicted: by jobs, by the
// spread of the forms, and by growth that begins beyond the measured places. If grows is not set,
// growth is left out: on more nodes than were measured, steps seldom become faster.
func (b *blend) variance(p place, spread float64, grows bool) float64 {
	octaves := b.octaves(p)
	forms := leastDeviation*leastDeviation + partSpread*partSpread*spread*spread
	switch {
	case !grows || b.inside(p):
	case b.oneNode && !onGPUs(b.points):
		forms += memoryGrowth * memoryGrowth * octaves * octaves
	default:
		// Between the squares of a walk, whose octaves grow apart, and of a trend.
		forms += unseenGrowth * unseenGrowth * math.Pow(octaves, 1.5)
	}
	return forms + b.jobs.variance(octaves/b.spanned(place.ofNodes))
}

// stepGrowth is the log of the factor by which steps take longer for each octave beyond two numbers
// of nodes that are an octave apart: on larger parts of a network, ranks are farther apart and
// share more links. Two numbers do not show it; three do. Two that are farther apart show a part of
// it.
const stepGrowth = 0.08

// growth returns the log of the factor by which steps take longer on more nodes than were measured.
func (b *blend) growth(p place) float64 {
	if b.oneNode || b.unplaced || len(b.places) != 2 || p.nodes <= b.places[1].nodes {
		return 0
	}
	return stepGrowth * b.octaves(p) / b.spanned(place.ofNodes)
}

// candidates returns the log of the time by each form and by interpolations, NaN if unavailable.
// Between measured places, forms are corrected by their residuals at the places on both sides,
// otherwise by residuals nearby; formsOnly are not corrected.
func (b *blend) candidates(p place, n float64, formsOnly bool) (logs []float64) {
	for _, f := range b.forms {
		left := math.NaN()
		if formsOnly {
			left = 0
		} else if b.inside(p) {
			left = b.interpolate(p, n, 0, func(i int) float64 { return f.points[i].left })
		}
		logs = append(logs, f.corrected(p, n, left, b.growth(p)))
	}
	logTime := func(i int) float64 { return math.Log(float64(b.points[i].Time)) }
	bend := func(n float64) float64 {
		return b.interpolate(p, n, 1, logTime) - b.interpolate(p, n, 0, logTime)
	}
	sides := slices.DeleteFunc([]float64{bend(n / 2), bend(2 * n)}, math.IsNaN)
	nearest := b.interpolate(p, n, 0, logTime)
	return append(logs, nearest, nearest+smoothing*(bend(n)-stats.Mean(sides)))
}

// The weight of a candidate is its prior times (mean error + evidenceFloor)^-power, with the larger
// power between places, as errors there say more about the next. The weight of a held-out call
// falls by exp(-1) for each evidenceRange octaves of its total bytes.
const (
	evidenceFloor = 0.03
	powerBeyond   = 4
	powerBetween  = 8
	evidenceRange = 3
	maxError      = 0.5 // the weight of a larger error
	// interpolation is the weight of interpolation if no place between two places was held out, and
	// its prior beyond all places. Between places its prior is higher than a form's, as places that
	// are held out lie farther from the remaining places than a call does.
	interpolation        = 0.3
	interpolationBetween = 2
	// Smoothed interpolation leans towards the line through the places behind the nearest, up to
	// maxSpan apart, by this part of their difference, as far as half and twice the size do not
	// have it too: the times bend at all sizes, and a disturbed call differs at one.
	smoothing = 0.2
)

// weights returns the weights of the candidates, of sum 1; those of candidates that are NaN are 0.
// The held-out call of the index without does not count; -1 is none.
func (b *blend) weights(h *heldOut, logs []float64, total float64, without int) []float64 {
	w := make([]float64, len(logs))
	k, all, power := len(b.forms), 0.0, float64(powerBeyond)
	if h == &b.between {
		power = powerBetween
	}
	for i, v := range logs {
		if math.IsNaN(v) || i >= k && b.sizesOnly && h == &b.beyond {
			continue
		}
		sum, count := 0.0, 0.0
		for j := range h.calls {
			e := h.errors[i][j]
			if j != without && !math.IsNaN(e) {
				near := math.Exp(-math.Abs(total-h.total[j]) / evidenceRange)
				sum, count = sum+near*min(math.Abs(e), maxError), count+near
			}
		}
		switch w[i] = math.Pow(sum/max(count, 1e-9)+evidenceFloor, -power); {
		case i < k:
			w[i] *= b.forms[i].priorFor(b.oneNode)
		case h == &b.beyond:
			w[i] *= interpolation
		case i == k:
			w[i] *= interpolationBetween
		}
		all += w[i]
	}
	for i := range w {
		w[i] /= max(all, math.SmallestNonzeroFloat64)
	}
	return w
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

// Beyond the measured sizes, the slope of the time over the size comes from edgeOctaves octaves of
// measured sizes. One size has no slope: half of its time is then taken to be for bytes if it is
// halfSize (Hockney's n½), and nearly all if it is much larger.
const (
	edgeOctaves = 2
	halfSize    = 16384
)

// predict returns the log of the time in µs, the spread of the candidates, and their weights.
// Beyond the measured sizes the log is the mean of three continuations, which are apart by a
// standard deviation: the forms, whose steps and
// bytes differ by place; a line through the largest or smallest sizes; and a power of the size.
// Forms cannot separate steps from bytes there if they grow alike with the ranks. Lines keep a base
// that smaller messages may avoid by another protocol, and powers keep none.
func (b *blend) predict(p place, n float64) (mean, spread, apart float64, weights []float64) {
	least, most := b.sizeEnds()
	edge := min(max(n, least), most)
	if n == edge {
		mean, spread, weights = b.combine(p, n)
		return mean, spread, 0, weights
	}
	atEdge, spread, weights := b.combine(p, edge)
	ratio := max(1, n) / max(1, edge)
	if least == most {
		part := edge / (edge + halfSize)
		return atEdge + math.Log(1-part+part*ratio), spread, 0, weights
	}
	inner := math.Exp2(edgeOctaves)
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
	equal := []float64{1. / 3, 1. / 3, 1. / 3}
	mean, apart = average(equal, []float64{byForms, byLine, byPower})
	return mean, spread, apart, weights
}

// combine returns the log of the time in µs by the weighted candidates, their spread and weights.
func (b *blend) combine(p place, n float64) (mean, spread float64, weights []float64) {
	logs := b.candidates(p, n, false)
	weights = b.mix(p, logs, b.totalLg(p, n), -1)
	mean, spread = average(weights, logs)
	return mean, spread, weights
}

// mix returns the weights of the candidates of a call, for which the held-out call of the index
// without does not count; -1 is none. Interpolation has a fixed part between places if no place
// between two places was held out.
func (b *blend) mix(p place, logs []float64, total float64, without int) []float64 {
	h, k := &b.beyond, len(b.forms)
	if b.inside(p) && len(b.between.calls) > 0 {
		h = &b.between
	}
	weights := b.weights(h, logs, total, without)
	if b.inside(p) && h == &b.beyond && !math.IsNaN(logs[k]) {
		forms := 0.0
		for _, w := range weights[:k] {
			forms += w
		}
		for i := range k {
			weights[i] *= (1 - interpolation) / max(forms, math.SmallestNonzeroFloat64)
		}
		weights[k], weights[k+1] = interpolation, 0
	}
	return weights
}

// similar returns the time in µs of similar calls: that of the forms, without what they miss.
func (b *blend) similar(p place, n float64) float64 {
	logs := b.candidates(p, n, true)
	logs[len(b.forms)], logs[len(b.forms)+1] = math.NaN(), math.NaN()
	mean, _ := average(b.weights(&b.beyond, logs, b.totalLg(p, n), -1), logs)
	return math.Exp(mean)
}
