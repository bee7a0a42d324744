package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// PaperStages is the minimum number of stages for the formulas of the paper, [Pipeline.PaperBound]
// and [Pipeline.PaperPacket].
const PaperStages = 3

// PaperBound returns CLIP's upper bound of the time of n bytes in packets of the given size
// (§4.2.2.2, eq. 8), for comparison with the exact [Pipeline.OneWayIn]:
//
//	T(L, P) ≅ 2(2β0 + β1) + 2(τ0 + τ1)P + ⌈L/P⌉(β0 + β1 + β2 + Pτ1)
//
// It assumes five stages, the fourth and fifth as slow as the second and the first. It uses stages
// 0 to 2 of l, which must exist.
//
// It rests on inequality 3, τ1 > τ0 > τ2, which the paper's own table 4.2 contradicts, and counts
// β0 + β1 + β2 for each packet although those stages overlap: for CLIP it is 0.7 to 55 % above the
// exact time.
func (l *Pipeline) PaperBound(n, size quantity.Bytes) quantity.Micros {
	s0, s1, s2 := &l.Stages[0], &l.Stages[1], &l.Stages[2]
	return 2*(2*s0.Beta+s1.Beta) + (2 * (s0.Tau + s1.Tau)).Times(size) +
		quantity.Micros(packets(n, size))*(s0.Beta+s1.Beta+s2.Beta+s1.Tau.Times(size)) // (8)
}

// PaperPacket returns CLIP's packet size for n bytes (§4.2.2.2, eq. 10), rounded to whole bytes and
// limited to 1 to n:
//
//	P = √( L(β0 + β1 + β2) / 2(τ0 + τ1) )
//
// For 64 KiB it is 3,490 bytes. It minimises [Pipeline.PaperBound] with L/P not rounded;
// [Pipeline.BestPacket] minimises the exact time. l must have three stages.
func (l *Pipeline) PaperPacket(n quantity.Bytes) quantity.Bytes {
	return paperPacket(l.Stages, n)
}

// paperPacket is PaperPacket without a receiver: an inlined method would copy the Pipeline, which
// takes nearly half of the time of a prediction.
func paperPacket(s []Stage, n quantity.Bytes) quantity.Bytes {
	s = s[:PaperStages]
	p := math.Sqrt(float64(n) * float64(s[0].Beta+s[1].Beta+s[2].Beta) / float64(2*(s[0].Tau+s[1].Tau))) // (10)
	if p < float64(n) {
		return max(1, quantity.Bytes(math.Floor(p+0.5)))
	}
	return n // NaN too: no cost at all
}
