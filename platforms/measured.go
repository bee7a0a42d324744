package platforms

import (
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured holds the measurements that a layer was fitted to. The layer's times are those of the
// curve through them, see [forecast.Curve]; its lines explain them, see [model.Measured].
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
	Source     string
	Layer      string // whose lines were fitted; "": those of the layer itself
}

// A measuredCurve remembers the forecasts that it has made.
type measuredCurve struct {
	curve forecast.Curve
	// Copies of a layer share the curve, also between goroutines, and a sweep asks for the same few
	// sizes again and again.
	known sync.Map // of forecasts by size
}

// curve returns the curve through the measurements, with the calibration of their kind. Above the
// measured sizes it is no faster than the roof; 0 bounds nothing.
func (m *Measured) curve(
	kind *forecast.Calibration, roof quantity.MBps) (*measuredCurve, error) {

	points := make([]forecast.Point, len(m.Sizes))
	for i := range points {
		points[i] = forecast.Point{Size: m.Sizes[i], Time: m.Times[i], Runs: m.Runs}
		if m.Deviations != nil {
			// The curve is in logarithms, where a share of the time is an absolute distance.
			points[i].Deviation = float64(m.Deviations[i] / m.Times[i])
		}
	}
	c, err := kind.New(points, m.Resolution)
	return &measuredCurve{curve: c.Bounded(roof)}, err
}

// forecast returns the forecast for n bytes, computed once for each size.
func (c *measuredCurve) forecast(n quantity.Bytes) forecast.Forecast {
	f, known := c.known.Load(n)
	if !known {
		// Two goroutines may compute the same one; both return the one stored first.
		f, _ = c.known.LoadOrStore(n, c.curve.At(n))
	}
	return f.(forecast.Forecast)
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
