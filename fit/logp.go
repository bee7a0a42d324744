package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A LogPResult has the parameters of LogP. One that the data do not tell has a
// warning, and an interval from what is known to +Inf.
type LogPResult struct {
	Name string
	// SendOverhead is o_s: the interval of few messages.
	SendOverhead Estimate[quantity.Micros]
	// ReceiveOverhead is o_r, 0 if no Δ of the signature was long enough to show it.
	ReceiveOverhead Estimate[quantity.Micros]
	// Gap is g. If it is not above o_s + o_r, the processor is the bottleneck,
	// and all that is known is that g is not longer.
	Gap Estimate[quantity.Micros]
	// Latency is L, 0 without a round trip.
	Latency  Estimate[quantity.Micros]
	Warnings []string
}

// shows is how much longer than at Δ = 0 the interval of many messages must be
// for Δ to be what determines it.
const shows = 1.05

// LogP reads the parameters off a signature (HP-LAM §4.2, figure 4.1; Culler and others
// 1996), the average interval between M requests with a computation of Δ between
// them:
//
//	few messages    o_s + Δ
//	many            max(g, o_s + o_r + Δ)
//
// and L = RTT/2 − o_s − o_r from the round trip, if rtt is above 0. The interval of
// many messages is the slope of M times the interval over M in the upper half of the
// bursts, which the cheap first messages do not bend. The intervals are from the scatter
// over the Δ, of which there should be 3 or more. A parameter below zero is an error
// that tells what made it so.
func LogP(t *trace.Table, rtt quantity.Micros) (*LogPResult, error) {
	byDelta := map[quantity.Micros][]trace.Burst{}
	for _, b := range t.Bursts {
		byDelta[b.Delta] = append(byDelta[b.Delta], b)
	}
	var deltas []quantity.Micros
	for d, bursts := range byDelta {
		slices.SortFunc(bursts, func(a, b trace.Burst) int { return cmp.Compare(a.Messages, b.Messages) })
		deltas = append(deltas, d)
	}
	slices.Sort(deltas)
	if len(deltas) == 0 || deltas[0] != 0 {
		return nil, fmt.Errorf("%s: %w: a LogP signature needs bursts with a Δ of 0, which show g", t.Name(), ErrNoData)
	}
	r := &LogPResult{Name: t.Name()}
	var sends, receives []float64
	var many float64 // the interval at Δ = 0
	for _, d := range deltas {
		bursts := byDelta[d]
		first, last := bursts[0], bursts[len(bursts)-1]
		if last.Messages < 4*first.Messages || len(bursts) < 3 {
			return nil, fmt.Errorf("%s: %w: the bursts at Δ = %v are of %d to %d messages; 3 sizes over a factor of 4 or more are needed, 16 of them to be flat", t.Name(), ErrNoData, d, first.Messages, last.Messages)
		}
		send := float64(first.Interval - d)
		if send < 0 {
			return nil, fmt.Errorf("%s:%d: o_s would be %v: the interval of %d messages (%v) is shorter than Δ = %v", t.Name(), first.Line, quantity.Micros(send), first.Messages, first.Interval, d)
		}
		sends = append(sends, send)
		steady := slope(bursts)
		if d == 0 {
			many = steady
			if math.Abs(steady/float64(last.Interval)-1) > 0.10 {
				r.warn("the interval at Δ = 0 is not flat yet at %d messages: g is the slope there, %v, and may be more", last.Messages, quantity.Micros(steady))
			}
		} else if steady > shows*many {
			receives = append(receives, steady-float64(d)-send)
		}
	}
	r.SendOverhead = scatter(sends)
	if r.Gap = known(quantity.Micros(many)); many < 0 {
		return nil, fmt.Errorf("%s: g would be %v: larger bursts take less time", t.Name(), quantity.Micros(many))
	}
	r.Gap.Low = 0
	if len(receives) == 0 {
		r.warn("o_r does not show: the interval of many messages is g up to the longest Δ (%v); measure with Δ above g", deltas[len(deltas)-1])
		r.ReceiveOverhead = known(0)
		return r, nil
	}
	r.ReceiveOverhead = scatter(receives)
	r.ReceiveOverhead.Value = notBelow(r.ReceiveOverhead.Value, quantity.Micros(deltas[len(deltas)-1]))
	if r.ReceiveOverhead.Value < 0 {
		return nil, fmt.Errorf("%s: o_r would be %v: with Δ the interval of many messages is shorter than o_s + Δ", t.Name(), r.ReceiveOverhead.Value)
	}
	if o := r.SendOverhead.Value + r.ReceiveOverhead.Value; float64(o)*shows > many {
		r.warn("g is not above o_s + o_r = %v: the processor is the bottleneck, and g may be shorter than %v", o, r.Gap.Value)
	}
	if rtt <= 0 {
		r.warn("L needs the round-trip time of a message beside the signature")
		r.Latency = known(0)
		return r, nil
	}
	latency := notBelow(rtt/2-r.SendOverhead.Value-r.ReceiveOverhead.Value, rtt)
	if latency < 0 {
		return nil, fmt.Errorf("%s: L would be %v: half of the round trip, %v, is shorter than o_s = %v and o_r = %v", t.Name(), latency, rtt/2, r.SendOverhead.Value, r.ReceiveOverhead.Value)
	}
	d := quantity.Micros(math.Hypot(float64(r.SendOverhead.High-r.SendOverhead.Value), float64(r.ReceiveOverhead.High-r.ReceiveOverhead.Value)))
	r.Latency = Estimate[quantity.Micros]{latency, max(0, latency-d), latency + d}
	return r, nil
}

// notBelow is v, but 0 where v is below it by no more than the rounding of a
// difference of times as long as scale.
func notBelow(v, scale quantity.Micros) quantity.Micros {
	if v < 0 && -v < 1e-9*scale {
		return 0
	}
	return v
}

func (r *LogPResult) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// Layer returns the parameters as a layer.
func (r *LogPResult) Layer() model.LogP {
	return model.LogP{
		Latency: r.Latency.Value, SendOverhead: r.SendOverhead.Value,
		ReceiveOverhead: r.ReceiveOverhead.Value, GapTime: r.Gap.Value,
	}
}

// slope is that of the time of the whole burst over its messages, in the upper half
// of the bursts and at least two.
func slope(bursts []trace.Burst) float64 {
	from := min(len(bursts)/2, len(bursts)-2)
	var m moments
	for _, b := range bursts[from:] {
		m.add(float64(b.Messages), float64(b.Messages)*float64(b.Interval), 1/float64(b.Messages))
	}
	if m.xx == 0 {
		return float64(bursts[len(bursts)-1].Interval)
	}
	return m.xy / m.xx
}

// scatter is the mean with its interval by Student's t.
func scatter(v []float64) Estimate[quantity.Micros] {
	m := mean(v)
	if len(v) < 2 {
		return known(quantity.Micros(m))
	}
	var ss float64
	for _, x := range v {
		ss += (x - m) * (x - m)
	}
	n := float64(len(v))
	d := student(n-1) * math.Sqrt(ss/(n-1)/n)
	return Estimate[quantity.Micros]{quantity.Micros(m), quantity.Micros(max(0, m-d)), quantity.Micros(m + d)}
}
