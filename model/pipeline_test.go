package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// randomCost is zero once in five, else spread over eight powers of ten.
func randomCost(r *rand.Rand) float64 {
	if r.IntN(5) == 0 {
		return 0
	}
	return math.Pow(10, 8*r.Float64()-4)
}

// randomPipeline has 1 to most stages with costs far apart.
func randomPipeline(r *rand.Rand, most int) *Pipeline {
	l := &Pipeline{}
	for range 1 + r.IntN(most) {
		l.Stages = append(l.Stages, Stage{Beta: quantity.Micros(randomCost(r)), Tau: quantity.MicrosPerByte(randomCost(r) / 300)})
	}
	return l
}

// likelyPipeline has 1 to most stages with costs like those of a real system: a
// few µs and a few µs/KiB each.
func likelyPipeline(r *rand.Rand, most int) *Pipeline {
	l := &Pipeline{}
	for range 1 + r.IntN(most) {
		l.Stages = append(l.Stages, Stage{Beta: quantity.Micros(5 * r.Float64()), Tau: quantity.MicrosPerByte(10 * r.Float64() / 1024)})
	}
	return l
}

// recurrence is C[S−1][K] by rules 1 and 2 of CLIP §4.2.2.2, one packet and one stage at a time.
func recurrence(l *Pipeline, packets []float64) float64 {
	c := make([]float64, len(l.Stages)+1) // c[i+1] is C[i][k−1], c[0] when a packet can start
	for _, p := range packets {
		c[0] = 0
		for i, s := range l.Stages {
			c[i+1] = max(c[i], c[i+1]) + float64(s.Beta) + p*float64(s.Tau)
		}
	}
	return c[len(c)-1]
}

// list is the sizes of a plan's packets one by one.
func list(plan Plan) []float64 {
	var sizes []float64
	for _, r := range plan {
		for range r.Count {
			sizes = append(sizes, float64(r.Size))
		}
	}
	return sizes
}

func closeTo(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// checkPlan fails unless the plan carries n bytes in packets of a byte or more, whole ones if
// whole.
func checkPlan(t *testing.T, n quantity.Bytes, plan Plan, whole bool) {
	t.Helper()
	for _, r := range plan {
		if r.Count < 1 || !(r.Size >= 1-1e-9) {
			t.Fatalf("a plan of %v has a run of %d packets of %v bytes", float64(n), r.Count, float64(r.Size))
		}
		if whole && float64(r.Size) != math.Trunc(float64(r.Size)) {
			t.Fatalf("a plan of whole bytes has a packet of %v", float64(r.Size))
		}
	}
	if got := bytesOf(plan); whole && got != n || !closeTo(float64(got), float64(n), 1e-9) {
		t.Fatalf("a plan of %v bytes has %v", float64(n), float64(got))
	}
}

// The closed form of equal packets is the recurrence, in every way to write it.
func TestEqualPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for k := range 5000 {
		l := randomPipeline(r, 12)
		n := 1 + r.IntN(2000)
		p := 1 + r.IntN(n)
		switch k % 4 {
		case 0:
			p = max(1, n/(1+r.IntN(5))) // few packets
		case 1:
			n = p * (1 + r.IntN(20)) // no short packet
		}
		size, packet := quantity.Bytes(n), quantity.Bytes(p)
		plan := EqualPlan(size, packet)
		checkPlan(t, size, plan, true)
		want := recurrence(l, list(plan))
		if got := l.OneWayIn(size, packet); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("OneWayIn(%d, %d) = %v, recurrence %v\n%+v", n, p, got, want, l)
		}
		if got := l.OneWayAs(plan); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("OneWayAs(%v) = %v, recurrence %v\n%+v", plan, got, want, l)
		}
		l.Cut = Cut{CutFixed, packet}
		if got := l.OneWay(size); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("OneWay(%d) in packets of %d = %v, recurrence %v\n%+v", n, p, got, want, l)
		}
	}
}

