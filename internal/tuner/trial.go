package tuner

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A Trial compares choices with measurements: at calls with several measured candidates, the choice
// among these is made without the measurements of the call. Losses are means, against the fastest
// measured candidate of each call.
type Trial struct {
	Calls int
	Real  float64 // loss of the choices
	// Library is the loss of the library's own choice, and Beside that of the choices, at the
	// Owned calls where the library's was measured.
	Owned           int
	Library, Beside float64

	// longer and squares are the sums of the logarithm of the choice's time over the library's own,
	// and of its square, at the Owned calls.
	longer, squares float64

	expected float64 // by the model, as Real
}

// minOwned is the least number of calls that compare choices with the library's own.
const minOwned = 3

// Worse reports whether the choices took longer than the library's own, by more than chance: by a
// paired one-sided test at 2.5 %. Losses have heavy tails, and the library's choice was measured
// where it may be the fastest, so that a comparison of few means says nothing.
func (x Trial) Worse() bool {
	n := float64(x.Owned)
	if x.Owned < minOwned || x.Beside <= x.Library {
		return false
	}
	mean := x.longer / n
	variance := max(0, x.squares-n*mean*mean) / (n - 1)
	return mean > stats.T95(n-1)*math.Sqrt(variance/n)
}

// learningPower is the power of the number of measurements with which the loss of choices falls, on
// the machines of docs/validation/tune.md.
const learningPower = 0.8

// Suffices returns the number of measurements with which the choices would lose less than the
// library's own, if they lost more with n of them; infinite if the library's own lost nothing.
func (x Trial) Suffices(n int) float64 {
	return float64(n) * math.Pow(x.Beside/x.Library, 1/learningPower)
}

// join adds the calls of another trial.
func (x *Trial) join(o Trial) {
	mean := func(a float64, n int, b float64, m int) float64 {
		return (a*float64(n) + b*float64(m)) / float64(max(1, n+m))
	}
	x.Real, x.expected = mean(x.Real, x.Calls, o.Real, o.Calls),
		mean(x.expected, x.Calls, o.expected, o.Calls)
	x.Library, x.Beside = mean(x.Library, x.Owned, o.Library, o.Owned),
		mean(x.Beside, x.Owned, o.Beside, o.Owned)
	x.longer, x.squares = x.longer+o.longer, x.squares+o.squares
	x.Calls, x.Owned = x.Calls+o.Calls, x.Owned+o.Owned
}
