package fit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A LogPResult has the parameters of LogP. A parameter that the data do not identify has a warning,
// and an interval from its known bound to +Inf.
type LogPResult struct {
	// o_r is 0 if no Δ of the signature was long enough to show it, with the bound g − o_s − Δ as
	// the upper end; and L is 0 to +Inf without a round trip. If g does not exceed o_s + o_r, the
	// processor is the bottleneck, and g is only an upper bound.
	Estimate[model.LogP]
	Warnings []string
}

// An Estimate is the value of parameters and the ends of their 95 % intervals.
type Estimate[T any] struct{ Value, Low, High T }

// Of returns one of the parameters.
func (e Estimate[T]) Of(parameter func(T) float64) quantity.Interval {
	return quantity.Interval{Value: parameter(e.Value), Low: parameter(e.Low),
		High: parameter(e.High)}
}

// logpEstimates collects the parameters with their intervals while they are fitted.
type logpEstimates struct{ send, receive, latency, gap quantity.Interval }

// parameters returns the parameters as those of the model.
func (e *logpEstimates) parameters() Estimate[model.LogP] {
	at := func(end func(quantity.Interval) float64) model.LogP {
		of := func(i quantity.Interval) quantity.Micros { return quantity.Micros(end(i)) }
		return model.LogP{SendOverhead: of(e.send), ReceiveOverhead: of(e.receive),
			Latency: of(e.latency), GapTime: of(e.gap)}
	}
	return Estimate[model.LogP]{
		Value: at(func(i quantity.Interval) float64 { return i.Value }),
		Low:   at(func(i quantity.Interval) float64 { return i.Low }),
		High:  at(func(i quantity.Interval) float64 { return i.High }),
	}
}

// LogP fits the parameters to a signature (HP-LAM §4.2, figure 4.1; Culler et al. 1996), the
// average interval between M requests with a computation of Δ between them:
//
//	few messages    o_s + Δ
//	many            max(g, o_s + o_r + Δ)
//
// and L = RTT/2 − o_s − o_r from the round trip, if rtt is above 0. The interval of many
// messages is the limit a of a + b/M in the upper half of the bursts, which excludes the cheap
// first messages; g and o_s + o_r are fitted to it at all Δ together. Their intervals come from
// the relative scatter about that fit, which all bursts share. A parameter that is negative by more
// than its scatter is an error that names the cause.
func LogP(t *benchfile.Table, rtt quantity.Micros) (*LogPResult, error) {
	r := &LogPResult{}
	e, err := r.fit(t, rtt)
	if err != nil {
		return nil, err
	}
	r.Estimate = e.parameters()
	return r, nil
}

// fit estimates the parameters in the order in which they depend on each other.
func (r *LogPResult) fit(t *benchfile.Table, rtt quantity.Micros) (e logpEstimates, err error) {
	steady, few, err := r.bursts(t)
	if err != nil {
		return e, err
	}
	last := steady[len(steady)-1]
	m := meet(steady)
	if m.gap.value < 0 {
		return e, fmt.Errorf("%s: g would be %v: larger bursts take less time",
			t.Name(), quantity.Micros(m.gap.value))
	}
	showsReceive := m.showsReceive(steady)
	if !showsReceive {
		m.flat = len(steady)
		m.gap = weightedMean(steady, 0)
	}
	e.send, err = m.estimate(t.Name(), "o_s", few, last.delta,
		"the interval of few messages is shorter than Δ")
	if err != nil {
		return e, err
	}
	if e.gap, err = m.estimate(t.Name(), "g", m.gap, last.delta, ""); err != nil {
		return e, err
	}
	if !showsReceive {
		r.warn("o_r is not identifiable: the interval of many messages is g up to the longest Δ "+
			"(%v); measure with Δ above g", quantity.Micros(last.delta))
		// The longest Δ still hides behind g, so o_s + o_r + Δ is at most g. L is not known without
		// o_r.
		atMost := e.gap.High - e.send.Low - last.delta
		e.receive = quantity.Interval{High: max(0, atMost)}
		e.latency = exactly(0)
		return e, nil
	}
	receive := scattered{m.overheads.value - few.value, m.overheads.variance + few.variance}
	e.receive, err = m.estimate(t.Name(), "o_r", receive, last.delta,
		"with Δ the interval of many messages is shorter than o_s + Δ")
	if err != nil {
		return e, err
	}
	if m.processorBound() {
		e.gap.Low = 0
		r.warn("g is not above o_s + o_r = %v: the processor is the bottleneck, and g may be "+
			"shorter than %v", quantity.Micros(m.overheads.value), quantity.Micros(e.gap.Value))
	}
	if rtt <= 0 {
		r.warn("L needs the round-trip time of a message beside the signature (rtt); " +
			"it is saved as 0, so that one-way times are lower bounds")
		e.latency = exactly(0)
		return e, nil
	}
	// The overheads are o_s + o_r, so L is what they leave of half a round trip (Culler et al.
	// 1996).
	latency := scattered{float64(rtt)/2 - m.overheads.value, m.overheads.variance}
	e.latency, err = m.estimate(t.Name(), "L", latency, float64(rtt),
		fmt.Sprintf("half of the round trip, %v, is shorter than o_s = %v and o_r = %v",
			rtt/2, quantity.Micros(e.send.Value), quantity.Micros(e.receive.Value)))
	return e, err
}

