package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
)

// askedCluster measures a cluster on 2, 3 and 4 numbers of nodes in some jobs each, and asks for another
// job on two, four and eight times as many.
func askedCluster(c cluster, jobs int, random *rand.Rand) (asks []question) {
	for counts := 2; counts <= 4; counts++ {
		var on []int
		for i := range counts {
			on = append(on, c.first<<i)
		}
		last := on[counts-1]
		kept := c.campaign(on, jobs, random)
		asks = append(asks, ahead(kept, c.campaign([]int{2 * last, 4 * last, 8 * last}, 1, random), on)...)
	}
	return asks
}

// answered asks the questions.
func answered(t *testing.T, asks []question) []judge.Answer {
	t.Helper()
	all, err := answers(asks)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Intervals hold for other jobs, on two to eight times the measured nodes, whatever the deviation
// between jobs. Seen: 90 to 99 %.
func TestOtherJobsAreInside(t *testing.T) {
	for k, deviation := range []float64{0, 0.1, 0.2, 0.3} {
		random, asks := rand.New(rand.NewPCG(42, uint64(k))), []question(nil)
		for range clusters {
			c := newCluster("flat", random)
			c.kind, c.job = fmt.Sprintf("jobs differ by %.0f %%", 100*deviation), deviation
			asks = append(asks, askedCluster(c, 3, random)...)
		}
		for _, s := range judge.ByQuestion(answered(t, asks)) {
			t.Logf("%g, %s: %.0f %% of %d right, %.2f ×", deviation, s.Name, 100*s.Right, s.Intervals, s.Width)
			// Intervals wider than ×16 are none: at ×8, with jobs that differ most, 13 %.
			if s.Answers > 0 && (s.Right < 0.86 || s.Intervals < s.Answers*8/10) {
				t.Errorf("%g, %s: %.0f %% of %d right", deviation, s.Name, 100*s.Right, s.Intervals)
			}
		}
	}
}

// One job a number of nodes has no repeats, but on a network whose jobs differ by 10 to 30 % its
// calls scatter, too: most intervals hold for another job.
func TestScatterShowsJobs(t *testing.T) {
	random, asks := rand.New(rand.NewPCG(44, 4)), []question(nil)
	for range 20 {
		asks = append(asks, askedCluster(newCluster("dragonfly, shared", random), 1, random)...)
	}
	s := judge.Of("all", answered(t, asks))
	t.Logf("%.0f %% of %d right, %.2f ×", 100*s.Right, s.Intervals, s.Width)
	if s.Right < 0.8 {
		t.Errorf("%.0f %% of %d right", 100*s.Right, s.Intervals)
	}
}
