// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package collectives

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Joint are the times of a program's collectives on a machine whose file has measurements of some,
// see [program.Options]. Several goroutines may use it at once.
type Joint struct {
	d       platforms.Design
	perNode int  // ranks that fill a node; 0: the file does not say
	nccl    bool // the measurements are of nccl-tests
	fits    *Fits
	network network         // as a factor of the measured one
	was     platforms.Costs // of the network that [Joint.OnNetwork] added; else the zero value

	mutex sync.Mutex
	known map[jointKey]jointTime
	first jointKey // that was asked for
	// widest is the interval, in µs, that is the widest over its value, of a call.
	widest quantity.Interval
	of     jointKey
	// described are the collectives that the machine's levels describe, in order.
	described []string
	// unbounded says why times have no interval, each reason once.
	unbounded []string
}

// A jointTime is a time with its interval in ns, unless the collective is made of messages.
type jointTime struct {
	quantity.Interval
	joint bool
}

// An End is the value of the intervals of all times that is taken for them.
type End int

const (
	Low   End = iota - 1 // the lower end
	Value                // the time itself
	High                 // the upper end
)

// JointOf returns the times on a design; nil without measurements. Ranks fill nodes one after the
// other.
func JointOf(d platforms.Design) *Joint {
	if !slices.ContainsFunc(d.Platform.Collectives,
		func(c platforms.MeasuredCollective) bool {
			return len(d.Collectives(c.Of.Collective)) > 0
		}) {
		return nil
	}
	j := newJoint(d, new(Fits), network{1, 1}, platforms.Costs{})
	for _, c := range d.Platform.Collectives {
		for _, perNode := range c.PerNode {
			j.perNode = max(j.perNode, perNode*max(1, c.Groups))
		}
		j.nccl = j.nccl || strings.Contains(c.Name, "nccl-tests")
	}
	return j
}

func newJoint(d platforms.Design, fits *Fits, by network, was platforms.Costs) *Joint {
	return &Joint{d: d, fits: fits, network: by, was: was, known: map[jointKey]jointTime{}}
}

// OnNetwork returns the design with a layer "network" that stands for the links between nodes, as
// [Calls.Prepare] has it, and the times that change with it. It is that of the first collective
// that was asked for.
func (j *Joint) OnNetwork(ctx context.Context) (platforms.Design, *Joint, error) {
	p, err := NewPlan(ctx, j.calls(j.first), j.d)
	if err != nil {
		return j.d, nil, err
	}
	d, err := withNetwork(j.d, p.source.(*measured).used[0].Result)
	if err != nil {
		return d, nil, err
	}
	of := newJoint(j.d, j.fits, j.network, d.Costs())
	of.perNode, of.nccl = j.perNode, j.nccl
	return d, of, nil
}

// Under returns the times with other costs of the design of [Joint.OnNetwork]; without a network,
// they are the measured ones. nil has none.
func (j *Joint) Under(c platforms.Costs) *Joint {
	if j == nil || j.was.Layer == nil || c.Layer == nil {
		return j
	}
	of := newJoint(j.d, j.fits, networkOf(j.was, c), j.was)
	of.perNode, of.nccl = j.perNode, j.nccl
	return of
}

// Notes says which of the times given so far is the least certain, why some have no interval, and
// which collectives the levels describe.
func (j *Joint) Notes() (notes []remark.Note) {
	if len(j.described) > 0 {
		notes = append(notes,
			remark.ByLevels(j.d.Platform.Name, strings.Join(j.Described(), ", ")))
	}
	notes = append(notes, list.Map(j.unbounded, remark.NoIntervals)...)
	if s := j.of.shape; j.widest.Known() && j.of.name != "" {
		notes = append(notes, remark.LeastCertain(j.of.name, quantity.Bytes(j.of.bytes),
			s.ranks, j.widest))
	}
	return notes
}

// Described returns the collectives so far that were not measured and that the machine's levels
// describe: their names, or if others of the name were measured, with their size and ranks. Of many
// it has the first ones.
func (j *Joint) Described() []string {
	const most = 4
	if len(j.described) > most {
		return append(slices.Clone(j.described[:most]), "…")
	}
	return j.described
}

// Complete reports whether all times so far were measured, or fitted with an interval, and there
// are some.
func (j *Joint) Complete() bool {
	return len(j.described) == 0 && len(j.unbounded) == 0 && j.Measured()
}

// Unbounded says why some of the times so far have no interval, by the first of them; "" if all
// have one.
func (j *Joint) Unbounded() string {
	if len(j.unbounded) == 0 {
		return ""
	}
	return j.unbounded[0]
}

