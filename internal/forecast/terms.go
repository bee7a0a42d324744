package forecast

// Terms holds the terms of the scale of an error, in the order of the names below. The scale is
// their weighted sum, with weights learned from other machines' curves.
type Terms [3]float64

const (
	// usual is what curves of other machines are off by; above, where protocols no longer change.
	usual = iota
	// local is what the curve is off by at the place: between sizes, its own ones next to them if
	// they are held out; above, what protocols may change.
	local
	// other is the distance from the middle to the farthest other prediction on that side.
	other
)

// Dot returns the sum of the terms v with the weights k.
func (k Terms) Dot(v Terms) (sum float64) {
	for i := range k {
		sum += k[i] * v[i]
	}
	return sum
}

// The sides of an interval.
const (
	up   = 0
	down = 1
)

// A Way is the source of a prediction.
type Way string

const (
	// Measured is the time that was measured at the size itself.
	Measured Way = "measured"
	// Between is the line between the two sizes next to it.
	Between Way = "between"
	// Jump is between two sizes where the curve jumps.
	Jump Way = "jump"
	// Ramp is between the last measured size of one protocol and the first of the next. The value
	// is that of the line of the protocol that serves the size; see [Forecast.Ramp].
	Ramp Way = "ramp"
	// Above is the continuation of the last sizes, for a larger one.
	Above Way = "above"
	// Below is the line of the first sizes, for a smaller one.
	Below Way = "below"
)
