package program

import "slices"

// A grid is the topology of a Cartesian communicator; the last dimension varies fastest.
type grid struct {
	dims    []int
	periods []bool
}

func (g *grid) size() int {
	n := 1
	for _, d := range g.dims {
		n *= d
	}
	return n
}

// coords returns the coordinates of a place.
func (g *grid) coords(place int) []int {
	at := make([]int, len(g.dims))
	for i := len(g.dims) - 1; i >= 0; i-- {
		at[i] = place % g.dims[i]
		place /= g.dims[i]
	}
	return at
}

// place returns the place at coordinates; ok is false beyond an edge.
func (g *grid) place(at []int) (place int, ok bool) {
	for i, d := range g.dims {
		x := at[i]
		if g.periods[i] {
			x = (x%d + d) % d
		}
		if x < 0 || x >= d {
			return 0, false
		}
		place = place*d + x
	}
	return place, true
}

// divide divides n ranks among dimensions as evenly as it can, the largest first: the largest
// prime factors of n go to the smallest dimension, as in MPI_Dims_create of Open MPI.
func divide(n, dimensions int) []int {
	var factors []int
	for f := 2; f*f <= n; f++ {
		for n%f == 0 {
			factors = append(factors, f)
			n /= f
		}
	}
	if n > 1 {
		factors = append(factors, n)
	}
	dims := slices.Repeat([]int{1}, dimensions)
	for _, f := range slices.Backward(factors) {
		dims[slices.Index(dims, slices.Min(dims))] *= f
	}
	slices.SortFunc(dims, func(a, b int) int { return b - a })
	return dims
}
