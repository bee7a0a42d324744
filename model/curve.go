package model

import (
	"math"
	"sort"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Curve is a cost that was measured at some sizes. Between two sizes it is interpolated in the
// logarithms of size and cost:
//
//	T(n) = T_i · (n/n_i)^b        b = ln(T_j/T_i) / ln(n_j/n_i)        n_i ≤ n ≤ n_j = n_{i+1}
//
// Below the smallest size the cost is constant. Above the largest it follows the line through the
// last two, or is constant if that line falls.
//
// Where: n = Sizes in bytes, at least two, rising; T = Costs in µs, > 0.
type Curve struct {
	Sizes []quantity.Bytes
	Costs []quantity.Micros
}

// At returns the cost of n bytes.
func (c *Curve) At(n quantity.Bytes) quantity.Micros {
	j := sort.Search(len(c.Sizes), func(i int) bool { return c.Sizes[i] >= n })
	last := len(c.Sizes) - 1
	switch {
	case j == 0:
		return c.Costs[0]
	case j > last:
		slope := (c.Costs[last] - c.Costs[last-1]).Per(c.Sizes[last] - c.Sizes[last-1])
		return c.Costs[last] + max(0, slope).Times(n-c.Sizes[last])
	}
	i := j - 1
	part := math.Log(float64(n/c.Sizes[i])) / math.Log(float64(c.Sizes[j]/c.Sizes[i]))
	return c.Costs[i] * quantity.Micros(math.Pow(float64(c.Costs[j]/c.Costs[i]), part))
}
