package fit

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Break is the boundary between two segments.
type Break struct {
	// At is the last size of the lower segment; Next is the first of the upper. The change lies
	// between them.
	At, Next quantity.Bytes
	// Within is At in bytes with the range of its 95 % confidence set. With a break outside of
	// it, the fit is worse than noise explains.
	Within quantity.Interval
	// Jump is the difference of the upper line from the lower one at At bytes. If its interval
	// contains 0, the line may bend without a jump.
	Jump quantity.Interval
}

const (
	// MaxSegments is the maximum number of segments tried, unless the user requests more.
	MaxSegments = 6
	// endPoints is the minimum number of sizes of the first and of the last segment, below
	// [minPoints]: what is measured beyond a jump may be little.
	endPoints = 2
	// maxCandidates is the maximum number of candidates for breaks in the first search.
	// The costs of all pairs then take 4 MiB.
	maxCandidates = 1 << 10
	// entire is the factor by which a line misses a size entirely.
	entire = 1.5
	// breakLevel is the 95 % point of the likelihood ratio of a break point, times
	// two: −2 ln(1−√0.95) = 7.35 (Hansen, Sample splitting and threshold estimation,
	// Econometrica 68, 2000, table 1).
	breakLevel = 7.35
)

func fitPiecewise(points []Point, k int, quantum float64) ([]piece, []Break) {
	d := split(points, k, quantum)
	pieces := make([]piece, d.k)
	for i := range pieces {
		part := points[d.ends[i]:d.ends[i+1]]
		pieces[i] = piece{fitRelative(part), len(part), float64(part[len(part)-1].Size)}
	}
	var breaks []Break
	for i := 1; i < d.k; i++ {
		at := d.ends[i] - 1
		low, high := d.confidence(i)
		breaks = append(breaks, Break{
			At: points[at].Size, Next: points[at+1].Size,
			Within: quantity.Interval{Value: float64(points[at].Size),
				Low: float64(points[low].Size), High: float64(points[high].Size)},
		})
	}
	return pieces, breaks
}

// addIntervals sets the intervals of pieces over points, and the jumps at their breaks. It is apart
// from the fit, since a cross-validation needs values only.
func addIntervals(points []Point, pieces []piece, breaks []Break) {
	for i := range pieces {
		pieces[i].addIntervals(points[:pieces[i].points])
		points = points[pieces[i].points:]
	}
	for i := range breaks {
		breaks[i].Jump = jump(&pieces[i], &pieces[i+1], float64(breaks[i].At))
	}
}

func jump(lower, upper *piece, n float64) quantity.Interval {
	v, d := upper.at(n)-lower.at(n), math.Inf(1)
	// Two lines of two parameters.
	if dof := lower.points + upper.points - 2*2; dof >= 1 {
		d = stats.T95(float64(dof)) * math.Hypot(lower.sd(n), upper.sd(n))
	}
	return quantity.Interval{Value: v, Low: v - d, High: v + d}
}

// A division is the best way to divide points into segments.
type division struct {
	n, k int
	ends []int // ends[i] is the first point of segment i; ends[k] is n
	// places lists the possible first points of segments, with 0 and n.
	places []int
	// costs[i][j-i-1] is the sum of squares of one line from place i to place j, +Inf
	// for too few points.
	costs [][]float64
	// before[k][j] is the minimum cost of k segments up to place j.
	before [][]float64
	floor  float64 // costs below are rounding, and the clock's
}

// split returns the best division into k segments, or with k = 0 into the number that the criterion
// selects. Quantum is the resolution of the times, or 0.
//
// Costs are squared relative errors under fixed weights: first over the measured times, then once
// more over the times of the finest division, for the reason at fitRelative, with bounded outliers.
// The lines themselves are then fitted to all points.
func split(points []Point, k int, quantum float64) *division {
	n := len(points)
	k = min(k, n/2)
	most := k
	if k == 0 {
		most = max(1, min(MaxSegments, n/minPoints))
	}
	least := max(1, min(minPoints, n/most))
	end := min(least, endPoints)
	d := &division{n: n, places: places(n, end)}
	costs := func(w []float64) func(from int, ends []int) []float64 {
		return lineCosts(points, w, func(from, to int) bool {
			return to-from >= least || to-from >= end && (from == 0 || to == n)
		})
	}
	w := make([]float64, n)
	for i, p := range points {
		w[i] = float64(p.Count) / float64(p.Time*p.Time)
	}
	d.search(costs(w), most)
	ends := d.trace(most)
	errors := make([]float64, n)
	for i := range most {
		part, weights := points[ends[i]:ends[i+1]], w[ends[i]:ends[i+1]]
		l := solve(part, weights)
		for j, p := range part {
			// The limits keep a line that misses a size entirely from silencing or exaggerating it.
			time := float64(p.Time)
			fitted := min(max(l.at(float64(p.Size)), time/entire), time*entire)
			weights[j] = float64(p.Count) / (fitted * fitted)
			errors[ends[i]+j] = math.Abs(float64(p.Time)/fitted - 1)
		}
	}
	// A point far beyond the scatter of the finest division would dominate the sum, so it counts as
	// if at outlier deviations.
	free := max(1, float64(n-minPoints*most))
	bound := outlier * max(stats.MAD(errors, 0)*math.Sqrt(float64(n)/free), sameTime)
	for i, e := range errors {
		if e > bound {
			w[i] *= bound * bound / (e * e)
		}
	}
	d.refine(ends, end)
	d.search(costs(w), most)
	for i, p := range points {
		d.floor += w[i] * (math.Pow(sameTime*float64(p.Time), 2) + roundingVariance(quantum))
	}
	d.k = k
	if k == 0 {
		d.k = d.choose(most, float64(n), minPoints)
	}
	d.ends = d.trace(d.k)
	return d
}

