// Package fit turns samples into the parameters of cost models, and estimates their uncertainty.
//
// [Auto] chooses among models of the time of a message: one line ([Linear], by four methods), lines
// over ranges of sizes ([Piecewise]), the minimum of two lines ([Envelope]), and a table
// ([PerSize]). [LogGP], [LogP], [Stages] and [EndToEnd] fit the parameters of the mechanism.
// [Compare] compares two results.
//
// Each fit uses one table of a benchmark ([benchfile.Table]). It returns a [Result]: segments with
// β and τ and their 95 % confidence intervals, the errors at every size, and warnings that a user
// should see beside the numbers. It returns an error only if there is no result.
package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Estimate is a value with its 95 % confidence interval. With no more points
// than parameters there is no interval: Low is 0 and High +Inf.
type Estimate[T ~float64] struct{ Value, Low, High T }

// around returns v ± d, with the lower end limited to 0.
func around[T ~float64](v, d float64) Estimate[T] { return Estimate[T]{T(v), T(max(0, v-d)), T(v + d)} }

// A Segment is a line T(n) = β + nτ over the sizes From ≤ n ≤ To.
type Segment struct {
	// From and To are the first and last size measured in the segment. A boundary
	// size belongs to the lower segment.
	From, To quantity.Bytes
	// Points is the number of sizes in the segment.
	Points int
	// Beta and Tau are not negative, except in a per-size table.
	Beta Estimate[quantity.Micros]
	Tau  Estimate[quantity.MicrosPerByte]
	// Correlation of the errors of β and τ, from −1 to 1 and mostly below 0: a line that starts
	// higher rises less. It is 0 where it is unknown, and where β or τ is held at 0. Segments are
	// independent of each other.
	Correlation float64
	Errors

	upTo quantity.Bytes // the largest size that the line serves
}

// Time returns β + nτ.
func (s *Segment) Time(n quantity.Bytes) quantity.Micros { return s.Beta.Value + s.Tau.Value.Times(n) }

// RInf returns r∞ = 1/τ in MB/s, +Inf for τ = 0.
func (s *Segment) RInf() quantity.MBps { return s.Tau.Value.Rate() }

// NHalf returns n½ = β/τ, the size that reaches half of r∞ (Hockney); +Inf for τ = 0.
func (s *Segment) NHalf() quantity.Bytes {
	if s.Tau.Value == 0 {
		return quantity.Bytes(math.Inf(1))
	}
	return s.Beta.Value.Over(s.Tau.Value)
}

// Errors summarises the errors of a line or curve. Relative errors are |fitted − measured| /
// measured, as fractions: 0.03 is 3 %.
type Errors struct {
	Median, P95, Worst float64
	// WorstAt is the size with the worst relative error.
	WorstAt quantity.Bytes
	// R2 is r² of the times themselves, 1 − Σ(T−T̂)²/Σ(T−T̄)². Large sizes dominate it: over
	// decades of sizes it is near 1 even for fits that are wrong at small ones.
	R2 float64
}

// A Point is one size with its measured and its fitted time.
type Point struct {
	Size   quantity.Bytes
	Time   quantity.Micros // measured, the mean of Count rows; one way
	Fitted quantity.Micros
	// Low and High are the smallest and largest measured time.
	Low, High quantity.Micros
	Count     int64
	// Deviation is the standard deviation of the rows over their mean; 0 with one.
	Deviation float64
	Segment   int // index into Result.Segments
	Line      int // in the file
}

// Error returns (fitted − measured) / measured.
func (p Point) Error() float64 { return float64(p.Fitted-p.Time) / float64(p.Time) }

// A Result is a fitted model.
type Result struct {
	Name, Format string // of the table
	// Kind is the kind of the times. Round trips have been halved: their kind is OneWay.
	Kind benchfile.Kind
	// Model is "linear", …; Method how it was fitted: "relative", "ordinary", ….
	Model, Method string
	// Segments from small to large sizes; one for a linear model.
	Segments []Segment
	// Breaks are between the segments.
	Breaks []Break
	// Points is sorted by size and includes the residuals.
	Points []Point
	// Errors over all points.
	Errors
	// Tried lists the models that [Auto] compared; nil for other fits.
	Tried []Trial
	// Warnings are sentences for people.
	Warnings []string

	form    form
	quantum float64         // the resolution of the times as printed
	step    quantity.Micros // that matters: see widen
}

// Time returns the fitted time of n bytes. Outside the measured sizes it extrapolates the first or
// last line.
func (r *Result) Time(n quantity.Bytes) quantity.Micros {
	return r.Segments[r.segmentAt(n)].Time(n)
}

