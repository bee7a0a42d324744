package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A plan is a planted truth: lines over ranges of sizes.
type plan struct {
	sizes []float64
	ends  []int // as in division
	lines []line
}

// plant draws a plan of k segments over n sizes up to 4 MiB. Each segment has at
// least 5 sizes, and starts between 1.25 and 3 times as high (or, one in five, as
// low) as the one before it would go on, with a share of time per byte of its own.
func plant(random *rand.Rand, n, k int) plan {
	p := plan{sizes: sizes(n, 1, 4<<20), ends: []int{0}}
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
		l := line{beta: quantity.Alone(level * (1 - share)), tau: quantity.Alone(level * share / first)}
		if i == 0 {
			l.tau.Value /= 50 // small messages cost little more per byte
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// measure makes a table of the plan, with noise in proportion.
func (p *plan) measure(random *rand.Rand, noise float64) *benchfile.Table {
	i, k := 0, 0
	return table(p.sizes, func(n float64) float64 {
		for i >= p.ends[k+1] {
			k++
		}
		i++
		return p.lines[k].at(n) * (1 + noise*random.NormFloat64())
	})
}

// Without noise the planted segments come back: their number, their breaks, their lines.
func TestPiecewiseExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for run := range 200 {
		k := 1 + run%4
		p := plant(random, 20+random.IntN(100), k)
		r, err := Piecewise(p.measure(random, 0), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Segments) != k || r.Worst > 1e-9 {
			t.Fatalf("run %d: %d segments of %d, worst error %v", run, len(r.Segments), k, r.Worst)
		}
		for i, s := range r.Segments {
			if float64(s.To) != p.sizes[p.ends[i+1]-1] {
				t.Errorf("run %d: segment %d ends at %v, planted at %v", run, i, s.To, p.sizes[p.ends[i+1]-1])
			}
			if !near(float64(s.Beta.Value), p.lines[i].beta.Value, 1e-6) || !near(float64(s.Tau.Value), p.lines[i].tau.Value, 1e-6) {
				t.Errorf("run %d: segment %d is %v %v, planted %v %v", run, i, s.Beta.Value, s.Tau.Value, p.lines[i].beta.Value, p.lines[i].tau.Value)
			}
		}
	}
}

// Of planted curves of 1 to 4 segments, 20 to 200 sizes and 3 % of noise, the number of segments is
// right, their breaks are within one size, and the sets of breaks and the intervals hold the truth.
// Each is so in 95 of 100 at least; of 60 curves 52 are 3 standard errors less.
func TestSimulation(t *testing.T) {
	const runs = 60
	random := rand.New(rand.NewPCG(7, 0))
	var right, breaks, near, held, in, intervals float64
	for run := range runs {
		k := 1 + run%4
		p := plant(random, 20+random.IntN(181), k)
		r, err := Piecewise(p.measure(random, 0.03), 0)
		if err != nil {
			t.Fatal(err)
		}
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
				if last := p.sizes[p.ends[i+1]-1]; r.Breaks[i].Within.Low <= last && last <= r.Breaks[i].Within.High {
					held++
				}
			}
			intervals += 2
			if float64(s.Beta.Low) <= p.lines[i].beta.Value && p.lines[i].beta.Value <= float64(s.Beta.High) {
				in++
			}
			if float64(s.Tau.Low) <= p.lines[i].tau.Value && p.lines[i].tau.Value <= float64(s.Tau.High) {
				in++
			}
		}
	}
	least := 52 / float64(runs)
	if right/runs < least || near/breaks < least || held/breaks < least ||
		in/intervals < least {
		t.Errorf("number right in %.2f, breaks within one size in %.2f, sets of breaks hold "+
			"it in %.2f, intervals hold β and τ in %.2f", right/runs, near/breaks, held/breaks,
			in/intervals)
	}
}

// A line with noise is one segment: the number is not chosen too high, and cross-validation agrees.
// 5 % may be wrong: of 100 lines up to 11, of 40 up to 6, each with a probability of 99.5 %.
func TestOneLineIsOneSegment(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 0))
	const runs = 100
	wrong, wrongAuto := 0, 0
	for range runs {
		tab := table(sizes(20+random.IntN(60), 1, 1<<20), func(n float64) float64 { return (3 + n/100) * (1 + 0.05*random.NormFloat64()) })
		if r, err := Piecewise(tab, 0); err != nil || len(r.Segments) != 1 {
			wrong++
		}
	}
	for range 40 {
		tab := table(sizes(20+random.IntN(30), 1, 1<<20), func(n float64) float64 { return (3 + n/100) * (1 + 0.05*random.NormFloat64()) })
		if r, err := Auto(tab); err != nil || r.Model != "linear" {
			wrongAuto++
		}
	}
	if wrong > 11 || wrongAuto > 6 {
		t.Errorf("%d of %d lines became segments, %d of 40 with Auto", wrong, runs, wrongAuto)
	}
}

// The dynamic programme finds the least cost of all divisions: against a search through every one.
func TestSplitIsBest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for range 20 {
		p := plant(random, 20, 3)
		tab := p.measure(random, 0.1)
		points, _, _, err := prepare(tab)
		if err != nil {
			t.Fatal(err)
		}
		d := split(points, 3, 0)
		got := d.before[3][len(d.places)-1]
		best := math.Inf(1)
		for i := endPoints; i <= 20-minPoints-endPoints; i++ {
			for j := i + minPoints; j <= 20-endPoints; j++ {
				a, b := slices.Index(d.places, i), slices.Index(d.places, j)
				best = min(best, d.costs[0][a-1]+d.pair(a, b, len(d.places)-1))
			}
		}
		if !near(got, best, 1e-12) {
			t.Errorf("least cost %v, best of all %v", got, best)
		}
	}
}
