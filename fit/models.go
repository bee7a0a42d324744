package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Linear fits T(n) = β + nτ to a table, with β ≥ 0 and τ ≥ 0 (Hockney; CLIP
// §4.2.2.2 eq. 1). Every size is a point, weighted by the number of its rows. The
// intervals come from the scatter of the points about the line, with Student's t: they
// hold if that scatter is noise, and warnings report where it is not. Fewer than two sizes above 0
// give [ErrNoData].
func Linear(t *benchfile.Table, m Method) (*Result, error) {
	m = cmp.Or(m, Likeliest)
	if err := m.check(); err != nil {
		return nil, err
	}
	return form{name: "linear", method: m}.result(t)
}

// Piecewise fits k lines over ranges of sizes, with or without jumps between them. Dynamic
// programming over the sizes (Bellman 1961, Bai and Perron 2003) finds the k−1 breaks with the
// minimum sum of squared relative errors. With k = 0, an information criterion chooses the number,
// up to [MaxSegments]; it counts a break as a parameter, so that lines that only fit noise are not
// added. Each segment has at least 3 sizes; with k given, 2 if there are no more.
func Piecewise(t *benchfile.Table, k int) (*Result, error) {
	n := 0
	for _, s := range t.Samples {
		if s.Size > 0 {
			n++
		}
	}
	if k < 0 || k > 1 && 2*k > n {
		return nil, fmt.Errorf("%s: %w with %d segments: %d sizes allow 1 to %d segments, "+
			"each of at least 2 sizes", t.Name(), ErrNoData, k, n, n/2)
	}
	return form{name: "piecewise", method: Relative, k: k}.result(t)
}

// Regimes fits a line to each range of sizes of a system whose protocol changes after the sizes
// upTo, which ascend. If they are unknown, use [Piecewise]. Fewer than two sizes in a range give
// [ErrNoData].
func Regimes(t *benchfile.Table, m Method, upTo ...quantity.Bytes) (*Result, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if !slices.IsSorted(upTo) {
		return nil, fmt.Errorf("%s: the sizes after which the protocol changes do not ascend: %v",
			t.Name(), upTo)
	}
	sizes := make([]int, len(upTo)+1)
	for _, s := range t.Samples {
		if s.Size > 0 {
			at, _ := slices.BinarySearch(upTo, s.Size)
			sizes[at]++
		}
	}
	if i := slices.IndexFunc(sizes, func(n int) bool { return n < 2 }); i >= 0 {
		return nil, fmt.Errorf("%s: %w: %d sizes in range %d of those between the changes at %v; "+
			"a line needs 2", t.Name(), ErrNoData, sizes[i], i+1, upTo)
	}
	ends := append(slices.Clone(upTo), quantity.Bytes(math.Inf(1)))
	return form{name: "piecewise", method: m, known: ends}.result(t)
}

// PerSize returns the table itself, with straight lines between its sizes and the last line beyond:
// parameterised LogP (Kielmann, Bal, Verstoep 2000), without a functional form. It passes through
// every point, so its errors are zero; [Auto] estimates its real error by cross-validation. A
// segment is the line from one size to the next, and its β may be negative.
func PerSize(t *benchfile.Table) (*Result, error) {
	return form{name: "table"}.result(t)
}

func (m form) result(t *benchfile.Table) (*Result, error) {
	points, kind, warnings, err := prepare(t)
	if err != nil {
		return nil, err
	}
	pieces, breaks := m.fit(points, resolution(t))
	if m.name != "table" {
		addIntervals(points, pieces, breaks)
	}
	r := &Result{
		Name: t.Name(), Format: t.Format, Kind: kind, Model: m.name, Method: string(m.method),
		Breaks: breaks, Points: points, Warnings: warnings,
		form: m, pieces: pieces, quantum: resolution(t),
	}
	at := 0
	for i, p := range pieces {
		s := Segment{
			From: points[at].Size, To: points[at+p.points-1].Size, Points: p.points,
			Beta: p.beta,
			Tau:  p.tau,
		}
		v := p.varBeta * p.varTau
		// Below, the deviations are those of rounding, and the file shows none.
		const exact = sameTime * sameTime
		known := v > math.Pow(exact*p.beta.Value*p.tau.Value, 2) && !math.IsInf(v, 1)
		if bound := p.freeBeta < 0 || p.freeTau < 0; known && !bound {
			s.Correlation = p.covariance / math.Sqrt(v)
		}
		for j := range p.points {
			q := &points[at+j]
			q.Segment, q.Fitted = i, s.Time(q.Size)
		}
		s.Errors = errorsOf(points[at : at+p.points])
		r.Segments = append(r.Segments, s)
		at += p.points
	}
	r.Errors = errorsOf(points)
	if m.name != "table" {
		r.widen()
		r.unsaturated()
	}
	r.judge()
	return r, nil
}
