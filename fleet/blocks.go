package fleet

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// Limits of what counts as two blocks of nodes.
const (
	leastBlock = 3    // nodes in each: with fewer, a slow link is a slow node or pair
	blockLevel = 1e-3 // probability of such a pattern by chance, at most
	blockGain  = 0.85 // part of the residuals of a fit of nodes alone that may be left
)

// blocks are two sets of nodes between which every pair is slower by the same part: a slow link, and
// no slow node.
type blocks struct {
	across []bool // by node: it is in the smaller block
	y, se  float64
	p      float64
}

// crosses reports whether a pair is of one node of each block.
func (b *blocks) crosses(l link) bool { return b != nil && b.across[l.a] != b.across[l.b] }

// subtractBlocks returns the links, less the effect of the blocks on links between them.
func (b *blocks) subtractBlocks(links []link) []link {
	reduced := make([]link, len(links))
	for i, l := range links {
		if b.crosses(l) {
			l.y -= b.y
		}
		reduced[i] = l
	}
	return reduced
}

// findBlocks looks for two blocks that explain the links better than effects of the nodes alone,
// which plain is. It returns nil if there are none. The partition is that of the signs of an
// eigenvector of the links' residuals; by chance its eigenvalue follows the law of Tracy and Widom
// (1994), about 2σ√k for k partners of a node.
func findBlocks(n int, links []link, plain *twoWay) (*blocks, *twoWay) {
	if n < 2*leastBlock || len(links) < 3*n/2 {
		return nil, nil
	}
	rest := centredTwice(n, links)
	bound := 3 * scaleOf(rest)
	for i := range rest {
		rest[i] = min(max(rest[i], -bound), bound)
	}
	side := partition(n, links, rest)
	b := &blocks{across: make([]bool, n)}
	small := 0
	for a := range side {
		if b.across[a] = side[a] < 0; b.across[a] {
			small++
		}
	}
	if 2*small > n {
		for a := range b.across {
			b.across[a] = !b.across[a]
		}
		small = n - small
	}
	var squares, pattern float64
	var far, near []float64
	for i, l := range links {
		squares += rest[i] * rest[i]
		if b.crosses(l) {
			pattern += rest[i]
			far = append(far, l.y)
		} else {
			pattern -= rest[i]
			near = append(near, l.y)
		}
	}
	if small < leastBlock || len(near) == 0 || len(far) == 0 {
		return nil, nil
	}
	m := float64(len(links))
	partners := 2 * m / float64(n)
	sigma := math.Sqrt(max(squares/m-pattern/m*pattern/m, 1e-12*squares/m))
	excess := (2*pattern/float64(n)/sigma - 2*math.Sqrt(partners)) * math.Pow(partners, 1./6)
	if b.p = stats.StudentTail((excess+1.2)/1.27, 8); b.p > blockLevel { // mean and deviation of the law
		return nil, nil
	}
	b.y = stats.Median(far) - stats.Median(near)
	var fit *twoWay
	for range 3 {
		fit = fitTwoWay(n, b.subtractBlocks(links))
		far, near = far[:0], near[:0]
		for i, l := range links {
			if b.crosses(l) {
				far = append(far, fit.e[i])
			} else {
				near = append(near, fit.e[i])
			}
		}
		b.y += stats.Median(far) - stats.Median(near)
	}
	fit = fitTwoWay(n, b.subtractBlocks(links))
	var left, before float64
	inside, slow := 0, 0 // pairs of the smaller block
	for i, l := range links {
		left, before = left+math.Abs(fit.e[i]), before+math.Abs(plain.e[i])
		if b.across[l.a] && b.across[l.b] {
			if inside++; fit.e[i] > b.y/2 {
				slow++
			}
		}
	}
	// Nodes that are slow with everybody look like a block of their own, but inside of it they are
	// slow too.
	var ours, theirs []float64
	for a, u := range fit.u {
		if b.across[a] {
			ours = append(ours, u)
		} else {
			theirs = append(theirs, u)
		}
	}
	if b.y <= 0 || 4*slow >= inside || left > blockGain*before || math.Abs(stats.Median(ours)-stats.Median(theirs)) > b.y/2 {
		return nil, nil
	}
	fit.links = links // what pairs took; e is less what the blocks explain
	b.se = fit.scale * math.Sqrt(math.Pi/2*(1/float64(len(far))+1/float64(len(near))))
	return b, fit
}

// centredTwice returns the links' values less the means of their nodes.
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
			u[a] = (u[a] + sum[a]/max(1, count[a])) / 2
		}
	}
	rest := make([]float64, len(links))
	for i, l := range links {
		rest[i] = l.y - mean - u[l.a] - u[l.b]
	}
	return rest
}

// partition returns a sign for each node, such that links between different signs have large
// residuals: by power iteration, then by moving nodes one by one.
func partition(n int, links []link, rest []float64) []float64 {
	squares := 0.0
	for _, r := range rest {
		squares += r * r
	}
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
