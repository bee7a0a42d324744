package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// clusters is the number of simulated clusters of each kind.
const clusters = 60

// A cluster is a simulated machine whose allreduces take the steps and bytes of one algorithm, with
// two protocols. What no fit has as a parameter differs by kind of network.
type cluster struct {
	kind string
	// stepGrowth is the part by which steps take longer for each doubling of the nodes, hops the
	// part for each node on a side of a torus, and byteGrowth the power of the nodes by which bytes
	// take longer.
	stepGrowth, hops, byteGrowth float64
	// Beyond a group of nodes, steps take as many times as long.
	group, between float64
	// The deviations of the logarithms of times: of a job as a whole, and of one call in it.
	job, call float64
	// A step and a byte take so long in µs, and twice and half with the second protocol, which
	// begins at a size of a step.
	alpha, beta, second float64

	algorithm string
	known     bool // the fit is told the algorithm
	first     int  // the least number of nodes that is measured
}

// kinds are the networks, with what is usual for them: steps grow with the hops of a torus, an
// oversubscribed tree and a dragonfly's groups slow what leaves them, and shared networks have jobs
// that differ by a tenth to a third.
var kinds = []string{"flat", "fat tree", "torus", "dragonfly, shared"}

// algorithms are those of the simulated allreduces.
var algorithms = []string{"ring", "rabenseifner", "recursive-doubling", "double-tree"}

func newCluster(kind string, random *rand.Rand) cluster {
	between := func(low, high float64) float64 { return low + (high-low)*random.Float64() }
	c := cluster{
		kind: kind, job: between(0.01, 0.04), call: between(0.01, 0.05), group: math.Inf(1),
		alpha: math.Exp(between(0.5, 3)), beta: math.Exp(between(-11, -8)),
		second:    math.Exp2(between(10, 16)),
		algorithm: algorithms[random.IntN(len(algorithms))],
		known:     random.IntN(2) == 0, first: 2 << random.IntN(3),
	}
	switch kind {
	case "fat tree":
		c.stepGrowth, c.byteGrowth = between(0, 0.12), between(0, 0.1)
		c.job, c.group, c.between = between(0.02, 0.1), math.Exp2(between(3, 6)), between(1, 1.3)
	case "torus":
		c.hops, c.byteGrowth, c.job = between(0, 0.15), between(0, 0.2), between(0.02, 0.08)
	case "dragonfly, shared":
		c.stepGrowth, c.job = between(0, 0.08), between(0.1, 0.3)
		c.call, c.group, c.between = between(0.03, 0.1), 16, between(1, 1.4)
	}
	return c
}

// time returns the time in µs of an allreduce of n bytes, before jobs and calls differ.
func (c cluster) time(nodes, n float64) float64 {
	lg := math.Log2(nodes)
	var steps, bytes float64
	switch c.algorithm {
	case "ring":
		steps, bytes = 2*(nodes-1), 2*n*(nodes-1)/nodes
	case "rabenseifner":
		steps, bytes = 2*lg, 2*n*(nodes-1)/nodes
	case "recursive-doubling":
		steps, bytes = lg, n*lg
	case "double-tree":
		steps, bytes = 2*lg, 2*n
	}
	alpha, beta := c.alpha, c.beta
	if bytes/steps >= c.second {
		alpha, beta = 2*alpha, beta/2
	}
	alpha *= 1 + c.stepGrowth*lg + c.hops*math.Cbrt(nodes)
	if nodes > c.group {
		alpha, beta = alpha*c.between, beta*c.between
	}
	return steps*alpha + bytes*beta*math.Pow(nodes, c.byteGrowth)
}

// campaign measures 16 sizes on each number of nodes, in some jobs each.
func (c cluster) campaign(counts []int, jobs int, random *rand.Rand) series {
	machine := fmt.Sprintf("%s, jobs: %d", c.kind, jobs)
	s := series{machine: machine, name: "simulated", collective: "allreduce"}
	if c.known {
		s.algorithm = c.algorithm
	}
	for _, nodes := range counts {
		for range jobs {
			job := c.job * random.NormFloat64()
			for lg := 8; lg < 24; lg++ {
				n := float64(int(1) << lg)
				log := math.Log(c.time(float64(nodes), n)) + job + c.call*random.NormFloat64()
				s.points = append(s.points, fitted.Point{Ranks: nodes, PerNode: 1,
					Size: quantity.Bytes(n), Time: quantity.Micros(math.Exp(log)), Count: 1})
			}
		}
	}
	return s
}
