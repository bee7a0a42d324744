package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A form is a method of fitting pieces of lines to points, for results, cross-validation and
// bootstraps.
type form struct {
	name   string // "linear", "piecewise", "envelope", "table"
	method Method
	k      int // segments; 0 lets the criterion choose
	// known holds the last sizes of segments if these are given.
	known []quantity.Bytes
}

// A piece is a line over the next points points; it serves sizes up to until, in bytes.
type piece struct {
	line
	points int
	until  float64
}

// fit returns the pieces of the model over points, which are sorted by size.
func (m form) fit(points []Point, quantum float64) ([]piece, []Break) {
	if m.known != nil {
		return fitRegimes(points, m.method, m.known), nil
	}
	switch m.name {
	case "piecewise":
		return fitPiecewise(points, m.k, quantum)
	case "envelope":
		return fitEnvelope(points), nil
	case "table":
		return fitTable(points), nil
	}
	return []piece{{fitLine(points, m.method), len(points), math.Inf(1)}}, nil
}

func (m form) minPoints() int {
	switch m.name {
	case "piecewise", "envelope":
		return 2 * max(2, m.k)
	}
	return 2
}

func (m form) result(t *benchfile.Table) (*Result, error) {
	points, kind, warnings, err := prepare(t)
	if err != nil {
		return nil, err
	}
	pieces, breaks := m.fit(points, resolution(t))
	return newResult(t, m, kind, points, pieces, breaks, warnings), nil
}

func valueAt(pieces []piece, n float64) float64 {
	for i := range pieces[:len(pieces)-1] {
		if n <= pieces[i].until {
			return pieces[i].at(n)
		}
	}
	return pieces[len(pieces)-1].at(n)
}