// PingPong checks the round trip with which [LogP] found L, if it was measured by a ping-pong: its
// processor sends once in a round trip, which thus takes at least g. If it takes g, L only has an
// upper bound; less is an error.
func (r *LogPResult) PingPong(rtt quantity.Micros) error {
	low, gap, high := r.Low.GapTime, r.Value.GapTime, r.High.GapTime
	switch {
	case rtt <= 0 || low == 0: // without a round trip, or the processor hides g
		return nil
	case rtt < low && !sameRounded(rtt, gap):
		return fmt.Errorf("the round trip of %v is shorter than g = %v, the interval between two "+
			"messages of a processor: they are not of one system", rtt, gap)
	case rtt > high && !sameRounded(rtt, gap):
		return nil
	}
	r.Low.Latency = 0
	r.warn("L is not identifiable: the round trip takes as long as g, which hides the latency; "+
		"L is at most %v", r.Value.Latency)
	return nil
}

// sameRounded reports whether two times are as close as printed times are rounded.
func sameRounded(a, b quantity.Micros) bool { return math.Abs(float64(a/b)-1) < rounded }

// rounded is the rounding of a printed time, relative: three digits.
const rounded = 0.005

// showsReceive reports whether the longest Δ lengthens the interval by more than its scatter.
// Otherwise g hides o_r at every Δ.
func (m *meeting) showsReceive(steady []plateau) bool {
	last := steady[len(steady)-1]
	scatter := math.Sqrt(m.sigma2 * (last.variance + m.gap.variance))
	return m.flat < len(steady) && last.value-m.gap.value > 2*scatter
}

// processorBound reports whether g does not exceed o_s + o_r by more than scatter and rounding. The
// processor then hides a shorter g.
func (m *meeting) processorBound() bool {
	o := m.overheads
	scatter := m.t * math.Sqrt(m.sigma2*(m.gap.variance+o.variance))
	return m.flat == 0 || m.gap.value-o.value <= scatter+rounding*o.value
}

// A scattered value has a variance, in units of the relative σ² of all bursts.
type scattered struct{ value, variance float64 }

// A plateau is the interval of many messages at a Δ.
type plateau struct {
	delta float64
	scattered
	squares float64 // relative residual sum of squares
	dof     int
}

// bursts returns the interval of many messages at each Δ, in ascending order from 0, and that of
// few messages minus Δ.
func (r *LogPResult) bursts(t *benchfile.Table) (steady []plateau, few scattered, err error) {
	byDelta := map[quantity.Micros][]benchfile.Burst{}
	for _, b := range t.Bursts {
		if !(b.Interval > 0) {
			return nil, few, fmt.Errorf("%s:%d: o_s would be %v: an interval must be above 0",
				t.Name(), b.Line, b.Interval-b.Delta)
		}
		byDelta[b.Delta] = append(byDelta[b.Delta], b)
	}
	deltas := slices.Sorted(maps.Keys(byDelta))
	if len(deltas) == 0 || deltas[0] != 0 {
		return nil, few, fmt.Errorf("%s: %w: a LogP signature needs bursts with a Δ of 0, "+
			"which show g", t.Name(), ErrNoData)
	}
	for _, d := range deltas {
		bursts := byDelta[d]
		slices.SortFunc(bursts, func(a, b benchfile.Burst) int {
			return cmp.Compare(a.Messages, b.Messages)
		})
		first, last := bursts[0], bursts[len(bursts)-1]
		if last.Messages < 4*first.Messages || len(bursts) < minPoints {
			return nil, few, fmt.Errorf("%s: %w: the bursts at Δ = %v are of %d to %d messages; "+
				"3 sizes over a factor of 4 or more are needed, 16 of them to be flat",
				t.Name(), ErrNoData, d, first.Messages, last.Messages)
		}
		w := 1 / float64(first.Interval*first.Interval) // errors are in proportion
		few.value += w * float64(first.Interval-d)
		few.variance += w
		p := plateauOf(bursts)
		p.delta = float64(d)
		steady = append(steady, p)
		if d == 0 && math.Abs(p.value/float64(last.Interval)-1) > missed {
			r.warn("the interval at Δ = 0 is not flat yet at %d messages: g is its limit, %v, "+
				"and may be more", last.Messages, quantity.Micros(p.value))
		}
	}
	return steady, scattered{few.value / few.variance, 1 / few.variance}, nil
}

