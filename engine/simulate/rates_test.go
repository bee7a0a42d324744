package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// newTestRates returns the rates of messages that share n resources, without a program.
func newTestRates(n int) *rates {
	r := newRates(n)
	return &r
}

// drawBundle returns a bundle of messages that use one of the first half of n resources, and one of
// the second half.
func drawBundle(random *rand.Rand, n int) *bundle {
	b := &bundle{size: float64(1000 * (1 + random.IntN(2))), alone: float64(500 + 500*random.IntN(4))}
	for _, r := range []int{random.IntN(n / 2), n/2 + random.IntN(n/2)} {
		ticks := b.alone / float64(1+random.IntN(3))
		b.uses = append(b.uses, use{resource: uint32(r), ticks: ticks, demand: int64(math.Round(ticks / b.alone * fullSpeed))})
	}
	return b
}

// A state is the flows whose rates are wanted, in bytes per tick: capacity 1 of each resource, of
// which flow i takes its rate times each[i].
type state struct {
	each  []map[uint32]float64
	limit []float64 // of the rate of a flow alone
	n     int       // resources
}

// highest returns the largest value of the sum of rates of some flows, if all open flows have at
// least the rate level and the same amount more (together), or each its own. Flows that are not
// open have their rates. It is the answer of a linear program.
func (s *state) highest(t *testing.T, rates []float64, open []int, level float64, wanted int) float64 {
	t.Helper()
	// The unknowns: what the rate of each open flow has above the level, one slack for each
	// resource, one for each limit. With all slacks as a basis, the program begins feasible.
	unknowns := len(open)
	if wanted < 0 {
		unknowns = 1
	}
	rows := s.n + len(open)
	a := mat.NewDense(rows, unknowns+rows, nil)
	b, c := make([]float64, rows), make([]float64, unknowns+rows)
	for r := range s.n {
		b[r] = 1
		for i, each := range s.each {
			if !slices.Contains(open, i) {
				b[r] -= rates[i] * each[uint32(r)]
			}
		}
		for k, i := range open {
			b[r] -= level * s.each[i][uint32(r)]
			column := min(k, unknowns-1)
			a.Set(r, column, a.At(r, column)+s.each[i][uint32(r)])
		}
		b[r] = max(b[r], 0) // a full one, but for rounding
	}
	for k, i := range open {
		b[s.n+k] = max(s.limit[i]-level, 0)
		a.Set(s.n+k, min(k, unknowns-1), 1)
	}
	basis := make([]int, rows)
	for row := range rows {
		a.Set(row, unknowns+row, 1)
		basis[row] = unknowns + row
	}
	c[max(wanted, 0)] = -1
	value, _, err := lp.Simplex(c, a, b, 1e-12, basis)
	if err != nil {
		t.Fatal(err)
	}
	return -value
}

// maxMin returns the max-min fair rates by linear programs: all open rates rise together to the
// highest level; those that none of the solutions lets rise further stay there.
func (s *state) maxMin(t *testing.T) []float64 {
	t.Helper()
	rates, open, level := make([]float64, len(s.each)), []int(nil), 0.0
	for i := range s.each {
		open = append(open, i)
	}
	for len(open) > 0 {
		level += s.highest(t, rates, open, level, -1)
		var rising []int
		for k, i := range open {
			if rates[i] = level; s.highest(t, rates, open, level, k) > 1e-9 {
				rising = append(rising, i)
			}
		}
		if len(rising) == len(open) {
			t.Fatalf("all of %d rates can rise above the highest level", len(open))
		}
		open = rising
	}
	return rates
}

// The rates of 1,000 random states are those of linear programs.
func TestSharesAgainstLinearPrograms(t *testing.T) {
	const states, n = 1000, 6
	for seed := range uint64(states) {
		random := rand.New(rand.NewPCG(seed, 11))
		f := newTestRates(n)
		s, of := state{n: n}, []*bundle{}
		for range 2 + random.IntN(7) {
			b := f.bundle(drawBundle(random, n))
			f.begin(b, 0, 0)
			each := map[uint32]float64{}
			for _, u := range b.uses {
				each[u.resource] = u.ticks / b.size
			}
			s.each, s.limit, of = append(s.each, each), append(s.limit, b.limit), append(of, b)
		}
		f.share(0)
		for i, want := range s.maxMin(t) {
			if got := of[i].rate * of[i].size; math.Abs(got-want) > 1e-7*want {
				t.Fatalf("seed %d: flow %d of %d has %v bytes per tick, want %v", seed, i, len(of), got, want)
			}
		}
	}
}

// After each settlement, the rates of a crowd are those of a computation from nothing. A message
// that begins meanwhile is served as if it had its rate from its beginning.
func TestCrowd(t *testing.T) {
	const n = 40
	waited := 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 12))
		f := newTestRates(n)
		var going []*bundle
		for now := uint64(0); now < 300; now++ {
			b := f.bundle(drawBundle(random, n))
			b.alone *= 1000 // ticks, so that there is something to wait for
			for i := range b.uses {
				b.uses[i].ticks *= 1000
			}
			f.begin(b, 0, now)
			going = append(going, b)
			f.share(now)
			if f.settle != math.MaxUint64 {
				waited++
				continue
			}
			fresh := newTestRates(n)
			for _, b := range going {
				c := &bundle{size: b.size, alone: b.alone, limit: b.limit, uses: slices.Clone(b.uses)}
				for range b.flows {
					fresh.begin(c, 0, now)
				}
			}
			fresh.share(now)
			for i := range f.resources {
				used, want := 0.0, 0.0
				for _, u := range f.resources[i].users {
					used += float64(len(u.flows)) * u.rate * u.uses[u.use].ticks
				}
				for _, u := range fresh.resources[i].users {
					want += float64(len(u.flows)) * u.rate * u.uses[u.use].ticks
				}
				if math.Abs(used-want) > 1e-6 {
					t.Fatalf("seed %d, tick %d: resource %d carries %v, want %v", seed, now, i, used, want)
				}
			}
			for _, b := range going {
				if b.begun < now && b.served > 1.0001*b.limit/b.size*float64(now-b.begun) {
					t.Fatalf("seed %d: a flow has sent %v of its message in %d ticks", seed, b.served, now-b.begun)
				}
			}
		}
	}
	if waited < 100 {
		t.Errorf("a crowd waited %d times only", waited)
	}
}
