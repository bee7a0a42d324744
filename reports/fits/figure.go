package fits

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the curves.
func (l *Lines) Figure() (table.Picture, error) { return figureOf(l.Curves, "", false) }

// Figure draws the lines of the stages.
func (f *Pipeline) Figure() (table.Picture, error) { return figureOf(f.Curves, "", false) }

// Figure draws the tables that the parameters are from. Those of LogP are from a signature, which
// has no sizes.
func (f *Parameters) Figure() (table.Picture, error) {
	if len(f.Lines) == 0 {
		return nil, errNoFigure(f.model+" parameters", "plot the platform")
	}
	return figureOf(f.Lines, "LogGP: one-way times, and gaps of a stream", false)
}

// Figure draws the tables before and after.
func (f *Comparison) Figure() (table.Picture, error) {
	title := ""
	if len(f.Before.Curves) == 1 && len(f.After) == 1 {
		title = fmt.Sprintf("%s before, %s after", filepath.Base(f.Before.Curves[0].Place()),
			filepath.Base(f.After[0].Place()))
	}
	// Tables of one name, and perhaps of one file.
	return figureOf(slices.Concat(f.Before.Curves, f.After), title, true)
}

// Figure draws the curves beside the collectives.
func (f *Collectives) Figure() (table.Picture, error) {
	if len(f.Beside) == 0 {
		return nil, errNoFigure("collectives",
			fmt.Sprintf("draw them with \"halfpeak collective %s\"", f.Fits[0].Of.Collective))
	}
	return figureOf(f.Beside, "", false)
}

// Figure returns an error: a machine has no curves.
func (c *Machine) Figure() (table.Picture, error) {
	return nil, errNoFigure("machine", "plot the platform")
}

// Figure returns an error: pipelines have no curves.
func (p *Pipelines) Figure() (table.Picture, error) {
	return nil, errNoFigure("pipelines", "plot the platform")
}

// Figure returns an error: no line goes through one size.
func (s *Sizes) Figure() (table.Picture, error) {
	return nil, errNoFigure("times", "measure more sizes")
}

// figureOf draws the points with their spread, the fitted lines, where they break, and
// the residuals below. Residuals have a panel of their own because an error of 10 %
// is invisible on a logarithmic axis of five decades. Without a title there is a default. If byFile
// is set, curves have the names of their files.
func figureOf(curves []Curve, title string, byFile bool) (table.Picture, error) {
	if len(curves) > maxCurves {
		return nil, errManyCurves(len(curves))
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
	} else if top.Title = title; title == "" {
		top.Title = fmt.Sprintf("%d fits", len(curves))
	}
	// Both panels get the same range of sizes, so that a residual stands below its
	// point.
	first, last := math.Inf(1), 0.0
	spread := false
	names := tableNames(curves)
	for i, c := range curves {
		name := names[i]
		if byFile || name == "csv" { // csv: the file names no benchmark
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