func join[S ~string](names []S) string {
	s := list.Map(names, func(n S) string { return string(n) })
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

// PerSize returns the table itself, with straight lines between its sizes and the last line beyond:
// parameterised LogP (Kielmann, Bal, Verstoep 2000), without a functional form. It passes through
// every point, so its errors are zero; [Auto] estimates its real error by cross-validation. A
// segment is the line from one size to the next, and its β may be negative.
func PerSize(t *benchfile.Table) (*Result, error) {
	return form{name: "table"}.result(t)
}

func fitTable(points []Point) []piece {
	pieces := make([]piece, 0, len(points)-1)
	for i := 1; i < len(points); i++ {
		p, q := points[i-1], points[i]
		l := line{tau: float64(q.Time-p.Time) / float64(q.Size-p.Size), betaLow: math.Inf(-1), tauLow: math.Inf(-1), betaHigh: math.Inf(1), tauHigh: math.Inf(1)}
		l.beta = float64(p.Time) - l.tau*float64(p.Size)
		l.freeBeta, l.freeTau = l.beta, l.tau
		n := 1
		if i == 1 {
			n = 2 // the first line has both its ends
		}
		pieces = append(pieces, piece{l, n, float64(q.Size)})
	}
	return pieces
}

// Envelope fits the lower envelope of two lines, T(n) = min(β₁+nτ₁, β₂+nτ₂) with β₁ < β₂ and τ₁ >
// τ₂: a system that chooses the faster of two mechanisms, PIO or DMA. It is continuous, and bends
// down where the lines cross. If no such envelope is better than one line, the result has one
// segment.
func Envelope(t *benchfile.Table) (*Result, error) {
	return form{name: "envelope", method: Relative}.result(t)
}

// maxStarts is the number of initial divisions of the search.
const maxStarts = 24

// fitEnvelope starts from divisions in two parts, and moves points to the line that is lower at
// their size until none moves. It returns the result with the minimum sum of squared relative
// errors.
func fitEnvelope(points []Point) []piece {
	n := len(points)
	one := piece{fitLine(points, Relative), n, math.Inf(1)}
	best, least := []piece{one}, squares(points, []piece{one})
	stride := max(1, n/maxStarts)
	seen := map[int]bool{}
	for start := 2; start <= n-2; start += stride {
		for cut := start; cut >= 2 && cut <= n-2 && !seen[cut]; {
			seen[cut] = true
			a, b := fitLine(points[:cut], Relative), fitLine(points[cut:], Relative)
			if a.beta >= b.beta || a.tau <= b.tau {
				break
			}
			cross := (b.beta - a.beta) / (a.tau - b.tau)
			cut = 0
			for cut < n && float64(points[cut].Size) <= cross {
				cut++
			}
			if cut == 0 || cut == n {
				break
			}
			pieces := []piece{{a, cut, cross}, {b, n - cut, math.Inf(1)}}
			if s := squares(points, pieces); s < least {
				best, least = pieces, s
			}
		}
	}
	return best
}

func squares(points []Point, pieces []piece) (sum float64) {
	for _, p := range points {
		e := float64(p.Time)/valueAt(pieces, float64(p.Size)) - 1
		sum += float64(p.Count) * e * e
	}
	return sum
}

// Regimes fits a line to each range of sizes of a system whose protocol changes after the sizes
// upTo, which ascend. If they are unknown, use [Piecewise]. Each range needs at least two sizes.
func Regimes(t *benchfile.Table, m Method, upTo ...quantity.Bytes) (*Result, error) {
	if !slices.Contains(Methods, m) {
		return nil, fmt.Errorf("unknown method %q; choose from %s", m, join(Methods))
	}
	if !slices.IsSorted(upTo) {
		return nil, fmt.Errorf("%s: the sizes after which the protocol changes do not ascend: %v", t.Name(), upTo)
	}
	sizes := make([]int, len(upTo)+1)
	for _, s := range t.Samples {
		if s.Size > 0 {
			at, _ := slices.BinarySearch(upTo, s.Size)
			sizes[at]++
		}
	}
	if i := slices.IndexFunc(sizes, func(n int) bool { return n < 2 }); i >= 0 {
		return nil, fmt.Errorf("%s: %w: %d sizes in range %d of those between the changes at %v; a line needs 2", t.Name(), ErrNoData, sizes[i], i+1, upTo)
	}
	return form{name: "piecewise", method: m, known: append(slices.Clone(upTo), quantity.Bytes(math.Inf(1)))}.result(t)
}

// fitRegimes returns a line for each range that has points.
func fitRegimes(points []Point, m Method, known []quantity.Bytes) (pieces []piece) {
	for _, upTo := range known {
		end := slices.IndexFunc(points, func(p Point) bool { return p.Size > upTo })
		if end < 0 {
			end = len(points)
		}
		if end > 0 {
			pieces = append(pieces, piece{fitLine(points[:end], m), end, float64(upTo)})
			points = points[end:]
		}
	}
	return pieces
}

// Layer returns the result as a layer of a platform: one line as
// [model.Linear], several as a [model.Switch] between them. The time of an operation
// or a collective, and the gap of a stream, stand for the cost of a message; interpret the
// layer's costs accordingly. A per-size table and overheads cannot be layers.
func (r *Result) Layer() (model.Layer, error) {
	switch r.Kind {
	case benchfile.OneWay, benchfile.Stage, benchfile.Operation, benchfile.Collective, benchfile.Gap:
	default:
		return nil, fmt.Errorf("%s: the %v is not the time of a message, so it cannot be a layer", r.Name, r.Kind)
	}
	if r.Model == "table" {
		t := new(model.Table)
		for _, p := range r.Points {
			t.Sizes, t.Times = append(t.Sizes, p.Size), append(t.Times, p.Time)
		}
		return t, nil
	}
	lines := make([]model.Branch, len(r.Segments))
	for i, s := range r.Segments {
		lines[i] = model.Branch{
			Name:  fmt.Sprintf("segment %d", i+1),
			UpTo:  s.upTo,
			Layer: &model.Linear{Beta: s.Beta.Value, Tau: s.Tau.Value},
		}
	}
	if len(lines) == 1 {
		return lines[0].Layer, nil
	}
	return &model.Switch{Branches: lines}, nil
}
