package table

import (
	"slices"
	"strings"
)

// columnGap separates the columns of a table of text. Two spaces, since cells have single ones:
// "1.5 µs".
const columnGap = "  "

// A grid is a printed table: the columns with a head, as strings.
type grid []gridColumn

// A gridColumn is a column as it is fitted into the terminal.
type gridColumn struct {
	cells       []string // the head first
	right       bool     // aligned
	rank        int      // of dropping; 0: never
	ranged      bool     // it has intervals
	width, half int      // in letters; half: with the intervals below their values
	dropped     bool
}

// newGrid prints the cells of the visible columns. It measures each column twice:
// with intervals behind their values, and below them, where the widest line decides
// and the heading is broken between its words.
func (v Printer) newGrid(r Rows) (g grid) {
	sheet, columns := r.printed(v.Units, OneLine)
	for k, j := range columns {
		head := sheet.Heads[k]
		c := gridColumn{
			cells: []string{head},
			right: sheet.Numbers[k],
			rank:  r.Columns[j].Rank,
			width: displayWidth(head),
		}
		for word := range strings.FieldsSeq(head) {
			c.half = max(c.half, displayWidth(word))
		}
		for i, row := range sheet.Cells {
			cell := row[k]
			c.cells, c.width = append(c.cells, cell), max(c.width, displayWidth(cell))
			if _, is := r.Data[i][j].(Interval); is {
				c.ranged = true
			} else {
				c.half = max(c.half, displayWidth(cell), displayWidth(head))
			}
			for line := range strings.SplitSeq(underValue(cell), "\n") {
				c.half = max(c.half, displayWidth(line))
			}
		}
		g = append(g, c)
	}
	return g
}

// underValue returns the text of an interval with the interval below its value.
func underValue(cell string) string { return strings.Replace(cell, " (", "\n(", 1) }

func (g grid) hasIntervals() bool {
	return slices.ContainsFunc(g, func(c gridColumn) bool { return c.ranged })
}

// withoutIntervals returns the table with the values alone.
func (g grid) withoutIntervals() grid {
	g = slices.Clone(g)
	for j, c := range g {
		if !c.ranged {
			continue
		}
		c.cells = slices.Clone(c.cells)
		c.cells[0] = strings.TrimSuffix(c.cells[0], " (95 %)")
		c.width, c.right = displayWidth(c.cells[0]), true
		for i := range c.cells[1:] {
			c.cells[i+1], _, _ = strings.Cut(c.cells[i+1], " (")
			c.width = max(c.width, displayWidth(c.cells[i+1]))
		}
		c.half = min(c.half, c.width)
		g[j] = c
	}
	return g
}

// total returns the width in letters of a table whose columns have the width of.
func (g grid) total(of func(gridColumn) int) int {
	sum := -len(columnGap)
	for _, c := range g {
		if !c.dropped {
			sum += len(columnGap) + of(c)
		}
	}
	return max(0, sum)
}

// width returns the width of the table with each interval behind its value.
func (g grid) width() int { return g.total(func(c gridColumn) int { return c.width }) }

// fit drops columns until the table fits the width with intervals below their values,
// and returns the table and what it dropped; if that is not enough, it folds the columns of text.
// Ranks decide the order, not widths: the same columns stay whatever the values are.
func (g grid) fit(most int) (kept, left grid, ok bool) {
	// The caller's table stays whole: if nothing fits, it is printed upright with all columns.
	all := slices.Clone(g)
	for all.total(func(c gridColumn) int { return c.half }) > most {
		last := -1 // the column to drop: of the highest rank, the last
		for j, c := range all {
			if c.rank > 0 && (last < 0 || c.rank >= all[last].rank) {
				last = j
			}
		}
		if last < 0 {
			break
		}
		// Rank 0 also for a column that stays, so that it is not tried again.
		all[last].dropped, all[last].rank = !all.distinguishes(last), 0
	}
	for j, c := range all {
		if c.dropped {
			left = append(left, g[j])
		} else {
			kept = append(kept, c)
		}
	}
	kept = kept.own()
	return kept, left, kept.fold(most)
}

