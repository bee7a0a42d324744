package forecast

import "github.com/halfpeak/halfpeak/model/quantity"

// A Point is a measurement at one size.
type Point struct {
	// Size is above 0: empty messages take another path.
	Size quantity.Bytes
	// Time is above 0; the mean, if there are several runs.
	Time quantity.Micros
	// Runs is the number of measurements of the size; 0 stands for 1.
	Runs int
	// Deviation is the standard deviation of the runs over their mean; it is used if there are at
	// least 2 runs.
	Deviation float64
}

// valid reports whether the numbers are in their ranges; NaN is in none.
func (p Point) valid() bool {
	size := p.Size > 0 && p.Size <= quantity.MaxBytes
	time := p.Time >= 1/maxTime && p.Time <= maxTime
	runs := p.Runs >= 0 && p.Deviation >= 0 && p.Deviation <= maxTime
	return size && time && runs
}

// maxTime is the maximum time in µs, 30 years. Its inverse is the minimum.
const maxTime = 1e15

// A Curve is a measured curve, prepared for predictions. It is immutable. [Calibration.New]
// makes one.
type Curve struct {
	series
	gaps       []gap    // between sizes i and i+1
	residuals  decaying // squared errors of held-out sizes
	straight   straight // the line of a curve that is one with noise
	runs       decaying // variance between runs, relative; empty with one run
	fewest     float64  // minimum number of runs of a size
	resolution float64
	below      end
	above      tail
	roof       float64 // maximum rate above the last size, in B/µs; 0 if unknown
}
