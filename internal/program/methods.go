package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// A method is one of a communicator.
type method struct {
	name     string
	params   []string
	required int // the first ones
	of       owner
	do       func(c *comm, a *arguments) (starlark.Value, error)
}

// An owner says which communicators have a method.
type owner uint8

const (
	every owner = iota
	world       // of all ranks
	grids
)

func (o owner) has(c *comm) bool {
	return o == every || o == world && c.group.number == 0 || o == grids && c.grid != nil
}

// newMethod returns a method; the parameters behind "|" are optional.
func newMethod(name, params string, of owner,
	do func(c *comm, a *arguments) (starlark.Value, error)) method {
	required, optional, _ := strings.Cut(params, "|")
	m := method{name: name, params: strings.Fields(required), of: of, do: do}
	m.required = len(m.params)
	m.params = append(m.params, strings.Fields(optional)...)
	return m
}

// methods are all methods, by name.
var methods = func() []method {
	all := []method{
		newMethod("compute", "|time unit flops bytes", world, (*comm).doCompute),
		newMethod("count", "name number", world, (*comm).doCount),
		newMethod(meshMethod, "", world, (*comm).doMesh),
		newMethod("wait", "request", world, (*comm).doWait),
		newMethod("waitall", "requests", world, (*comm).doWaitAll),
		newMethod("mark", "name", world, (*comm).doMark),
		newMethod("send", "size dest|tag", every, (*comm).doSend),
		newMethod("recv", "size|source tag", every, (*comm).doRecv),
		newMethod("isend", "size dest|tag stream", every, (*comm).doISend),
		newMethod("irecv", "size|source tag stream", every, (*comm).doIRecv),
		newMethod("sendrecv", "size dest source|recvsize tag recvtag", every, (*comm).doSendRecv),
		newMethod("split", "color|key", every, (*comm).doSplit),
		newMethod("dup", "", every, (*comm).doDup),
		newMethod("cart", "dims|periods", every, (*comm).doCart),
		newMethod("shift", "dim|disp", grids, (*comm).doShift),
		newMethod("sub", "dims", grids, (*comm).doSub),
	}
	for i := range collectiveForms {
		f := &collectiveForms[i]
		for _, blocking := range []bool{true, false} {
			m := method{name: f.name, params: f.params(blocking)}
			if !blocking {
				m.name = "i" + m.name
			}
			m.do = func(c *comm, a *arguments) (starlark.Value, error) {
				return c.doCollective(f, m.name, m.params, a)
			}
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b method) int { return strings.Compare(a.name, b.name) })
	return all
}()

// Attr returns a property or a method of the communicator.
func (c *comm) Attr(name string) (starlark.Value, error) {
	switch name {
	case "rank":
		return c.placeValue(func(place int) int64 { return int64(place) }), nil
	case "size":
		return starlark.MakeInt(c.group.size), nil
	case "dims", "coords":
		if c.grid == nil {
			return nil, fmt.Errorf("only a communicator made by cart has %s", name)
		}
		values := make(starlark.Tuple, len(c.grid.dims))
		for i, n := range c.grid.dims {
			if values[i] = starlark.MakeInt(n); name == "coords" {
				values[i] = c.placeValue(func(place int) int64 {
					return int64(c.grid.coords(place)[i])
				})
			}
		}
		return values, nil
	}
	if axis, is := c.axes[name]; is {
		return axis, nil
	}
	i, found := slices.BinarySearchFunc(methods, name, func(m method, name string) int {
		return strings.Compare(m.name, name)
	})
	switch {
	case !found:
		return nil, fmt.Errorf("a communicator has no %q%s", name, usage.Hint(name, c.AttrNames()))
	case methods[i].of == world && !world.has(c):
		return nil, fmt.Errorf("%s is a method of the communicator of all ranks", name)
	case !methods[i].of.has(c):
		return nil, fmt.Errorf("only a communicator made by cart has %s", name)
	}
	if c.methods == nil {
		c.methods = make([]*starlark.Builtin, len(methods))
	}
	if c.methods[i] == nil {
		c.methods[i] = c.bind(&methods[i])
	}
	return c.methods[i], nil
}

// AttrNames lists what Attr returns.
func (c *comm) AttrNames() []string {
	names := []string{"rank", "size"}
	if c.grid != nil {
		names = append(names, "dims", "coords")
	}
	names = slices.AppendSeq(names, maps.Keys(c.axes))
	for _, m := range methods {
		if m.of.has(c) {
			names = append(names, m.name)
		}
	}
	return names
}

// bind returns the method as a function of the program.
func (c *comm) bind(m *method) *starlark.Builtin {
	return starlark.NewBuiltin(m.name, func(thread *starlark.Thread, _ *starlark.Builtin,
		args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		a := arguments{line: uint32(max(thread.CallFrame(1).Pos.Line, 1))}
		if a.named = named; m.name == meshMethod { // the program names its axes
			named = nil
		}
		if err := a.fill(m.name, m.params, m.required, args, named); err != nil {
			return nil, err
		}
		return m.do(c, &a)
	})
}
