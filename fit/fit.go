// Package fit turns samples into the parameters of cost models, and estimates their uncertainty.
//
// [Auto] chooses among models of the time of a message: one line ([Linear], by three methods),
// lines over ranges of sizes ([Piecewise]), and a table ([PerSize]). [LogGP], [LogP] and [Stages]
// fit the parameters of the mechanism. [Compare] compares two results.
//
// Each fit uses one table of a benchmark ([benchfile.Table]). It returns a [Result]: segments with
// β and τ and their 95 % confidence intervals, the errors at every size, and warnings that a user
// should see beside the numbers. It returns an error only if there is no result.
package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Segment is a line T(n) = β + nτ over the sizes From ≤ n ≤ To.
type Segment struct {
	// From and To are the first and last size measured in the segment. A boundary
	// size belongs to the lower segment.
	From, To quantity.Bytes
	// Points is the number of sizes in the segment.
	Points int
	// Beta and Tau are not negative, except in a per-size table.
	Beta quantity.Interval // µs
	Tau  quantity.Interval // µs per byte
	// Correlation of the errors of β and τ, from −1 to 1 and mostly below 0: a line that starts
	// higher rises less. It is 0 where it is unknown, and where β or τ is held at 0. Segments are
	// independent of each other.
	Correlation float64
	Errors
}

// Time returns β + nτ.
func (s *Segment) Time(n quantity.Bytes) quantity.Micros {
	l := s.Line()
	return l.OneWay(n)
}

// Line returns the line without its intervals.
func (s *Segment) Line() model.Linear {
	return model.Linear{Beta: quantity.Micros(s.Beta.Value),
		Tau: quantity.MicrosPerByte(s.Tau.Value)}
}

// RInf returns r∞ = 1/τ in MB/s, +Inf for τ = 0.
func (s *Segment) RInf() quantity.MBps { return s.Line().Tau.Rate() }

// NHalf returns n½ = β/τ, the size that reaches half of r∞ (Hockney); +Inf for τ = 0.
func (s *Segment) NHalf() quantity.Bytes {
	if s.Tau.Value == 0 {
		return quantity.Bytes(math.Inf(1))
	}
	return s.Line().Beta.Over(s.Line().Tau)
}

// Errors summarises the errors of a line or curve. Relative errors are |fitted − measured| /
// measured, as fractions: 0.03 is 3 %.
type Errors struct {
	Median, P95, Worst float64
	// WorstAt is the size with the worst relative error.
	WorstAt quantity.Bytes
	// R2 is r² of the times themselves, 1 − Σ(T−T̂)²/Σ(T−T̄)². Large sizes dominate
	// it: over decades of sizes it is near 1 even for fits that are wrong at small ones.
	R2 float64
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
	e.Median, e.P95 = stats.Quantile(relative, 0.5), stats.Quantile(relative, level)
	return e
}

// A Trial is a model that [Auto] tried.
type Trial struct {
	Model, Method string
	// Error is the mean relative error, as a fraction, of predicting each left-out size from the
	// fit to the remaining sizes. Outliers, one or two neighbours beyond four deviations of the
	// model with the least, count as four deviations: no model predicts them.
	Error float64
	// Chosen marks the model that Auto returns.
	Chosen bool
}

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
	pieces  []piece         // of the segments
	quantum float64         // the resolution of the times as printed
	step    quantity.Micros // that matters: see widen
}

// Time returns the fitted time of n bytes. Outside the measured sizes it extrapolates the first or
// last line.
func (r *Result) Time(n quantity.Bytes) quantity.Micros {
	return quantity.Micros(valueAt(r.pieces, float64(n)))
}

// resolution returns the step of the times: that of a clock if they show one, else that of their
// printing; 0 if both are unknown.
func (r *Result) resolution() quantity.Micros { return max(r.step, quantity.Micros(r.quantum)) }

