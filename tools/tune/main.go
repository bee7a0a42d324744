// Tune shows what study/tune saves, on machines where every algorithm was measured: the loss of the
// chosen algorithms against the best ones when a part of the measurements is known. docs/tune.md
// has its table.
//
//	go run ./tools/tune ../shared/data
//	go run ./tools/tune -learn MareNostrum ../shared/data # the prior of greatest likelihood
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/study/tune"
)

// shares are the parts of all points that are measured.
var shares = []float64{0.05, 0.1, 0.25}

// calls returns the candidates of each call with at least two.
func (s *set) calls() map[int][]int {
	all := map[int][]int{}
	for i, c := range s.all {
		all[c.Call] = append(all[c.Call], i)
	}
	for call, of := range all {
		if len(of) < 2 {
			delete(all, call)
		}
	}
	return all
}

// losses returns by how much the choice of each call takes longer than the best of its candidates.
func (s *set) losses(choice func(call int, of []int) float64) (all []float64) {
	for call, of := range s.calls() {
		best := math.Inf(1)
		for _, i := range of {
			best = min(best, s.times[i])
		}
		if t := choice(call, of); t > 0 {
			all = append(all, t/best-1)
		}
	}
	slices.Sort(all) // so that sums do not depend on the order of a map
	return all
}

// chosen returns the losses of a tuner's choices.
func (s *set) chosen(t *tune.Tuner) []float64 {
	return s.losses(func(call int, _ []int) float64 { return s.times[t.Best(call)] })
}

func (s *set) measure(t *tune.Tuner, which []int) {
	var all []tune.Measurement
	for _, i := range which {
		all = append(all, tune.Measurement{Candidate: i, Time: s.times[i]})
	}
	t.Add(all)
}

// ours returns the losses at each share, with measurements that the tuner asks for.
func (s *set) ours() (all [][]float64) {
	t, done := tune.New(s.all, tune.Default), 0
	for _, share := range shares {
		for n := int(share * float64(len(s.all))); done < n; {
			next := t.Next(min(n-done, max(10, done/4)))
			if len(next) == 0 {
				break
			}
			s.measure(t, next)
			done += len(next)
		}
		all = append(all, s.chosen(t))
	}
	return all
}

// random returns the losses at each share with random measurements and the same model, of 5 draws.
func (s *set) random() [][]float64 {
	all := make([][]float64, len(shares))
	for seed := range uint64(5) {
		order := rand.New(rand.NewPCG(seed, 7)).Perm(len(s.all))
		for i, share := range shares {
			t := tune.New(s.all, tune.Default)
			s.measure(t, order[:int(share*float64(len(s.all)))])
			all[i] = append(all[i], s.chosen(t)...)
		}
	}
	return all
}

// grid returns the losses if all algorithms are measured at k sizes of each number of ranks, with
// lines in logarithms between, and the share of points that this takes.
func (s *set) grid(k int) (losses []float64, share float64) {
	type series struct {
		group, algorithm string
		ranks            float64
	}
	of := map[series][]int{}
	for i, c := range s.all {
		key := series{c.Group, c.Labels[3], c.Ranks}
		of[key] = append(of[key], i)
	}
	predicted, measured := make([]float64, len(s.all)), 0
	for _, all := range of {
		slices.SortFunc(all, func(a, b int) int { return cmp.Compare(s.all[a].Size, s.all[b].Size) })
		var at []int
		for j := range k {
			at = append(at, all[int(math.Round((float64(j)+0.5)/float64(k)*float64(len(all))-0.5))])
		}
		if k > 1 {
			at[0], at[k-1] = all[0], all[len(all)-1]
		}
		at = slices.Compact(at)
		measured += len(at)
		for _, i := range all {
			right := 0
			for right < len(at)-1 && s.all[at[right]].Size < s.all[i].Size {
				right++
			}
			a, b := at[max(0, right-1)], at[right]
			predicted[i] = math.Log(s.times[b])
			if a != b {
				w := math.Log(s.all[i].Size/s.all[a].Size) / math.Log(s.all[b].Size/s.all[a].Size)
				predicted[i] = (1-w)*math.Log(s.times[a]) + w*math.Log(s.times[b])
			}
		}
	}
	return s.losses(func(_ int, of []int) float64 {
		return s.times[slices.MinFunc(of, func(a, b int) int { return cmp.Compare(predicted[a], predicted[b]) })]
	}), float64(measured) / float64(len(s.all))
}

func text(losses []float64) string {
	if len(losses) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f, %.0f", 100*stats.Mean(losses), 100*stats.QuantileOf(losses, 0.95))
}

func (s *set) print() {
	row := func(name string, all [][]float64) {
		fmt.Printf("| %s | %s |", s.machine, name)
		for _, l := range all {
			fmt.Printf(" %s |", text(l))
		}
		fmt.Println()
	}
	row("ours", s.ours())
	row("random points, the same model", s.random())
	for k := 1; k <= 4; k++ {
		losses, share := s.grid(k)
		fmt.Printf("| %s | grid of %d sizes, %.0f %% of the points | %s | | |\n", s.machine, k, 100*share, text(losses))
	}
	byDefault := s.losses(func(call int, _ []int) float64 { return s.defaults[call] })
	fmt.Printf("| %s | the library's choice | %s | | |\n", s.machine, text(byDefault))
}

// learn prints the prior of greatest marginal likelihood for all points of a machine.
func (s *set) learn() error {
	var every []int
	for i := range s.all {
		every = append(every, i)
	}
	p := tune.Default
	fields := []*float64{&p.Own, &p.Octaves[0], &p.Octaves[1]}
	for l := range p.Factor {
		fields = append(fields, &p.Factor[l], &p.Smooth[l])
	}
	x := make([]float64, len(fields))
	for i, f := range fields {
		x[i] = math.Log(*f)
	}
	less := func(x []float64) float64 {
		outside := 0.0
		for i, f := range fields {
			*f = math.Exp(x[i])
			outside += 10 * (max(0, x[i]-2) + max(0, -4.6-x[i])) // 0.01 to 7.4
		}
		t := tune.New(s.all, p)
		s.measure(t, every)
		return outside - t.LogLikelihood()
	}
	found, err := optimize.Minimize(optimize.Problem{Func: less}, x, &optimize.Settings{FuncEvaluations: 600}, &optimize.NelderMead{SimplexSize: 0.5})
	if err != nil {
		return err
	}
	fmt.Printf("%.4g at %+v\n", less(found.X), p)
	return nil
}

func main() {
	log.SetFlags(0)
	learn := flag.String("learn", "", "find the prior of greatest likelihood for this `machine`")
	flag.Parse()
	fmt.Println("| machine | points | 5 % | 10 % | 25 % |\n|---|---|---|---|---|")
	for _, m := range machines {
		s, err := load(flag.Arg(0), m.name, m.file)
		switch {
		case err != nil:
			log.Fatal(err)
		case *learn == m.name:
			if err := s.learn(); err != nil {
				log.Fatal(err)
			}
		case *learn == "":
			s.print()
		}
	}
}
