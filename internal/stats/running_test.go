package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The mean and variance agree with exact arithmetic, also of times that differ in the twelfth digit,
// and with a first time that is far from the others.
func TestRunning(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 0))
	for i := range 2000 {
		var m, half, other Running
		n := 1 + random.IntN(30)
		sum, squares := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
		for k := range n {
			x := math.Exp(math.Log(1e-9) + random.Float64()*math.Log(1e24))
			switch i % 4 {
			case 0:
				x = 1e15
			case 1:
				x = 1e-9
			case 2:
				x = 1 + 1e-12*random.Float64()
			}
			if i%8 == 2 && k == 0 {
				x = 1e6
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
		half.Join(&other)
		count := new(big.Float).SetPrec(2000).SetInt64(m.Count)
		mean, _ := new(big.Float).SetPrec(2000).Quo(sum, count).Float64()
		variance := 0.0
		if m.Count > 1 {
			square := sum.Mul(sum, sum)
			about := squares.Sub(squares.Mul(squares, count), square)
			about.Quo(about, count)
			variance, _ = about.Quo(about, count.Sub(count, big.NewFloat(1))).Float64()
		}
		// Each of up to 30 additions rounds by 1.1e-16 of the sum so far, and the variance has terms
		// up to n times as large as itself.
		for _, got := range []Running{m, half} {
			if math.Abs(got.Mean()-mean) > 1e-14*mean {
				t.Fatalf("mean %v of %d, want %v", got.Mean(), got.Count, mean)
			}
			if math.Abs(got.Variance()-variance) > 1e-12*variance {
				t.Fatalf("variance %v of %d, want %v", got.Variance(), got.Count, variance)
			}
		}
	}
}
