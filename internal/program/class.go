package program

import (
	"errors"
	"slices"

	"go.starlark.net/starlark"
)

// A class is the ranks that share one run of the program, ascending.
type class struct {
	ranks   []int32
	next    int // index of the next one whose calls are emitted
	vectors [][]uint64
	known   map[uint64][]uint64 // numbers of vectors, by a hash of what they hold
	way     []bool              // by rank, where the run was given up
	alone   bool                // each rank must run alone
}

// maxClasses bounds the runs of classes, beside a quarter of the ranks. A program whose ranks all
// take their own way has then run for few of them in vain.
const maxClasses = 32

// errWay ends the run of a class whose ranks take several ways.
var errWay = errors.New("ranks take several ways")

// newClass returns the class of the first ranks.
func newClass(n int) *class {
	c := &class{ranks: make([]int32, n)}
	for i := range c.ranks {
		c.ranks[i] = int32(i)
	}
	return c
}

// parts returns the ranks of each way.
func (c *class) parts() [][]int32 {
	parts := make([][]int32, 2)
	for i, rank := range c.ranks {
		way := 0
		if c.way[i] {
			way = 1
		}
		parts[way] = append(parts[way], rank)
	}
	return parts
}

// same returns a value that all ranks agree on, or gives up the run.
func (c *class) same(t *starlark.Thread, by []bool) bool {
	if slices.Contains(by, !by[0]) {
		c.giveUp(t, by)
	}
	return by[0]
}

// giveUp ends the run: its ranks run again, in two classes if by tells them apart, or alone.
func (c *class) giveUp(t *starlark.Thread, by []bool) error {
	if c.way == nil {
		c.way = by
	}
	c.alone = c.alone || by == nil
	t.Cancel(errWay.Error())
	return errWay
}

// add returns the number of a vector, which holds a number of each rank.
func (c *class) add(vector []uint64) uint64 {
	const prime = 1099511628211 // FNV-1a, by whole numbers
	hash := uint64(14695981039346656037)
	for _, n := range vector {
		hash = (hash ^ n) * prime
		hash ^= hash >> 32
	}
	for _, number := range c.known[hash] {
		if slices.Equal(c.vectors[number], vector) {
			return number
		}
	}
	number := uint64(len(c.vectors))
	c.vectors, c.known[hash] = append(c.vectors, vector), append(c.known[hash], number)
	return number
}

// perRank returns a number of each rank of the class.
func (c *class) perRank(f func(rank int) int64) []int64 {
	n := make([]int64, len(c.ranks))
	for i, rank := range c.ranks {
		n[i] = f(int(rank))
	}
	return n
}
