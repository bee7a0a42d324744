package collective

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// maxBase is the largest base of a call on several nodes, in steps between them. NCCL's own
// model has 0.6 to 3.5 (tuning.cc: 8.4, 6.6 and 14 µs for steps of 14, 2.7 and 4 µs). Without a
// bound, a disturbed call on few nodes turns steps into base, and calls on many nodes come out
// too short.
const maxBase = 3

// The ranges over which measurements inform each other, in octaves: of the bytes of a step and
// latencyBytes, and of the nodes and the ranks on a node. The weight falls by exp(-1) over a range.
// Steps of much fewer than latencyBytes take about as long as each other. Chosen on the shared
// data; see docs/validation/fits.md.
const (
	sizeRange    = 0.35
	placeRange   = 2
	latencyBytes = 4096
)

// A localForm is a form with parameters that change with the size of a step. At a call they are
// those of a regression over the measurements nearby, least squares of relative errors with
// parameters of at least 0: nearby are the steps of the same bytes, on similar numbers of nodes
// (local regression, Cleveland 1979, with the columns of the form in place of polynomials).
// Protocols and chunks need no further columns: they change with the bytes of a step, not with the
// nodes.
type localForm struct {
	*form
	points  []observation
	sizes   [][]float64 // of sizesByPlace
	maxBeta float64     // the largest time per byte, µs
	// At one place the base and the steps are alike: the base is then assumed, in steps.
	onePlace     bool
	assumedSteps float64
	oneNode      bool
}

// An observation is a measured time in µs, with the columns and the coordinate of its call.
type observation struct {
	coordinate
	x     [columns]float64
	t     float64
	bytes float64 // of the call
	left  float64 // log(measured/form)
}

// fit returns the form with the points that its parameters come from.
func (f *form) fit(points []Point, oneNode bool) *localForm {
	l := &localForm{form: f, oneNode: oneNode}
	elsewhere := func(s Point) bool { return s.place() != points[0].place() }
	if l.onePlace = !slices.ContainsFunc(points, elsewhere); l.onePlace {
		l.assumedSteps = assumedBase(points, oneNode)
	}
	for _, s := range points {
		at, n := s.place(), float64(s.Size)
		o := observation{f.coordinate(at, n), l.columns(at, n), float64(s.Time), n, 0}
		l.points = append(l.points, o)
	}
	l.maxBeta = l.largestBeta()
	l.sizes = l.sizesByPlace()
	for i := range l.points {
		o := &l.points[i]
		t, _ := l.time(o.coordinate, &o.x)
		o.left = math.Log(o.t / max(t, o.t/100)) // finite, also if the form has no time here
	}
	return l
}

// columns returns the columns of a call. On several nodes that of the base has maxBase together
// with the steps between nodes: sums of the two columns with parameters of at least 0 are the lines
// with a base of at most maxBase steps.
func (l *localForm) columns(p place, n float64) [columns]float64 {
	t, base := l.at(p), 1.0
	if !l.oneNode {
		base = maxBase + t.between
	}
	return [columns]float64{base, t.inside, t.between + l.assumedSteps, n * t.volume}
}

// The base of calls at one place, in steps, and the time in µs from which on a call on few ranks
// of a node is taken to be one of GPUs. NCCL's model has 6.6 µs beside steps of 0.6 µs over
// NVLink, and starting a kernel takes 5 µs (tuning.cc, LL), where MPI's calls among the cores of a
// node take 1 or 2. Between nodes its base is 0.5 to 3 steps.
const (
	launchSteps = 11
	launchTime  = 5
	entrySteps  = 1
)

// assumedBase returns the base of calls that were all measured at one place, in steps.
func assumedBase(points []Point, oneNode bool) float64 {
	if oneNode && onGPUs(points) {
		return launchSteps
	}
	return entrySteps
}

// onGPUs reports whether calls on few ranks of a node are taken to be those of GPUs.
func onGPUs(points []Point) bool {
	byTime := func(a, b Point) int { return cmp.Compare(a.Time, b.Time) }
	return slices.MinFunc(points, byTime).Time >= launchTime
}

// sizesByPlace returns the sizes of the points of each place, ascending; if there is one place, of
// each point.
func (l *localForm) sizesByPlace() (all [][]float64) {
	for i, o := range l.points {
		first := i == 0 || l.onePlace
		if first || o.nodes != l.points[i-1].nodes || o.perNode != l.points[i-1].perNode {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], o.size)
	}
	for _, sizes := range all {
		slices.Sort(sizes)
	}
	return all
}

// slowestProtocol is the largest factor between the times per byte of two protocols. NCCL's LL has
// a fourth of the bandwidth of Simple on rings (tuning.cc), and copies through a host cost more.
const slowestProtocol = 16

// largestBeta returns the largest time per byte: without a bound, the volume of small messages
// would stand in for any other growth with the ranks. It is 0 for points of one size.
func (l *localForm) largestBeta() (beta float64) {
	least, sizes := math.Inf(1), map[float64]bool{}
	for i := range l.points {
		if bytes := l.points[i].x[ofBytes]; bytes > 0 {
			least = min(least, l.points[i].t/bytes)
		}
		sizes[l.points[i].bytes] = true
	}
	if len(sizes) < 2 || math.IsInf(least, 1) {
		return 0
	}
	return slowestProtocol * least
}

