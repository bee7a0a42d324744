package fit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/fit/trace"
)

// A plan is a planted truth: lines over ranges of sizes.
type plan struct {
	sizes []float64
	ends  []int // as in division
	lines []line
}

// plant draws a plan of k segments over n sizes up to 4 MiB. Each segment has at
// least 5 sizes, and starts between 1.25 and 3 times as high (or as low) as the one
// before it would go on, with a share of the time per byte of its own.
func plant(random *rand.Rand, n, k int) plan {
	p := plan{sizes: sizes(n, 1, 4<<20)}
	for p.ends == nil || slices.ContainsFunc(p.lines, func(l line) bool { return l.beta == 0 }) {
		p.ends, p.lines = []int{0}, nil
		free := n - 5*k
		for range k - 1 {
			add := random.IntN(free/2 + 1)
			free -= add
			p.ends = append(p.ends, p.ends[len(p.ends)-1]+5+add)
		}
		p.ends = append(p.ends, n)
		level := 0.2 + 5*random.Float64()
		for i := range k {
			first := p.sizes[p.ends[i]]
			if i > 0 {
				factor := 1.25 + 1.75*random.Float64()
				if random.IntN(5) == 0 {
					factor = 1 / factor
				}
				level = p.lines[i-1].at(first) * factor
			}
			share := 0.02 + 0.8*random.Float64()
			l := line{beta: level * (1 - share), tau: level * share / first}
			if i == 0 {
				l.tau /= 50 // small messages cost little more per byte
			}
			p.lines = append(p.lines, l)
		}
	}
	return p
}

// measure makes a table of the plan, with noise in proportion.
func (p *plan) measure(random *rand.Rand, noise float64) *trace.Table {
	i := 0
	k := 0
	return table(p.sizes, func(n float64) float64 {
		for i >= p.ends[k+1] {
			k++
		}
		i++
		return p.lines[k].at(n) * (1 + noise*random.NormFloat64())
	})
}

func TestSimulation(t *testing.T) {
	for _, noise := range []float64{0.01, 0.02, 0.05, 0.10} {
		random := rand.New(rand.NewPCG(7, 0))
		const runs = 1000
		right, near, breaks := 0, 0, 0
		in, intervals := 0, 0
		inBreak := 0
		var confusion [5][7]int
		for run := range runs {
			k := 1 + run%4
			n := 20 + random.IntN(181)
			p := plant(random, n, k)
			r, err := Segmented(p.measure(random, noise), 0)
			if err != nil {
				t.Fatal(err)
			}
			confusion[k][len(r.Segments)]++
			if len(r.Segments) != k {
				continue
			}
			right++
			at := 0
			for i, s := range r.Segments {
				at += s.Points
				if i+1 < k {
					breaks++
					if d := at - p.ends[i+1]; d >= -1 && d <= 1 {
						near++
					}
					if b := r.Breaks[i]; float64(b.Low) <= p.sizes[p.ends[i+1]-1] && p.sizes[p.ends[i+1]-1] <= float64(b.High) {
						inBreak++
					}
				}
				intervals += 2
				if float64(s.Beta.Low) <= p.lines[i].beta && p.lines[i].beta <= float64(s.Beta.High) {
					in++
				}
				if float64(s.Tau.Low) <= p.lines[i].tau && p.lines[i].tau <= float64(s.Tau.High) {
					in++
				}
			}
		}
		t.Logf("noise %v: right number %.1f %%; breaks within one %.1f %%; break sets hold %.1f %%; intervals hold %.1f %%; %v", noise, 100*float64(right)/runs,
			100*float64(near)/float64(breaks), 100*float64(inBreak)/float64(breaks), 100*float64(in)/float64(intervals), confusion[1:])
	}
}
