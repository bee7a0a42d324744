package fleet

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// Bounds for the search of two blocks of nodes that nobody named.
const (
	minBlockNodes     = 3    // nodes in each: with fewer, a slow link is a slow node or pair
	maxBlockP         = 1e-3 // at most, the probability of such a pattern by chance
	maxBlockResiduals = 0.85 // at most, the remaining part of the residuals of a fit of nodes alone
)

// blocks divide the nodes so that all pairs between two blocks may be slower by the same factor:
// then a link is slow, and not a node.
type blocks struct {
	of    []int    // by node: its block, from 1; 0: none
	names []string // of the blocks, if they were given
	cross map[[2]int]*crossing
}

// A crossing is the pairs between two blocks: y is their excess over pairs within
// blocks, over their excess over the usual pairs between blocks. Pairs between racks
// are slower than pairs within them in any fleet, so only over is a fault.
type crossing struct{ y, over, se, p float64 }

// between returns the blocks of a pair, the lower first; zeros for a pair of one block.
func (b *blocks) between(l link) [2]int {
	x, y := b.of[l.a], b.of[l.b]
	if x == 0 || y == 0 || x == y {
		return [2]int{}
	}
	return [2]int{min(x, y), max(x, y)}
}

// subtract returns the links, less the effects of their crossings, for fits of what
// remains.
func (b *blocks) subtract(links []link) []link {
	reduced := slices.Clone(links)
	for i, l := range links {
		if c := b.cross[b.between(l)]; c != nil {
			reduced[i].y -= c.y
		}
	}
	return reduced
}

// fit fits the effects of crossings and of nodes by turns. The excess of pairs between two blocks
// is relative to the pairs within blocks or, without such pairs, to all.
func (b *blocks) fit(n int, links []link) *twoWay {
	rest := list.Map(links, func(l link) float64 { return l.y })
	var fit *twoWay
	// By turns, since nodes with many partners across a crossing first take part of its
	// excess for their own.
	for range 4 {
		values := map[[2]int][]float64{}
		for i, l := range links {
			values[b.between(l)] = append(values[b.between(l)], rest[i])
		}
		near := values[[2]int{}]
		if near == nil {
			near = rest
		}
		base := stats.Median(near)
		for key, c := range b.cross {
			// The residuals are those beyond the previous estimate, so each turn adds what the
			// nodes' effects have released.
			c.y += stats.Median(values[key]) - base
			// The variance of a median of n normal values is π/2/n of theirs, and c.y is a
			// difference of two. The factor σ follows when the fit is known.
			c.se = math.Sqrt(math.Pi / 2 * (1/float64(len(values[key])) + 1/float64(len(near))))
		}
		fit = fitTwoWay(n, b.subtract(links))
		rest = fit.e
	}
	for _, c := range b.cross {
		c.se *= fit.scale
	}
	return fit
}

// givenBlocks fits the blocks of places, by the names of nodes. A crossing is slow if
// it is slower than the median crossing or, if there are fewer than three, than pairs
// within blocks: of two crossings the median lies between both, and cannot say which
// is the usual one. It returns nil for nodes of fewer than two blocks.
func givenBlocks(names []string, links []link, places map[string]string) (*blocks, *twoWay) {
	b := &blocks{of: make([]int, len(names)), cross: map[[2]int]*crossing{}}
	for _, name := range names {
		if place := places[name]; place != "" && !slices.Contains(b.names, place) {
			b.names = append(b.names, place)
		}
	}
	slices.Sort(b.names)
	for a, name := range names {
		b.of[a] = slices.Index(b.names, places[name]) + 1
	}
	for _, l := range links {
		if key := b.between(l); key != [2]int{} && b.cross[key] == nil {
			b.cross[key] = &crossing{}
		}
	}
	if len(b.cross) == 0 {
		return nil, nil
	}
	fit := b.fit(len(names), links)
	var all []float64
	for _, c := range b.cross {
		all = append(all, c.y)
	}
	base := 0.0
	if len(all) > 2 {
		base = stats.Median(all)
	}
	for _, c := range b.cross {
		c.over = c.y - base
		tail := stats.StudentTail(ratio(c.over, c.se), degreesOf(len(links)))
		c.p = min(1, float64(len(all))*tail) // Bonferroni: each crossing is a test
	}
	return b, fit
}

