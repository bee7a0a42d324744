package collective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// maxOperations bounds the schedules that are simulated for a shape.
const maxOperations = 1 << 16

type shapeKey struct {
	collective, name string
	ranks            int
	of               Statistic
}

// shapes remembers them: they depend on nothing else.
var shapes sync.Map

// shapeOf returns the shape of an algorithm on a number of ranks, from its schedule: its times if
// messages cost α alone and if they cost β alone. The sum of both is the time of the schedule if
// the same path is the longest by each, and otherwise a little more. What combining costs is left
// out: within one algorithm it is proportional to the bytes, so β has it.
func shapeOf(e engine.Entry, ranks int, of Statistic) (s shape, err error) {
	key := shapeKey{e.Collective, e.Name, ranks, of}
	if known, ok := shapes.Load(key); ok {
		return known.(shape), nil
	}
	// A size that all algorithms can cut into equal parts.
	c := engine.Call{Bytes: uint64(ranks) << (bits.Len(uint(ranks)) + 3)}
	perStep := model.Linear{Beta: 1}
	steps, err := timeOf(e, ranks, c, perStep, of)
	if err != nil {
		return s, err
	}
	const long = 1e4 // µs that all bytes take: long enough for small parts, in ticks of 1 ps
	perByte := model.Linear{Tau: quantity.MicrosPerByte(long / float64(c.Bytes))}
	bytes, err := timeOf(e, ranks, c, perByte, of)
	if err != nil {
		return s, err
	}
	s = shape{steps: float64(steps), volume: float64(bytes) / long}
	shapes.Store(key, s)
	return s, nil
}

