package fleet

import (
	"cmp"
	"math"
	"slices"
)

// A Matrix is the pairs of a group, node by node. Its memory grows with the pairs, not with the
// square of the nodes.
type Matrix struct {
	Names []string
	// Ordered is set if nodes with similar residuals stand side by side: racks, and slow nodes.
	// With more than [MostOrdered] nodes they are in the order of their names.
	Ordered bool
	Blocks  bool // nodes of a block stand side by side
	Pairs   []Pair
}

// A Pair is a measured pair, in that direction.
type Pair struct {
	A, B   int     // indices into Matrix.Names
	Effect float64 // relative to the typical pair: 0.1 is 10 % slower
}

// MostOrdered is the largest number of nodes of an ordered matrix: the memory of ordering grows
// with its square, and the work with its cube.
const MostOrdered = 1200

// Matrix returns the pairs of a quantity; false if the curves are not of pairs. Nodes of a block
// stand side by side, also where the nodes are too many to be ordered.
func (s *Spread) Matrix() (x Matrix, ok bool) {
	m := s.model
	if m == nil || m.fit == nil || len(m.names) < 2 {
		return x, false
	}
	n := len(m.names)
	x = Matrix{Ordered: n <= MostOrdered}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if x.Ordered && n > 2 {
		order = seriate(profiles(m.residuals()))
	}
	if x.Blocks = m.blocks != nil; x.Blocks {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.blocks.of[a], m.blocks.of[b]) })
	}
	at := make([]int, n) // in the order
	for i, a := range order {
		at[a] = i
		x.Names = append(x.Names, m.names[a])
	}
	for _, l := range m.links {
		x.Pairs = append(x.Pairs, Pair{at[l.a], at[l.b], m.effect(l.y - m.fit.mu)})
	}
	return x, true
}

// Cells returns the matrix in squares of each nodes by each, with the largest effect of their
// pairs; NaN where nothing was measured. A pair that was measured in one direction alone counts
// for both.
func (x Matrix) Cells(each int) [][]float64 {
	cells := square((len(x.Names) + each - 1) / each)
	there := make(map[[2]int]bool, len(x.Pairs))
	for _, p := range x.Pairs {
		there[[2]int{p.A, p.B}] = true
	}
	set := func(a, b int, v float64) {
		if z := &cells[a/each][b/each]; !(v <= *z) && !math.IsNaN(v) {
			*z = v
		}
	}
	for _, p := range x.Pairs {
		set(p.A, p.B, p.Effect)
		if !there[[2]int{p.B, p.A}] {
			set(p.B, p.A, p.Effect)
		}
	}
	return cells
}

// residuals returns the residuals of the links as a square, in both directions where there is one.
func (m *model) residuals() [][]float64 {
	rest := square(len(m.names))
	for i, l := range m.links {
		rest[l.a][l.b] = m.fit.e[i]
	}
	for a := range rest {
		for b := range rest {
			if math.IsNaN(rest[a][b]) {
				rest[a][b] = rest[b][a]
			}
		}
	}
	return rest
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	cells := make([]float64, n*n)
	for i := range cells {
		cells[i] = math.NaN()
	}
	for i := range m {
		m[i] = cells[i*n : (i+1)*n]
	}
	return m
}

// profiles returns the distances of the nodes' profiles: the mean distance of their residuals
// over common partners.
func profiles(rest [][]float64) [][]float64 {
	n := len(rest)
	d := square(n)
	largest := 0.0
	for a := range n {
		for b := range a {
			sum, common := 0.0, 0
			for c, r := range rest[a] {
				if v := math.Abs(r - rest[b][c]); v == v && c != a && c != b {
					sum, common = sum+v, common+1
				}
			}
			if common > 0 {
				d[a][b] = sum / float64(common)
				d[b][a] = d[a][b]
				largest = max(largest, d[a][b])
			}
		}
	}
	for a := range n {
		for b := range n {
			if math.IsNaN(d[a][b]) {
				d[a][b] = 2 * largest // nothing in common
			}
		}
	}
	return d
}

// seriate orders points: from the one that is farthest from all, each time on to the nearest.
func seriate(d [][]float64) (order []int) {
	far := func(a int) (sum float64) {
		for _, v := range d[a] {
			if v == v {
				sum += v
			}
		}
		return sum
	}
	at := 0
	for a := range d {
		if far(a) > far(at) {
			at = a
		}
	}
	done := make([]bool, len(d))
	for {
		done[at] = true
		order = append(order, at)
		next := -1
		for b := range d {
			if !done[b] && (next < 0 || d[at][b] < d[at][next]) {
				next = b
			}
		}
		if next < 0 {
			return order
		}
		at = next
	}
}
