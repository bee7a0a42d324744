package mpitrace

import (
	"math/rand/v2"
	"testing"
)

// The extents agree with an array that marks each byte, in random orders of sends and receives.
func TestMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var m memory
		var sent [64]bool
		for range 50 {
			lo := rnd.Int64N(60)
			e := extent{lo, lo + 1 + rnd.Int64N(64-lo)}
			if rnd.IntN(2) == 0 {
				m.send(e)
				for i := e.from; i < e.to; i++ {
					sent[i] = true
				}
				continue
			}
			was := int64(0)
			for i := e.from; i < e.to; i++ {
				if sent[i] {
					was++
				}
				sent[i] = false
			}
			if got, want := m.receive(e), was > 0 && 2*was >= e.to-e.from; got != want {
				t.Fatalf("relay into %v is %v, want %v: %d bytes were sent", e, got, want, was)
			}
		}
		for i := 1; i < len(m); i++ {
			if m[i].from < m[i-1].to {
				t.Fatalf("%v overlap", m)
			}
		}
	}
}
