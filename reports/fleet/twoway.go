package fleet

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// minPartners is the number of different partners that make a node's effect identifiable beside
// those of its pairs: one of three values may be anything.
const minPartners = 3

// biweight is the residual, in standard deviations, at or beyond which Tukey's function gives no
// weight: 95 % of the efficiency of least squares if the residuals are normal. Beaton and Tukey
// (1974) gave the function, Holland and Welsch (1977) this bound.
const biweight = 4.685

// A link is a pair of nodes, by number, with its value.
type link struct {
	a, b int
	y    float64
}

// A twoWay is the fit y = μ + u(a) + u(b) + e. Since y is a logarithm, effects are
// factors: the pair of two nodes that are 10 % slow is taken to be 21 % slow. Real
// pairs take the time of the slower node, which is why fast residuals of two slow
// nodes are not reported; see Answer.find.
type twoWay struct {
	links []link
	mu    float64
	u, se []float64 // of nodes; 0 of those that are not known
	known []bool    // by node: it has enough partners
	e     []float64 // residuals, by link
	scale float64   // of e, for the degrees of freedom that the nodes took
	of    [][]int   // links of each node
	rest  []float64 // scratch: values of links
}

// fitTwoWay fits the effects of n nodes: by medians (Tukey's median polish, for any graph), then by
// the biweight about the scale of the residuals that the medians leave. The median of the effects
// of known nodes is 0. In a component of the graph with two sides (all pairs are of one node of
// each, as clients and servers), the difference between the sides is not identifiable: both have
// the same median.
func fitTwoWay(n int, links []link) *twoWay {
	f := &twoWay{
		links: links, u: make([]float64, n), se: make([]float64, n), known: make([]bool, n),
		e: make([]float64, len(links)), rest: make([]float64, len(links)), of: make([][]int, n),
	}
	for i, l := range links {
		f.of[l.a] = append(f.of[l.a], i)
		f.of[l.b] = append(f.of[l.b], i)
	}
	nodes := 0
	met := make([]int, n) // by which node last, from 1
	for a := range f.known {
		partners := 0
		for _, i := range f.of[a] {
			if b := links[i].a + links[i].b - a; met[b] != a+1 {
				met[b] = a + 1
				partners++
			}
		}
		if f.known[a] = partners >= minPartners; f.known[a] {
			nodes++
		}
	}
	sides := f.sides()
	f.centre(sides)
	if nodes > 0 {
		f.polish(sides)
	}
	f.residuals()
	m := float64(len(links))
	// The nodes took one parameter each out of the residuals, which scatter less than the noise by
	// as much.
	f.scale = scaleOf(f.e) * math.Sqrt(m/max(1, m-float64(nodes)))
	if nodes > 0 && f.scale > 0 {
		f.reweight(sides)
		f.residuals()
		f.scale = scaleOf(f.e) * math.Sqrt(m/max(1, m-float64(nodes)))
	}
	return f
}

// residuals sets e: what the effects of nodes do not explain.
func (f *twoWay) residuals() {
	for i, l := range f.links {
		f.e[i] = l.y - f.mu - f.u[l.a] - f.u[l.b]
	}
}

// polish sets each node's effect to the median of what its links leave, in turn,
// until no effect changes. Half of a node's links may be anything: a start from means
// would be pulled along by the outliers, and the biweight would then keep them.
func (f *twoWay) polish(sides []int) {
	var rest []float64
	// Median polish may take any number of rounds, or step between equally good fits. The biweight
	// starts from wherever it stops, so a bound on the rounds does no harm.
	for range 60 {
		change, size := 0.0, 0.0
		for a, known := range f.known {
			if !known {
				continue
			}
			rest = rest[:0]
			for _, i := range f.of[a] {
				l := f.links[i]
				rest = append(rest, l.y-f.mu-f.u[l.a+l.b-a])
			}
			u := stats.MedianInPlace(rest)
			change, size = max(change, math.Abs(u-f.u[a])), max(size, math.Abs(u))
			f.u[a] = u
		}
		f.centre(sides)
		// Relative to the largest effect, since y may be of any size: logarithms, or ratios for β.
		if change <= 1e-9*size {
			break
		}
	}
}

