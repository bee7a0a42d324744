package model

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// simplex solves the linear program of count packets as the recurrence states it,
// in standard form: variables C[i][k], p_k − 1, and a surplus for each row.
func simplex(l *Pipeline, n float64, count int) (float64, error) {
	type term struct {
		column int
		coef   float64
	}
	stages := len(l.Stages)
	c := func(i, k int) int { return k*stages + i }
	p := func(k int) int { return count*stages + k }
	var rows [][]term
	var least []float64
	for k := range count {
		for i, s := range l.Stages {
			own := []term{{c(i, k), 1}, {p(k), -float64(s.Tau)}}
			rhs := float64(s.Beta) + float64(s.Tau)
			if i == 0 && k == 0 {
				rows, least = append(rows, own), append(least, rhs)
			}
			if i > 0 {
				rows, least = append(rows, append([]term{{c(i-1, k), -1}}, own...)), append(least, rhs)
			}
			if k > 0 {
				rows, least = append(rows, append([]term{{c(i, k-1), -1}}, own...)), append(least, rhs)
			}
		}
	}
	columns := count*stages + count
	a := mat.NewDense(len(rows)+1, columns+len(rows), nil)
	for r, row := range rows {
		for _, t := range row {
			a.Set(r, t.column, t.coef)
		}
		a.Set(r, columns+r, -1)
	}
	for k := range count {
		a.Set(len(rows), p(k), 1)
	}
	cost := make([]float64, columns+len(rows))
	cost[c(stages-1, count-1)] = 1
	time, _, err := lp.Simplex(cost, a, append(least, n-float64(count)), 1e-12, nil)
	return time, err
}

// The sizes for a given number of packets are the optimum that another solver finds.
func TestIdealPlanOfIsOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	solved := 0
	for range 150 {
		l := likelyPipeline(r, 4)
		count := 1 + r.IntN(6)
		n := quantity.Bytes(count + 1 + r.IntN(1<<(4+r.IntN(12))))
		want, err := simplex(l, float64(n), count)
		if err != nil {
			continue // gonum's simplex gives up on some degenerate tables
		}
		solved++
		plan, time := l.idealPlanOf(n, count)
		checkPlan(t, n, plan, false)
		if plan.Packets() != count {
			t.Fatalf("%d packets, want %d", plan.Packets(), count)
		}
		if !closeTo(float64(time), want, 1e-7) {
			t.Errorf("%v bytes in %d packets: %v, simplex %v\n%+v", float64(n), count, float64(time), want, l)
		}
	}
	if solved < 75 {
		t.Errorf("simplex solved %d of 150 only", solved)
	}
}

// No number of packets beats the one that IdealPlan finds.
func TestIdealPlanCount(t *testing.T) {
	check := func(l *Pipeline, n quantity.Bytes) {
		t.Helper()
		_, time := l.IdealPlan(n)
		for count := 1; count <= int(min(n, 60)); count++ {
			if _, of := l.idealPlanOf(n, count); float64(time) > float64(of)*(1+1e-7) {
				t.Errorf("%v bytes: %v, but %v in %d packets\n%+v", float64(n), float64(time), float64(of), count, l)
				return
			}
		}
	}
	for _, stages := range []int{3, 4, 5} {
		for _, n := range []quantity.Bytes{1 << 10, 4 << 10, 64 << 10} {
			check(clip(stages), n)
		}
	}
	if testing.Short() {
		return
	}
	r := rand.New(rand.NewPCG(5, 1))
	for range 15 {
		check(likelyPipeline(r, 6), quantity.Bytes(1+r.IntN(20000)))
	}
}

// Plans are messages; they are never worse than equal packets, and whole bytes
// never better than parts of them.
func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for k := range 60 {
		l := likelyPipeline(r, 6)
		if k%3 == 0 {
			l = randomPipeline(r, 6)
		}
		n := quantity.Bytes(1 + r.IntN(1<<(1+r.IntN(17))))
		_, equal := l.BestPacket(n)
		plan, time := l.BestPlan(n)
		checkPlan(t, n, plan, true)
		if !closeTo(float64(l.OneWayAs(plan)), float64(time), 1e-12) {
			t.Fatalf("a plan takes %v, not %v", l.OneWayAs(plan), time)
		}
		if float64(time) > float64(equal)*(1+1e-12) {
			t.Errorf("%v bytes: plan %v, equal packets %v\n%+v", float64(n), time, equal, l)
		}
		ideal, least := l.IdealPlan(n)
		checkPlan(t, n, ideal, false)
		if float64(least) > float64(time)*(1+1e-7) {
			t.Errorf("%v bytes: ideal %v, whole bytes %v\n%+v", float64(n), float64(least), float64(time), l)
		}
	}
}

// Where every packet must be one byte there is nothing to choose.
func TestIdealPlanOfSingleBytes(t *testing.T) {
	for _, count := range []int{1, 2, 7, 64, 65, 1000} {
		plan, time := clip(4).idealPlanOf(quantity.Bytes(count), count)
		checkPlan(t, quantity.Bytes(count), plan, false)
		if want := clip(4).OneWayIn(quantity.Bytes(count), 1); !closeTo(float64(time), float64(want), 1e-7) {
			t.Errorf("%d packets of a byte: %v, want %v", count, time, want)
		}
	}
}
