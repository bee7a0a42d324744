package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// judge adds warnings about the table (too few sizes, no spread, a coarse clock, an exceptional
// first row) and about the model (an active bound, one dominant point, errors that are not noise).
func (r *Result) judge() {
	n := len(r.Points)
	// A line through 4 sizes leaves 2 degrees of freedom: t is 4.3, and 2.0 for many sizes.
	if n < few {
		r.warn("%d sizes are few; for useful intervals, measure 10 over a factor of 100", n)
	}
	if first, last := r.Points[0].Size, r.Points[n-1].Size; last < spread*first {
		r.warn("no spread in the sizes (%v to %v): β and τ are hardly identifiable", first, last)
	}
	r.judgeClock()
	r.judgeFirstRow()
	r.judgeOrder()
	if r.Model != "table" {
		r.judgeLines()
		r.judgeScatter()
	}
}

// maxLeverage is the leverage above which one size decides a line. Of n sizes that count alike,
// each has 2/n.
const maxLeverage = 0.8

// judgeLines warns of lines at a bound, and of lines that hang on one size.
func (r *Result) judgeLines() {
	first := 0
	for i := range r.pieces {
		p := &r.pieces[i]
		where := ""
		if len(r.pieces) > 1 {
			where = fmt.Sprintf("%v to %v: ", r.Segments[i].From, r.Segments[i].To)
		}
		switch {
		case p.freeBeta < 0:
			r.warn("%sthe line would cut the axis below zero, at %v; β is held at 0: "+
				"the times grow faster than a line", where, quantity.Micros(p.freeBeta))
		case p.freeTau < 0:
			r.warn("%sthe times fall with size; τ is held at 0", where)
		}
		n, h := leverage(r.Points[first:first+p.points], r.form.method)
		if p.points >= few && h > maxLeverage {
			r.warn("%sthe size %v alone decides the line (leverage %.2f of 1): "+
				"measure more sizes near it", where, n, h)
		}
		first += p.points
	}
}

// judgeScatter warns if the errors are not noise: too large, or of one sign over many sizes.
func (r *Result) judgeScatter() {
	wrong := r.wrong()
	runs, z := signRuns(r.Points)
	// z is below −2.6 by chance in 0.5 % of tables. Errors up to 1 % do not matter, bent or not.
	bent := z < -2.6 && r.P95 > 0.01
	switch {
	case len(r.pieces) == 1 && wrong:
		r.warn("one line is wrong for this file: 1 size in 20 is off by more than %.0f %% "+
			"(worst %.0f %% at %v); the protocol changes with size, fit segments "+
			"(model piecewise)",
			percent(r.P95), percent(r.Worst), r.WorstAt)
	case len(r.pieces) == 1 && bent:
		r.warn("one line does not follow these points: they lie above and below it in only %d "+
			"runs, so the intervals are too narrow; fit segments (model piecewise)", runs)
	case wrong:
		r.warn("1 size in 20 is off by more than %.0f %% (worst %.0f %% at %v)",
			percent(r.P95), percent(r.Worst), r.WorstAt)
	}
}

// missed is the relative error, of 1 size in 20, above which a model is wrong.
const missed = 0.10

// few is the number of sizes below which a fit has hardly an error of its own: t is 4.3 for 4
// sizes, and 2.0 for many.
const few = 5

// spread is the factor between sizes that shows a slope, and the number of sizes that shows runs.
const spread = 8

func percent(share float64) float64 { return 100 * share }

func (r *Result) wrong() bool { return r.P95 > missed }

// judgeClock warns if the resolution of the times matters.
func (r *Result) judgeClock() {
	if r.step <= 0 {
		return
	}
	const cause = "whether they were rounded or truncated is unknown, and β may be %v more"
	if r.step > quantity.Micros(r.quantum) {
		r.warn("the times are multiples of %v: the clock ticks, and each is "+
			"uncertain by ±%v; "+cause,
			r.step, r.step/2, r.step/2)
		return
	}
	part := percent(float64(r.step / shortest(r.Points)))
	r.warn("the times are printed in steps of %v, which is %.0f %% of the shortest; "+cause,
		r.step, part, r.step/2)
}

