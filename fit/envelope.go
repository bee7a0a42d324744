package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// Envelope fits the lower envelope of two lines, T(n) = min(β₁+nτ₁, β₂+nτ₂) with
// β₁ < β₂ and τ₁ > τ₂: a system that takes the cheaper of two ways, PIO or DMA. It is
// continuous, and bends down where the lines cross. Where no such envelope is
// better than one line, the result has one segment and says so.
func Envelope(t *benchfile.Table) (*Result, error) {
	return form{name: "envelope", method: Relative}.result(t)
}

// maxStarts is the number of divisions that the search starts from.
const maxStarts = 24

// fitEnvelope starts from divisions in two, and lets points go over to the line
// that is lower at their size until none moves; the least sum of squared relative errors wins.
func fitEnvelope(points []Point) []piece {
	n := len(points)
	one := piece{fitLine(points, Relative), n, math.Inf(1)}
	best, least := []piece{one}, squares(points, []piece{one})
	stride := max(1, n/maxStarts)
	seen := map[int]bool{}
	for start := 2; start <= n-2; start += stride {
		for cut := start; cut >= 2 && cut <= n-2 && !seen[cut]; {
			seen[cut] = true
			a, b := fitLine(points[:cut], Relative), fitLine(points[cut:], Relative)
			if a.beta >= b.beta || a.tau <= b.tau {
				break
			}
			cross := (b.beta - a.beta) / (a.tau - b.tau)
			cut = 0
			for cut < n && float64(points[cut].Size) <= cross {
				cut++
			}
			if cut == 0 || cut == n {
				break
			}
			pieces := []piece{{a, cut, cross}, {b, n - cut, math.Inf(1)}}
			if s := squares(points, pieces); s < least {
				best, least = pieces, s
			}
		}
	}
	return best
}

// squares is the sum of squared relative errors.
func squares(points []Point, pieces []piece) (sum float64) {
	for _, p := range points {
		e := float64(p.Time)/at(pieces, float64(p.Size)) - 1
		sum += float64(p.Count) * e * e
	}
	return sum
}