// timeOf simulates a call on the layer: one rank if all are alike, else all ranks.
func timeOf(e engine.Entry, ranks int, c engine.Call, l model.Linear, of Statistic) (
	quantity.Micros, error) {
	schedule, err := e.SymmetricSchedule(ranks, c)
	if schedule == nil && err == nil {
		schedule, err = e.ScheduleLimit(context.Background(), maxOperations, ranks, c)
	}
	if errors.As(err, new(engine.TooLarge)) {
		return 0, fmt.Errorf("%s %s on %d ranks: %w",
			e.Collective, e.Name, ranks, err)
	}
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(schedule)
	if err != nil {
		return 0, err
	}
	layer := platforms.Layer{Platform: "shape", Name: e.Name, Model: &l}
	machine, err := simulate.FromLayer(layer, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	r, err := p.Run(context.Background(), simulate.Setup{Machine: machine})
	if err != nil {
		return 0, err
	}
	if of == Slowest {
		t, _ := r.Finish()
		return t, nil
	}
	var sum quantity.Micros
	for _, ticks := range r.Ranks {
		sum += r.Micros(ticks)
	}
	return sum / quantity.Micros(len(r.Ranks)), nil
}

// loose has the algorithms whose forms are approximations, with the largest relative errors of
// their steps and volumes, of the slowest rank and of the mean, on any number of ranks.
var loose = map[[2]string][4]float64{
	// On 3 and 4 ranks; on more, the mean is within 7 %.
	{"bcast", "split-binary"}: {0, 0, 0.15, 0.1},
	// Off powers of two, where no library uses them.
	{"bcast", "scatter-doubling"}:                  {0.15, 0.36, 0.19, 0.31},
	{"reduce-scatter", "butterfly"}:                {0, 0.21, 0.17, 0.27},
	{"reduce-scatter-block", "butterfly"}:          {0, 0.21, 0.17, 0.27},
	{"reduce-scatter-block", "recursive-doubling"}: {0.21, 0.25, 0.29, 0.33},
	{"reduce-scatter", "recursive-halving"}:        {0, 0.11, 0, 0},
	{"reduce-scatter-block", "recursive-halving"}:  {0, 0.11, 0, 0},
	// The first rounds of the fold are of one step in MPICH and of two in Open MPI.
	{"allreduce", "rabenseifner"}: {0.21, 0, 0, 0},
	// The last ranks of other numbers than powers of two wait for one round more.
	{"scan", "recursive-doubling"}: {0.26, 0.26, 0, 0},
	// An empty question of the root has a byte, as all messages of a schedule.
	{"gather", "linear-sync"}: {0, 0.04, 0, 0.04},
}

// ofLibraries stand for a library, not for the schedule of that name: NCCL's tree is a
// chain in each node, and pipelines are cut into many segments.
var ofLibraries = []string{"allreduce double-tree", "bcast pipeline", "reduce pipeline"}

// Steps and volumes of the forms are those of simulated schedules, on all numbers of ranks up to 40
// and some up to 512.
func TestShapes(t *testing.T) {
	ranks := []int{64, 65, 100, 127, 128, 129, 250, 256, 512}
	for p := 2; p <= 40; p++ {
		ranks = append(ranks, p)
	}
	for _, e := range engine.Algorithms {
		name := e.Collective + " " + e.Name
		if e.Ranks != 0 || e.Params&engine.Shape != 0 || slices.Contains(ofLibraries, name) {
			continue
		}
		_, own := laws[[2]string{e.Collective, e.Name}]
		worst := [4]float64{}
		for i, of := range []Statistic{Slowest, Average} {
			if of == Average && !own {
				continue // these forms are the same for both statistics
			}
			f, err := formOf(e, of)
			if err != nil {
				t.Errorf("%s: no closed form; add its row to laws, laws.go", name)
				break
			}
			for _, p := range ranks {
				if testing.Short() && p > 16 {
					continue
				}
				want, err := shapeOf(e, p, of)
				if errors.As(err, new(engine.TooLarge)) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got := f.at(place{float64(p), float64(p)})
				if got.inside != 0 {
					t.Errorf("%s on %d nodes: %v steps inside them", name, p, got.inside)
				}
				errors := [2]float64{got.between/want.steps - 1, got.volume/want.volume - 1}
				if e.Collective == "barrier" { // without bytes
					errors[1] = 0
				}
				for j, off := range errors {
					k := 2*i + j
					worst[k] = max(worst[k], math.Abs(off))
					if least := 0.015; math.Abs(off) > max(least, loose[[2]string{e.Collective,
						strings.TrimSuffix(e.Name, "-mpich")}][k]) {
						t.Errorf("%s, %s, %d ranks: %+v, want %+v", name, of, p, got, want)
					}
				}
			}
		}
		if testing.Verbose() { // else 60 rows would hide one failure
			t.Logf("%s: %.3f", name, worst)
		}
	}
}

// On nodes with several ranks, a rank's messages with each other rank are mostly between nodes; a
// tree has those of one rank a node.
func TestPlacesOfForms(t *testing.T) {
	for _, c := range []struct {
		collective, name string
		inside, between  float64 // of 16 ranks on 4 nodes
	}{
		{"bcast", "binomial", 2, 2}, {"bcast", "binary", 6 - 2, 2}, {"bcast", "linear", 3, 12},
		{"alltoall", "linear", 3, 12}, {"alltoall", "linear-sync", 3, 12}, {"gather", "linear", 3, 12},
		{"allgather", "ring", 12, 3}, {"allgather", "neighbour-exchange", 6, 2},
	} {
		e, err := engine.Find(c.collective, c.name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := formOf(e, Slowest)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.at(place{16, 4}); got.inside != c.inside || got.between != c.between {
			t.Errorf("%s %s: %+v, want %v and %v", c.collective, c.name, got, c.inside, c.between)
		}
	}
}

// A fit of several nodes may be asked for one node: no form has a place that it fails on.
func TestOneNodeOfSeveral(t *testing.T) {
	for _, e := range engine.Algorithms {
		if e.Ranks != 0 || e.Params&engine.Shape != 0 {
			continue
		}
		for _, of := range Statistics {
			f, err := formOf(e, of)
			if err != nil {
				break // TestShapes reports it
			}
			got := f.at(place{16, 1})
			if got.inside < 0 || !(got.inside+got.between > 0) || !(got.volume >= 0) {
				t.Errorf("%s %s: %+v", e.Collective, e.Name, got)
			}
		}
	}
}

// On numbers of ranks whose schedules are too large to build, an algorithm takes its own steps:
// with 2 µs each, a neighbour exchange of 4,096 ranks takes 4,096 µs. A fit of thousands of ranks
// builds no schedule.
func TestManyRanks(t *testing.T) {
	exchange := func(ranks int) float64 { return float64(ranks) }
	r := doublings(t, "allgather", "neighbour-exchange", exchange, 256, 512, 1024)
	p, err := r.Predict(4096, 64)
	if err != nil || math.Abs(float64(p.Time)/4096-1) > 0.02 {
		t.Errorf("%v, %v: want 4096 µs", p.Time, err)
	}
	blocks := func(ranks int) float64 { return 10 * math.Log2(float64(ranks)) }
	r = doublings(t, "reduce-scatter-block", "recursive-doubling", blocks, 1024, 2048, 4096)
	if alpha := float64(r.Parameters()[0].Between.Value); math.Abs(alpha/10-1) > 0.1 {
		t.Errorf("α is %v µs, want 10", alpha)
	}
}