// Layer returns the result as a layer of a platform, as the command "fit --save" writes it. Its
// OneWay is the prediction of the next measurement, its Next has the 95 % interval too. [Auto] and
// [PerSize] predict from the measured curve, and the lines, [Result.Lines], explain it; all other
// models predict by their lines. Layer.Timed says what the times
// are of. Overheads, intervals and the gap of all streams together cannot be layers.
func (r *Result) Layer() (platforms.Layer, error) {
	lines, err := r.Lines()
	if err != nil {
		return platforms.Layer{}, err
	}
	of, roof := r.timed(), quantity.MBps(0)
	// The upper end of r∞ bounds the stream above the measured sizes.
	if tau := r.Segments[len(r.Segments)-1].Tau; of.Of == platforms.Stream && tau.Low > 0 {
		roof = quantity.MicrosPerByte(tau.Low).Rate()
	}
	measured := r.points()
	if measured != nil {
		measured.Lines = r.Tried == nil && r.Model != "table"
	}
	return platforms.FittedLayer(lines, of, measured, roof), nil
}

// timed returns what the times are of.
func (r *Result) timed() platforms.Timed {
	switch r.Kind {
	case benchfile.Operation:
		return platforms.Timed{Of: platforms.Operation}
	case benchfile.Collective:
		return platforms.Timed{Of: platforms.Collective}
	case benchfile.Gap:
		return platforms.Timed{Of: platforms.Stream}
	}
	return platforms.Timed{Of: platforms.Message}
}

// runs returns the least number of runs of a size.
func (r *Result) runs() int64 {
	return slices.Min(list.Map(r.Points, func(p Point) int64 { return p.Count }))
}

// maxMeasured is the maximum number of points that predictions are made from. Saved, they take some
// 200 KB of the file, and a file of 20 such curves is still read. Results of more points predict
// from their lines.
const maxMeasured = 64 * 64

// points returns the points as the measurements of a layer; nil if they are too many.
func (r *Result) points() *platforms.Measured {
	if len(r.Points) > maxMeasured {
		return nil
	}
	m := &platforms.Measured{
		Sizes:      list.Map(r.Points, func(p Point) quantity.Bytes { return p.Size }),
		Times:      list.Map(r.Points, func(p Point) quantity.Micros { return p.Time }),
		Operation:  r.Kind != benchfile.OneWay,
		Resolution: r.resolution(),
		Source:     r.Name,
	}
	// A size with fewer runs than others limits the statement: Student's t takes the
	// degrees of freedom of all sizes from one number.
	if runs := r.runs(); runs > 1 {
		m.Runs = int(runs)
		// A sample's deviation is relative, a platform's is a time.
		m.Deviations = list.Map(r.Points, func(p Point) quantity.Micros {
			return p.Time * quantity.Micros(p.Deviation)
		})
	}
	return m
}

// Lines returns the fitted lines as a cost model: one line as [model.Linear], several as a
// [model.Switch] between them, and a per-size fit as a [model.Table]. They describe the system;
// predictions from the measured curve are closer, see [Result.Layer]. The time of an operation or a
// collective, and the gap of a stream, stand for the cost of a message. The errors are those of
// Layer.
func (r *Result) Lines() (model.Layer, error) {
	switch r.Kind {
	case benchfile.OneWay, benchfile.Stage, benchfile.Operation, benchfile.Collective,
		benchfile.Gap:
	default:
		return nil, fmt.Errorf("%s: the %v is not the time of a message, so it cannot be a layer",
			r.Name, r.Kind)
	}
	if r.Model == "table" {
		return &model.Table{
			Sizes: list.Map(r.Points, func(p Point) quantity.Bytes { return p.Size }),
			Times: list.Map(r.Points, func(p Point) quantity.Micros { return p.Time }),
		}, nil
	}
	lines := make([]model.Branch, len(r.Segments))
	for i, s := range r.Segments {
		line := s.Line()
		lines[i] = model.Branch{Name: fmt.Sprintf("segment %d", i+1),
			UpTo: quantity.Bytes(r.pieces[i].until), Layer: &line}
	}
	if len(lines) == 1 {
		return lines[0].Layer, nil
	}
	return &model.Switch{Branches: lines}, nil
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}
