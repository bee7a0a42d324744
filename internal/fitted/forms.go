package fitted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// terms is the cost of an algorithm at a place along its critical path: steps inside nodes, steps
// between nodes, and the bytes sent for each byte of the call's size.
type terms struct{ inside, between, volume float64 }

// A form is an algorithm as [terms] of the place, those of its schedule. What combining costs is
// in the time per byte, since within one algorithm it is proportional to the bytes.
type form struct {
	engine.Entry
	of Statistic
	// spread says that a rank has a message with each other rank, most of which are on other nodes.
	// Otherwise the steps between nodes are those of one rank a node.
	spread bool
}

// searched has the algorithms that libraries choose from, by collective: a call by a library's own
// choice is predicted by all of them.
var searched = entries(map[string][]string{
	"allreduce":            {"double-tree", "ring", "recursive-doubling", "rabenseifner"},
	"allgather":            {"ring", "recursive-doubling"},
	"reduce-scatter":       {"ring", "recursive-halving"},
	"reduce-scatter-block": {"recursive-doubling", "recursive-halving"},
	"alltoall":             {"pairwise", "bruck"},
	"bcast":                {"binomial", "pipeline", "scatter-ring"},
	"reduce":               {"binomial", "pipeline", "rabenseifner"},
	"gather":               {"binomial", "linear"},
	"scatter":              {"binomial", "linear"},
	"barrier":              {"dissemination", "linear"},
	"scan":                 {"recursive-doubling", "linear"},
})

// entries returns the algorithms of these names, by collective.
func entries(names map[string][]string) map[string][]engine.Entry {
	all := map[string][]engine.Entry{}
	for collective := range names {
		for _, name := range names[collective] {
			all[collective] = append(all[collective], entry(collective, name))
		}
	}
	return all
}

// entry returns an algorithm that the tables of this package name.
func entry(collective, name string) engine.Entry {
	e, err := engine.Find(collective, name)
	if err != nil {
		panic(err)
	}
	return e
}

// segmented has the algorithms that libraries cut into many segments, whose schedule has one: a
// chain, and NCCL's tree, which is a chain in the node and a double binary tree between nodes, up
// and down (NVIDIA/nccl, src/graph/tuning.cc).
var segmented = map[string]func(p place) terms{
	"pipeline": func(p place) terms { return terms{p.ranks - p.nodes, p.nodes - 1, 1} },
	"double-tree": func(p place) terms {
		return terms{2 * (p.perNode() - 1), 2 * math.Log2(p.nodes), 2}
	},
}

// nodesOnly are the algorithms that are another one on one node: a tree is a chain there, as a
// ring.
var nodesOnly = []string{"double-tree"}