// PerNode returns the number of ranks that fill a node; 0 if the file does not say.
func (j *Joint) PerNode() int { return j.perNode }

// Widest returns the time, in µs, of the call so far whose interval is the widest over its value,
// and what it calls; the interval is zero or not known if none has one.
func (j *Joint) Widest() (of string, in quantity.Interval) {
	return fmt.Sprintf("%s of %s on %s", j.of.name, quantity.Bytes(j.of.bytes),
		quantity.Plural(j.of.shape.ranks, "rank")), j.widest
}

// Measured reports whether some of the times so far were measured or fitted.
func (j *Joint) Measured() bool { return j.of.name != "" }

// A jointKey is a collective with its shape.
type jointKey struct {
	name, algorithm string
	bytes           uint64
	shape           jointShape
}

// A jointShape is how ranks of a group lie on nodes: how many ranks and nodes, ranks on each (the
// last one of full nodes may have fewer), and groups on a node that call at once.
type jointShape struct{ ranks, nodes, perNode, groups int }

// Time returns the time of a collective in ns, or an end of its interval if it has one; joint is
// false if it is made of messages. One that was not measured, or not in this shape, is made of
// messages if the machine has levels; else it is an error that says what to measure. A collective
// without any measurement is so on any machine with messages.
func (j *Joint) Time(ctx context.Context, c program.Collective, end End) (ns uint64, joint bool,
	err error) {
	if c.Name == "" { // a communicator is made once, before the program counts
		return 0, true, nil
	}
	if len(c.Ranks) < 2 || c.Bytes == 0 && c.Name != "barrier" {
		return 0, true, nil
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	t, err := j.timeOf(ctx, c)
	at := t.Value
	switch end {
	case Low:
		at = t.Low
	case High:
		at = t.High
	}
	if !t.Known() {
		at = t.Value
	}
	const most = 1 << 60 // an interval may have no upper end
	return uint64(math.Round(min(at, most))), t.joint, err
}

func (j *Joint) timeOf(ctx context.Context, c program.Collective) (t jointTime, err error) {
	levels := len(j.d.Machine().Levels) > 0
	if len(j.d.Collectives(c.Name)) == 0 && j.d.Layer.Model != nil {
		j.describe(levels, c.Name)
		return t, nil
	}
	shape, err := j.shapeOf(c)
	switch {
	case err != nil && levels:
		j.describe(true, c.Name)
		return t, nil
	case err != nil:
		return t, err
	}
	key := jointKey{c.Name, c.Algorithm, c.Bytes, shape}
	if t, known := j.known[key]; known {
		return t, nil
	}
	in, err := j.measured(ctx, key)
	var missing notMeasured
	switch {
	case levels && errors.As(err, &missing):
		j.describe(true, fmt.Sprintf("%s of %s on %d ranks", c.Name, quantity.Bytes(c.Bytes),
			len(c.Ranks)))
	case err != nil:
		return t, err
	default:
		t = jointTime{quantity.Interval{Value: 1e3 * in.Value, Low: 1e3 * in.Low,
			High: 1e3 * in.High}, true}
		if j.first.name == "" {
			j.first = key
		}
	}
	j.known[key] = t
	return t, nil
}

// describe notes a collective that the levels of the machine describe.
func (j *Joint) describe(levels bool, name string) {
	if levels && !slices.Contains(j.described, name) {
		j.described = append(j.described, name)
	}
}

// shapeOf returns the shape of the group that calls.
func (j *Joint) shapeOf(c program.Collective) (s jointShape, err error) {
	if j.perNode == 0 {
		return s, fmt.Errorf("%s does not say how many ranks a node has; fit with their number",
			j.d.Asked())
	}
	if c.Unequal {
		return s, fmt.Errorf("%s was measured with blocks of one size", c.Name)
	}
	nodeOf := func(rank uint32) int { return int(rank) / j.perNode }
	on := map[int]int{}
	for _, rank := range c.Ranks {
		on[nodeOf(rank)]++
	}
	s = jointShape{ranks: len(c.Ranks), nodes: len(on), perNode: on[nodeOf(c.Ranks[0])]}
	last := nodeOf(c.Ranks[len(c.Ranks)-1])
	for _, rank := range c.Ranks { // and not over the map, so that the error has one text
		node := nodeOf(rank)
		if ranks := on[node]; ranks != s.perNode && (s.perNode < j.perNode || node != last) {
			return s, fmt.Errorf("%s among %d ranks has %d and %d of them on its nodes of %d, "+
				"which was not measured", c.Name, len(c.Ranks), s.perNode, ranks, j.perNode)
		}
	}
	groups := map[int]int{}
	for _, ranks := range c.Groups {
		here := list.Map(ranks, nodeOf)
		for _, node := range stats.Ascending(here) {
			groups[node]++
		}
	}
	for node := range on {
		s.groups = max(s.groups, groups[node])
	}
	return s, nil
}

// calls returns the calls of a collective of a shape.
func (j *Joint) calls(k jointKey) Calls {
	perNode := k.shape.perNode
	if k.shape.ranks < k.shape.nodes*perNode {
		perNode = 0 // ranks are placed as in the measurements
	}
	return Calls{
		Collective: k.name,
		Algorithm:  k.algorithm,
		Ranks:      []int{k.shape.ranks},
		PerNode:    perNode,
		Groups:     k.shape.groups,
		Sizes:      []quantity.Bytes{quantity.Bytes(k.bytes)},
		Fits:       j.fits,
	}
}

// measured returns the time of a collective of a shape in µs, with its interval.
func (j *Joint) measured(ctx context.Context, k jointKey) (in quantity.Interval, err error) {
	all := j.d.Collectives(k.name)
	// Levels describe what was not measured, or too far from it for an interval.
	levels := len(j.d.Machine().Levels) > 0
	has := slices.ContainsFunc(all, func(t platforms.MeasuredCollective) bool {
		return max(1, t.Groups) == k.shape.groups &&
			(!levels || slices.Contains(t.PerNode, k.shape.perNode))
	})
	if !has {
		return in, j.refusal(k)
	}
	p, err := NewPlan(ctx, j.calls(k), j.d)
	if err != nil {
		return in, err
	}
	times, err := p.Times(ctx)
	if err != nil {
		return in, err
	}
	t := times.Times[0]
	in = t.Answer()
	if math.IsNaN(in.Value) || levels && !in.Known() {
		return in, j.refusal(k)
	}
	if why := t.likely.NoInterval; !in.Known() && !slices.Contains(j.unbounded, why) {
		j.unbounded = append(j.unbounded, why)
	}
	if j.network != (network{1, 1}) {
		if in, err = p.source.(*measured).changed(t, j.network); err != nil {
			return in, err
		}
	}
	width := func(in quantity.Interval) float64 { return (in.High - in.Low) / in.Value }
	if j.of.name == "" || !j.widest.Known() || width(in) > width(j.widest) {
		j.widest, j.of = in, k
	}
	return in, nil
}

// perfNames are the programs of nccl-tests, where they are not named after the collective.
var perfNames = map[string]string{"allreduce": "all_reduce", "allgather": "all_gather",
	"reduce-scatter": "reduce_scatter", "bcast": "broadcast"}

// A notMeasured is the error of a shape that was not measured.
type notMeasured struct{ error }

// refusal returns the error of a shape that was not measured, with the command that measures it.
func (j *Joint) refusal(k jointKey) error {
	s, size := k.shape, quantity.Bytes(k.bytes)
	total := size
	if (collective.Entry{Collective: k.name}).InBlocks() { // nccl-tests have all blocks together
		total *= quantity.Bytes(s.nodes * s.perNode)
	}
	text := fmt.Sprintf("%s of %s on %s of %s", k.name, size, quantity.Plural(s.nodes, "node"),
		quantity.Plural(s.perNode, "rank"))
	if s.groups > 1 {
		text += fmt.Sprintf(", in %d groups at once,", s.groups)
	}
	text += " was not measured, nor near enough"
	if !j.nccl || slices.Contains([]string{"barrier", "scan"}, k.name) {
		return notMeasured{fmt.Errorf("%s: measure it and fit it with the other measurements",
			text)}
	}
	perf, split := k.name, ""
	if name, has := perfNames[k.name]; has {
		perf = name
	}
	switch {
	case s.groups > 1 && s.nodes == 1:
		split = fmt.Sprintf("NCCL_TESTS_SPLIT='DIV %d' ", s.perNode)
	case s.groups > 1:
		split = fmt.Sprintf("NCCL_TESTS_SPLIT='MOD %d' ", s.groups)
	}
	perNode := s.perNode * s.groups
	exact := fmt.Sprintf("%.0f", float64(total))
	return notMeasured{fmt.Errorf("%s; measure it: %smpirun -np %d -N %d %s_perf -b %s -e %[6]s "+
		"-g 1", text, split, s.nodes*perNode, perNode, perf, exact)}
}
