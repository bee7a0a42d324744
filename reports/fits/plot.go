package fits

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// maxCurves bounds a figure: the palette of reports has eight colours that are
// distinct for any kind of colour vision, and a ninth curve repeats one.
const maxCurves = 8

// Picture draws the points with their spread, the fitted lines, where they break, and
// the residuals below. Residuals have a panel of their own because an error of 10 %
// is invisible on a logarithmic axis of five decades. It fails if there are
// parameters and no curves.
func Picture(f *Fitted) (table.Picture, error) {
	curves := slices.Concat(f.Curves, f.Later, f.Lines)
	if len(curves) == 0 {
		result, plot := f.Model+" parameters", "plot the platform"
		switch {
		case f.Calibrated != nil:
			result = "machine"
		case f.Collectives != nil:
			result, plot = "collectives", fmt.Sprintf("draw them with \"halfpeak collective %s\"",
				f.Collectives[0].Of.Collective)
		}
		err := fmt.Errorf("a figure shows times against sizes; save the %s and %s", result, plot)
		return nil, usage.Fields(err, "plot")
	}
	if len(curves) > maxCurves {
		err := fmt.Errorf("a figure holds %d curves (got %d); choose tables, or plot fewer files",
			maxCurves, len(curves))
		return nil, usage.Fields(err, "plot")
	}
	top := table.Figure{
		X: table.Axis{Log: true, Bytes: true},
		Y: table.Axis{Label: "time", Dim: quantity.DimTime, Log: true},
	}
	below := table.Figure{
		X: table.Axis{Label: "message size", Log: true, Bytes: true},
		Y: table.Axis{Label: "error (%)"},
	}
	if len(curves) == 1 {
		c := curves[0]
		top.Title = fmt.Sprintf("%s: %s, median error %s",
			filepath.Base(c.Place()), c.Model, table.PercentError(100*c.Median))
	} else if len(f.Curves) == 1 && len(f.Later) == 1 {
		top.Title = fmt.Sprintf("%s before, %s after", filepath.Base(f.Curves[0].Place()),
			filepath.Base(f.Later[0].Place()))
	} else if len(f.Lines) > 0 {
		top.Title = "LogGP: one-way times, and gaps of a stream"
	} else {
		top.Title = fmt.Sprintf("%d fits", len(curves))
	}
	// Both panels get the same range of sizes, so that a residual stands below its
	// point.
	first, last := math.Inf(1), 0.0
	spread := false
	names := tableNames(curves)
	for i, c := range curves {
		name := names[i]
		if name == "csv" { // the file names no benchmark
			name = filepath.Base(c.Place())
		}
		if f.Later != nil { // tables of one name, and perhaps of one file
			name = filepath.Base(c.Place())
		}
		lines, points, residuals := curveSeries(c, name)
		first, last = min(first, points.X[0]), max(last, points.X[len(points.X)-1])
		for i := range points.Y {
			spread = spread || points.Low[i] < points.High[i]
		}
		top.Series = append(append(top.Series, lines...), points)
		below.Series = append(below.Series, residuals)
		// A table has a segment between every two sizes: their ends are no changes of
		// protocol.
		if c.Model == "table" {
			continue
		}
		for _, b := range c.Breaks {
			// The label is only in the upper panel: below, the same line needs no
			// second name.
			mark := table.Mark{Kind: table.AtX, X: float64(b.At), Series: name}
			below.Marks = append(below.Marks, mark)
			mark.Label = "up to " + b.At.String()
			top.Marks = append(top.Marks, mark)
		}
	}
	below.Marks = append(below.Marks, table.Mark{Kind: table.AtY, Y: 0})
	// The margin keeps the first and the last point off the frame.
	margin := min(1.1, math.Pow(last/first, 1./40))
	top.X.Min, top.X.Max = first/margin, last*margin
	below.X.Min, below.X.Max = first/margin, last*margin
	top.Notes = []string{"Points: measured. Lines: fitted."}
	if spread {
		top.Notes = []string{
			"Points: measured, with their smallest and largest time. Lines: fitted.",
		}
	}
	return table.Stack{top, below}, nil
}

// curveSeries returns the fitted lines, the measured points, and the residuals in
// percent. There is one series of a line per segment, since segments need not meet: a
// jump is a change of protocol, and a line drawn across it would show times that no
// message has.
func curveSeries(c Curve, name string) (lines []table.Series,
	points, residuals table.Series) {
	points = table.Series{Name: name, Kind: table.Points}
	residuals = table.Series{Name: name, Kind: table.Points}
	for _, p := range c.Points {
		n := float64(p.Size)
		points.X, points.Y = append(points.X, n), append(points.Y, float64(p.Time))
		points.Low = append(points.Low, float64(p.Min))
		points.High = append(points.High, float64(p.Max))
		percent := 100 * p.Error()
		if math.Abs(percent) < 1e-9 { // the last bits of a line through two points
			percent = 0
		}
		residuals.X, residuals.Y = append(residuals.X, n), append(residuals.Y, percent)
	}
	for _, s := range c.Segments {
		line := table.Series{Name: name, Kind: table.Line}
		// The loop ends at s.To exactly: the last step is cut to it.
		for k := 0; ; k++ {
			// A line is curved on logarithmic axes: 16 points an octave draw it smoothly.
			n := min(quantity.Bytes(float64(s.From)*math.Exp2(float64(k)/16)), s.To)
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, float64(s.Time(n)))
			if n == s.To {
				break
			}
		}
		lines = append(lines, line)
	}
	return lines, points, residuals
}