// warmUp is the factor by which the first row of a file exceeds the sizes next to it if it measured
// the start of the program as well.
const warmUp = 1.3

// judgeFirstRow warns if the first row of the file is far above the two sizes next to it.
func (r *Result) judgeFirstRow() {
	warm := 0
	for i, p := range r.Points {
		if p.Line > 0 && p.Line < r.Points[warm].Line {
			warm = i
		}
	}
	if n := len(r.Points); n >= few && r.Points[warm].Line > 0 {
		next := min(max(warm-1, 0), n-minPoints) // three sizes with the first row among them
		above := math.Inf(1)
		for i := next; i < next+minPoints; i++ {
			if i != warm {
				above = min(above, float64(r.Points[warm].Time/r.Points[i].Time))
			}
		}
		// That the largest size takes the longest is no warm-up.
		if above > warmUp && warm < n-1 {
			r.warn("the first row (%v, %v) is %.1f times as long as those of the sizes next to "+
				"it: a warm-up? It is kept", r.Points[warm].Size, r.Points[warm].Time, above)
		}
	}
}

// judgeOrder warns if a larger size takes much less time: another path, or a disturbed measurement.
func (r *Result) judgeOrder() {
	longest, drop, at := r.Points[0], 0.0, r.Points[0]
	var from Point
	for _, p := range r.Points {
		if d := 1 - float64(p.Time/longest.Time); d > drop {
			drop, at, from = d, p, longest
		}
		if p.Time > longest.Time {
			longest = p
		}
	}
	if drop > missed {
		r.warn("not monotone: %v take %v, but %v take %v", from.Size, from.Time, at.Size, at.Time)
	}
}

// coarse is the resolution, as a fraction of the shortest time, above which it affects the result.
const coarse = 0.02

// coarseStep returns the step of the clock or of the printed times if it affects the result, else
// 0.
func (r *Result) coarseStep() quantity.Micros {
	printed := quantity.Micros(r.quantum)
	if q := tick(r.Points, printed); q > 0 {
		off := list.Map(r.Points, func(p Point) float64 {
			return math.Abs(float64(p.Time - p.Fitted))
		})
		if stats.Median(off) > float64(q/20) {
			return q
		}
	}
	if printed > coarse*shortest(r.Points) {
		return printed
	}
	return 0
}

func shortest(points []Point) quantity.Micros {
	return slices.MinFunc(points, func(a, b Point) int { return cmp.Compare(a.Time, b.Time) }).Time
}

// widen extends the intervals of β by the resolution of the times. Rounded times are off by up to
// half a step, in the same direction at many sizes if the times are close to each other; truncated
// times are half a step too short. The two cases differ by a shift of β, so no measurement
// distinguishes them. Of rates of one or two digits, the least rounded one counts.
func (r *Result) widen() {
	r.step = r.coarseStep()
	for i := range r.Segments {
		b := &r.Segments[i].Beta
		step, rate := float64(r.step), math.Inf(1)
		for _, p := range r.Points {
			if p.Segment == i {
				rate = min(rate, p.Rounded*float64(p.Time))
			}
		}
		b.Low, b.High = max(0, b.Low-step/2-rate), b.High+step+rate
	}
}

// unsaturated extends the interval of a stream's last τ to the time per byte that its curve tends
// to. Streams come near their r∞ at sizes far above n½, later than a line does, and the scatter
// about the line does not show it: of 28 machines measured up to 32 KiB, 7 have a median rate at
// 1 MiB above the upper end of r∞ that the line alone gives.
func (r *Result) unsaturated() {
	lines, err := r.Lines()
	if r.Kind != benchfile.Gap || err != nil {
		return
	}
	l := platforms.FittedLayer(lines, platforms.Timed{Of: platforms.Stream}, r.points(), 0)
	const far = quantity.MaxBytes
	tau := &r.Segments[len(r.Segments)-1].Tau
	if limit := float64(l.OneWay(far)) / float64(far); limit < tau.Low {
		// Both ends, since a file has one number for them.
		tau.Low, tau.High = limit, max(tau.High, 2*tau.Value-limit)
	}
}

