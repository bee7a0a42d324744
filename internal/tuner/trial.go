package tuner

import "math"

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

	expected float64 // by the model, as Real
}

// minOwned is the least number of calls that compare choices with the library's own.
const minOwned = 3

// Better reports whether the choices lost less than the library's own.
func (x Trial) Better() bool { return x.Owned >= minOwned && x.Beside < x.Library }

// usualShare is the loss of choices over that of the library's own on the machines of
// docs/validation/tune.md, and usualOwned the number of calls that these machines count for.
const (
	usualShare = 1. / 3
	usualOwned = 4
)

// Worse reports whether the choices lost more than the library's own, by more than chance: it takes
// in the loss of choices on other machines.
func (x Trial) Worse() bool {
	n := float64(x.Owned)
	beside := (n*x.Beside + usualOwned*usualShare*x.Library) / (n + usualOwned)
	return x.Owned >= minOwned && beside > x.Library
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
	x.Calls, x.Owned = x.Calls+o.Calls, x.Owned+o.Owned
}
