package sums

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The mean and variance are those of exact arithmetic, rounded: once for the mean, and by three
// operations for the variance.
func TestMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 0))
	for i := range 2000 {
		var m, half, other Moments
		n := 1 + random.IntN(30)
		sum, squares := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
		for range n {
			x := math.Exp(math.Log(1e-9) + random.Float64()*math.Log(1e24))
			switch i % 4 {
			case 0:
				x = 1e15
			case 1:
				x = 1e-9
			case 2:
				x = 1 + 1e-12*random.Float64()
			}
			if x < 1e-9 || x > 1e15 {
				continue
			}
			m.Add(x)
			if random.IntN(2) == 0 {
				half.Add(x)
			} else {
				other.Add(x)
			}
			v := new(big.Float).SetPrec(2000).SetFloat64(x)
			sum.Add(sum, v)
			squares.Add(squares, v.Mul(v, v))
		}
		if m.Count == 0 {
			continue
		}
		other.Join(&half)
		if other != m {
			t.Fatalf("%v and its halves %v", m, other)
		}
		count := new(big.Float).SetPrec(2000).SetInt64(m.Count)
		want, _ := new(big.Float).SetPrec(2000).Quo(sum, count).Float64()
		if got := m.Mean(); got != want {
			t.Fatalf("mean %v of %d, want %v", got, m.Count, want)
		}
		if m.Count == 1 {
			continue
		}
		square := sum.Mul(sum, sum)
		about := squares.Sub(squares.Mul(squares, count), square)
		about.Quo(about, count)
		want, _ = about.Quo(about, count.Sub(count, big.NewFloat(1))).Float64()
		if got := m.Variance(); math.Abs(got-want) > 4e-16*want {
			t.Fatalf("variance %v of %d, want %v", got, m.Count, want)
		}
	}
}
