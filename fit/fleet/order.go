package fleet

import (
	"math"
	"slices"
)

// A Matrix is the pairs of a group, node by node.
type Matrix struct {
	Group
	Quantity
	Names []string // in an order that puts nodes side by side that see the fleet alike: racks, and what is slow
	// Effects are by which part each pair exceeds the typical one: 0.1 is 10 % slower; NaN where
	// nothing was measured. Where a pair was measured in one direction alone, both cells have it.
	Effects [][]float64
}

// mostOrdered is the number of nodes beyond which a matrix is in the order of their names: the work
// grows with its cube.
const mostOrdered = 1200

// Matrix returns the pairs of a quantity, false if the group is not one of pairs.
func (s *Spread) Matrix() (x Matrix, ok bool) {
	m := s.model
	if m == nil || m.fit == nil || len(m.names) < 2 {
		return x, false
	}
	n := len(m.names)
	typical, rest := square(n), square(n)
	for i, l := range m.fit.links {
		typical[l.a][l.b], rest[l.a][l.b] = m.effect(l.y-m.fit.mu), m.fit.e[i]
	}
	for a := range n {
		for b := range n {
			if math.IsNaN(typical[a][b]) {
				typical[a][b], rest[a][b] = typical[b][a], rest[b][a]
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n <= mostOrdered && n > 2 {
		order = seriate(profiles(rest))
	}
	x = Matrix{Group: m.group, Quantity: m.quantity, Effects: square(n)}
	for i, a := range order {
		x.Names = append(x.Names, m.names[a])
		for j, b := range order {
			x.Effects[i][j] = typical[a][b]
		}
	}
	return x, true
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
