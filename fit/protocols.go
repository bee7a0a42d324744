package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A LogGPProtocol has the parameters of a range of sizes.
type LogGPProtocol struct {
	From, To quantity.Bytes // measured sizes
	// The overheads have no intervals: they are measured directly.
	Estimate[model.LogGP]
	// Latencies and Stream are the errors of the one-way times and of the gaps.
	Latencies, Stream Errors
}

// A pair has the latencies and the gaps of a range of sizes, for two lines of one slope:
//
//	T(n) = level₀ + (n−1)G,   g'(n) = level₁ + (n−1)G
type pair struct {
	points [2][]Point // of the latencies and of the stream, by size
}

// parameters is the number of parameters of two lines of one slope.
const parameters = 2 + 1

// A slope has two lines of one slope, by weighted least squares under level, G ≥ 0.
type slope struct {
	level   [2]float64
	perByte float64
	rss     float64
	moments [2]stats.Moments
}

func (s *slope) at(of int, n quantity.Bytes) float64 {
	return s.level[of] + s.perByte*float64(n-1)
}

// solveSlope returns the lines of moments of the sizes n−1. A level that would be negative is held
// at 0, so that its line goes through the origin.
func solveSlope(m [2]stats.Moments) slope {
	s := slope{moments: m}
	held := [2]bool{}
	for {
		var xx, xy float64
		for i := range m {
			xx, xy = xx+m[i].XX, xy+m[i].XY
			if held[i] {
				// A line through the origin has moments about 0, and those given are about the
				// mean.
				xx, xy = xx+m[i].W*m[i].X*m[i].X, xy+m[i].W*m[i].X*m[i].Y
			}
		}
		s.perByte = 0
		if xx > 0 {
			s.perByte = max(0, xy/xx)
		}
		again := false
		for i := range m {
			if s.level[i] = 0; held[i] {
				continue
			}
			if s.level[i] = m[i].Y - s.perByte*m[i].X; s.level[i] < 0 {
				s.level[i], held[i], again = 0, true, true
			}
		}
		if !again {
			break
		}
	}
	for i := range m {
		d := m[i].Y - s.level[i] - s.perByte*m[i].X
		s.rss += m[i].YY - 2*s.perByte*m[i].XY + s.perByte*s.perByte*m[i].XX + m[i].W*d*d
	}
	s.rss = max(0, s.rss)
	return s
}

// lines returns the lines of the pair. The weights are of errors in proportion to the fitted times,
// for the reason at fitRelative.
func (p *pair) lines() slope {
	n := len(p.points[0])
	all := slices.Concat(p.points[0], p.points[1])
	w := relativeWeights(all, func(i int) float64 { return float64(all[i].Time) })
	of := func(i int) int {
		if i < n {
			return 0
		}
		return 1
	}
	return stats.Reweighted(w, func(w []float64) slope {
		var m [2]stats.Moments
		for i, q := range all {
			m[of(i)].Add(float64(q.Size-1), float64(q.Time), w[i])
		}
		return solveSlope(m)
	}, func(s slope, w []float64) {
		copy(w, relativeWeights(all, func(i int) float64 {
			// The limits keep lines that miss a size entirely from silencing or exaggerating it.
			t := float64(all[i].Time)
			return min(max(s.at(of(i), all[i].Size), t/entire), t*entire)
		}))
	})
}

// relativeWeights returns the weights of errors in proportion to times.
func relativeWeights(points []Point, time func(i int) float64) []float64 {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count) / (time(i) * time(i))
	}
	return w
}