// choose returns the number of segments with the minimum criterion
//
//	n ln(RSS/(n−p)) + p ln(n)        p = 3k
//
// BIC (Schwarz 1978) of the variance of n points without bias, where p counts two parameters of
// each line, k−1 breaks and the variance; in general, p = each·k. With RSS/n for the variance, and
// with the correction of McQuarrie and Tsai for small samples, it is right less often in
// TestSimulation: the first takes too many segments of few sizes, the second too few.
func (d *division) choose(most int, n, each float64) int {
	best, least := 1, math.Inf(1)
	for k := 1; k <= most; k++ {
		p := each * float64(k)
		if n-p <= 0 {
			break
		}
		rss := max(d.before[k][len(d.places)-1], d.floor)
		if c := n*math.Log(rss/(n-p)) + p*math.Log(n); c < least-rounding {
			best, least = k, c
		}
	}
	return best
}

// roundingVariance returns the variance of rounding to a step q, q²/12.
func roundingVariance(q float64) float64 { return q * q / 12 }

// places returns candidates for breaks, spread evenly over the points.
func places(n, least int) []int {
	p := []int{0}
	step := max(1, float64(n)/maxCandidates)
	for at := float64(least); int(at) <= n-least; at += step {
		p = append(p, int(at))
	}
	return append(p, n)
}

// refine adds candidates if they are fewer than the points: every point near the ends of a
// division, and fewer elsewhere. A break in the wrong place would require a segment of its own.
func (d *division) refine(ends []int, least int) {
	step := (d.n + maxCandidates - 1) / maxCandidates
	if step == 1 {
		return
	}
	var p []int
	for i := 0; i < len(d.places); i += 4 {
		p = append(p, d.places[i])
	}
	for _, end := range ends {
		for at := max(least, end-step); at <= min(d.n-least, end+step); at++ {
			p = append(p, at)
		}
	}
	d.places = stats.Ascending(append(p, d.n))
}

// lineCosts returns, for a first point, the costs of a line from there to each of the ends, +Inf
// for too few points.
func lineCosts(points []Point, w []float64, enough func(from, to int) bool) func(
	from int, ends []int) []float64 {
	return func(from int, ends []int) []float64 {
		row := make([]float64, len(ends))
		var m stats.Moments
		at := from
		for j, end := range ends {
			for ; at < end; at++ {
				m.Add(float64(points[at].Size), float64(points[at].Time), w[at])
			}
			row[j] = math.Inf(1)
			if enough(from, end) {
				row[j] = rss(&m)
			}
		}
		return row
	}
}

// search computes costs and before, for up to most segments.
func (d *division) search(costs func(from int, ends []int) []float64, most int) {
	last := len(d.places) - 1
	d.costs = make([][]float64, last)
	for i := range d.costs {
		d.costs[i] = costs(d.places[i], d.places[i+1:])
	}
	d.before = make([][]float64, most+1)
	for k := range d.before {
		d.before[k] = slices.Repeat([]float64{math.Inf(1)}, last+1)
		for j := 1; k > 0 && j <= last; j++ {
			best := math.Inf(1)
			for i := range j {
				best = min(best, d.before[k-1][i]+d.costs[i][j-i-1])
			}
			d.before[k][j] = best
		}
		d.before[0][0] = 0 // no points, no segments, no cost
	}
}

// trace returns the ends of the k segments with minimum cost.
func (d *division) trace(k int) []int {
	ends := make([]int, k+1)
	j := len(d.places) - 1
	ends[k] = d.n
	for ; k > 0; k-- {
		for i := range j {
			if d.before[k-1][i]+d.costs[i][j-i-1] == d.before[k][j] {
				j = i
				break
			}
		}
		ends[k-1] = d.places[j]
	}
	return ends
}

// confidence returns the range of possible last points of the segment before break b. For these the
// likelihood ratio is within breakLevel, with all other breaks fixed.
func (d *division) confidence(b int) (low, high int) {
	place := func(point int) int { return slices.Index(d.places, point) }
	from, at, to := place(d.ends[b-1]), place(d.ends[b]), place(d.ends[b+1])
	total := d.before[d.k][len(d.places)-1]
	best := d.pair(from, at, to)
	within := func(i int) bool {
		cost := max(total-best+d.pair(from, i, to), d.floor)
		return float64(d.n)*math.Log(cost/max(total, d.floor)) <= breakLevel
	}
	// A place that leaves too few points on one side was not tried, so it is not excluded.
	possible := func(i int) bool { return within(i) || math.IsInf(d.pair(from, i, to), 1) }
	low, high = at, at
	for low-1 > from && possible(low-1) {
		low--
	}
	for high+1 < to && possible(high+1) {
		high++
	}
	first, last := d.places[low]-1, d.places[high]-1
	if low-1 == from {
		first = d.places[from]
	}
	if high+1 == to {
		last = d.places[to] - 2
	}
	return first, last
}

// pair returns the cost of two lines, from place i to j and from j to k.
func (d *division) pair(i, j, k int) float64 { return d.costs[i][j-i-1] + d.costs[j][k-j-1] }