// reweight takes weighted means until they stay, and the standard errors of the
// effects. Medians alone waste a third of the data: their efficiency is 64 %, that of
// the biweight 95 %.
func (f *twoWay) reweight(sides []int) {
	// The bound stays that of the medians' residuals: a scale that changes with the weights would
	// have to settle with them.
	bound := biweight * f.scale
	for range 30 {
		change := 0.0
		for a, known := range f.known {
			if !known {
				continue
			}
			var sum, weights, squares float64
			for _, i := range f.of[a] {
				l := f.links[i]
				r := l.y - f.mu - f.u[l.a+l.b-a]
				x := (r - f.u[a]) / bound
				if w := (1 - x*x) * (1 - x*x); math.Abs(x) < 1 {
					sum, weights, squares = sum+w*r, weights+w, squares+w*w
				}
			}
			// All links of the node are beyond the bound: it keeps the effect that it has.
			if weights == 0 {
				continue
			}
			change = max(change, math.Abs(sum/weights-f.u[a]))
			// The standard error of a weighted mean of independent values with the same variance.
			f.u[a], f.se[a] = sum/weights, f.scale*math.Sqrt(squares)/weights
		}
		f.centre(sides)
		if change <= 1e-6*f.scale {
			break
		}
	}
}

// centre makes the median effect 0, and that of both sides of a component the same.
func (f *twoWay) centre(sides []int) {
	// Adding a constant to one side of a component and subtracting it from the other changes no
	// pair, so the data cannot say which side is slow. Equal medians make the choice.
	bySide := map[int][]float64{} // by component, and side: even and odd
	for a, s := range sides {
		if s > 0 && f.known[a] {
			bySide[s] = append(bySide[s], f.u[a])
		}
	}
	shift := map[int]float64{}
	for s, u := range bySide {
		if other := bySide[s^1]; len(other) > 0 {
			// Half for each side, with opposite signs: the sum u(a) + u(b) of each pair stays. The
			// numbers of two sides, 2k and 2k+1, differ in the last bit alone, so s^1 is the other
			// side.
			shift[s] = (stats.Median(u) - stats.Median(other)) / 2
		}
	}
	var all []float64
	for a, known := range f.known {
		if known {
			f.u[a] -= shift[sides[a]]
			all = append(all, f.u[a])
		}
	}
	if len(all) > 0 {
		m := stats.MedianInPlace(all)
		for a, known := range f.known {
			if known {
				f.u[a] -= m
			}
		}
	}
	rest := f.rest
	for i, l := range f.links {
		rest[i] = l.y - f.u[l.a] - f.u[l.b]
	}
	f.mu = stats.MedianInPlace(rest)
}

// sides numbers the sides of the components that have two: 2k and 2k+1, from k = 1. Nodes of other
// components have 0.
func (f *twoWay) sides() []int {
	// A search in breadth gives each node the side opposite to the node from which it was reached.
	// A link within a side shows that the component has a cycle of odd length, so it has no sides.
	side := make([]int, len(f.known))
	component := 0
	for start := range side {
		if side[start] != 0 || len(f.of[start]) == 0 {
			continue
		}
		component++
		side[start] = 2 * component
		members, two := []int{start}, true
		for k := 0; k < len(members); k++ {
			a := members[k]
			for _, i := range f.of[a] {
				b := f.links[i].a + f.links[i].b - a
				switch {
				case side[b] == 0:
					side[b] = side[a] ^ 1
					members = append(members, b)
				case side[b] == side[a]:
					two = false
				}
			}
		}
		if !two {
			for _, a := range members {
				// Not 0, which would start the search of this component again.
				side[a] = -1
			}
		}
	}
	for a := range side {
		side[a] = max(side[a], 0)
	}
	return side
}

// An effect is the excess of a node's pairs: of all, or of those in which it sends or receives.
type effect struct {
	node  int
	role  string // "sender", "receiver", or "" for both
	u, se float64
	links []int
}

// effects lists the nodes with enough partners; the others have no effect beside
// their pairs.
func (f *twoWay) effects() (all []effect) {
	for a, known := range f.known {
		if known {
			all = append(all, effect{a, "", f.u[a], f.se[a], f.of[a]})
		}
	}
	return all
}

// degrees returns the degrees of freedom of the standard error: the links of the
// node, less one for the effect itself.
func (x effect) degrees() float64 { return max(1, float64(len(x.links)-1)) }
