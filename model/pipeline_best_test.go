package model

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// bruteForce tries every packet size.
func bruteForce(l *Pipeline, n int) (quantity.Bytes, quantity.Micros) {
	best, least := quantity.Bytes(n), l.OneWayIn(quantity.Bytes(n), quantity.Bytes(n))
	for p := quantity.Bytes(n - 1); p >= 1; p-- {
		if t := l.OneWayIn(quantity.Bytes(n), p); t < least {
			best, least = p, t
		}
	}
	return best, least
}

// BestPacket finds the least time of all sizes.
func checkBest(t *testing.T, l *Pipeline, n int) {
	t.Helper()
	want, least := bruteForce(l, n)
	got, time := l.BestPacket(quantity.Bytes(n))
	if !closeTo(float64(time), float64(least), 1e-12) {
		t.Fatalf("BestPacket(%d) = %v at %v, brute force %v at %v\n%+v", n, got, time, want, least, l)
	}
	if got < 1 || got > quantity.Bytes(n) || l.OneWayIn(quantity.Bytes(n), got) != time {
		t.Fatalf("BestPacket(%d) = %v takes %v, not %v", n, got, l.OneWayIn(quantity.Bytes(n), got), time)
	}
}

func TestBestPacketBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := 1; n <= 40; n++ { // small messages, where most sizes are edges
		for range 50 {
			checkBest(t, randomPipeline(r, 6), n)
		}
	}
	for k := range 2000 {
		l := randomPipeline(r, 12)
		if k%2 == 0 {
			l = likelyPipeline(r, 8)
		}
		checkBest(t, l, 1+r.IntN(3000))
	}
}

// CLIP at 64 KiB, over all 65,536 sizes.
func TestBestPacketCLIP(t *testing.T) {
	for _, stages := range []int{3, 4, 5} {
		checkBest(t, clip(stages), 65536)
		checkBest(t, clip(stages), 65537)
	}
}
