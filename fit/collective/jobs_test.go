package collective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// scattered are calls of 16 sizes on each number of nodes, with a change of protocol at 4 KiB. The
// logs of single calls deviate by so much.
func scattered(deviation float64, random *rand.Rand, counts ...int) (all []Point) {
	for _, nodes := range counts {
		for n := 64; n < 64<<16; n *= 2 {
			us := 3*float64(nodes-1) + 1e-3*float64(n)
			if n >= 4096 {
				us *= 1.7
			}
			us *= math.Exp(deviation * random.NormFloat64())
			all = append(all, Point{Ranks: nodes, PerNode: 1, Size: quantity.Bytes(n),
				Time: quantity.Micros(us), Count: 1})
		}
	}
	return all
}

// The deviation of calls is found without repeats, whatever the protocols and the growth with the
// nodes; three places have 42 differences, which the median is known from within a third.
func TestCallDeviation(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, want := range []float64{0.02, 0.05, 0.1} {
		var found []float64
		for range 40 {
			found = append(found, callDeviation(scattered(want, random, 4, 8, 16)))
		}
		if got := stats.Median(found); math.Abs(got/want-1) > 0.25 {
			t.Errorf("calls deviate by %.3f, found %.3f", want, got)
		}
	}
	if got := callDeviation(scattered(0.05, random, 4)); !math.IsNaN(got) {
		t.Errorf("one place: %v, want none", got)
	}
}

// Jobs are taken to differ by more where their calls scatter, within bounds; repeats outweigh what
// is assumed.
func TestScatterDecidesJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	quiet := jobsOf(scattered(0.001, random, 4, 8, 16))
	shared := jobsOf(scattered(0.09, random, 4, 8, 16))
	if quiet.deviation != leastJobs || shared.deviation < 0.1 || shared.deviation > mostJobs {
		t.Errorf("quiet %.3f, shared %.3f", quiet.deviation, shared.deviation)
	}
	repeats := scattered(0.09, random, 4, 8, 16)
	for i := range repeats {
		repeats[i].Count, repeats[i].Deviation = 20, 0.01
	}
	if j := jobsOf(repeats); j.deviation > 0.04 || j.runs != 20 {
		t.Errorf("with repeats that differ by 1 %%: %+v", j)
	}
}
