package draw

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/vg"
)

// A level is a level line with its label.
type level struct {
	label string
	color color.NRGBA
	line  []vg.Point
}

// levels adds the labels of level lines. If lines are closer than the height of a label, the labels
// of the upper half of such a bundle are placed together above it, from the top line down, and
// those of the lower half below it.
func (l *labeller) levels(all []level) {
	// The sort is stable: lines at the same height keep the order in which the caller named them.
	topFirst := func(a, b level) int { return cmp.Compare(b.line[0].Y, a.line[0].Y) }
	slices.SortStableFunc(all, topFirst)
	_, _, h := labelText(grey, "")
	for len(all) > 0 {
		// A bundle is a chain: each line is close to the next, whatever the distance of its ends.
		// Two bundles that overlapped would need their labels at the same place.
		n := 1
		for n < len(all) && all[n-1].line[0].Y-all[n].line[0].Y < h+3 {
			n++
		}
		bundle := all[:n]
		all = all[n:]
		if n == 1 {
			l.bundle(bundle, bundle[0].line, eitherSide)
			continue
		}
		// Labels inside the bundle would hide its lines, so they stand outside.
		upper, lower := bundle[:(n+1)/2], bundle[(n+1)/2:]
		l.bundle(upper, upper[0].line, above)
		l.bundle(lower, lower[len(lower)-1].line, below)
	}
}

// bundle adds the labels of level lines that lie close together, beside one of them. Lines of one
// colour share a label; lines of several have one each, since a common one would be grey and would
// not say which is which. Where labels would hide curves, each line has one of its own, without the
// owner of a roof that its colour names. The owners of a common roof, which is grey, are written on
// two lines.
func (l *labeller) bundle(all []level, line []vg.Point, at side) {
	var long, short []label
	for i := 0; i < len(all); {
		first, col := i, all[i].color
		for ; i < len(all) && all[i].color == col; i++ {
			name := all[i].label
			if _, roof, owned := strings.Cut(name, ": "); owned && col != grey {
				name = roof
			} else if owned {
				name = twoLines(col, printable(name))
			}
			if name != "" {
				short = append(short, l.beside(name, table.AtY, col, line, at))
			}
		}
		if name := joinLabels(all[first:i]); name != "" {
			long = append(long, l.beside(name, table.AtY, col, line, at))
		}
	}
	if long != nil {
		l.texts = append(l.texts, wordings{long, short})
	}
}

// twoLines breaks a text between words into two lines that are as equal as possible.
func twoLines(col color.NRGBA, s string) string {
	st, w, _ := labelText(col, s)
	for width := w / 2; width < w; width += w / 20 {
		if lines := wrap(st, s, width); len(lines) == 2 {
			return strings.Join(lines, "\n")
		}
	}
	return s
}

// uprights adds the labels of upright lines. Lines at one place, such as the same threshold of two
// systems, have one label.
func (l *labeller) uprights(all []level) {
	for len(all) > 0 {
		at := all[0].line[0].X
		var here, others []level
		for _, v := range all {
			if math.Abs(float64(v.line[0].X-at)) < 1 {
				here = append(here, v)
			} else {
				others = append(others, v)
			}
		}
		l.along(joinLabels(here), table.AtX, commonColor(here), here[0].line, eitherSide)
		all = others
	}
}

// joinLabels names the lines of a bundle from the top down, as they lie, each name once.
func joinLabels(all []level) string {
	var labels []string
	for _, v := range all {
		if v.label != "" && !slices.Contains(labels, v.label) {
			labels = append(labels, v.label)
		}
	}
	return strings.Join(labels, " / ")
}

// commonColor returns the colour of the lines if they share it, otherwise grey: one line's colour
// for the names of several would point at that line alone.
func commonColor(all []level) color.NRGBA {
	for _, v := range all {
		if v.color != all[0].color {
			return grey
		}
	}
	return all[0].color
}
