package benchfile

import (
	"slices"
	"strconv"
)

// A way is one pair of columns that may be sizes and times or rates, as options give it.
type way struct {
	x, y string // "1:B", "5:us"
}

// appendWay adds the way to read two columns, unless an option cannot name them: "6.46 ms (6.46
// avg" is one field of two numbers.
func (b *block) appendWay(ways []way, all []*column, size *column, sizeUnit string, value *column,
	unit string) []way {

	x, y := b.fieldOf(size), b.fieldOf(value)
	for _, c := range all {
		if at := b.fieldOf(c); c.number && (c != size && at == x || c != value && at == y) {
			return ways
		}
	}
	return append(ways, way{strconv.Itoa(x) + ":" + sizeUnit, strconv.Itoa(y) + ":" + unit})
}

// waysOf returns the likeliest readings as options, those of the columns in question first.
func waysOf(b *block, all []*column, found []reading, question []*series) (ways []way) {
	add := func(r *reading, c *column) {
		ways = b.appendWay(ways, all, r.size, unitText(r.sizes), c, unitText(r.values[c]))
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
