package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Medians and order statistics are those of the sorted values, to the last bit: of random values,
// of few different ones, and of rows that make bad pivots.
func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	made := []func(i, n int) float64{
		func(i, n int) float64 { return r.NormFloat64() },
		func(i, n int) float64 { return float64(r.IntN(3)) - 1 },
		func(i, n int) float64 { return float64(i) },
		func(i, n int) float64 { return -float64(i) },
		func(i, n int) float64 { return float64(min(i, n-i)) },
		func(i, n int) float64 { return float64(i*i%7) * math.Copysign(0, -1) },
	}
	for n := 1; n < 400; n = n*9/8 + 1 {
		for m, f := range made {
			v := make([]float64, n)
			for i := range v {
				v[i] = f(i, n)
			}
			sorted := slices.Sorted(slices.Values(v))
			got, want := Median(v), Quantile(sorted, 0.5)
			if got != want || n > 1 && math.Signbit(got) != math.Signbit(want) {
				t.Errorf("the median of %d values of kind %d is %v, want %v", n, m, got, want)
			}
			for k := 0; k < n; k += 1 + n/10 {
				w := slices.Clone(v)
				if got := Select(w, k); got != sorted[k] || w[k] != got || slices.Max(w[:k+1]) > got || slices.Min(w[k:]) < got {
					t.Errorf("value %d of %d of kind %d is %v, want %v", k, n, m, got, sorted[k])
				}
			}
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("nothing has a median")
	}
}

func TestMean(t *testing.T) {
	if got := Mean([]float64{1, 2, 6}); got != 3 {
		t.Errorf("mean %v, want 3", got)
	}
	if got := Mean(nil); got != 0 {
		t.Errorf("mean of none %v, want 0", got)
	}
}