func (r *Result) segmentAt(n quantity.Bytes) int {
	for i := range r.Segments[:len(r.Segments)-1] {
		if n <= r.Segments[i].upTo {
			return i
		}
	}
	return len(r.Segments) - 1
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// ErrNoData is returned, wrapped with the reason, for a table that cannot be fitted at all.
var ErrNoData = errors.New("cannot be fitted")

// prepare returns the points of a table by size, and warnings about them. Times of round trips are
// halved. Empty messages are omitted, since systems send them by another path and a logarithmic
// axis cannot show them.
func prepare(t *benchfile.Table) (points []Point, kind benchfile.Kind, warnings []string, err error) {
	scale, kind := quantity.Micros(1), t.Kind
	if kind == benchfile.RoundTrip {
		scale, kind = 0.5, benchfile.OneWay
		warnings = append(warnings, "the times are round trips: halved")
	}
	empty := false
	for _, s := range t.Samples {
		switch {
		case s.Size == 0:
			empty = true
			continue
		case s.Size < 0 || s.Mean <= 0 || math.IsNaN(float64(s.Size+quantity.Bytes(s.Mean))) || math.IsInf(float64(s.Size)+float64(s.Mean), 0):
			return nil, 0, nil, fmt.Errorf("%s: %w: size %v takes %v µs", t.Name(), ErrNoData, s.Size, float64(s.Mean))
		}
		points = append(points, Point{
			Size: s.Size, Time: s.Mean * scale, Low: s.Min * scale, High: s.Max * scale,
			Count: max(s.Count, 1), Line: s.Line, Deviation: math.Sqrt(max(0, s.Variance)) / float64(s.Mean),
		})
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	if empty {
		warnings = append(warnings, "the empty message (size 0) is left out")
	}
	if len(points) < 2 {
		what := "no size above 0"
		if len(points) == 1 {
			what = fmt.Sprintf("one size only (%v)", points[0].Size)
		} else if len(t.Bursts) > 0 {
			what = "bursts of messages, not sizes"
		}
		return nil, 0, nil, fmt.Errorf("%s: %w: %s; a line takes at least 2 sizes, and 10 over a factor of 100 to be trusted", t.Name(), ErrNoData, what)
	}
	return points, kind, warnings, nil
}

// resolution returns the resolution of the table's one-way times, in µs.
func resolution(t *benchfile.Table) float64 {
	if t.Kind == benchfile.RoundTrip {
		return float64(t.Quantum) / 2
	}
	return float64(t.Quantum)
}

// newResult builds a result: it evaluates the pieces at the points, computes the errors, and adds
// the warnings.
func newResult(t *benchfile.Table, m form, kind benchfile.Kind, points []Point, pieces []piece, breaks []Break, warnings []string) *Result {
	r := &Result{
		Name: t.Name(), Format: t.Format, Kind: kind, Model: m.name, Method: string(m.method),
		Breaks: breaks, Points: points, Warnings: warnings, form: m, quantum: resolution(t),
	}
	at := 0
	for i, p := range pieces {
		s := Segment{
			From: points[at].Size, To: points[at+p.points-1].Size, Points: p.points, upTo: quantity.Bytes(p.until),
			Beta: Estimate[quantity.Micros]{quantity.Micros(p.beta), quantity.Micros(p.betaLow), quantity.Micros(p.betaHigh)},
			Tau:  Estimate[quantity.MicrosPerByte]{quantity.MicrosPerByte(p.tau), quantity.MicrosPerByte(p.tauLow), quantity.MicrosPerByte(p.tauHigh)},
		}
		if v := p.varBeta * p.varTau; v > 0 && !math.IsInf(v, 1) && p.freeBeta >= 0 && p.freeTau >= 0 {
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
	}
	r.judge(pieces)
	return r
}

func errorsOf(points []Point) Errors {
	var e Errors
	relative := make([]float64, len(points))
	var weight, mean float64
	for i, p := range points {
		relative[i] = math.Abs(p.Error())
		if relative[i] > e.Worst || i == 0 {
			e.Worst, e.WorstAt = relative[i], p.Size
		}
		weight += float64(p.Count)
		mean += (float64(p.Time) - mean) * float64(p.Count) / weight
	}
	var residual, total float64
	for _, p := range points {
		residual += float64(p.Count) * math.Pow(float64(p.Time-p.Fitted), 2)
		total += float64(p.Count) * math.Pow(float64(p.Time)-mean, 2)
	}
	switch {
	case total > 0:
		e.R2 = 1 - residual/total
	case residual == 0:
		e.R2 = 1
	}
	slices.Sort(relative)
	e.Median, e.P95 = stats.Quantile(relative, 0.5), stats.Quantile(relative, 0.95)
	return e
}
