package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A law is an allreduce of NCCL on nodes of GPUs, as a sum of known parts. With p ranks on N nodes,
//
//	ring: T = L + 2(p − N)·inside + 2(N − 1)·between + 2n(p − 1)/p/B(n)
//	tree: T = L + 2(g − 1)·inside + 2·log2(N)·between + 2n/B(n)
//
// where g = p/N, and the bandwidth rises with the size up to 256 MiB.
type law struct {
	tree            bool
	launch          float64 // L, µs
	inside, between float64 // a step, µs
	// The bandwidths inside a node and of its links, bytes/µs. Bytes pass both at once, unless they
	// follow each other.
	node, links float64
	follow      bool
	rise        float64 // the power of the size by which the bandwidth rises
	noise       float64 // the standard deviation of the logarithm of a time
}

// gpus is the number of ranks on a node.
const gpus = 8

// saturates is the size from which on the bandwidth is full, up to 5 %.
const saturates = 256 << 20

func newLaw(random *rand.Rand) law {
	between := func(low, high float64) float64 {
		return low * math.Pow(high/low, random.Float64())
	}
	return law{
		tree:   random.IntN(2) == 0,
		launch: between(8, 30), inside: between(0.4, 2), between: between(2, 12),
		node: between(1e5, 5e5), links: between(1e4, 4e5), follow: random.IntN(2) == 0,
		rise: between(0.4, 0.8), noise: between(0.005, 0.03),
	}
}

// time returns the time of a call in µs, without noise.
func (l law) time(nodes int, n float64) float64 {
	p, N := float64(nodes*gpus), float64(nodes)
	bandwidth := l.node
	switch {
	case nodes == 1:
	case l.follow:
		bandwidth = 1 / (1/l.node + 1/l.links)
	default:
		bandwidth = min(l.node, l.links)
	}
	bandwidth /= 1 + 0.05*math.Pow(saturates/n, l.rise)
	if l.tree && nodes > 1 {
		return l.launch + 2*(gpus-1)*l.inside + 2*math.Log2(N)*l.between + 2*n/bandwidth
	}
	return l.launch + 2*(p-N)*l.inside + 2*(N-1)*l.between + 2*n*(p-1)/p/bandwidth
}

// run returns one measurement of a call.
func (l law) run(nodes int, n float64, random *rand.Rand) fitted.Point {
	t := l.time(nodes, n) * math.Exp(l.noise*random.NormFloat64())
	return fitted.Point{Ranks: nodes * gpus, PerNode: gpus, Size: quantity.Bytes(n),
		Time: quantity.Micros(t), Count: 1}
}

// log returns a log of each number of nodes: sizes of nccl-tests from 1 KiB to 8 GiB.
func (l law) log(known bool, random *rand.Rand, nodes ...int) fitted.Data {
	d := fitted.Data{Of: entry("allreduce", ""), Statistic: fitted.Average}
	if known {
		d.Of = entry("allreduce", "ring")
		if l.tree {
			d.Of = entry("allreduce", "double-tree")
		}
	}
	for _, count := range nodes {
		for n := 1024.; n <= 8<<30; n *= 4 {
			d.Points = append(d.Points, l.run(count, n, random))
		}
	}
	return d
}

// A lawQuestion is asked about logs of some nodes: for calls on others, and on a network of which a
// step and a byte between nodes take step and byte times as long.
type lawQuestion struct {
	name       string
	logs       []int
	asked      []int
	step, byte float64
	draws      int
	seed       uint64
}

var lawQuestions = []lawQuestion{
	{"nodes", []int{2, 4, 8, 16}, []int{32, 64}, 1, 1, 200, 51},
	{"nodes", []int{1, 2, 4}, []int{8, 16, 32, 64}, 1, 1, 200, 51},
	{"half the bandwidth", []int{1, 2, 4, 8}, []int{8, 16}, 1, 2, 100, 52},
	{"twice the bandwidth", []int{1, 2, 4, 8}, []int{8, 16}, 1, 0.5, 100, 52},
	{"four times the bandwidth", []int{1, 2, 4, 8}, []int{8, 16}, 1, 0.25, 100, 52},
	{"half the time of a step", []int{1, 2, 4, 8}, []int{8, 16}, 0.5, 1, 100, 52},
}

// laws writes how often intervals hold on logs of known laws, as CSV, by the nodes of the logs and
// of the question, and whether the fit is told the algorithm:
//
//	go -C internal/evidence run ./collectives -only laws > docs/tables/laws.csv
func laws(w io.Writer, _ []series) error {
	fmt.Fprintln(w, "question,measured_nodes,asked_nodes,algorithm,draws,intervals,right,"+
		"median_error,width")
	for _, q := range lawQuestions {
		for _, asked := range q.asked {
			for _, known := range []bool{true, false} {
				draws, all := q.ask(asked, known)
				algorithm := "searched"
				if known {
					algorithm = "known"
				}
				s := judge.Of("", all)
				fmt.Fprintf(w, "%s,%s,%d,%s,%d,%.3f,%.3f,%.4f,%.2f\n", q.name,
					strings.Trim(fmt.Sprint(q.logs), "[]"), asked, algorithm, draws,
					float64(s.Intervals)/float64(s.Answers), s.Right, s.Median, s.Width)
			}
		}
	}
	return nil
}

// ask returns the answers on a number of nodes, and from how many laws.
func (q *lawQuestion) ask(asked int, known bool) (draws int, all []judge.Answer) {
	random := rand.New(rand.NewPCG(q.seed, uint64(asked)))
	for range q.draws {
		l := newLaw(random)
		r, err := fitted.Fit(l.log(known, random, q.logs...))
		if err != nil {
			continue
		}
		draws++
		other := l
		other.links /= q.byte
		other.between *= q.step
		for n := 1024.; n <= 8<<30; n *= 8 {
			p := other.run(asked, n, random)
			at := fitted.Placement{Ranks: p.Ranks, PerNode: gpus}
			answer, err := r.PredictAt(at, p.Size)
			of := answer.Interval
			if err == nil && (q.step != 1 || q.byte != 1) {
				if answer.NoInterval != "" {
					continue
				}
				of, err = r.Changed(of, at, p.Size, q.step, q.byte)
			}
			if err == nil {
				all = append(all, judge.Answer{Measured: float64(p.Time), Interval: of})
			}
		}
	}
	return draws, all
}
