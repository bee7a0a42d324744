package fleet

import (
	"cmp"
	"math"
	"slices"
)

// maxOrderedNodes is the largest number of nodes of a map that are ordered: the memory of ordering
// grows with its square, and the work with its cube.
const maxOrderedNodes = 1200

// order returns the nodes in an order in which those with similar residuals stand
// side by side: racks, and slow nodes. A map of nodes by name shows a rack only if
// names follow racks. More than [maxOrderedNodes] are in the order of their names. In
// either case nodes of a block stand side by side.
func (m *model) order() []int {
	order := make([]int, len(m.names))
	for i := range order {
		order[i] = i
	}
	if n := len(order); n > 2 && n <= maxOrderedNodes {
		order = seriate(profiles(m.residuals()))
	}
	if m.blocks != nil {
		byBlock := func(a, b int) int { return cmp.Compare(m.blocks.of[a], m.blocks.of[b]) }
		slices.SortStableFunc(order, byBlock)
	}
	return order
}

// cells returns the pairs in squares of each nodes by each, with the largest effect of their pairs
// in percent; NaN where nothing was measured. A pair that was measured in one direction alone
// counts for both.
func (m *model) cells(order []int, each int) [][]float64 {
	cells := square((len(order) + each - 1) / each)
	at := make([]int, len(order)) // cell of each node
	for i, a := range order {
		at[a] = i / each
	}
	there := make(map[[2]int]bool, len(m.links))
	for _, l := range m.links {
		there[[2]int{l.a, l.b}] = true
	}
	for _, l := range m.links {
		v := 100 * m.effect(l.y-m.fit.mu)
		for k, z := range []*float64{&cells[at[l.a]][at[l.b]], &cells[at[l.b]][at[l.a]]} {
			if !(v <= *z) && (k == 0 || !there[[2]int{l.b, l.a}]) {
				*z = v
			}
		}
	}
	return cells
}

// residuals returns the residuals of the links as a square, in both directions where
// there is one. Residuals and not values: all pairs of a slow node are slow, which
// its effect says already.
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

// square returns n rows of n cells, all NaN: not measured.
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
		for b := range a { // the cube of the work: every other node is a possible common partner
			sum, common := 0.0, 0
			for c, r := range rest[a] {
				// v is NaN, and so not equal to itself, if one of the two pairs was not measured.
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

// seriate orders points: from the one that is farthest from all, each time on to the nearest. This
// greedy path is not the shortest, which would take too long to find; it keeps like nodes together,
// and a map needs no more.
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
