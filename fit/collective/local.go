package collective

import (
	"math"
	"sync"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A localForm is a form with parameters that change with the size. At a call they are those of a
// regression over the measurements nearby, least squares of relative errors with parameters of at
// least 0: nearby are calls of similar sizes, on similar numbers of nodes (local regression,
// Cleveland 1979, with the columns of the form in place of polynomials). Protocols and chunks need
// no further columns: they change with the bytes, not with the nodes.
type localForm struct {
	*form
	points   []observation
	sizes    [][]float64 // of each place; if there is one place, of each point
	maxBeta  [2]float64  // the largest time per byte, µs: on one node, and on several
	onePlace bool
	missed   float64 // the mean of |log(measured/form)| over the points
}

// An observation is a measured time in µs, with the terms and the coordinate of its call.
type observation struct {
	coordinate
	terms callTerms
	t     float64
	left  float64 // log(measured/form)
}

// callTerms are the terms of a call, with the bytes that it sends.
type callTerms struct {
	terms
	bytes float64
}

func (f *form) callTerms(p place, n float64) callTerms {
	t := f.at(p)
	return callTerms{t, n * t.volume}
}

// A coordinate is where a call lies: lg of the bytes that decide the protocol, the same with
// latencyBytes added, lg of the nodes, and lg of the ranks on a node.
type coordinate struct{ step, size, nodes, perNode float64 }

// The ranges over which measurements inform each other, in octaves: of bytes and latencyBytes, and
// of the nodes and the ranks on a node. The weight falls by exp(-1) over a range. Steps of much
// fewer than latencyBytes take about as long as each other. Calls on one node and on several use
// other links: levelOctaves is their distance, so that the others decide only what the nearer ones
// leave open, even where bytes and steps between nodes are nearly alike.
const (
	sizeRange    = 0.35
	placeRange   = 2
	latencyBytes = 4096
	levelOctaves = 16
)

// coordinate returns that of a call. The protocol of MPI's steps is decided by the bytes of a step,
// and that of NCCL's rings and trees by the size of the call.
func (f *form) coordinate(p place, n float64) coordinate {
	t := f.at(p)
	if _, has := segmented[f.Name]; !has && !f.gpuRing && t.inside+t.between > 0 {
		n *= t.volume / (t.inside + t.between)
	}
	n = max(1, n) // a barrier has steps of no bytes
	return coordinate{
		step:    math.Log2(n),
		size:    math.Log2(n + latencyBytes),
		nodes:   math.Log2(p.nodes),
		perNode: math.Log2(p.perNode()),
	}
}

// octaves returns the distance of the places of two calls.
func (c *coordinate) octaves(o *coordinate) float64 {
	d := math.Abs(c.nodes-o.nodes) + math.Abs(c.perNode-o.perNode)
	if (c.nodes == 0) != (o.nodes == 0) {
		d += levelOctaves
	}
	return d
}

// fit returns the form with the points that its parameters come from, by place and size.
func (f *form) fit(points []measurement) *localForm {
	l := &localForm{form: f, onePlace: points[0].place == points[len(points)-1].place}
	sizes, least := map[float64]bool{}, [2]float64{math.Inf(1), math.Inf(1)}
	for i, s := range points {
		o := observation{coordinate: f.coordinate(s.place, s.size),
			terms: f.callTerms(s.place, s.size), t: s.time}
		l.points = append(l.points, o)
		if i == 0 || l.onePlace || s.place != points[i-1].place {
			l.sizes = append(l.sizes, nil)
		}
		last := len(l.sizes) - 1
		l.sizes[last] = append(l.sizes[last], o.size)
		if sizes[s.size] = true; o.terms.bytes > 0 {
			of := min(int(s.nodes), 2) - 1
			least[of] = min(least[of], s.time/o.terms.bytes)
		}
	}
	for i, t := range least {
		if len(sizes) > 1 && !math.IsInf(t, 1) { // else no size tells bytes from steps
			l.maxBeta[i] = slowestProtocol * t
		}
	}
	for i := range l.points {
		o := &l.points[i]
		t := l.time(&o.coordinate, &o.terms)
		o.left = math.Log(o.t / max(t, o.t/100)) // finite, also if the form has no time here
		l.missed += min(math.Abs(o.left), maxError) / float64(len(l.points))
	}
	return l
}

// maxError is the largest error of a call that counts in a mean of them, as a log.
const maxError = 0.5

// slowestProtocol is the largest factor between the times per byte of two protocols: without a
// bound, the bytes of small messages would stand in for any other growth with the ranks. NCCL's LL
// has a fourth of the bandwidth of Simple on rings (tuning.cc); copies through a host cost more.
const slowestProtocol = 16

// The columns of a regression over calls: the base, steps inside nodes, steps between nodes, bytes.
const (
	ofBase = iota
	ofInside
	ofBetween
	ofBytes
	columns = stats.MaxColumns
)

// The base of a call on several nodes is at most maxBase steps between them. NCCL's own model has
// 0.6 to 3.5 (tuning.cc: 8.4, 6.6 and 14 µs for steps of 14, 2.7 and 4 µs). Without a bound, a
// disturbed call on few nodes turns steps into base, and calls on many nodes come out too short.
// On one node the base is free. If one place was measured, steps and base are alike: the base is
// then taken to be one step between nodes, or launchSteps inside: NCCL's model has 6.6 µs beside
// steps of 0.6 µs over NVLink.
const (
	maxBase     = 3
	launchSteps = 11
)

// columns returns the columns of a call in the regression for a call on one node or on several.
func (l *localForm) columns(t *callTerms, oneNode bool) [columns]float64 {
	switch {
	case oneNode && l.onePlace:
		return [columns]float64{0, t.inside + launchSteps, t.between, t.bytes}
	case oneNode:
		return [columns]float64{1, t.inside, t.between, t.bytes}
	case l.onePlace:
		return [columns]float64{0, t.inside, t.between + 1, t.bytes}
	}
	return [columns]float64{t.between + maxBase, t.inside, t.between, t.bytes}
}

// farthest is the distance beyond the nearest measurement at which one is left out: its weight is
// below 1/400.
const farthest = 6

// buffers are of []float64, for the distances to all points.
var buffers = sync.Pool{New: func() any { return new([]float64) }}

// minPivot is the part of a column that has to be independent of the columns before it.
const minPivot = 1e-7

// time returns the time in µs of a call.
func (l *localForm) time(at *coordinate, terms *callTerms) (t float64) {
	x := l.columns(terms, at.nodes == 0)
	for i, v := range l.parameters(at) {
		t += v * x[i]
	}
	return t
}

// parameters returns the parameters of the columns for calls at a coordinate.
func (l *localForm) parameters(at *coordinate) [columns]float64 {
	distance := buffers.Get().(*[]float64)
	defer buffers.Put(distance)
	*distance = (*distance)[:0]
	nearest, sizes := math.Inf(1), sizeRange*l.sparse(at)
	for i := range l.points {
		o := &l.points[i].coordinate
		d := math.Abs(at.size-o.size)/sizes + at.octaves(o)/placeRange
		*distance = append(*distance, d)
		nearest = min(nearest, d)
	}
	var g stats.Gram
	oneNode := at.nodes == 0
	for i, d := range *distance {
		if d -= nearest; d < farthest {
			o := &l.points[i]
			x := l.columns(&o.terms, oneNode)
			g.Add(&x, o.t, math.Exp(-d)/(o.t*o.t)) // relative errors
		}
	}
	most := l.maxBeta[1]
	if oneNode || most == 0 {
		most = max(l.maxBeta[0], most)
	}
	return g.NonNegative(1<<columns-1, minPivot, most).Value
}

// sparse returns by how much the range over sizes is wider at a coordinate: in octaves, as far as
// the nearest size of a second place is, or if there is one place, the second size; at least 1.
func (l *localForm) sparse(at *coordinate) float64 {
	first, second := math.Inf(1), math.Inf(1)
	for _, sizes := range l.sizes {
		here := math.Inf(1)
		for _, s := range sizes {
			here = min(here, math.Abs(s-at.size))
		}
		first, second = min(first, here), min(second, max(first, here))
	}
	return max(1, second)
}

// The ranges of the kernels of residuals, over which a weight falls by exp(-1), in octaves of bytes
// and of places; and the weight of 0, which is relative to that of the nearest measurement, as each
// has noise.
const (
	residualSizes  = 0.3
	residualPlaces = 0.25
	residualNoise  = 0.05
)

// residual interpolates log(measured/form) by a mean over the measurements, weighted by kernels of
// the distance between coordinates (Nadaraya 1964, Watson 1964). Beyond all of them it has the
// value of the nearest: a form misses a size by as much on more nodes.
func (l *localForm) residual(c *coordinate) float64 {
	sum, weights, nearest := 0.0, 0.0, math.SmallestNonzeroFloat64
	for i := range l.points {
		o := &l.points[i]
		sizes, places := math.Abs(c.step-o.step), c.octaves(&o.coordinate)
		w := math.Exp(-sizes/residualSizes - places/residualPlaces)
		sum, weights, nearest = sum+w*o.left, weights+w, max(nearest, w)
	}
	return sum / (weights + residualNoise*nearest)
}

// predict returns the log of the time of a call by the form alone, and with what it misses nearby;
// NaN if the form's time is 0.
func (l *localForm) predict(p place, n float64) (alone, corrected float64) {
	c, terms := l.coordinate(p, n), l.callTerms(p, n)
	t := l.time(&c, &terms)
	if !(t > 0) {
		return math.NaN(), math.NaN()
	}
	alone = math.Log(t)
	return alone, alone + l.residual(&c)
}