// formsFor returns the form of the algorithm that is named, or those of all that libraries use.
// It is an error if the registry has no algorithm of the collective that runs on any number of
// ranks and machine.
func formsFor(d Data, oneNode bool) (all []form, err error) {
	tried := searched[d.Of.Collective]
	if d.Of.Name != "" {
		tried = []engine.Entry{d.Of}
	} else if tried == nil {
		return nil, fmt.Errorf("%w: no algorithm of %s is known", ErrNoFit, d.Of.Collective)
	}
	for _, e := range tried {
		if oneNode && len(tried) > 1 && slices.Contains(nodesOnly, e.Name) {
			continue
		}
		f := form{Entry: e, of: d.Statistic}
		if e.Ranks != 0 || e.Params&engine.Shape != 0 {
			return nil, fmt.Errorf("%w: %s %s has no steps on other ranks or machines; "+
				"omit the algorithm", ErrNoFit, e.Collective, e.Name)
		}
		if f.spread, err = spreads(e); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// spreads reports whether a rank has a message with each other rank.
func spreads(e engine.Entry) (bool, error) {
	const ranks = 16 // of which no tree has a rank with 15 children
	s, err := e.Schedule(ranks, engine.Call{Bytes: ranks * ranks})
	if err != nil {
		return false, err
	}
	for r := range ranks {
		lo, hi := s.Rank(r)
		peers := map[uint32]bool{}
		for _, o := range s.Ops()[lo:hi] {
			peers[o.Peer] = true
		}
		if len(peers) >= ranks-1 {
			return true, nil
		}
	}
	return false, nil
}

// at returns the terms of a place.
func (f *form) at(p place) terms {
	if of, has := segmented[f.Name]; has {
		return of(p)
	}
	all, between := f.shape(int(p.ranks)), 0.0
	switch {
	case p.nodes <= 1:
	case p.nodes >= p.ranks:
		between = all.steps
	case f.spread:
		between = all.steps * (p.ranks - p.perNode()) / (p.ranks - 1)
	default:
		between = min(all.steps, f.shape(int(math.Ceil(p.nodes))).steps)
	}
	return terms{all.steps - between, between, all.volume}
}

// A shape is what an algorithm does on a number of ranks, along the path that decides the time:
// T = steps·α + n·volume·β for calls of n bytes, where a message of m bytes takes α + mβ and
// holds its sender's way out and its receiver's way in (Hockney, one port).
type shape struct{ steps, volume float64 }

// shapes keeps them: they depend on the key alone.
var shapes sync.Map

type shapeKey struct {
	collective, name string
	ranks            int
	of               Statistic
}

// shape returns the shape on a number of ranks: that of the schedule, or where that is too large,
// one that grows as those of fewer ranks do.
func (f *form) shape(ranks int) shape {
	key := shapeKey{f.Collective, f.Name, ranks, f.of}
	if known, ok := shapes.Load(key); ok {
		return known.(shape)
	}
	s, ok := f.simulated(ranks)
	if !ok {
		s = f.grown(ranks, ranks-1)
	}
	shapes.Store(key, s)
	return s
}

// grown continues the shapes of the largest five powers of two up to most whose schedules can be
// made, as sums of 1, lg p, p, p·lg p and p²: steps and bytes of all algorithms are such sums.
func (f *form) grown(ranks, most int) (s shape) {
	functions := func(p int) []float64 {
		n := float64(p)
		return []float64{1, math.Log2(n), n, n * math.Log2(n), n * n}
	}
	var rows [][]float64 // the functions, steps and volume
	for p := 1 << (bits.Len(uint(most)) - 1); p > 1 && len(rows) < len(functions(p)); p /= 2 {
		if s, ok := f.simulated(p); ok {
			rows = append(rows, append(functions(p), s.steps, s.volume))
		}
	}
	at := functions(ranks)
	if len(rows) < len(at) {
		return shape{}
	}
	for k := range at { // Gauss and Jordan
		for i := k + 1; i < len(at); i++ {
			if math.Abs(rows[i][k]) > math.Abs(rows[k][k]) {
				rows[i], rows[k] = rows[k], rows[i]
			}
		}
		for i := range rows {
			if part := rows[i][k] / rows[k][k]; i != k {
				floats.AddScaled(rows[i], -part, rows[k])
			}
		}
	}
	for k, v := range at {
		s.steps += v * rows[k][len(at)] / rows[k][k]
		s.volume += v * rows[k][len(at)+1] / rows[k][k]
	}
	return s
}

// simulated returns the times of the schedule if messages cost 1 µs each, and if all bytes of the
// message cost 1. The sum of both is the time of the schedule if the same path is the longest by
// each, and otherwise a little more. It fails if the schedule is too large.
func (f *form) simulated(ranks int) (s shape, ok bool) {
	// A size that all algorithms can cut into equal parts, of some bytes each.
	c := engine.Call{Bytes: uint64(ranks) << (bits.Len(uint(ranks)) + 3)}
	steps, err := f.timeOf(ranks, c, model.Linear{Beta: 1})
	if err != nil {
		return s, false
	}
	const long = 1e4 // µs that all bytes take: long enough for small parts, in ticks of 1 ps
	tau := quantity.MicrosPerByte(long / float64(c.Bytes))
	bytes, err := f.timeOf(ranks, c, model.Linear{Tau: tau})
	return shape{steps: float64(steps), volume: float64(bytes) / long}, err == nil
}

// maxRanksMade bounds the ranks of schedules that are made of all ranks: those of blocks take some
// 50 ms. If all ranks do the same, one is made.
const maxRanksMade = 256

var errTooLarge = errors.New("too many ranks")

// timeOf simulates a call on the layer: one rank if all are alike, else all ranks.
func (f *form) timeOf(ranks int, c engine.Call, l model.Linear) (quantity.Micros, error) {
	schedule, err := f.SymmetricSchedule(ranks, c)
	if schedule == nil && err == nil && ranks <= maxRanksMade {
		schedule, err = f.Schedule(ranks, c)
	}
	if schedule == nil || err != nil {
		return 0, cmp.Or(err, errTooLarge)
	}
	program, err := simulate.New(schedule)
	if err != nil {
		return 0, err
	}
	layer := platforms.Layer{Platform: "shape", Name: f.Name, Model: &l}
	machine, err := simulate.FromLayer(layer, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	r, err := program.Run(context.Background(), simulate.Setup{Machine: machine})
	if err != nil {
		return 0, err
	}
	if f.of != Average {
		t, _ := r.Finish()
		return t, nil
	}
	var sum quantity.Micros
	for _, ticks := range r.Ranks {
		sum += r.Micros(ticks)
	}
	return sum / quantity.Micros(len(r.Ranks)), nil
}

// checked returns an error if the steps at one of the places are not known.
func (f *form) checked(places []place) error {
	unknown := func(p place) bool { t := f.at(p); return !(t.inside+t.between > 0) }
	if i := slices.IndexFunc(places, unknown); i >= 0 {
		return fmt.Errorf("%w: the steps of %s %s on %.0f ranks are not known; omit the algorithm",
			ErrNoFit, f.Collective, f.Name, places[i].ranks)
	}
	return nil
}
