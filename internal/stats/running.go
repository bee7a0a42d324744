package stats

// Running holds the mean and the variance of values, from sums of their distances to the first
// value. The zero value holds none.
//
// Sums of the values themselves would lose digits: the squares of nearly equal values differ
// little. Distances to the first value are small if the values are nearly equal. If instead the
// first value is an outlier, it raises the variance, too, so that at most the last digits of that
// are lost.
type Running struct {
	Count        int64
	first        float64
	sum, squares float64 // of the distances
}

// Add adds a value.
func (m *Running) Add(t float64) {
	if m.Count == 0 {
		m.first = t
	}
	m.Count++
	d := t - m.first
	m.sum += d
	m.squares += d * d
}

// Join adds the values of o, by their distances to the first value of m.
func (m *Running) Join(o *Running) {
	if m.Count == 0 {
		*m = *o
		return
	}
	d, n := o.first-m.first, float64(o.Count)
	m.Count += o.Count
	// Σ(x + d)² = Σx² + 2dΣx + nd², for the distances x of o and the distance d of the two first
	// values.
	m.squares += o.squares + 2*d*o.sum + n*d*d
	m.sum += o.sum + n*d
}

// Mean returns the mean. There must be at least one value.
func (m *Running) Mean() float64 { return m.first + m.sum/float64(m.Count) }

// Variance returns the sum of squares about the mean over n−1; 0 for one value.
func (m *Running) Variance() float64 {
	if m.Count < 2 {
		return 0
	}
	n := float64(m.Count)
	// Rounding can make the difference of equal values negative.
	return max(0, m.squares-m.sum*m.sum/n) / (n - 1)
}