// corrected returns the log of the form's time plus left, or if that is NaN, plus the residuals
// nearby. All that is not for bytes takes exp(growth) times as long. The log is NaN if the form's
// time is 0.
func (l *localForm) corrected(p place, n, left, growth float64) float64 {
	c, x := l.coordinate(p, n), l.columns(p, n)
	if math.IsNaN(left) {
		left = l.residual(c)
	}
	t, bytes := l.time(c, &x)
	t += (t - bytes) * math.Expm1(growth)
	if !(t > 0) {
		return math.NaN()
	}
	return math.Log(t) + left
}

// farthest is the distance beyond the nearest measurement at which one is left out: its weight is
// below 1/400.
const farthest = 6

// buffers are of []float64, for the distances to all points.
var buffers = sync.Pool{New: func() any { return new([]float64) }}

// time returns the time in µs of a call at a coordinate, and the part of it that is for bytes.
func (l *localForm) time(at coordinate, x *[columns]float64) (t, bytes float64) {
	distance := buffers.Get().(*[]float64)
	defer buffers.Put(distance)
	*distance = slices.Grow((*distance)[:0], len(l.points))
	nearest, sizes := math.Inf(1), l.sizeRange(at)
	for i := range l.points {
		d := at.distance(l.points[i].coordinate, sizes)
		*distance = append(*distance, d)
		nearest = min(nearest, d)
	}
	var g stats.Gram
	for i, d := range *distance {
		if d -= nearest; d < farthest {
			o := &l.points[i]
			g.Add(&o.x, o.t, kernel(d)/(o.t*o.t)) // relative errors
		}
	}
	set := 1<<columns - 1
	if l.onePlace {
		set-- // without the base
	}
	for i, v := range g.NonNegative(set, minPivot, l.maxBeta).Value {
		bytes = v * x[i] // of the last column
		t += bytes
	}
	return t, bytes
}

// sizeRange returns the range over sizes at a coordinate: wider than the constant if the nearest
// size of a second place, or if there is one place, the second size, is more than an octave away.
func (l *localForm) sizeRange(at coordinate) float64 {
	first, second := math.Inf(1), math.Inf(1)
	for _, sizes := range l.sizes {
		here := math.Inf(1)
		i, _ := slices.BinarySearch(sizes, at.size)
		if i < len(sizes) {
			here = sizes[i] - at.size
		}
		if i > 0 {
			here = min(here, at.size-sizes[i-1])
		}
		first, second = min(first, here), min(second, max(first, here))
	}
	return sizeRange * max(1, second)
}

// kernel returns exp(-d) for d up to farthest, or a little less, in a third of the time: (1 -
// d/64)^64.
func kernel(d float64) float64 {
	w := 1 - d/64
	w *= w
	w *= w
	w *= w
	w *= w
	w *= w
	return w * w
}

// minPivot is the part of a column that has to be independent of the columns before it.
const minPivot = 1e-7

// A coordinate is where a call lies: lg of the bytes of a step and latencyBytes, of the bytes of a
// step, of the nodes, and of the ranks on a node.
type coordinate struct{ size, step, nodes, perNode float64 }

// placeOctaves returns the distance of two places in octaves.
func (c coordinate) placeOctaves(o coordinate) float64 {
	return math.Abs(c.nodes-o.nodes) + math.Abs(c.perNode-o.perNode)
}

// distance returns the distance in ranges, so that weights are exp(-distance).
func (c coordinate) distance(o coordinate, sizeRange float64) float64 {
	return math.Abs(c.size-o.size)/sizeRange + c.placeOctaves(o)/placeRange
}

func (f *form) coordinate(p place, n float64) coordinate {
	step := max(1, f.stepBytes(p, n)) // a barrier has steps of no bytes
	return coordinate{
		size:    math.Log2(step + latencyBytes),
		step:    math.Log2(step),
		nodes:   math.Log2(p.nodes),
		perNode: math.Log2(p.perNode()),
	}
}

// The ranges of the kernels of residuals, over which a weight falls by exp(-1), in octaves of the
// bytes of a step and of places; and the weight of 0, which is relative to that of the nearest
// measurement, as each has noise. Chosen on the published data; see docs/validation/fits.md.
const (
	residualSizes  = 0.3
	residualPlaces = 0.5
	residualNoise  = 0.05
)

// residual interpolates log(measured/form) by a mean over the measurements, weighted by kernels of
// the distance between coordinates (Nadaraya 1964, Watson 1964). Beyond all of them it has the
// value of the nearest: a form misses a size by as much on more nodes.
func (l *localForm) residual(c coordinate) float64 {
	sum, weights, nearest := 0.0, 0.0, math.SmallestNonzeroFloat64
	for i := range l.points {
		o := &l.points[i]
		sizes, places := math.Abs(c.step-o.step), c.placeOctaves(o.coordinate)
		w := math.Exp(-sizes/residualSizes - places/residualPlaces)
		sum, weights, nearest = sum+w*o.left, weights+w, max(nearest, w)
	}
	return sum / (weights + residualNoise*nearest)
}