// tick returns the step of the clock behind the times if it is coarser than their printing: if the
// times up to 50 steps, at least 6 different ones, are whole multiples within 2 % of a step.
// Otherwise it is 0.
func tick(points []Point, printed quantity.Micros) quantity.Micros {
	// Of a size with several rows, the mean is no time that was printed.
	var times []float64
	for _, p := range points {
		if times = append(times, float64(p.Min), float64(p.Max)); p.Count == 1 {
			times = append(times, float64(p.Time))
		}
	}
	slices.Sort(times)
	for m := 1.0; m <= 10; m++ {
		q := times[0] / m
		if q < few*float64(printed) {
			break
		}
		if n, step := multiples(times, m, float64(printed)+coarse*q); n > few {
			return quantity.Micros(step)
		}
	}
	return 0
}

// multiples returns how many different multiples of a step the times up to 50 steps are, each
// within slack, and the step. The first of the sorted times is m steps. It returns 0 if a time is
// no multiple.
func multiples(times []float64, m, slack float64) (n int, step float64) {
	// The slack of each time leaves a range for the step. With the range of the first time alone, a
	// time of many steps would be a multiple of some step in it, whatever the time is.
	low, high := (times[0]-slack)/m, (times[0]+slack)/m
	var last float64
	for _, t := range times {
		if t > 50*times[0]/m {
			break
		}
		least, most := math.Ceil((t-slack)/high), math.Floor((t+slack)/low)
		if least > most {
			return 0, 0 // without a clock's tick, as nearly always, at one of the first times
		}
		if least < most { // the range is too wide to count steps
			continue
		}
		low, high = max(low, (t-slack)/least), min(high, (t+slack)/least)
		if least != last {
			n, last = n+1, least
		}
	}
	return n, (low + high) / 2
}

// leverage returns the size with the most weight on a line, and its leverage: 1 makes the line pass
// through its point for any values of the rest, 2/n is the mean.
func leverage(points []Point, m Method) (size quantity.Bytes, most float64) {
	var all stats.Moments
	w := make([]float64, len(points))
	var deviations []float64
	if m == Likeliest && len(points) >= minPoints {
		best := likeliest(points)
		deviations = best.form.deviations(points, &best.line)
	}
	for i, p := range points {
		w[i] = float64(p.Count)
		switch {
		case deviations != nil:
			w[i] /= deviations[i] * deviations[i]
		case m != Ordinary:
			w[i] /= float64(p.Fitted * p.Fitted)
		}
		all.Add(float64(p.Size), 0, w[i])
	}
	for i, p := range points {
		// The diagonal of the hat matrix, which maps measured to fitted times.
		d := float64(p.Size) - all.X
		if h := w[i] * (1/all.W + d*d/all.XX); h > most {
			size, most = p.Size, h
		}
	}
	return size, most
}

// signRuns counts the runs of one sign among the residuals by size, and returns their distance from
// the expected number in standard deviations, z (Wald and Wolfowitz 1940).
func signRuns(points []Point) (runs int, z float64) {
	n, above, last := float64(len(points)), 0.0, false
	for i, p := range points {
		up := p.Time > p.Fitted
		if i == 0 || up != last {
			runs++
		}
		if last = up; up {
			above++
		}
	}
	mean := 2*above*(n-above)/n + 1
	variance := (mean - 1) * (mean - 2) / (n - 1)
	if n < spread || variance <= 0 {
		return runs, 0
	}
	return runs, (float64(runs) - mean) / math.Sqrt(variance)
}
