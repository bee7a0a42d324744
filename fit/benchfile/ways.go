package benchfile

import (
	"math"
	"slices"
	"strconv"
)

// A way is one pair of columns that may be sizes and times or rates, as options give it, with what
// the last row is then.
type way struct {
	x, y       string // "1:B", "5:us"
	size, time float64
}

// appendWay adds the way to read two columns, unless its last row has no time that a network may
// have.
func (b *block) appendWay(ways []way, size *column, as guess, value *column, is guess) []way {
	last := len(b.rows) - 1
	w := way{
		x:    strconv.Itoa(b.fieldOf(size)) + ":" + unitText(as),
		y:    strconv.Itoa(b.fieldOf(value)) + ":" + unitText(is),
		size: size.values[last] * as.factor, time: value.values[last] * is.factor,
	}
	if is.dim == rates {
		w.time = w.size / w.time
	}
	if !goodTime(w.time) || math.Log10(w.time) < fastest {
		return ways
	}
	return append(ways, w)
}

// holds reports whether a file that was read by the options of the way has what the way says: a
// field of the reader of CSV may be another number than that of the column.
func (w way) holds(f *File) bool {
	for _, s := range f.Tables[0].Samples {
		if math.Abs(float64(s.Size)-w.size) < 1 {
			return w.time >= 0.98*float64(s.Min) && w.time <= 1.02*float64(s.Max)
		}
	}
	return false
}

// waysOf returns the likeliest readings as options, those of the columns in question first.
func waysOf(b *block, found []reading, question []*series) (ways []way) {
	add := func(r *reading, c *column) {
		ways = b.appendWay(ways, r.size, r.sizes, c, r.values[c])
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
