package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

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

// lawDraws is the number of laws that are drawn for each table.
const lawDraws = 200

// laws writes how often intervals hold on logs of known laws, as CSV, by the nodes of the logs and
// of the question, and whether the fit is told the algorithm:
//
//	go -C internal/evidence run ./collectives -only laws > docs/tables/laws.csv
func laws(w io.Writer, _ []series) error {
	fmt.Fprintln(w, "question,measured_nodes,asked_nodes,algorithm,draws,intervals,right,"+
		"median_error,width")
	for _, logs := range [][]int{{2, 4, 8, 16}, {1, 2, 4}} {
		for _, asked := range []int{8, 16, 32, 64} {
			if asked <= logs[len(logs)-1] {
				continue
			}
			for _, known := range []bool{true, false} {
				random := rand.New(rand.NewPCG(51, uint64(asked)))
				var s sums
				for range lawDraws {
					l := newLaw(random)
					r, err := fitted.Fit(l.log(known, random, logs...))
					if err != nil {
						continue
					}
					s.draws++
					for n := 1024.; n <= 8<<30; n *= 8 {
						p := l.run(asked, n, random)
						at := fitted.Placement{Ranks: p.Ranks, PerNode: gpus}
						if q, err := r.PredictAt(at, p.Size); err == nil {
							s.add(q.Interval, float64(p.Time))
						}
					}
				}
				s.write(w, "nodes", logs, asked, known)
			}
		}
	}
	networks(w)
	return nil
}

// networks writes the same for logs of one network and questions about another, which has half,
// twice and four times the bandwidth, or half the time of a step.
func networks(w io.Writer) {
	logs := []int{1, 2, 4, 8}
	for _, change := range []struct {
		name       string
		step, byte float64
	}{
		{"half the bandwidth", 1, 2},
		{"twice the bandwidth", 1, 0.5},
		{"four times the bandwidth", 1, 0.25},
		{"half the time of a step", 0.5, 1},
	} {
		for _, asked := range []int{8, 16} {
			for _, known := range []bool{true, false} {
				random := rand.New(rand.NewPCG(52, uint64(asked)))
				var s sums
				for range lawDraws / 2 {
					l := newLaw(random)
					r, err := fitted.Fit(l.log(known, random, logs...))
					if err != nil {
						continue
					}
					s.draws++
					other := l
					other.links /= change.byte
					other.between *= change.step
					for n := 1024.; n <= 8<<30; n *= 8 {
						p := other.run(asked, n, random)
						at := fitted.Placement{Ranks: p.Ranks, PerNode: gpus}
						q, err := r.PredictAt(at, p.Size)
						if err != nil || q.NoInterval != "" {
							continue
						}
						v, err := r.Changed(q.Interval, at, p.Size, change.step, change.byte)
						if err == nil {
							s.add(v, float64(p.Time))
						}
					}
				}
				s.write(w, change.name, logs, asked, known)
			}
		}
	}
}

// sums counts answers.
type sums struct {
	draws, answers, intervals, right int
	errors, widths                   []float64
}

func (s *sums) add(v quantity.Interval, measured float64) {
	s.answers++
	s.errors = append(s.errors, math.Abs(v.Value/measured-1))
	if math.IsNaN(v.Low) {
		return
	}
	s.intervals++
	s.widths = append(s.widths, v.High/v.Low)
	if v.Low <= measured && measured <= v.High {
		s.right++
	}
}

func (s *sums) write(w io.Writer, question string, logs []int, asked int, known bool) {
	median := func(v []float64) float64 {
		if len(v) == 0 {
			return math.NaN()
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	algorithm := "searched"
	if known {
		algorithm = "known"
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	fmt.Fprintf(w, "%s,%s,%d,%s,%d,%.3f,%.3f,%.4f,%.2f\n", question,
		strings.Trim(fmt.Sprint(logs), "[]"), asked, algorithm, s.draws,
		share(s.intervals, s.answers), share(s.right, s.intervals), median(s.errors),
		median(s.widths))
}
