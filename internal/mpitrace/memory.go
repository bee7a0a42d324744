package mpitrace

import (
	"cmp"
	"slices"
)

// memory holds the addresses that a rank has sent and not received into since, as disjoint extents
// in ascending order. Programs use few buffers again and again, so there are few.
type memory []extent

// An extent is the memory from lo up to, but not including, hi.
type extent struct{ from, to int64 }

// remove removes an extent, and returns how many of its bytes were there.
func (m *memory) remove(e extent) (bytes int64) {
	first, _ := slices.BinarySearchFunc(*m, e.from, func(x extent, lo int64) int {
		return cmp.Compare(x.to, lo+1)
	})
	last := first
	var rest []extent
	for ; last < len(*m) && (*m)[last].from < e.to; last++ {
		x := (*m)[last]
		bytes += min(x.to, e.to) - max(x.from, e.from)
		if x.from < e.from {
			rest = append(rest, extent{x.from, e.from})
		}
		if x.to > e.to {
			rest = append(rest, extent{e.to, x.to})
		}
	}
	*m = slices.Replace(*m, first, last, rest...)
	return bytes
}

// send notes that an extent is sent.
func (m *memory) send(e extent) {
	m.remove(e)
	at, _ := slices.BinarySearchFunc(*m, e.from, func(x extent, lo int64) int {
		return cmp.Compare(x.from, lo)
	})
	*m = slices.Insert(*m, at, e)
}

// receive notes that a message comes into an extent, and reports whether at least half of it was
// sent since the last one.
func (m *memory) receive(e extent) (relay bool) {
	bytes := m.remove(e)
	return bytes > 0 && 2*bytes >= e.to-e.from
}
