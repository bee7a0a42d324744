package benchfile

import (
	"slices"
	"strconv"
)

// A way is one pair of columns that may be sizes and times or rates, as options give it.
type way struct {
	x, y string // "1:B", "5:us"
}

// waysOf returns the likeliest readings as options, those of the columns in question first.
func waysOf(b *block, found []reading, question []*series) (ways []way) {
	add := func(r *reading, c *column) {
		ways = append(ways, way{x: strconv.Itoa(b.fieldOf(r.size)) + ":" + unitText(r.sizes),
			y: strconv.Itoa(b.fieldOf(c)) + ":" + unitText(r.values[c])})
	}
	for _, s := range question {
		add(&found[0], s.value)
	}
	for i := range found {
		if columns := found[i].inOrder(); len(columns) > 0 {
			add(&found[i], columns[0])
		}
	}
	return ways
}

// inOrder returns the columns of times and rates, the likeliest first.
func (r *reading) inOrder() (columns []*column) {
	for _, d := range []dimension{times, rates} {
		for _, id := range r.ids {
			for _, c := range []*column{id.a, id.b} {
				if g := r.values[c]; g.dim == d && !slices.Contains(columns, c) {
					columns = append(columns, c)
				}
			}
		}
		for _, c := range r.columns {
			if g, ok := r.values[c]; ok && g.dim == d && !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	return columns
}
