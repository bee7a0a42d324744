package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// CLIP's stages of table 4.2 to the system buffer: Σβ = 5.4 µs, Στ = 28.6 µs/KB. The slowest for
// packets of 1 KiB and more is the wire, 1.3 + 7.5 µs/KB. 64 KiB in packets of 4096 bytes take
// 589.3 µs, the 111.2 MB/s of sec. 5.3.
func TestInPacketsPrinted(t *testing.T) {
	alone, behind := Linear{Beta: 5.4, Tau: 28.6 / 1024}, Linear{Beta: 1.3, Tau: 7.5 / 1024}
	got := InPackets(64<<10, 4096, alone, behind)
	if math.Abs(float64(got)-589.3) > 1e-9 {
		t.Errorf("64 KiB in 4 KiB packets: %v; want 589.3 µs", got)
	}
	if rate := float64(64<<10) / float64(got); math.Abs(rate-111.2) > 0.05 { // half of the last digit
		t.Errorf("%.3f MB/s; printed are 111.2", rate)
	}
}

// With the slowest stage the same for all packets, equal packets take what the recurrence says,
// and a short last one at most that.
func TestInPacketsIsTheRecurrence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var p Pipeline
		var alone, behind Linear
		for range 1 + r.IntN(5) {
			l := Linear{Beta: quantity.Micros(r.Float64() * 5), Tau: quantity.MicrosPerByte(r.Float64() / 100)}
			p.Stages = append(p.Stages, Stage{Beta: l.Beta, Tau: l.Tau})
			behind.Beta, behind.Tau = max(behind.Beta, l.Beta), max(behind.Tau, l.Tau)
		}
		slowest := &p.Stages[r.IntN(len(p.Stages))] // at every size
		slowest.Beta, slowest.Tau = behind.Beta, behind.Tau
		for _, s := range p.Stages {
			alone.Beta, alone.Tau = alone.Beta+s.Beta, alone.Tau+s.Tau
		}
		size := quantity.Bytes(1 + r.IntN(5000))
		n := size * quantity.Bytes(1+r.IntN(20))
		want := quantity.Micros(recurrence(&p, list(EqualPlan(n, size))))
		if got := InPackets(n, size, alone, behind); math.Abs(float64(got-want)) > 1e-9*float64(want) {
			t.Fatalf("%v in packets of %v through %v: %v; want %v", n, size, p.Stages, got, want)
		}
		n += quantity.Bytes(r.IntN(int(size)))
		if got, want := InPackets(n, size, alone, behind), quantity.Micros(recurrence(&p, list(EqualPlan(n, size)))); got < want-1e-9*want {
			t.Fatalf("%v in packets of %v through %v: %v; the recurrence has %v", n, size, p.Stages, got, want)
		}
	}
}

// The closed form of the window is what the stream of messages, sent one by one, settles to.
func TestWindowInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		w := 1 + r.IntN(20)
		k := 1 + r.IntN(w)
		g, round := quantity.Micros(0.1+r.Float64()*5), quantity.Micros(r.Float64()*200)
		const messages = 60_000
		sent := make([]quantity.Micros, messages)
		for j := 1; j < messages; j++ {
			sent[j] = sent[j-1] + g
			if credit := j - w; credit >= 0 {
				last := (credit/k+1)*k - 1 // of the batch that brings the credit back
				sent[j] = max(sent[j], sent[last]+round)
			}
		}
		from := messages / 2
		span := messages - 1 - from
		want := (sent[from+span] - sent[from]) / quantity.Micros(span)
		if got := WindowInterval(g, round, w, k); math.Abs(float64(got-want)) > 1e-3*float64(want) { // of 30,000 messages, at most 20 belong to a burst that the span cuts
			t.Fatalf("g %v, R %v, window %d, %d credits at a time: %v; want %v", g, round, w, k, got, want)
		}
	}
}

// HP-LAM, table 4.2: g = 8.7 = o_s + o_r, so that the interval grows with Δ from the first.
func TestInterval(t *testing.T) {
	l := LogP{Latency: 5.3, SendOverhead: 2.9, ReceiveOverhead: 5.8, GapTime: 8.7}
	for delta, want := range map[quantity.Micros]quantity.Micros{0: 8.7, 1.3: 10, 10: 18.7} {
		if got := l.Interval(delta); math.Abs(float64(got-want)) > 1e-9 {
			t.Errorf("Δ = %v: %v; want %v", delta, got, want)
		}
	}
	ss20 := LogP{Latency: 11.2, SendOverhead: 2.0, ReceiveOverhead: 2.6, GapTime: 12.4} // the card is the bottleneck
	for delta, want := range map[quantity.Micros]quantity.Micros{0: 12.4, 7.8: 12.4, 10: 14.6} {
		if got := ss20.Interval(delta); math.Abs(float64(got-want)) > 1e-9 {
			t.Errorf("SS-20, Δ = %v: %v; want %v", delta, got, want)
		}
	}
}
