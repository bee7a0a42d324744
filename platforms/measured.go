package platforms

import (
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured holds the measurements that a layer was fitted to. The layer's times are those of the
// curve through them, see [forecast.Curve]; its lines explain them, see [model.Measured]. If Lines
// is set, the times are those of the lines, and their intervals have the error of these too.
type Measured struct {
	// Ascending, at least 2. Below [forecast.MinSizes] there is no curve, and the lines give the
	// times.
	Sizes []quantity.Bytes
	Times []quantity.Micros // one way, of each size; the mean of the runs
	// Deviations are the standard deviations between Runs at each size; empty with one run.
	Deviations []quantity.Micros
	Runs       int
	Resolution quantity.Micros // of the times as printed; 0: not known
	Operation  bool            // the times are of an operation, not of a message
	Lines      bool            // the model of the lines was chosen by its name
	Source     string
	Layer      string // whose lines were fitted; "": those of the layer itself
}

// A measuredCurve remembers the forecasts that it has made.
type measuredCurve struct {
	curve   forecast.Curve
	sizes   []quantity.Bytes // measured, ascending
	lines   model.Layer      // that were fitted to the curve
	byLines bool             // the times that are predicted are those of the lines
	off     float64          // half of the 95 % interval of a time about them, in logarithms
	// Copies of a layer share the curve, also between goroutines, and a sweep asks for the same few
	// sizes again and again.
	known sync.Map // of forecasts by size
}

// curve returns the curve through the measurements, with the calibration of their kind. Above the
// measured sizes it is no faster than the roof; 0 bounds nothing. The lines were fitted to it.
func (m *Measured) curve(
	kind *forecast.Calibration, roof quantity.MBps, lines model.Layer) (*measuredCurve, error) {

	points := make([]forecast.Point, len(m.Sizes))
	for i := range points {
		points[i] = forecast.Point{Size: m.Sizes[i], Time: m.Times[i], Runs: m.Runs}
		if m.Deviations != nil {
			// The curve is in logarithms, where a share of the time is an absolute distance.
			points[i].Deviation = float64(m.Deviations[i] / m.Times[i])
		}
	}
	c, err := kind.New(points, m.Resolution)
	of := &measuredCurve{curve: c.Bounded(roof), sizes: m.Sizes, lines: lines, byLines: m.Lines}
	if m.Lines {
		of.off = m.deviation(lines)
	}
	return of, err
}

// deviation returns half of the 95 % interval of a measured time about the lines, in logarithms:
// Student's t times the root mean square of the errors, without two parameters of each line.
func (m *Measured) deviation(lines model.Layer) float64 {
	pieces := 1
	if s, several := lines.(*model.Switch); several {
		pieces = len(s.Branches)
	}
	free := float64(max(1, len(m.Sizes)-2*pieces))
	squares := 0.0
	for i, n := range m.Sizes {
		squares += math.Pow(math.Log(float64(m.Times[i]/lines.OneWay(n))), 2)
	}
	return stats.T95(free) * math.Sqrt(squares/free)
}

// forecast returns the forecast for n bytes, computed once for each size.
func (c *measuredCurve) forecast(n quantity.Bytes) forecast.Forecast {
	f, known := c.known.Load(n)
	if !known {
		next := c.curve.At(n)
		if value := float64(c.lines.OneWay(n)); c.byLines {
			next = next.About(value, c.off)
		} else if before, after, ramp := c.ramp(n); ramp {
			next = next.Ramp(value, float64(before.OneWay(n)), float64(after.OneWay(n)))
		}
		// Two goroutines may compute the same one; both return the one stored first.
		f, _ = c.known.LoadOrStore(n, next)
	}
	return f.(forecast.Forecast)
}

// ramp returns the protocols of the measured sizes next to n if they differ. A straight line
// between the two measured times would be the time of neither.
func (c *measuredCurve) ramp(n quantity.Bytes) (before, after model.Layer, ramp bool) {
	i, measured := slices.BinarySearch(c.sizes, n)
	if measured || i == 0 || i == len(c.sizes) {
		return nil, nil, false
	}
	a, b := c.sizes[i-1], c.sizes[i]
	before, after = model.Serving(c.lines, a), model.Serving(c.lines, b)
	return before, after, model.Regime(c.lines, a) != model.Regime(c.lines, b)
}

// A MeasuredCollective is the measured times of a collective operation; see package fitted.
type MeasuredCollective struct {
	Name string // of the table
	// Of is the algorithm; the collective alone: the library's choice, or LibraryAlgorithm.
	Of collective.Entry
	// LibraryAlgorithm is the library's name of a forced algorithm that halfpeak does not have.
	LibraryAlgorithm string

	Statistic string // over ranks: "average" or "slowest"
	Groups    int    // of so many ranks that called at once on each node; 0: one
	Ranks     []int  // ascending, from 2; equal ones differ in PerNode
	PerNode   []int  // ranks on each node, of each of Ranks; nil if not known
	Sizes     []quantity.Bytes
	Times     [][]quantity.Micros // of each number of ranks, at each size; 0: not measured
	// Runs are the numbers of repeats behind the times, and Deviations their standard deviations.
	// Both are as Times, 0 where unknown, or nil.
	Runs       [][]int64
	Deviations [][]quantity.Micros
	Source     string
}
