package fitted

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A localForm is a form with parameters that change with the size. At a call they are those of a
// regression over the measurements of similar sizes, least squares of relative errors with
// parameters of at least 0 (local regression, Cleveland 1979, with the columns of the form in place
// of polynomials). Protocols and chunks need no further columns: they change with the bytes, not
// with the nodes.
type localForm struct {
	*form
	points   []observation // by place and size
	several  int           // of the points, the first on several nodes
	sizes    [][]float64   // of each place; if there is one place, of each point
	columns  int           // the set of those that are fitted
	onePlace bool
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

// Steps of much fewer than latencyBytes take about as long as each other.
const latencyBytes = 4096

// coordinate returns that of a call. The protocol is decided by the bytes of a step, and of
// segmented algorithms by the size of the call.
func (f *form) coordinate(p place, n float64) coordinate {
	t := f.at(p)
	if _, has := segmented[f.Name]; !has && t.inside+t.between > 0 {
		n *= t.volume / (t.inside + t.between)
	}
	n = max(1, n) // a barrier has steps of no bytes
	return coordinate{math.Log2(n), math.Log2(n + latencyBytes), math.Log2(p.nodes),
		math.Log2(p.perNode())}
}

// fit returns the form with the points that its parameters come from, by place and size.
func (f *form) fit(points []measurement) *localForm {
	first, last := points[0], points[len(points)-1]
	l := &localForm{form: f, onePlace: first.place == last.place}
	for i, s := range points {
		o := observation{coordinate: f.coordinate(s.place, s.size),
			terms: f.callTerms(s.place, s.size), t: s.time}
		l.points = append(l.points, o)
		if i == 0 || l.onePlace || s.place != points[i-1].place {
			l.sizes = append(l.sizes, nil)
		}
		last := len(l.sizes) - 1
		l.sizes[last] = append(l.sizes[last], o.size)
		if s.nodes == 1 {
			l.several = i + 1
		}
	}
	l.columns = 1<<columns - 1
	if !slices.ContainsFunc(points, func(s measurement) bool { return s.size != first.size }) {
		l.columns &^= 1 << ofBytes // no size tells bytes from steps
	}
	for i := range l.points {
		o := &l.points[i]
		t := l.time(&o.coordinate, &o.terms)
		o.left = math.Log(o.t / max(t, o.t/100)) // finite, also if the form has no time here
	}
	return l
}

// level returns the points of one node, or of several: they use other links. The points are all if
// there are none at the level.
func (l *localForm) level(oneNode bool) []observation {
	own := l.points[l.several:]
	if oneNode {
		own = l.points[:l.several]
	}
	if len(own) == 0 {
		return l.points
	}
	return own
}

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

// row returns the columns of a call in the regression for a call on one node or on several.
func (l *localForm) row(t *callTerms, oneNode bool) [columns]float64 {
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

const (
	// sizeRange is the range in octaves of bytes, and for residuals of places, over which the
	// weight of a measurement falls by exp(-1).
	sizeRange = 0.35
	// farthest is the distance in ranges beyond the nearest measurement at which one is left out:
	// its weight is below 1/400. Fits of thousands of calls take a twentieth of the time.
	farthest = 6
	// minPivot is the part of a column that has to be independent of the columns before it.
	minPivot = 1e-7
)

// time returns the time in µs of a call.
func (l *localForm) time(at *coordinate, terms *callTerms) (t float64) {
	x := l.row(terms, at.nodes == 0)
	for i, v := range l.parameters(at) {
		t += v * x[i]
	}
	return t
}

// parameters returns the parameters of the columns for calls at a coordinate.
func (l *localForm) parameters(at *coordinate) [columns]float64 {
	oneNode := at.nodes == 0
	nearest, sizes, points := math.Inf(1), sizeRange*l.sparse(at), l.level(oneNode)
	for i := range points {
		nearest = min(nearest, math.Abs(at.size-points[i].size)/sizes)
	}
	var g stats.Gram
	for i := range points {
		o := &points[i]
		if d := math.Abs(at.size-o.size)/sizes - nearest; d < farthest {
			x := l.row(&o.terms, oneNode)
			g.Add(&x, o.t, math.Exp(-d)/(o.t*o.t)) // relative errors
		}
	}
	return g.NonNegative(l.columns, minPivot).Value
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

// residual interpolates log(measured/form) by a mean over the measurements, weighted by kernels of
// the distance between coordinates (Nadaraya 1964, Watson 1964). Beyond all of them it has the
// value of the nearest: a form misses a size by as much on more nodes. The measurement of the index
// without does not count; -1 is none.
func (l *localForm) residual(c *coordinate, without int) float64 {
	sum, weights := 0.0, math.SmallestNonzeroFloat64
	for i := range l.points {
		if i == without {
			continue
		}
		o := &l.points[i]
		places := math.Abs(c.nodes-o.nodes) + math.Abs(c.perNode-o.perNode)
		w := math.Exp(-(math.Abs(c.step-o.step) + places) / sizeRange)
		sum, weights = sum+w*o.left, weights+w
	}
	return sum / weights
}

// predict returns the log of the time of a call by the form, with what it misses nearby, without
// the measurement of that index, -1: with all; NaN if the form's time is 0.
func (l *localForm) predict(p place, n float64, without int) float64 {
	c, terms := l.coordinate(p, n), l.callTerms(p, n)
	t := l.time(&c, &terms)
	if !(t > 0) {
		return math.NaN()
	}
	return math.Log(t) + l.residual(&c, without)
}
