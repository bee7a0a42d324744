package program

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// maxDimensions bounds the dimensions of a grid: 2²⁰ ranks have no more that are longer than 1.
const maxDimensions = 20

// doCart makes a Cartesian communicator of the first ranks.
func (c *comm) doCart(a *arguments) (starlark.Value, error) {
	t, err := c.newGrid(a.values[0], a.values[1])
	if err != nil {
		return nil, err
	}
	if t.size() < c.group.size {
		if err := c.r.single(); err != nil {
			return nil, err
		}
	}
	index, err := c.creates("cart", a)
	if err != nil || c.place >= t.size() {
		return starlark.None, err
	}
	g := c.r.child(c.group, childKey{call: index}, func() []uint32 {
		list := make([]uint32, t.size())
		for place := range list {
			list[place] = uint32(c.group.rankAt(place))
		}
		return list
	})
	made, err := c.r.newComm(g, c.place)
	if err != nil {
		return nil, err
	}
	made.grid = t
	return made, nil
}

func (c *comm) newGrid(dims, periods starlark.Value) (*grid, error) {
	t := &grid{}
	if list, ok := dims.(starlark.Iterable); ok {
		for v := range starlark.Elements(list) {
			d, err := wholeNumber(v, "a dimension")
			switch {
			case err != nil:
				return nil, err
			case d < 1 || len(t.dims) == maxDimensions || int64(t.size())*d > int64(c.group.size):
				return nil, fmt.Errorf("a grid of %s must have 1 to %d ranks in at most %d "+
					"dimensions", dims, c.group.size, maxDimensions)
			}
			t.dims = append(t.dims, int(d))
		}
	} else {
		n, err := wholeNumber(dims, "the number of dimensions")
		if err != nil {
			return nil, err
		}
		if n < 1 || n > maxDimensions {
			return nil, fmt.Errorf("the number of dimensions must be 1 to %d (got %d)",
				maxDimensions, n)
		}
		t.dims = divide(c.group.size, int(n))
	}
	t.periods = make([]bool, len(t.dims))
	flags, err := flagsOf(periods, len(t.dims))
	if err != nil {
		return nil, fmt.Errorf("periods: %w", err)
	}
	copy(t.periods, flags)
	return t, nil
}

// flagsOf returns a flag for each dimension: of one for all, or of a list.
func flagsOf(v starlark.Value, n int) ([]bool, error) {
	switch v := v.(type) {
	case nil:
		return make([]bool, n), nil
	case starlark.Bool:
		return slices.Repeat([]bool{bool(v)}, n), nil
	case starlark.Iterable:
		var flags []bool
		for x := range starlark.Elements(v) {
			flags = append(flags, bool(x.Truth()))
		}
		if len(flags) == n {
			return flags, nil
		}
	}
	return nil, fmt.Errorf("must be True, False, or a list of %d of them (got %s)", n, v)
}

// doShift returns the neighbours below and above in a dimension; None beyond an edge.
func (c *comm) doShift(a *arguments) (starlark.Value, error) {
	dim, err := wholeNumber(a.values[0], "the dimension")
	if err != nil {
		return nil, err
	}
	if dim < 0 || dim >= int64(len(c.grid.dims)) {
		return nil, fmt.Errorf("the dimension must be 0 to %d (got %d)", len(c.grid.dims)-1, dim)
	}
	by := int64(1)
	if a.values[1] != nil {
		if by, err = wholeNumber(a.values[1], "disp"); err != nil {
			return nil, err
		}
	}
	low, err := c.neighbour(int(dim), -by)
	if err != nil {
		return nil, err
	}
	high, err := c.neighbour(int(dim), by)
	return starlark.Tuple{low, high}, err
}

// neighbour returns the place that is by further in a dimension; None beyond an edge.
func (c *comm) neighbour(dim int, by int64) (starlark.Value, error) {
	of := func(from int) (place int, ok bool) {
		at := c.grid.coords(from)
		at[dim] += int(by % (1 << 31))
		return c.grid.place(at)
	}
	if c.r.class == nil {
		if place, ok := of(c.place); ok {
			return starlark.MakeInt(place), nil
		}
		return starlark.None, nil
	}
	inside := make([]bool, len(c.r.class.ranks))
	places := make([]int64, len(inside))
	for i, rank := range c.r.class.ranks {
		place, ok := of(int(rank))
		inside[i], places[i] = ok, int64(place)
	}
	switch {
	case slices.Contains(inside, !inside[0]):
		return nil, c.r.class.giveUp(c.r.thread, inside)
	case inside[0]:
		return newEach(c.r, places), nil
	}
	return starlark.None, nil
}

// doSub makes the communicators of the grid's parts in which the dimensions of a list vary.
func (c *comm) doSub(a *arguments) (starlark.Value, error) {
	if err := c.r.single(); err != nil {
		return nil, err
	}
	list, ok := a.values[0].(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("sub takes a list of the dimensions that are kept (got %s)",
			a.values[0].Type())
	}
	kept := make([]bool, len(c.grid.dims))
	for v := range starlark.Elements(list) {
		dim, err := wholeNumber(v, "a dimension")
		if err != nil {
			return nil, err
		}
		if dim < 0 || dim >= int64(len(kept)) {
			return nil, fmt.Errorf("the dimension must be 0 to %d (got %d)", len(kept)-1, dim)
		}
		kept[dim] = true
	}
	index, err := c.creates("sub", a)
	if err != nil {
		return nil, err
	}
	// A part is named by its first place: the own one with 0 in all kept dimensions.
	of := func(place int) (first, inside int) {
		at := c.grid.coords(place)
		for i, d := range c.grid.dims {
			if kept[i] {
				inside = inside*d + at[i]
				at[i] = 0
			}
		}
		first, _ = c.grid.place(at)
		return first, inside
	}
	first, inside := of(c.place)
	g := c.r.child(c.group, childKey{call: index, colour: first}, func() (members []uint32) {
		for place := range c.group.size {
			if same, _ := of(place); same == first {
				members = append(members, uint32(c.group.rankAt(place)))
			}
		}
		return members
	})
	made, err := c.r.newComm(g, inside)
	if err != nil {
		return nil, err
	}
	made.grid = &grid{}
	for i, d := range c.grid.dims {
		if kept[i] {
			made.grid.dims = append(made.grid.dims, d)
			made.grid.periods = append(made.grid.periods, c.grid.periods[i])
		}
	}
	return made, nil
}
