package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columnGap stands between the columns of a table of text.
const columnGap = "  "

// A grid is a table as it is printed: the columns that have a head, as strings.
type grid struct {
	heads  []string
	cells  [][]string // by row
	right  []bool     // aligned, by column
	rank   []int
	widths []int
}

// newGrid prints the cells of the columns that people see.
func (v View) newGrid(r Rows, clean func(string) string) grid {
	g := grid{cells: make([][]string, len(r.Data))}
	for j, c := range r.Columns {
		if !r.seen(j) {
			continue
		}
		head := clean(c.Head)
		width := text.StringWidthWithoutEscSequences(head)
		scales := r.scales(j, v.Units)
		for i, row := range r.Data {
			cell := clean(forEyes(c, row[j], scales))
			width = max(width, text.StringWidthWithoutEscSequences(cell))
			g.cells[i] = append(g.cells[i], cell)
		}
		g.heads, g.widths, g.rank = append(g.heads, head), append(g.widths, width), append(g.rank, c.Rank)
		g.right = append(g.right, numeric(r.Data, j))
	}
	return g
}

// width is that of the whole table.
func (g *grid) width() int {
	sum := len(columnGap) * max(0, len(g.widths)-1)
	for _, w := range g.widths {
		sum += w
	}
	return sum
}

// fit leaves out columns until the table has the width, and returns their heads in their order; if
// that does not help, it folds the columns of text. It changes nothing if both are not enough.
func (g *grid) fit(width int) (left []string, ok bool) {
	order := make([]int, 0, len(g.heads)) // of leaving out
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
	total := g.width()
	without := make([]bool, len(g.heads))
	for _, j := range order {
		if total <= width {
			break
		}
		if g.tellsApart(j, without) {
			continue
		}
		total -= g.widths[j] + len(columnGap)
		without[j] = true
	}
	kept := grid{cells: make([][]string, len(g.cells))}
	for j, head := range g.heads {
		if without[j] {
			left = append(left, head)
			continue
		}
		kept.heads, kept.widths = append(kept.heads, head), append(kept.widths, g.widths[j])
		kept.right, kept.rank = append(kept.right, g.right[j]), append(kept.rank, g.rank[j])
		for i := range g.cells {
			kept.cells[i] = append(kept.cells[i], g.cells[i][j])
		}
	}
	if !kept.fold(width) {
		return nil, false
	}
	*g = kept
	return left, true
}

// tellsApart reports whether two rows differ in column j that are the same in all columns before
// it: without it, nobody would know which row is which.
func (g *grid) tellsApart(j int, without []bool) bool {
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

// leastFolded is the width in letters below which no column of text is folded.
const leastFolded = 8

// fold narrows the columns of text, the widest first and none below its longest word, until the
// table has the width. It reports whether that is enough.
func (g *grid) fold(width int) bool {
	widths := slices.Clone(g.widths)
	least := make([]int, len(widths))
	for j := range widths {
		least[j] = max(leastFolded, text.StringWidthWithoutEscSequences(g.heads[j]))
		for _, cells := range g.cells {
			for _, word := range strings.Fields(cells[j]) {
				least[j] = max(least[j], text.StringWidthWithoutEscSequences(word))
			}
		}
	}
	for over := g.width() - width; over > 0; over-- {
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
	if v.Width > 0 && g.width() > v.Width {
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
	rule := g.width()
	if v.Width == 0 {
		rule += len(columnGap)
	}
	b.WriteString(strings.Repeat("─", rule) + "\n")
	for _, cells := range g.cells {
		b.WriteString(g.line(cells) + "\n")
	}
	v.writeNotes(b, notes)
}

// line aligns the cells of a row, on more than one line if a column is folded.
func (g *grid) line(cells []string) string {
	lines := 1
	folded := make([][]string, len(cells))
	for j, cell := range cells {
		folded[j] = []string{cell}
		if text.StringWidthWithoutEscSequences(cell) > g.widths[j] {
			folded[j] = strings.Split(Fold(strings.Join(strings.Fields(cell), " "), g.widths[j]), "\n")
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
			pad := strings.Repeat(" ", g.widths[j]-text.StringWidthWithoutEscSequences(cell))
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

// writeUpright prints a line for each column of each record that holds something.
func (v View) writeUpright(b *bytes.Buffer, g grid) {
	longest := 0
	for _, h := range g.heads {
		longest = max(longest, text.StringWidthWithoutEscSequences(h))
	}
	for i, cells := range g.cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, cell := range cells {
			if cell == "" {
				continue
			}
			pad := strings.Repeat(" ", longest-text.StringWidthWithoutEscSequences(g.heads[j])) + columnGap
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

// table hands the grid to go-pretty, for Markdown.
func (g *grid) table() table.Writer {
	t := table.NewWriter()
	row := func(cells []string) table.Row {
		var r table.Row
		for _, c := range cells {
			r = append(r, c)
		}
		return r
	}
	t.AppendHeader(row(g.heads))
	var configs []table.ColumnConfig
	for j, right := range g.right {
		align := text.AlignLeft
		if right {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: j + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(configs)
	for _, cells := range g.cells {
		t.AppendRow(row(cells))
	}
	return t
}

func (v View) writeMarkdown(b *bytes.Buffer, r Rows) {
	g := v.newGrid(r, escapeMarkdown)
	b.WriteString(g.table().RenderMarkdown())
	b.WriteByte('\n')
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s\n", escapeMarkdown(note))
	}
}

// OneLine keeps text from outside on its line and a terminal unmoved: a space stands for each
// control character and for each that has no width of its own, such as those that turn the
// direction of writing.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
			return ' '
		}
		return c
	}, s)
}

// escapeMarkdown makes s read as it is; go-pretty escapes the bar.
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
// word has a line of its own. The rest of a line continues under its first word, or, if two spaces
// or more separate a flag from its meaning, under the meaning.
func Fold(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if text.StringWidthWithoutEscSequences(line) > width {
			lines[i] = foldLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

func foldLine(line string, width int) string {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	first := indent // the column at which the text begins
	if at := strings.LastIndex(rest, "  "); at >= 0 {
		if at += 2 + indent; text.StringWidthWithoutEscSequences(line[:at]) <= width/2 {
			rest, first = line[at:], text.StringWidthWithoutEscSequences(line[:at])
		}
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(line, rest))
	column := first
	for k, word := range strings.Fields(rest) {
		n := text.StringWidthWithoutEscSequences(word)
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
