package fit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// huberK is where Huber's function goes from square to straight, in standard
// deviations: 95 % of the efficiency of least squares if the errors are normal
// (Huber, Robust Statistics, 1981).
const huberK = 1.345

// fitHuber iterates weights min(1, k/|e|) of the relative errors e, in units of their
// median absolute deviation. The intervals are those of Huber 1981, §7.6.
func fitHuber(points []Point) line {
	n := len(points)
	w, e, sorted := make([]float64, n), make([]float64, n), make([]float64, n)
	l := fitLine(points, Relative)
	var scale float64
	for range reweightings {
		for i, p := range points {
			e[i] = float64(p.Time)/l.at(float64(p.Size)) - 1
			sorted[i] = math.Abs(e[i])
		}
		slices.Sort(sorted)
		scale = max(1.4826*quantile(sorted, 0.5), sameTime) // of a normal distribution
		change := 0.0
		for i, p := range points {
			fitted := l.at(float64(p.Size))
			next := float64(p.Count) / (fitted * fitted) * min(1, huberK*scale/math.Max(math.Abs(e[i]), math.SmallestNonzeroFloat64))
			change = max(change, math.Abs(next/w[i]-1))
			w[i] = next
		}
		if l = solve(points, w); change < 1e-12 {
			break
		}
	}
	// Of the points within k, Σψ² stands for the squares, and their share for ψ'.
	var psi2, inside float64
	for i, p := range points {
		fitted := l.at(float64(p.Size))
		e[i] = float64(p.Time)/fitted - 1
		psi := min(max(e[i], -huberK*scale), huberK*scale)
		psi2 += float64(p.Count) * psi * psi
		if math.Abs(e[i]) <= huberK*scale {
			inside++
		}
		w[i] = float64(p.Count) / (fitted * fitted)
	}
	full := solve(points, w)
	l.sw, l.mx, l.sxx = full.sw, full.mx, full.sxx
	share := inside / float64(n)
	l.intervals(psi2/(share*share), n-2)
	return l
}

// maxPairs bounds the pairs of points that Theil and Sen's slope is taken over.
const maxPairs = 6_000

// theilSenTries is how many resamplings its intervals come from.
const theilSenTries = 200

// resampledIntervals sets the intervals of Theil and Sen's line from resampled
// residuals. The resampling has a seed of its own, so that the same points give the
// same intervals. They are a little narrow: of 95 % they hold about 90.
func (l *line) resampledIntervals(points []Point) {
	l.intervals(0, 0)
	if len(points) < 3 {
		return
	}
	random := rand.New(rand.NewPCG(1, 1))
	one := []piece{{*l, len(points), math.Inf(1)}}
	residuals := relativeResiduals(points, one)
	betas, taus := make([]float64, theilSenTries), make([]float64, theilSenTries)
	again := slices.Clone(points)
	for i := range betas {
		resample(again, points, one, residuals, random)
		b := fitTheilSen(again)
		betas[i], taus[i] = b.beta, b.tau
	}
	l.betaLow, l.betaHigh = percentiles(betas, l.beta, len(points))
	l.tauLow, l.tauHigh = percentiles(taus, l.tau, len(points))
	l.betaLow, l.tauLow = max(0, l.betaLow), max(0, l.tauLow)
}

// fitTheilSen takes the weighted median of the slopes of pairs, and then of
// T − nτ. A slope weighs |nᵢ−nⱼ|/√(Tᵢ²+Tⱼ²), the inverse of its deviation if errors
// are in proportion to the time: Theil 1950 and Sen 1968 with the weights of Jaeckel 1972.
func fitTheilSen(points []Point) line {
	n := len(points)
	type weighted struct{ v, w float64 }
	median := func(s []weighted) float64 {
		slices.SortFunc(s, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
		total, sum := 0.0, 0.0
		for _, x := range s {
			total += x.w
		}
		for i, x := range s {
			if sum += x.w; sum > total/2 || i == len(s)-1 {
				return x.v
			} else if sum == total/2 {
				return (x.v + s[i+1].v) / 2
			}
		}
		return 0
	}
	step := 1 + n*(n-1)/2/maxPairs // every so many pairs
	var slopes []weighted
	pair := 0
	for i, p := range points {
		for _, q := range points[i+1:] {
			if pair++; pair%step == 0 || step == 1 {
				dn := float64(q.Size - p.Size)
				w := dn / math.Hypot(float64(p.Time), float64(q.Time)) * math.Sqrt(float64(p.Count)*float64(q.Count))
				slopes = append(slopes, weighted{float64(q.Time-p.Time) / dn, w})
			}
		}
	}
	l := line{freeTau: median(slopes)}
	l.tau = max(0, l.freeTau)
	rest := make([]weighted, n)
	for i, p := range points {
		rest[i] = weighted{float64(p.Time) - l.tau*float64(p.Size), float64(p.Count) / float64(p.Time)}
	}
	l.freeBeta = median(rest)
	if l.beta = l.freeBeta; l.beta < 0 {
		l.beta = 0
		for i, p := range points { // through the origin: the median of T/n
			rest[i] = weighted{float64(p.Time) / float64(p.Size), float64(p.Count)}
		}
		l.tau = median(rest)
	}
	return l
}
