package program

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A collectiveForm is a collective as a program calls it.
type collectiveForm struct {
	name   string // mpi4py's, in lower case
	of     string // the collective in package collective
	sized  bool   // it has a size
	rooted bool
	blocks bool // MPI has a form with a size for each rank
}

var collectiveForms = []collectiveForm{
	{name: "barrier", of: "barrier"},
	{name: "bcast", of: "bcast", sized: true, rooted: true},
	{name: "reduce", of: "reduce", sized: true, rooted: true},
	{name: "allreduce", of: "allreduce", sized: true},
	{name: "scan", of: "scan", sized: true},
	{name: "gather", of: "gather", sized: true, rooted: true, blocks: true},
	{name: "scatter", of: "scatter", sized: true, rooted: true, blocks: true},
	{name: "allgather", of: "allgather", sized: true, blocks: true},
	{name: "alltoall", of: "alltoall", sized: true, blocks: true},
	{name: "reduce_scatter", of: "reduce-scatter", sized: true, blocks: true},
}

// params returns the names of the parameters in their order; all are optional for the language.
func (f *collectiveForm) params(blocking bool) (names []string) {
	for _, p := range []struct {
		name string
		has  bool
	}{
		{"size", f.sized}, {"root", f.rooted}, {"algorithm", true}, {"segment", f.sized},
		{"sizes", f.blocks}, {"stream", !blocking}, {"times", true},
	} {
		if p.has {
			names = append(names, p.name)
		}
	}
	return names
}

// doCollective records a collective.
func (c *comm) doCollective(f *collectiveForm, name string, params []string, a *arguments) (
	starlark.Value, error) {
	call, blocks, err := c.collectiveArguments(f, name, params, a)
	if err != nil {
		return nil, err
	}
	index, err := c.same(call, a.line)
	if err != nil {
		return nil, err
	}
	if err := c.complete(f, &c.group.calls[index], blocks); err != nil {
		return nil, err
	}
	if err := c.record(index, a.line, call.stream); err != nil {
		return nil, err
	}
	if call.stream == 0 {
		return starlark.None, nil
	}
	return c.r.newRequest(a.line), nil
}

// collectiveArguments returns the arguments of a call, and the sizes of its blocks, if they differ.
func (c *comm) collectiveArguments(f *collectiveForm, name string, params []string,
	a *arguments) (call callArguments, blocks []uint64, err error) {
	named := func(param string) starlark.Value { return a.argument(params, param) }
	call.name, call.times = name, 1
	if name != f.name {
		if call.stream, err = streamOf(named("stream"), 1); err == nil && call.stream == 0 {
			err = errors.New("a non-blocking collective needs a stream of at least 1")
		}
	}
	for _, p := range []struct {
		name string
		read func(starlark.Value) error
	}{
		{"size", func(v starlark.Value) (err error) {
			call.bytes, err = sizeOf(v, "the size")
			return err
		}},
		{"root", func(v starlark.Value) (err error) {
			call.root, err = c.rootOf(v)
			return err
		}},
		{"segment", func(v starlark.Value) (err error) {
			call.segment, err = sizeOf(v, "the segment")
			return err
		}},
		{"algorithm", func(v starlark.Value) error {
			name, ok := v.(starlark.String)
			if !ok {
				return fmt.Errorf("the algorithm must be a text (got %s)", shown(v))
			}
			call.of = string(name)
			return nil
		}},
		{"times", func(v starlark.Value) error {
			n, err := wholeNumber(v, "times")
			if err == nil && (n < 1 || n > math.MaxInt32) {
				err = fmt.Errorf("times must be 1 to %d (got %d)", math.MaxInt32, n)
			}
			call.times = uint32(n)
			return err
		}},
		{"sizes", func(v starlark.Value) (err error) {
			blocks, err = c.blocksOf(v)
			call.unequal = true
			return err
		}},
	} {
		if v := named(p.name); v != nil && err == nil {
			err = p.read(v)
		}
	}
	if err == nil && f.sized && (named("size") == nil) == (blocks == nil) {
		err = fmt.Errorf("%s needs a size", call.name)
		if f.blocks {
			err = fmt.Errorf("%s needs a size, or sizes with one for each rank", call.name)
		}
	}
	return call, blocks, err
}

// rootOf returns the place of the root in the group.
func (c *comm) rootOf(v starlark.Value) (int, error) {
	root, err := wholeNumber(v, "the root")
	if err == nil && (root < 0 || root >= int64(c.group.size)) {
		err = fmt.Errorf("the root must be 0 to %d (got %d)", c.group.size-1, root)
	}
	return int(root), err
}

// blocksOf returns the sizes of a list with one for each rank.
func (c *comm) blocksOf(v starlark.Value) ([]uint64, error) {
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("sizes must be a list (got %s)", shown(v))
	}
	var blocks []uint64
	for x := range starlark.Elements(list) {
		n, err := sizeOf(x, "a size")
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, n)
	}
	if len(blocks) != c.group.size {
		return nil, fmt.Errorf("sizes must have %d entries, one for each rank (got %d)",
			c.group.size, len(blocks))
	}
	return blocks, nil
}

// complete chooses the algorithm when the first member comes, and adds the member's blocks.
func (c *comm) complete(f *collectiveForm, call *groupCall, blocks []uint64) error {
	if call.entry.Algorithm == nil {
		if err := c.choose(f, call, blocks); err != nil {
			return err
		}
	}
	switch {
	case blocks == nil:
	case f.of == "alltoall":
		if call.rows == nil {
			call.rows = make([][]uint64, c.group.size)
		}
		call.rows[c.place] = blocks
		if c.r.class != nil {
			for _, place := range c.r.class.ranks {
				call.rows[place] = blocks
			}
		}
	case call.blocks == nil:
		call.blocks = blocks
	default:
		for place, n := range call.blocks {
			if blocks[place] != n {
				return fmt.Errorf("%d bytes for rank %d, but rank %d gives %d in line %d; sizes "+
					"must be the same list on all ranks", blocks[place], place, call.rank, n,
					call.line)
			}
		}
	}
	return nil
}

// choose sets the algorithm: the one that the program names, or the usual one.
func (c *comm) choose(f *collectiveForm, call *groupCall, blocks []uint64) error {
	call.kind = f.of
	name, bytes := f.of, call.bytes
	if call.unequal && name != "reduce-scatter" {
		name += "v"
	}
	for _, n := range blocks {
		bytes += n / uint64(len(blocks)) // the mean
	}
	if call.of != "" && call.unequal {
		if e, err := collective.Find(f.of, call.of); err == nil && e.Params&collective.Blocks == 0 {
			return fmt.Errorf("%s %s needs blocks of one size", e.Collective, e.Name)
		}
	}
	e, chosen, err := c.r.Collectives.Choose(name, call.of, c.group.asGroup(),
		collective.Call{Root: call.root, Bytes: bytes, Segment: call.segment,
			Gamma: c.r.Collectives.Combine})
	if err == nil && e.Algorithm == nil {
		err = fmt.Errorf("no algorithm for %s is given", name)
	}
	if err != nil {
		return err // the call has no algorithm: a rank that comes later has the same error
	}
	call.entry, call.chosen = e, chosen
	return nil
}