// own returns the table with cells of its own, which fold may change.
func (g grid) own() grid {
	g = slices.Clone(g)
	for j := range g {
		g[j].cells = slices.Clone(g[j].cells)
	}
	return g
}

// names returns the first columns that tell all rows apart, which stay beside any others.
func (g grid) names() (first grid) {
	for j, c := range g {
		seen := map[string]bool{}
		for i := range g.rows() {
			key := ""
			for _, d := range g[:j+1] {
				key += d.cells[i+1] + "\n"
			}
			seen[key] = true
		}
		c.rank = 0
		if first = append(first, c); len(seen) == g.rows() {
			break
		}
	}
	return first
}

// rows returns the number of rows without the head.
func (g grid) rows() int {
	if len(g) == 0 {
		return 0
	}
	return len(g[0].cells) - 1
}

// distinguishes reports whether two rows that are equal in all columns before j differ in column j,
// so that dropping it would make them indistinguishable.
func (g grid) distinguishes(j int) bool {
	first := map[string]string{}
	for i, cell := range g[j].cells[1:] {
		var before strings.Builder
		for _, c := range g[:j] {
			if !c.dropped {
				before.WriteString(c.cells[i+1] + "\n")
			}
		}
		if other, ok := first[before.String()]; ok && other != cell {
			return true
		}
		first[before.String()] = cell
	}
	return false
}

// minFolded is the smallest width of a folded column of text, in letters. A narrower column would
// have about one word a line.
const minFolded = 8

// fold puts intervals below their values, the last column first, and narrows the
// columns of text, the widest first and none below its longest word, until the table
// has the width. Columns of numbers are never narrowed: a number on two lines would
// be read as two. It reports whether that is enough.
func (g grid) fold(most int) bool {
	for j := len(g) - 1; j >= 0 && g.width() > most; j-- {
		if c := &g[j]; c.half < c.width {
			c.width = c.half
			for i, cell := range c.cells[1:] {
				c.cells[i+1] = underValue(cell)
			}
		}
	}
	// A word that is broken cannot be searched or copied, so no column gets narrower than its
	// longest one.
	least := make([]int, len(g))
	for j, c := range g {
		least[j] = max(minFolded, displayWidth(c.cells[0]))
		for _, cell := range c.cells {
			for word := range strings.FieldsSeq(cell) {
				least[j] = max(least[j], displayWidth(word))
			}
		}
	}
	// One letter at a time from the widest column, so that columns of text end equally wide.
	for over := g.width() - most; over > 0; over-- {
		widest := -1
		for j, c := range g {
			if !c.right && c.width > least[j] && (widest < 0 || c.width > g[widest].width) {
				widest = j
			}
		}
		if widest < 0 {
			return false
		}
		g[widest].width--
	}
	return true
}

// line returns the aligned cells of row i, 0 for the heads, on several lines if a column is folded.
// Spaces at the end of a line are cut: they would wrap in a terminal that is exactly as wide.
func (g grid) line(i int) string {
	var all []string
	width := 0 // of the columns before
	for j, c := range g {
		if j > 0 {
			width += len(columnGap)
		}
		k := 0
		for part := range strings.SplitSeq(c.cells[i], "\n") {
			// A column keeps its own line breaks, such as those of intervals, as far as they fit.
			if displayWidth(part) > c.width {
				part = Fold(strings.Join(strings.Fields(part), " "), c.width)
			}
			for text := range strings.SplitSeq(part, "\n") {
				if k == len(all) {
					all = append(all, "")
				}
				if pad := strings.Repeat(" ", c.width-displayWidth(text)); c.right {
					text = pad + text
				}
				all[k] += strings.Repeat(" ", width-displayWidth(all[k])) + text
				k++
			}
		}
		width += c.width
	}
	for k, line := range all {
		all[k] = strings.TrimRight(line, " ")
	}
	return strings.Join(all, "\n")
}