// parameters returns LogGP's parameters, with the intervals of the scatter about both lines, by
// Student's t with the degrees of freedom of three parameters.
func (p *pair) parameters(overheads [2]quantity.Micros) (r LogGPProtocol, err error) {
	s := p.lines()
	free := float64(len(p.points[0]) + len(p.points[1]) - parameters)
	var xx float64
	for i := range s.moments {
		xx += s.moments[i].XX
	}
	half := func(variance float64) float64 {
		if free < 1 {
			return math.Inf(1)
		}
		return stats.T95(free) * math.Sqrt(s.rss/free*variance)
	}
	level := func(i int) quantity.Interval {
		m := &s.moments[i]
		return around(s.level[i], half(1/m.W+m.X*m.X/xx))
	}
	sum, gap := level(0), level(1)
	perByte := around(s.perByte, half(1/xx))
	latency := sum.Value - float64(overheads[0]+overheads[1])
	if latency < 0 {
		return r, fmt.Errorf("LogGP: L would be %v: o_s = %v and o_r = %v are more than the "+
			"one-way time of %v; they overlap with the transfer, or were measured otherwise",
			quantity.Micros(latency), overheads[0], overheads[1], quantity.Micros(sum.Value))
	}
	e := logpEstimates{
		send: exactly(overheads[0]), receive: exactly(overheads[1]), gap: gap,
		// The overheads are known: all of the sum's uncertainty is that of L.
		latency: quantity.Interval{Value: latency, Low: max(0, latency-(sum.Value-sum.Low)),
			High: latency + (sum.High - sum.Value)},
	}
	others := e.parameters()
	r.Value.LogP, r.Low.LogP, r.High.LogP = others.Value, others.Low, others.High
	r.Value.GapPerByte = quantity.MicrosPerByte(perByte.Value)
	r.Low.GapPerByte = quantity.MicrosPerByte(perByte.Low)
	r.High.GapPerByte = quantity.MicrosPerByte(perByte.High)
	first, last := quantity.Bytes(math.Inf(1)), quantity.Bytes(0)
	for i, of := range []func(n quantity.Bytes) quantity.Micros{r.Value.OneWay, r.Value.Gap} {
		points := slices.Clone(p.points[i])
		for j := range points {
			points[j].Fitted = of(points[j].Size)
		}
		errors := errorsOf(points)
		if i == 0 {
			r.Latencies = errors
		} else {
			r.Stream = errors
		}
		first, last = min(first, points[0].Size), max(last, points[len(points)-1].Size)
	}
	r.From, r.To = first, last
	return r, nil
}

// protocols divides the sizes of latencies and gaps into protocols, each with at least [minPoints]
// of both, by the criterion of [Piecewise] for three parameters and a break. Quantum is the
// resolution of the times.
func protocols(latencies, gaps []Point, quantum float64) []pair {
	whole := pair{[2][]Point{latencies, gaps}}
	var sizes []quantity.Bytes
	for _, p := range slices.Concat(latencies, gaps) {
		sizes = append(sizes, p.Size)
	}
	sizes = stats.Ascending(sizes)
	most := min(MaxSegments, len(latencies)/minPoints, len(gaps)/minPoints)
	if most < 2 {
		return []pair{whole}
	}
	d := &division{n: len(sizes), places: places(len(sizes), minPoints)}
	var w [2][]float64
	for i, points := range whole.points {
		w[i] = relativeWeights(points, func(j int) float64 { return float64(points[j].Time) })
	}
	d.search(whole.costs(sizes, w), most)
	// Once more, with the weights of the finest division's times; see split.
	parts := whole.divide(sizes, d.trace(most))
	d.floor = 0
	for i, points := range whole.points {
		w[i] = w[i][:0]
		for k := range parts {
			s := parts[k].lines()
			of := parts[k].points[i]
			w[i] = append(w[i], relativeWeights(of, func(j int) float64 {
				t := float64(of[j].Time)
				return min(max(s.at(i, of[j].Size), t/entire), t*entire)
			})...)
		}
		for j, p := range points {
			d.floor += w[i][j] * (math.Pow(sameTime*float64(p.Time), 2) + roundingVariance(quantum))
		}
	}
	d.search(whole.costs(sizes, w), most)
	k := d.choose(most, float64(len(latencies)+len(gaps)), parameters+1)
	return whole.divide(sizes, d.trace(k))
}

// costs returns, for the first size of a protocol, its sum of squares up to each of the ends; +Inf
// for too few points.
func (p *pair) costs(sizes []quantity.Bytes, w [2][]float64) func(from int, ends []int) []float64 {
	return func(from int, ends []int) []float64 {
		var m [2]stats.Moments
		at, count := [2]int{}, [2]int{}
		for i, points := range p.points {
			at[i] = firstOf(points, sizes[from])
		}
		return list.Map(ends, func(end int) float64 {
			for i, points := range p.points {
				for ; at[i] < len(points) && points[at[i]].Size <= sizes[end-1]; at[i]++ {
					q := &points[at[i]]
					m[i].Add(float64(q.Size-1), float64(q.Time), w[i][at[i]])
					count[i]++
				}
			}
			if min(count[0], count[1]) < minPoints {
				return math.Inf(1)
			}
			return solveSlope(m).rss
		})
	}
}

// divide returns the parts between the ends.
func (p *pair) divide(sizes []quantity.Bytes, ends []int) (parts []pair) {
	for k := range len(ends) - 1 {
		var part pair
		for i, points := range p.points {
			to := len(points)
			if ends[k+1] < len(sizes) {
				to = firstOf(points, sizes[ends[k+1]])
			}
			part.points[i] = points[firstOf(points, sizes[ends[k]]):to]
		}
		parts = append(parts, part)
	}
	return parts
}

// firstOf returns the index of the first point of at least the size.
func firstOf(points []Point, size quantity.Bytes) int {
	at, _ := slices.BinarySearchFunc(points, size, func(p Point, n quantity.Bytes) int {
		return cmp.Compare(p.Size, n)
	})
	return at
}