// So is a plan of runs; and its schedule keeps the rules.
func TestArbitraryPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 3000 {
		l := randomPipeline(r, 12)
		var plan Plan
		for range 1 + r.IntN(12) {
			run := Run{1, quantity.Bytes(1 + r.IntN(3000))}
			if r.IntN(2) == 0 {
				run.Count += r.IntN(20)
			}
			plan = append(plan, run)
		}
		packets := list(plan)
		if plan.Packets() != len(packets) {
			t.Fatalf("%v: %d packets, want %d", plan, plan.Packets(), len(packets))
		}
		want := recurrence(l, packets)
		if got := l.OneWayAs(plan); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("OneWayAs(%v) = %v, recurrence %v\n%+v", plan, got, want, l)
		}
		slots := l.Schedule(plan)
		if got := slots[len(slots)-1].End; !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("the schedule of %v ends at %v, recurrence %v\n%+v", plan, got, want, l)
		}
		// A packet is in one stage after the other, a stage has one packet after the other.
		at := func(packet, stage int) Slot { return slots[packet*len(l.Stages)+stage] }
		for k := range packets {
			for i, s := range l.Stages {
				slot := at(k, i)
				if slot.Packet != k || slot.Stage != i {
					t.Fatalf("slot %+v where packet %d in stage %d is wanted", slot, k, i)
				}
				if slot.End != slot.Start+s.Time(quantity.Bytes(packets[k])) {
					t.Fatalf("slot %+v is not as long as its stage takes", slot)
				}
				if i > 0 && slot.Start < at(k, i-1).End || k > 0 && slot.Start < at(k-1, i).End {
					t.Fatalf("slot %+v starts too early", slot)
				}
			}
		}
	}
}

// Costs that are zero everywhere, single stages and bytes, and huge messages
// give finite times, at once.
func TestDegeneratePipelines(t *testing.T) {
	degenerate := map[string]*Pipeline{
		"no cost, one stage":  {Stages: make([]Stage, 1)},
		"no cost":             {Stages: make([]Stage, 4)},
		"one stage":           {Stages: []Stage{{Beta: 1, Tau: 0.01}}},
		"β = 0, one stage":    {Stages: []Stage{{Tau: 0.01}}},
		"β = 0":               {Stages: []Stage{{Tau: 0.0011}, {Tau: 0.0073}, {Tau: 0.0013}}},
		"β = 0, first worst":  {Stages: []Stage{{Tau: 0.0073}, {Tau: 0.0011}, {Tau: 0.0013}}},
		"β = 0, far apart":    {Stages: []Stage{{Tau: 10}, {Tau: 1}, {Tau: 1}}},
		"β = 0, last worst":   {Stages: []Stage{{Tau: 0.0011}, {Tau: 0.0013}, {Tau: 0.0073}}},
		"β = 0, all alike":    {Stages: []Stage{{Tau: 0.0011}, {Tau: 0.0011}, {Tau: 0.0011}}},
		"β tiny":              {Stages: []Stage{{Beta: 1e-9, Tau: 0.009}, {Tau: 0.001}, {Tau: 0.001}}},
		"τ = 0":               {Stages: []Stage{{Beta: 1}, {Beta: 2}, {Beta: 3}}},
		"τ tiny":              {Stages: []Stage{{Beta: 1, Tau: 1e-12}, {Beta: 2, Tau: 1e-12}, {Beta: 3, Tau: 1e-13}}},
		"either":              {Stages: []Stage{{Beta: 1}, {Tau: 1}, {Beta: 1}}},
		"β elsewhere":         {Stages: []Stage{{Tau: 0.01}, {Beta: 100}, {Tau: 0.001}}},
		"β in a middle stage": {Stages: []Stage{{Tau: 0.01}, {Beta: 100, Tau: 0.01}, {Tau: 0.01}}},
		"CLIP":                clip(4),
	}
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	for name, l := range degenerate {
		for _, n := range []quantity.Bytes{1, 2, 3, 1000, 65537, 1 << 30, 1<<53 - 1, 1 << 53} {
			p, time := l.BestPacket(n)
			if p < 1 || p > n || !finite(float64(time)) {
				t.Errorf("%s: BestPacket(%v) = %v, %v", name, float64(n), float64(p), time)
			}
			if whole := l.OneWayIn(n, n); time > whole {
				t.Errorf("%s: BestPacket(%v) takes %v, one packet %v", name, float64(n), time, whole)
			}
			if n > 1<<30 {
				continue
			}
			ideal, least := l.IdealPlan(n)
			checkPlan(t, n, ideal, false)
			if !finite(float64(least)) || float64(least) > float64(time)*(1+1e-7) {
				t.Errorf("%s: IdealPlan(%v) takes %v, equal packets %v", name, float64(n), least, time)
			}
		}
		for _, rule := range []CutRule{CutNone, CutFixed, CutPaper, CutBest} {
			if rule == CutPaper && len(l.Stages) < PaperStages {
				continue
			}
			l.Cut = Cut{rule, 1000}
			if peak := Asymptote(l); !(peak > 0) {
				t.Errorf("%s, cut %d: r∞ = %v", name, rule, peak)
			}
			if n, ok := HalfPeak(l); ok && (n < 1 || !finite(float64(n))) {
				t.Errorf("%s, cut %d: n½ = %v", name, rule, n)
			}
		}
	}
}

// bytesOf is the size of the message that the plan carries.
func bytesOf(p Plan) (n quantity.Bytes) {
	for _, r := range p {
		n += quantity.Bytes(r.Count) * r.Size
	}
	return n
}
