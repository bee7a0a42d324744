package platforms

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Phase is a part of a parallel program as one processor sees it: instructions,
// and messages that occupy the processor.
//
//	T = C/f + M·(o_s + o_r)
//
// Where: C = Cycles of the processor, ≥ 0; f = its clock in MHz, that is cycles per µs; M =
// Messages, ≥ 0, each of which is sent and has a counterpart that is received; o_s and o_r = the
// overheads in µs of the layer for a message of one byte, [model.Layer]. The model omits the
// latency of messages, waiting, instructions per cycle, and caches.
type Phase struct {
	Cycles   float64
	Messages float64
}

// Time returns C/f + M·(o_s + o_r) in µs, for a clock in MHz, > 0.
func (p Phase) Time(clock float64, l model.Layer) quantity.Micros {
	return quantity.Micros(p.Cycles/clock) + quantity.Micros(p.Messages)*overheads(l)
}

// overheads takes the messages of a phase as short ones, as HP-LAM's report does.
func overheads(l model.Layer) quantity.Micros {
	send, receive := l.Overheads(1)
	return send + receive
}

// A PhaseOn is the time of a phase on a system.
type PhaseOn struct {
	Clock float64 // of the processor in MHz, > 0
	Layer model.Layer
	Time  quantity.Micros // > 0
}

// FitPhase returns the phase that took the times a and b; the phase then has a time on a third
// system. Two equations determine two unknowns:
//
//	C = (T_a·o_b − T_b·o_a) / (o_b/f_a − o_a/f_b)        M = (T_a − C/f_a) / o_a
//
// Where: T, f and o = time, clock and o_s + o_r of the two systems. If C or M would be negative, it
// is 0, and the other minimises the sum of the squared relative errors of both times.
//
// HP-LAM's radix sort (table 4.3) is the example: each of three platforms is predicted from the two
// others. The report itself takes o_s + o_r as the cost of a message (§4.3: the "overhead of
// transferring data between the host processor and the Myrinet card"). With the round trip or the
// gap instead, the HP 9000's total is 15 or 26 % too low, and the SS-20's 74 or 60 % too high.
//
// FitPhase returns an error if the two systems have the same ratio of clock to overhead, which does
// not identify C and M, or if a time or clock is not above zero and finite.
func FitPhase(a, b PhaseOn) (Phase, error) {
	// Divided by the times, both equations are u·C + v·M = 1.
	var u, v [2]float64
	for i, s := range [2]PhaseOn{a, b} {
		finite := max(s.Clock, float64(s.Time)) < math.Inf(1)
		if !(s.Clock > 0 && s.Time > 0 && finite) {
			return Phase{}, errors.New("a phase is fitted to times and clocks above zero")
		}
		u[i] = 1 / (s.Clock * float64(s.Time))
		v[i] = float64(overheads(s.Layer) / s.Time)
	}
	det := u[0]*v[1] - u[1]*v[0]
	// Parallel lines have no intersection. The comparison is ≤, so that two systems without any
	// overhead (0 ≤ 0) are refused too.
	if math.Abs(det) <= 1e-9*(u[0]*v[1]+u[1]*v[0]) {
		return Phase{}, fmt.Errorf("the two systems have the same ratio of clock to overhead "+
			"(%.4g MHz, %s; %.4g MHz, %s), so cycles and messages are not identifiable",
			a.Clock, overheads(a.Layer), b.Clock, overheads(b.Layer))
	}
	p := Phase{Cycles: (v[1] - v[0]) / det, Messages: (u[0] - u[1]) / det}
	// With C = 0 the equations are v_i·M = 1, and least squares give M = Σv/Σv². For
	// M = 0 it is alike.
	if p.Cycles < 0 {
		p = Phase{Messages: (v[0] + v[1]) / (v[0]*v[0] + v[1]*v[1])}
	} else if p.Messages < 0 {
		p = Phase{Cycles: (u[0] + u[1]) / (u[0]*u[0] + u[1]*u[1])}
	}
	return p, nil
}