// findBlocks returns two blocks that explain the links better than plain, the fit of effects of the
// nodes alone, or nil. The signs of an eigenvector of the links' residuals are the partition. By
// chance its eigenvalue follows the law of Tracy and Widom (1994): it is about 2σ√k if a node
// has k partners.
func findBlocks(n int, links []link, plain *twoWay) (*blocks, *twoWay) {
	// 3n/2 links are three partners a node, in the mean. With fewer the effects of nodes are hardly
	// known, and no pattern in what they leave is either.
	if n < 2*minBlockNodes || len(links) < 3*n/2 {
		return nil, nil
	}
	rest := centredTwice(n, links)
	bound := 3 * scaleOf(rest) // one slow pair may not set the partition
	for i := range rest {
		rest[i] = min(max(rest[i], -bound), bound)
	}
	b := &blocks{of: make([]int, n)}
	small := 0
	for a, side := range partition(n, links, rest) {
		if b.of[a] = 2; side < 0 {
			b.of[a] = 1
			small++
		}
	}
	if 2*small > n { // the smaller block is the first
		for a := range b.of {
			b.of[a] = 3 - b.of[a]
		}
		small = n - small
	}
	var squares, pattern float64
	across := 0
	for i, l := range links {
		squares += rest[i] * rest[i]
		if b.of[l.a] != b.of[l.b] {
			pattern += rest[i]
			across++
		} else {
			pattern -= rest[i]
		}
	}
	// Without pairs on both sides of the distinction there is nothing to compare.
	if small < minBlockNodes || across == 0 || across == len(links) {
		return nil, nil
	}
	m := float64(len(links))
	partners := 2 * m / float64(n)
	// The scatter about the pattern: a strong pattern must not count as its own noise. The bound
	// keeps a pattern without any noise from dividing by 0.
	sigma := math.Sqrt(max(squares/m-pattern/m*pattern/m, 1e-12*squares/m))
	// The eigenvalue of the partition is 2·pattern/n. Its excess over 2σ√k, in units of
	// σ·k^(−1/6), follows the law of Tracy and Widom with mean −1.2 and standard deviation
	// 1.27. Student's t with 8 degrees of freedom stands for the upper tail of that law.
	excess := (2*pattern/float64(n)/sigma - 2*math.Sqrt(partners)) * math.Pow(partners, 1./6)
	c := &crossing{p: stats.StudentTail((excess+1.2)/1.27, 8)}
	if c.p > maxBlockP {
		return nil, nil
	}
	b.cross = map[[2]int]*crossing{{1, 2}: c}
	fit := b.fit(n, links)
	if c.over = c.y; c.y <= 0 || b.looksLikeNodes(links, fit, plain, c.y) {
		return nil, nil
	}
	return b, fit
}

// looksLikeNodes reports whether effects of nodes explain as much: nodes that are slow with all
// partners look like a block of their own, but inside it they are slow too.
func (b *blocks) looksLikeNodes(links []link, fit, plain *twoWay, y float64) bool {
	var left, before float64
	inside, slow := 0, 0 // pairs of the smaller block
	for i, l := range links {
		left, before = left+math.Abs(fit.e[i]), before+math.Abs(plain.e[i])
		if b.of[l.a] == 1 && b.of[l.b] == 1 {
			if inside++; fit.e[i] > y/2 {
				slow++
			}
		}
	}
	var u [3][]float64
	for a, v := range fit.u {
		u[b.of[a]] = append(u[b.of[a]], v)
	}
	// Inside a block of their own, a slow link does not matter, and slow nodes do.
	slowInside := 4*slow >= inside
	noBetterFit := left > maxBlockResiduals*before
	// If the two sides have different node effects as well, the excess belongs to the nodes.
	unlikeNodes := math.Abs(stats.Median(u[1])-stats.Median(u[2])) > y/2
	return slowInside || noBetterFit || unlikeNodes
}

// centredTwice returns the links' values less the means of their nodes. It takes
// means and not medians: the median of a node with most partners across the slow link
// is slow, and the pattern would be gone.
func centredTwice(n int, links []link) []float64 {
	u, sum, count := make([]float64, n), make([]float64, n), make([]float64, n)
	mean := 0.0
	for _, l := range links {
		mean += l.y / float64(len(links))
		count[l.a]++
		count[l.b]++
	}
	for range 20 {
		clear(sum)
		for _, l := range links {
			sum[l.a] += l.y - mean - u[l.b]
			sum[l.b] += l.y - mean - u[l.a]
		}
		for a := range u {
			// Half a step: with whole steps, a shift of all nodes would change its sign each round,
			// and never settle.
			u[a] = (u[a] + sum[a]/max(1, count[a])) / 2
		}
	}
	return list.Map(links, func(l link) float64 { return l.y - mean - u[l.a] - u[l.b] })
}

// partition returns a sign for each node, such that links between different signs have large
// residuals: by power iteration, then by moving nodes one by one.
func partition(n int, links []link, rest []float64) []float64 {
	squares := 0.0
	for _, r := range rest {
		squares += r * r
	}
	// Power iteration finds the eigenvalue of the largest size, and the wanted one is the most
	// negative of the residuals. Subtracted from the shift, it is the largest, and none is below 0
	// by chance.
	shift := 2 * math.Sqrt(2*squares/float64(n)) // noise has no eigenvalue beyond
	v, next := make([]float64, n), make([]float64, n)
	for a := range v {
		v[a] = math.Cos(float64(a*a + 1)) // any start that is not at right angles to the answer
	}
	for range 100 {
		size := 0.0
		for a := range v {
			next[a] = shift * v[a]
		}
		for i, l := range links {
			next[l.a] -= rest[i] * v[l.b]
			next[l.b] -= rest[i] * v[l.a]
		}
		for _, x := range next {
			size += x * x
		}
		if size == 0 {
			break
		}
		for a := range v {
			v[a] = next[a] / math.Sqrt(size)
		}
	}
	side := make([]float64, n)
	for a := range side {
		side[a] = math.Copysign(1, v[a])
	}
	// The signs round the eigenvector, so nodes with small components may be on the wrong side.
	// Each round moves the worst one.
	for range 10 {
		pull := make([]float64, n)
		for i, l := range links {
			pull[l.a] -= rest[i] * side[l.a] * side[l.b]
			pull[l.b] -= rest[i] * side[l.a] * side[l.b]
		}
		worst := 0
		for a := range pull {
			if pull[a] < pull[worst] {
				worst = a
			}
		}
		if pull[worst] >= 0 {
			break
		}
		side[worst] = -side[worst]
	}
	return side
}
