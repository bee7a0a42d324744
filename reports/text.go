package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// columnGap separates the columns of a table of text.
const columnGap = "  "

// A grid is a printed table: the columns with a head, as strings.
type grid struct {
	heads  []string
	cells  [][]string // by row
	right  []bool     // aligned, by column
	rank   []int
	widths []int
	halves []int // widths with the intervals below their values
}

// newGrid prints the cells of the visible columns.
func (v View) newGrid(r Rows, clean func(string) string) grid {
	sheet, columns := r.sheet(v.Units, clean)
	g := grid{heads: sheet.Heads, cells: sheet.Cells, right: sheet.Numbers}
	for k, j := range columns {
		width, half := displayWidth(g.heads[k]), 0
		for word := range strings.FieldsSeq(g.heads[k]) {
			half = max(half, displayWidth(word))
		}
		for i, cells := range g.cells {
			width = max(width, displayWidth(cells[k]))
			if _, is := r.Data[i][j].(Interval); !is {
				half = max(half, displayWidth(cells[k]), displayWidth(g.heads[k]))
			}
			for line := range strings.SplitSeq(underValue(cells[k]), "\n") {
				half = max(half, displayWidth(line))
			}
		}
		g.widths, g.halves, g.rank = append(g.widths, width), append(g.halves, half), append(g.rank, r.Columns[j].Rank)
	}
	return g
}

// underValue returns the text of an interval with the interval below its value.
func underValue(cell string) string { return strings.Replace(cell, " (", "\n(", 1) }

