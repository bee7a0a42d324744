package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// The numbers of a window of 4 that does not cover the round trip, worked out by hand: T(1000) =
// 61.99 µs, T(1) = 52 µs, g = 11.99 µs, so 113.99 − 4·11.99 = 66.03 µs of waiting for each window.
func TestWindowByHand(t *testing.T) {
	below := &LogGP{LogP{Latency: 50, SendOverhead: 1, ReceiveOverhead: 1, GapTime: 2}, 0.01}
	l := &Fragmented{Below: below, MTU: 1000, Window: 4}
	for pieces, want := range map[int]quantity.Micros{1: 61.99, 2: 73.98, 4: 97.96, 8: 211.95, 13: 403.96} {
		near(t, fmt.Sprintf("%d pieces", pieces), l.OneWay(quantity.Bytes(1000*pieces)), want, 9)
	}
	near(t, "the gap of 4 pieces", l.Gap(4000), 113.99, 9)
	near(t, "the gap of a byte", l.Gap(1), 26, 9) // 104 µs there and back, a quarter of which is more than g
	near(t, "r∞", Asymptote(l), quantity.Bytes(4000).Over(113.99), 9)
	// n½ is the least size that has half of r∞, whatever comes behind it.
	half := Asymptote(l) / 2
	least := quantity.Bytes(1)
	for Bandwidth(l, least) < half {
		least++
	}
	if got, ok := HalfPeak(l); !ok || got != least {
		t.Errorf("n½ = %v, %v; trying all sizes finds %v", float64(got), ok, float64(least))
	}
}

// A sender puts pieces into a layer: each starts when the one before has been gone for its
// gap, and a credit is there. It arrives after its time, not before the one before it, and its
// credit is back after that of one byte.
func simulateWindow(pieces []float64, window int, gap, time func(float64) float64, credit float64) (last float64, starts []float64) {
	var free, arrived float64
	back := make([]float64, len(pieces))
	for j, p := range pieces {
		start := free
		if window > 0 && j >= window {
			start = max(start, back[j-window])
		}
		free = start + gap(p)
		arrived = max(arrived, start+time(p))
		back[j] = arrived + credit
		starts = append(starts, start)
	}
	return arrived, starts
}

// simulatePipelineWindow is the same through a pipeline, piece by piece and stage by stage.
func simulatePipelineWindow(l *Pipeline, pieces []float64, window int, credit float64) (last float64, ends []float64) {
	free := make([]float64, len(l.Stages))
	for j, p := range pieces {
		at := 0.0
		if window > 0 && j >= window {
			at = ends[j-window] + credit
		}
		for i, s := range l.Stages {
			at = max(at, free[i]) + float64(s.Beta) + p*float64(s.Tau)
			free[i] = at
		}
		ends = append(ends, at)
	}
	return ends[len(ends)-1], ends
}

func randomWindow(r *rand.Rand, l Layer) (s *Fragmented, pieces int, last quantity.Bytes) {
	s = &Fragmented{Below: l, MTU: quantity.Bytes(1 + r.IntN(5000)), Window: r.IntN(9)}
	last = s.MTU
	if r.IntN(3) > 0 {
		last = quantity.Bytes(1 + r.IntN(int(s.MTU)))
	}
	return s, 1 + r.IntN(40), last
}

func piecesOf(s *Fragmented, count int, last quantity.Bytes) []float64 {
	all := make([]float64, count)
	for i := range all {
		all[i] = float64(s.MTU)
	}
	all[count-1] = float64(last)
	return all
}

// The time of a message through a window is what a simulation of its pieces says.
func TestWindowIsSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 5))
	for range 20000 {
		below := &LogGP{LogP{quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), 0},
			quantity.MicrosPerByte(randomCost(r) / 300)}
		s, count, last := randomWindow(r, below)
		n := quantity.Bytes(count-1)*s.MTU + last
		want, _ := simulateWindow(piecesOf(s, count, last), s.Window,
			func(p float64) float64 { return float64(below.Gap(quantity.Bytes(p))) },
			func(p float64) float64 { return float64(below.OneWay(quantity.Bytes(p))) }, float64(below.OneWay(1)))
		if got := s.OneWay(n); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("%d pieces, the last of %v bytes, through %+v over %+v: %v, simulated %v", count, float64(last), s, below, got, want)
		}
	}
}

