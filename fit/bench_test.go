package fit

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPiecewise1000 is 1,000 sizes in up to 6 segments; wanted is less than 1 s.
func BenchmarkPiecewise1000(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	p := plant(random, 1000, 4)
	tab := p.measure(random, 0.02)
	for b.Loop() {
		if _, err := Piecewise(tab, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAuto100 is the choice among all models for 100 sizes.
func BenchmarkAuto100(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	p := plant(random, 100, 3)
	tab := p.measure(random, 0.02)
	for b.Loop() {
		if _, err := Auto(tab); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAutoMany is the choice for as many sizes as a table keeps apart.
func BenchmarkAutoMany(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	p := plant(random, 1<<16, 3)
	tab := p.measure(random, 0.02)
	for b.Loop() {
		r, err := Auto(tab)
		if err != nil || len(r.Segments) != 3 {
			b.Fatal(err, len(r.Segments))
		}
	}
}
