package program

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// meshMethod is the method whose parameters are the axes that a program names.
const meshMethod = "mesh"

// doMesh makes a grid of all ranks whose axes have names, and of each axis the communicator of the
// ranks along it: mesh.tensor. The last axis varies fastest, so that its ranks are neighbours. An
// axis of None has the ranks that are left. A mesh is made before the program counts.
func (c *comm) doMesh(a *arguments) (starlark.Value, error) {
	if err := c.r.single(); err != nil {
		return nil, err
	}
	t, err := meshGrid(c.group.size, a.named)
	if err != nil {
		return nil, err
	}
	mesh := &comm{member: c.member, r: c.r, grid: t, axes: map[string]*comm{}}
	for axis, pair := range a.named {
		name := string(pair[0].(starlark.String))
		if mesh.axes[name], err = mesh.part(axis, a.line); err != nil {
			return nil, err
		}
	}
	return mesh, nil
}

// meshGrid returns the grid of the ranks.
func meshGrid(ranks int, axes []starlark.Tuple) (*grid, error) {
	if len(axes) == 0 || len(axes) > maxDimensions {
		return nil, errors.New("a mesh names its axes, as in mpi.mesh(data = None, tensor = 8)")
	}
	t := &grid{dims: make([]int, len(axes)), periods: make([]bool, len(axes))}
	rest, product := -1, 1
	var shape []string
	for i, pair := range axes {
		shape = append(shape, fmt.Sprintf("%s = %s", string(pair[0].(starlark.String)), pair[1]))
		if pair[1] == starlark.None && rest < 0 {
			rest = i
			continue
		}
		n, err := wholeNumber(pair[1], string(pair[0].(starlark.String)))
		if err != nil {
			return nil, err
		}
		if n < 1 || n > int64(ranks) {
			return nil, fmt.Errorf("%d ranks have no mesh of %s", ranks, shape[i])
		}
		t.dims[i], product = int(n), product*int(n)
	}
	if rest >= 0 {
		t.dims[rest], product = ranks/product, ranks/product*product
	}
	if product != ranks || product == 0 {
		return nil, fmt.Errorf("%d ranks have no mesh of %s; take another number of ranks, or "+
			"other axes", ranks, strings.Join(shape, ", "))
	}
	return t, nil
}

// part returns the communicator of the ranks along an axis of a mesh.
func (c *comm) part(axis int, line uint32) (*comm, error) {
	index, err := c.same(callArguments{name: meshMethod}, line)
	if err != nil {
		return nil, err
	}
	at := c.grid.coords(c.place)
	mine := at[axis]
	at[axis] = 0
	first, _ := c.grid.place(at)
	g := c.r.child(c.group, childKey{call: index, colour: first}, func() (members []uint32) {
		for i := range c.grid.dims[axis] {
			at[axis] = i
			place, _ := c.grid.place(at)
			members = append(members, uint32(c.group.rankAt(place)))
		}
		return members
	})
	g.mesh = true
	made, err := c.r.newComm(g, mine)
	if err != nil {
		return nil, err
	}
	made.grid = &grid{dims: []int{g.size}, periods: []bool{false}}
	return made, nil
}