// Through a pipeline the last piece may wait in a stage for the one before it. The credit is
// the time of one byte, whatever that is beside the stages.
func TestWindowOverPipelineIsSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 6))
	for k := range 20000 {
		below := randomPipeline(r, 6)
		if k%2 == 0 {
			below = likelyPipeline(r, 6)
		}
		s, count, last := randomWindow(r, below)
		n := quantity.Bytes(count-1)*s.MTU + last
		want, _ := simulatePipelineWindow(below, piecesOf(s, count, last), s.Window, float64(below.OneWay(1)))
		if got := s.OneWay(n); !closeTo(float64(got), want, 1e-9) {
			t.Fatalf("%d pieces, the last of %v bytes, through %+v over %+v: %v, simulated %v", count, float64(last), s, below, got, want)
		}
	}
}

// A stream of messages through a window has the gap that a simulation says, exactly if all
// pieces are alike and else within the bound that the comment of Gap states.
func TestGapOfWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	for range 3000 {
		below := &LogGP{LogP{quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), quantity.Micros(randomCost(r)), 0},
			quantity.MicrosPerByte(randomCost(r) / 300)}
		s, count, last := randomWindow(r, below)
		count = 1 + (count-1)%12
		n := quantity.Bytes(count-1)*s.MTU + last
		// The order repeats after as many messages as make whole windows; what comes first
		// is left out.
		period := max(1, s.Window)
		var stream []float64
		for range 60 * period {
			stream = append(stream, piecesOf(s, count, last)...)
		}
		gap := func(p float64) float64 { return float64(below.Gap(quantity.Bytes(p))) }
		time := func(p float64) float64 { return float64(below.OneWay(quantity.Bytes(p))) }
		_, starts := simulateWindow(stream, s.Window, gap, time, time(1))
		from, to := 20*period*count, 59*period*count
		want := (starts[to] - starts[from]) / float64(39*period)
		got := float64(s.Gap(n))
		slower := 0.0
		if count > 1 && last < s.MTU {
			full, short := float64(s.MTU), float64(last)
			slower = gap(full) - gap(short)
			if s.Window > 0 {
				slower = max(slower, (time(full)-time(short))/float64(s.Window))
			}
		}
		if tolerance := 1e-9 * want; want < got-tolerance || want > got+slower+tolerance {
			t.Fatalf("%d pieces, the last of %v bytes, through %+v over %+v: gap %v, simulated %v, at most %v more", count, float64(last), s, below, got, want, slower)
		}
	}
}

// Pieces of several packets: the comment's bound of what the formula leaves out.
func TestPiecesOfPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 8))
	for range 5000 {
		below := cut(likelyPipeline(r, 6), CutFixed, quantity.Bytes(1+r.IntN(2000)))
		s, count, last := randomWindow(r, below)
		s.Window = 0
		count = 1 + (count-1)%12
		n := quantity.Bytes(count-1)*s.MTU + last
		var packets []float64
		for _, p := range piecesOf(s, count, last) {
			packets = append(packets, list(EqualPlan(quantity.Bytes(p), below.PacketSize(quantity.Bytes(p))))...)
		}
		want, got := recurrence(below, packets), float64(s.OneWay(n))
		most := got + float64(below.OneWay(s.MTU)-below.OneWay(last))
		if tolerance := 1e-9 * want; want < got-tolerance || want > math.Max(most, got)+tolerance {
			t.Fatalf("%d pieces of %v bytes, the last of %v, over %+v: %v, recurrence %v, at most %v", count, float64(s.MTU), float64(last), below, got, want, most)
		}
	}
}
