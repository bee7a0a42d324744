package quantity

import "math"

// An Interval is a value and the ends of its interval: times in µs, sizes in bytes. The function
// that returns one states its meaning (parameters, or the next measurement) and its probability.
// Both ends are NaN if no interval is known.
type Interval struct{ Value, Low, High float64 }

// Alone returns a value without an interval.
func Alone[T ~float64](v T) Interval { return Interval{float64(v), math.NaN(), math.NaN()} }

// Known reports whether the value has an interval.
func (i Interval) Known() bool { return !math.IsNaN(i.Low) }