// width returns the width in letters of a table with columns of these widths.
func width(widths []int) int {
	sum := len(columnGap) * max(0, len(widths)-1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// fit drops columns until the table fits the width with intervals below their values, and returns
// their heads in order; if that is not enough, it folds the columns of text. If that is not enough
// either, it changes nothing.
func (g *grid) fit(most int) (left []string, ok bool) {
	order := make([]int, 0, len(g.heads)) // of dropping columns
	for j := range g.heads {
		if g.rank[j] > 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if g.rank[a] != g.rank[b] {
			return g.rank[b] - g.rank[a]
		}
		return b - a
	})
	total := width(g.halves)
	without := make([]bool, len(g.heads))
	for _, j := range order {
		if total <= most {
			break
		}
		if g.distinguishes(j, without) {
			continue
		}
		total -= g.halves[j] + len(columnGap)
		without[j] = true
	}
	kept := grid{cells: make([][]string, len(g.cells))}
	for j, head := range g.heads {
		if without[j] {
			left = append(left, head)
			continue
		}
		kept.heads, kept.widths, kept.halves = append(kept.heads, head), append(kept.widths, g.widths[j]), append(kept.halves, g.halves[j])
		kept.right, kept.rank = append(kept.right, g.right[j]), append(kept.rank, g.rank[j])
		for i := range g.cells {
			kept.cells[i] = append(kept.cells[i], g.cells[i][j])
		}
	}
	if !kept.fold(most) {
		return nil, false
	}
	*g = kept
	return left, true
}

// distinguishes reports whether two rows that are equal in all columns before j differ in column j,
// so that dropping it would make them indistinguishable.
func (g *grid) distinguishes(j int, without []bool) bool {
	first := map[string]string{}
	for _, cells := range g.cells {
		var before strings.Builder
		for k, cell := range cells[:j] {
			if !without[k] {
				before.WriteString(cell + "\n")
			}
		}
		if cell, ok := first[before.String()]; ok && cell != cells[j] {
			return true
		}
		first[before.String()] = cells[j]
	}
	return false
}

// minFolded is the smallest width in letters to which a column of text is folded.
const minFolded = 8

// fold puts intervals below their values, the last column first, and narrows the columns of text,
// the widest first and none below its longest word, until the table has the width. It reports
// whether that is enough.
func (g *grid) fold(most int) bool {
	for j := len(g.widths) - 1; j >= 0 && width(g.widths) > most; j-- {
		if g.halves[j] < g.widths[j] {
			g.widths[j] = g.halves[j]
			for _, cells := range g.cells {
				cells[j] = underValue(cells[j])
			}
		}
	}
	widths := slices.Clone(g.widths)
	least := make([]int, len(widths))
	for j := range widths {
		least[j] = max(minFolded, displayWidth(g.heads[j]))
		for _, cells := range g.cells {
			for _, word := range strings.Fields(cells[j]) {
				least[j] = max(least[j], displayWidth(word))
			}
		}
	}
	for over := width(widths) - most; over > 0; over-- {
		widest := -1
		for j, w := range widths {
			if !g.right[j] && w > least[j] && (widest < 0 || w > widths[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	g.widths = widths
	return true
}

func (v View) writeText(b *bytes.Buffer, r Rows) {
	g := v.newGrid(r, OneLine)
	notes := r.Notes
	if v.Width > 0 && width(g.widths) > v.Width {
		left, ok := g.fit(v.Width)
		if !ok {
			v.writeUpright(b, g)
			v.writeNotes(b, notes)
			return
		}
		if len(left) > 0 {
			notes = append(slices.Clone(notes), "Left out, for want of room: "+strings.Join(left, ", ")+". A wider terminal or -o FILE shows all.")
		}
	}
	b.WriteString(v.bold(g.line(g.heads)) + "\n")
	rule := width(g.widths)
	if v.Width == 0 {
		rule += len(columnGap)
	}
	b.WriteString(strings.Repeat("─", rule) + "\n")
	for _, cells := range g.cells {
		b.WriteString(g.line(cells) + "\n")
	}
	v.writeNotes(b, notes)
}

// line returns the aligned cells of a row, on several lines if a column is folded.
func (g *grid) line(cells []string) string {
	lines := 1
	folded := make([][]string, len(cells))
	for j, cell := range cells {
		for part := range strings.SplitSeq(cell, "\n") {
			if displayWidth(part) > g.widths[j] {
				part = Fold(strings.Join(strings.Fields(part), " "), g.widths[j])
			}
			folded[j] = append(folded[j], strings.Split(part, "\n")...)
		}
		lines = max(lines, len(folded[j]))
	}
	all := make([]string, lines)
	for i := range all {
		var b strings.Builder
		for j := range cells {
			cell := ""
			if i < len(folded[j]) {
				cell = folded[j][i]
			}
			pad := strings.Repeat(" ", g.widths[j]-displayWidth(cell))
			if j > 0 {
				b.WriteString(columnGap)
			}
			if g.right[j] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		all[i] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(all, "\n")
}

// writeUpright prints each record as one line per column that is not empty.
func (v View) writeUpright(b *bytes.Buffer, g grid) {
	longest := 0
	for _, h := range g.heads {
		longest = max(longest, displayWidth(h))
	}
	for i, cells := range g.cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, cell := range cells {
			if cell == "" {
				continue
			}
			pad := strings.Repeat(" ", longest-displayWidth(g.heads[j])) + columnGap
			line := Fold(g.heads[j]+pad+cell, v.Width)
			b.WriteString(v.bold(g.heads[j]) + strings.TrimPrefix(line, g.heads[j]) + "\n")
		}
	}
}

func (v View) bold(s string) string {
	if !v.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

func (v View) writeNotes(b *bytes.Buffer, notes []string) {
	for i, note := range notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		note = OneLine(note)
		if v.Width > 0 {
			note = Fold(note, v.Width)
		}
		b.WriteString(note + "\n")
	}
}

func (v View) writeMarkdown(b *bytes.Buffer, r Rows) {
	g := v.newGrid(r, escapeMarkdown)
	for i, cells := range append([][]string{g.heads}, g.cells...) {
		for _, cell := range cells {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, right := range g.right {
				b.WriteString(map[bool]string{false: "|:--- ", true: "| ---:"}[right])
			}
			b.WriteString("|\n")
		}
	}
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s\n", escapeMarkdown(note))
	}
}

// OneLine makes text from outside safe to print on one line: it replaces control characters and
// characters without a width, such as those that change the direction of writing, by spaces.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
			return ' '
		}
		return c
	}, s)
}

// displayWidth returns the number of terminal columns that s takes. It does not depend on the
// locale.
func displayWidth(s string) (columns int) {
	for _, c := range s {
		columns += terminalWidth.RuneWidth(c)
	}
	return columns
}

var terminalWidth = &runewidth.Condition{}

// escapeMarkdown escapes what Markdown would format, except bars, which matter in tables only.
func escapeMarkdown(s string) string {
	var b strings.Builder
	runes := []rune(OneLine(s))
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, c := range runes {
		if strings.ContainsRune("\\`*<[", c) || c == '_' && !(inWord(i-1) && inWord(i+1)) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Fold breaks the lines of a text between words so that none is wider than width letters; a longer
// word gets its own line. The rest of a line is aligned with its first word or, if two or more spaces
// separate a flag from its meaning, with the meaning.
func Fold(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if displayWidth(line) > width {
			lines[i] = foldLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

func foldLine(line string, width int) string {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	first := indent // column of the text
	if at := strings.LastIndex(rest, "  "); at >= 0 {
		if at += 2 + indent; displayWidth(line[:at]) <= width/2 {
			rest, first = line[at:], displayWidth(line[:at])
		}
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(line, rest))
	column := first
	for k, word := range strings.Fields(rest) {
		n := displayWidth(word)
		switch {
		case k == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", first))
			column = first
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