// plateauOf returns the limit of the intervals for many messages: a of a + b/M, fitted to the upper
// half of the bursts, at least two.
func plateauOf(bursts []benchfile.Burst) plateau {
	upper := bursts[min(len(bursts)/2, len(bursts)-2):]
	var m stats.Moments
	for _, b := range upper {
		m.Add(1/float64(b.Messages), float64(b.Interval), 1/float64(b.Interval*b.Interval))
	}
	if m.XX == 0 {
		// All bursts have the same number of messages, so there is no slope to fit.
		return plateau{scattered: scattered{m.Y, 1 / m.W}, dof: len(upper) - 1, squares: m.YY}
	}
	slope := m.XY / m.XX
	return plateau{
		scattered: scattered{m.Y - slope*m.X, 1/m.W + m.X*m.X/m.XX},
		squares:   max(0, m.YY-slope*m.XY), dof: len(upper) - 2,
	}
}

// A meeting holds the g and o_s + o_r that best fit all intervals of many messages.
type meeting struct {
	gap, overheads scattered
	flat           int // the number of Δ, from the first, with the interval g
	sigma2, t      float64
}

func meet(steady []plateau) (best meeting) {
	squares, dof := 0.0, len(steady)-2
	for _, p := range steady {
		squares += p.squares
		dof += p.dof
	}
	least := math.Inf(1)
	for flat := len(steady); flat >= 0; flat-- {
		m := meeting{flat: flat}
		m.gap, m.overheads = weightedMean(steady[:flat], 0), weightedMean(steady[flat:], 1)
		sum := 0.0
		for i, p := range steady {
			v := m.gap.value
			if i >= flat {
				v = m.overheads.value + p.delta
			}
			// The interval is the longer of both.
			if flat > 0 && flat < len(steady) {
				v = max(m.gap.value, m.overheads.value+p.delta)
			}
			sum += (p.value - v) * (p.value - v) / p.variance
		}
		// More Δ with the interval g are tried first and win a tie.
		if sum < least-rounding {
			best, least = m, sum
		}
	}
	best.sigma2, best.t = math.Inf(1), math.Inf(1)
	if dof > 0 {
		best.sigma2, best.t = (squares+least)/float64(dof), stats.T95(float64(dof))
	}
	best.corner(steady)
	if best.flat == 0 { // o_s + o_r even without Δ: g is not longer than that
		best.gap = best.overheads
	}
	return best
}

// corner recomputes the means without the Δ near the corner. There g and o_s + o_r + Δ differ by
// less than the scatter, and a Δ on the wrong side would bias its mean.
func (m *meeting) corner(steady []plateau) {
	if m.flat == 0 || m.flat == len(steady) || math.IsInf(m.sigma2, 1) {
		return
	}
	clear := func(p plateau) bool {
		apart := math.Abs(m.gap.value - m.overheads.value - p.delta)
		return apart > 2.5*math.Sqrt(m.sigma2*p.variance)
	}
	var flat, rising []plateau
	for i, p := range steady {
		switch {
		case !clear(p):
		case i < m.flat:
			flat = append(flat, p)
		default:
			rising = append(rising, p)
		}
	}
	if len(flat) > 0 {
		m.gap = weightedMean(flat, 0)
	}
	if len(rising) > 0 {
		m.overheads = weightedMean(rising, 1)
	}
}

// weightedMean returns the weighted mean of the intervals minus share of their Δ.
func weightedMean(steady []plateau, share float64) (s scattered) {
	w := 0.0
	for _, p := range steady {
		s.value += (p.value - share*p.delta) / p.variance
		w += 1 / p.variance
	}
	return scattered{s.value / w, 1 / w}
}

// estimate returns a parameter with its interval. A value below 0 becomes 0 if scatter explains it,
// or the rounding of a difference of times as long as scale; otherwise it is an error with the
// reason.
func (m *meeting) estimate(table, name string, s scattered, scale float64, reason string) (
	e quantity.Interval, err error) {
	half := math.Inf(1)
	if !math.IsInf(m.sigma2, 1) {
		half = m.t * math.Sqrt(m.sigma2*s.variance)
	}
	if s.value < 0 && -s.value > 2*half+rounding*scale {
		value := quantity.Micros(s.value)
		return e, fmt.Errorf("%s: %s would be %v: %s", table, name, value, reason)
	}
	return quantity.Interval{Value: max(0, s.value), Low: max(0, s.value-half),
		High: max(0, s.value+half)}, nil
}

func (r *LogPResult) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}
