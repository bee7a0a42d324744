package stats

// Moments are the weighted means and central moments of pairs (x, y), updated one pair at a time
// (West 1979). The zero value holds no pairs. A search for segments adds pairs to a line one by
// one, which gonum's LinearRegression cannot. Means are subtracted first, which a [Gram] does not
// do: sizes over nine decades would cost digits of the intercept.
type Moments struct {
	W          float64 // sum of the weights
	X, Y       float64 // means
	XX, XY, YY float64 // weighted sums of products of deviations from the means
}

// Add adds a pair of weight w > 0.
func (m *Moments) Add(x, y, w float64) {
	m.W += w
	dx, dy, r := x-m.X, y-m.Y, w/m.W
	m.X += dx * r
	m.Y += dy * r
	m.XX += w * dx * (x - m.X)
	m.XY += w * dx * (y - m.Y)
	m.YY += w * dy * (y - m.Y)
}

// Line returns the least-squares line y = intercept + slope·x. The slope is NaN if all x are
// equal.
func (m *Moments) Line() (intercept, slope float64) {
	slope = m.XY / m.XX
	return m.Y - slope*m.X, slope
}

// NonNegative returns the least-squares line under intercept, slope ≥ 0, for y ≥ 0.
func (m *Moments) NonNegative() (intercept, slope float64) {
	if !(m.XX > 0) {
		return m.Y, 0
	}
	intercept, slope = m.Line()
	switch {
	case slope < 0: // then Σwy/Σw is the best constant
		return m.Y, 0
	case intercept < 0: // then Σwxy/Σwx² is the best slope through the origin
		return 0, (m.XY + m.W*m.X*m.Y) / (m.XX + m.W*m.X*m.X)
	}
	return intercept, slope
}
