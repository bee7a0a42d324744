package main

import (
	"fmt"
	"math/rand/v2"
)

// A byCall holds the candidates of each call, and the calls in their order.
type byCall struct {
	of    map[int][]int
	order []int
}

// calls returns the calls with at least two algorithms: with one, there is nothing to lose.
func (s *set) calls() byCall {
	all, algorithms := byCall{of: map[int][]int{}}, map[int]int{}
	for i, c := range s.all {
		all.of[c.Call] = append(all.of[c.Call], i)
		if !c.Library {
			if algorithms[c.Call]++; algorithms[c.Call] == 2 {
				all.order = append(all.order, c.Call)
			}
		}
	}
	return all
}

// replicate returns the set without an eighth of its algorithms, if a group has more than three,
// and of its calls, drawn with this seed. One machine gives one sequence of measurements, whose
// luck a table of one run would show as skill.
func (s *set) replicate(seed uint64) *set {
	random := rand.New(rand.NewPCG(seed, 9))
	algorithms, left := map[string]map[string]bool{}, map[string]bool{}
	for _, c := range s.all {
		if algorithms[c.Group] == nil {
			algorithms[c.Group] = map[string]bool{}
		}
		algorithms[c.Group][c.Variant] = true
	}
	out := func(name string) bool {
		if _, drawn := left[name]; !drawn {
			left[name] = random.Float64() < 1./8
		}
		return left[name]
	}
	o := &set{question: s.question}
	for i, c := range s.all {
		kept := c.Library || len(algorithms[c.Group]) <= 3 || !out(c.Group+c.Variant)
		if kept && !out(fmt.Sprint(c.Call)) {
			o.all, o.times = append(o.all, c), append(o.times, s.times[i])
		}
	}
	return o
}
