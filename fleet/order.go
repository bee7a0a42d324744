package fleet

import (
	"math"
	"slices"
)

// A Matrix is the pairs of a group, node by node. Its memory grows with the pairs, not with the
// square of the nodes.
type Matrix struct {
	Group
	Quantity
	Names []string
	// Ordered says that nodes which see the fleet alike stand side by side: racks, and what is slow.
	// Else, with more than [MostOrdered] nodes, they are in the order of their names.
	Ordered bool
	Pairs   []Pair
}

// A Pair is one that was measured, in that direction.
type Pair struct {
	A, B   int     // by number in Matrix.Names
	Effect float64 // by which part it exceeds the typical one: 0.1 is 10 % slower
}

// MostOrdered is the number of nodes up to which a matrix is ordered: the memory grows with its
// square, and the work with its cube.
const MostOrdered = 1200

// Matrix returns the pairs of a quantity, false if the group is not one of pairs.
func (s *Spread) Matrix() (x Matrix, ok bool) {
	m := s.model
	if m == nil || m.fit == nil || len(m.names) < 2 {
		return x, false
	}
	n := len(m.names)
	x = Matrix{Group: m.group, Quantity: m.quantity, Names: m.names, Ordered: n <= MostOrdered}
	at := make([]int, n) // in the order
	for i := range at {
		at[i] = i
	}
	if x.Ordered && n > 2 {
		x.Names = nil
		for i, a := range seriate(profiles(m.fit.square(n))) {
			at[a] = i
			x.Names = append(x.Names, m.names[a])
		}
	}
	for _, l := range m.fit.links {
		x.Pairs = append(x.Pairs, Pair{at[l.a], at[l.b], m.effect(l.y - m.fit.mu)})
	}
	return x, true
}

// Cells is the matrix in squares of so many nodes by so many, each with the largest effect of its
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

// square has the residuals of the links, in both directions where there is one alone.
func (f *twoWay) square(n int) [][]float64 {
	rest := square(n)
	for i, l := range f.links {
		rest[l.a][l.b] = f.e[i]
	}
	for a := range n {
		for b := range n {
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

// profiles returns how differently two nodes see the others: the mean distance of their residuals
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

// seriate orders points by average linkage (Sokal and Michener 1958), by chains of nearest
// neighbours; of two clusters that merge, that with the first name comes first. It overwrites the
// distances.
func seriate(d [][]float64) []int {
	n := len(d)
	members := make([][]int, n)
	for i := range members {
		members[i] = []int{i}
	}
	var chain []int
	for merges := 0; merges < n-1; {
		if len(chain) == 0 {
			chain = append(chain, slices.IndexFunc(members, func(m []int) bool { return m != nil }))
		}
		a := chain[len(chain)-1]
		b := -1
		if len(chain) > 1 {
			b = chain[len(chain)-2] // of equals the one that is there
		}
		for c := range n {
			if c != a && members[c] != nil && (b < 0 || d[a][c] < d[a][b]) {
				b = c
			}
		}
		if len(chain) < 2 || b != chain[len(chain)-2] {
			chain = append(chain, b)
			continue
		}
		chain = chain[:len(chain)-2]
		if slices.Min(members[b]) < slices.Min(members[a]) {
			a, b = b, a
		}
		na, nb := float64(len(members[a])), float64(len(members[b]))
		for c := range n {
			d[a][c] = (na*d[a][c] + nb*d[b][c]) / (na + nb)
			d[c][a] = d[a][c]
		}
		members[a], members[b] = append(members[a], members[b]...), nil
		merges++
	}
	for _, m := range members {
		if m != nil {
			return m
		}
	}
	return nil
}
