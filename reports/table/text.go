package table

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
)

// A brief text has up to maxBrief notes, and the second only if both have briefLines lines.
const maxBrief, briefLines = 2, 2

// A screenful is what a text keeps of its tables.
type screenful struct {
	rank int  // of the last rows
	bare bool // without the intervals of tables that are too wide, where they would be more lines
	rows int  // of the first table at most; 0: all
	more int  // of each other table
}

// writeText prints tables, remarks and the verdict of the last table that has one. If a brief text
// is longer than the screen, it leaves out rows by their rank, as few as possible; intervals if
// that is not enough, and rows of one rank if that is not enough either.
func (v Printer) writeText(b *bytes.Buffer, tables []Rows) {
	fits := func(s screenful) bool {
		b.Reset()
		v.writeTables(b, tables, s)
		// The last line of the screen is for what is typed next.
		return v.Brief == "" || v.Height == 0 || bytes.Count(b.Bytes(), []byte("\n")) < v.Height
	}
	ranks := ranksOf(tables)
	switch {
	case v.Whole:
		ranks = ranks[len(ranks)-1:]
	case v.Asked:
		least := 0
		for _, r := range tables {
			least = max(least, r.AskedRank)
		}
		answers := func(rank int) bool { return rank <= least }
		ranks = append([]int{least}, slices.DeleteFunc(ranks, answers)...)
	}
	for _, bare := range []bool{false, true} {
		for _, rank := range slices.Backward(ranks) {
			if fits(screenful{rank: rank, bare: bare}) {
				return
			}
		}
	}
	s := screenful{rank: ranks[0], bare: !v.Asked, more: v.Height}
	for ; len(tables) > 1 && s.more > minRows; s.more-- {
		if fits(s) {
			return
		}
	}
	if v.Asked || v.Whole {
		s.more = minRows
		fits(s)
		return
	}
	for s.more, s.rows = minRows, v.Height; s.rows >= minRows && !fits(s); s.rows-- {
	}
}

// minRows is the number of rows of a table that a brief text keeps on any screen.
const minRows = 3

// ranksOf returns the ranks of all rows, ascending.
func ranksOf(tables []Rows) []int {
	ranks := []int{0}
	for _, r := range tables {
		for i := range r.Data {
			ranks = append(ranks, r.rank(i))
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// writeTables prints what a screenful keeps of the tables, and all else that belongs to them.
func (v Printer) writeTables(b *bytes.Buffer, tables []Rows, s screenful) {
	var notes []Note
	verdict, hidden := "", false
	for i, r := range tables {
		all := len(r.Data)
		rows := s.rows
		if i > 0 {
			rows = s.more
		}
		r = r.upTo(s.rank).fewer(rows)
		if all == 0 || len(r.Data) > 0 {
			if i > 0 {
				b.WriteByte('\n')
			}
			hidden = v.writeTable(b, r, s.bare) || hidden
		}
		hidden = hidden || len(r.Data) < all
		said := r.Verdict.in(v.Units, r.scaling(v.Units))
		if verdict = cmp.Or(said, verdict); v.Brief == "" {
			v.writeNotes(b, r.Remarks())
		}
		notes = remark.Add(notes, r.Notes...)
	}
	var shown []string
	if v.Brief != "" {
		shown = v.briefly(notes)
		if hidden || len(notes) > len(shown) {
			shown = append(shown, "more: "+v.Brief)
		}
	}
	if v.Saved != "" {
		shown = append(slices.Clone(shown), v.Saved)
	}
	v.writeNotes(b, shown)
	if verdict == "" {
		return
	}
	// A line of its own after remarks; else an empty line separates it from the table.
	if v.Brief == "" || len(shown) == 0 {
		b.WriteByte('\n')
	}
	for line := range strings.SplitSeq(v.folded(verdict), "\n") {
		b.WriteString(v.bold(line) + "\n")
	}
}

// briefly returns the notes that may change a decision, doubts first, as far as they have room.
func (v Printer) briefly(notes []Note) (shown []string) {
	lines := 0
	for _, text := range remark.Texts(slices.Concat(remark.Of(remark.Doubt, notes),
		remark.Of(remark.Advice, notes))) {
		lines += 1 + strings.Count(v.folded(text), "\n")
		if n := len(shown); n == maxBrief || n > 0 && lines > briefLines {
			break
		}
		shown = append(shown, text)
	}
	return shown
}

// rank returns the rank of a row.
func (r Rows) rank(i int) int {
	if r.RowRank == nil {
		return 0
	}
	return r.RowRank(i)
}

// upTo returns the table without the rows above a rank.
func (r Rows) upTo(most int) Rows {
	var kept [][]any
	for i, row := range r.Data {
		if r.rank(i) <= most {
			kept = append(kept, row)
		}
	}
	r.Data = kept
	return r
}

// fewer returns the table with about n rows: those of some of its sizes or numbers of ranks, evenly
// and with the first and the last, and those on both sides of a change of a text, such as the best
// algorithm; all rows if n is 0 or the table is a list of what there is.
func (r Rows) fewer(n int) Rows {
	if n == 0 || r.List || len(r.Data) <= n {
		return r
	}
	steps, all := r.steps()
	changes := r.changes(steps, all)
	for k := min(n, all); k > 0; k-- {
		some := map[int]bool{all - 1: true}
		for i := range k - 1 {
			some[i*(all-1)/(k-1)] = true
		}
		var kept [][]any
		for i, row := range r.Data {
			if some[steps[i]] || changes[steps[i]] {
				kept = append(kept, row)
			}
		}
		if len(kept) <= n || k == 1 {
			r.Data = kept
			return r
		}
	}
	return r
}

// changes returns the steps beside which the texts of the first row change, if few do.
func (r Rows) changes(steps []int, all int) map[int]bool {
	beside, before := map[int]bool{}, -1
	for i, row := range r.Data {
		if i > 0 && steps[i] == steps[i-1] {
			continue
		}
		if before >= 0 && !slices.EqualFunc(r.Data[before], row, func(a, b any) bool {
			text, is := a.(string)
			other, also := b.(string)
			return is != also || text == other
		}) {
			beside[steps[i-1]], beside[steps[i]] = true, true
		}
		before = i
	}
	if len(beside) > all/2 { // texts that differ in most rows are names
		return nil
	}
	return beside
}

// steps numbers the sizes of the rows, or else their numbers of ranks or the rows, and returns how
// many there are.
func (r Rows) steps() (of []int, all int) {
	for _, key := range []string{"size_bytes", "ranks"} {
		j := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Key == key })
		if j < 0 {
			continue
		}
		numbers := map[any]int{}
		of = nil
		for _, row := range r.Data {
			if _, known := numbers[row[j]]; !known {
				numbers[row[j]] = len(numbers)
			}
			of = append(of, numbers[row[j]])
		}
		if len(numbers) > minRows {
			return of, len(numbers)
		}
	}
	of = nil
	for i := range r.Data {
		of = append(of, i)
	}
	return of, len(of)
}

// writeTable prints the rows in the printer's width: first with fewer or folded columns, and
// failing that upright. It reports whether columns or the intervals of a bare table are missing; a
// text that is not brief has the columns that do not fit in further tables.
func (v Printer) writeTable(b *bytes.Buffer, r Rows, bare bool) (hidden bool) {
	g := v.newGrid(r)
	if v.Width == 0 || g.width() <= v.Width {
		v.writeGrid(b, g)
		return false
	}
	if hidden = bare && g.hasIntervals(); hidden {
		g = g.withoutIntervals()
	}
	kept, left, ok := g.fit(v.Width)
	if !ok {
		v.writeUpright(b, r, hidden)
		return hidden
	}
	v.writeGrid(b, kept)
	for v.Brief == "" && len(left) > 0 {
		b.WriteByte('\n')
		some, rest, _ := slices.Concat(kept.names(), left).fit(v.Width)
		if len(rest) == len(left) { // none fits
			some, rest = slices.Concat(kept.names(), left[:1]).own(), left[1:]
			some.fold(v.Width)
		}
		v.writeGrid(b, some)
		left = rest
	}
	return hidden || len(left) > 0
}

// writeGrid prints the head, a rule and the rows.
func (v Printer) writeGrid(b *bytes.Buffer, g grid) {
	b.WriteString(v.bold(g.line(0)) + "\n")
	rule := g.width()
	if v.Width == 0 { // in a line of a given width, the longer rule could wrap
		rule += len(columnGap)
	}
	b.WriteString(strings.Repeat("─", rule) + "\n")
	for i := range g.rows() {
		b.WriteString(g.line(i+1) + "\n")
	}
}

// writeUpright prints each record as one line per column that is not empty, in units of its own: no
// values of other records stand beside its values. It always fits: Fold gives a longer word a line
// of its own.
func (v Printer) writeUpright(b *bytes.Buffer, r Rows, bare bool) {
	longest := 0
	for _, c := range v.newGrid(r) {
		longest = max(longest, displayWidth(c.cells[0]))
	}
	record := r
	for i := range r.Data {
		if i > 0 {
			b.WriteByte('\n')
		}
		record.Data = r.Data[i : i+1]
		g := v.newGrid(record)
		if bare {
			g = g.withoutIntervals()
		}
		for _, c := range g {
			head, cell := c.cells[0], c.cells[1]
			if cell == "" {
				continue
			}
			// The head is folded along, so that Fold counts its width in the first line; bold
			// comes after, since its escape sequences have no width.
			pad := strings.Repeat(" ", longest-displayWidth(head)) + columnGap
			line := Fold(head+pad+cell, v.Width)
			b.WriteString(v.bold(head) + strings.TrimPrefix(line, head) + "\n")
		}
	}
}

// bold returns s in bold, by the escape sequences of ECMA-48, if the terminal shows colours.
func (v Printer) bold(s string) string {
	if !v.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// writeNotes prints remarks below a table.
func (v Printer) writeNotes(b *bytes.Buffer, notes []string) {
	for i, note := range notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(v.folded(note) + "\n")
	}
}

// folded returns a text in the printer's width without control characters: it may hold names of
// files, and a terminal would obey them.
func (v Printer) folded(text string) string {
	if text = OneLine(text); v.Width > 0 {
		return Fold(text, v.Width)
	}
	return text
}

// writeMarkdown prints tables in Markdown, with their remarks as lists and the verdict of the last
// table that has one as a paragraph.
func (v Printer) writeMarkdown(b *bytes.Buffer, tables []Rows) {
	verdict := ""
	for i, r := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		v.markdownTable(b, r)
		for i, note := range r.Remarks() {
			if i == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "- %s\n", escapeMarkdown(note))
		}
		verdict = cmp.Or(r.Verdict.in(v.Units, r.scaling(v.Units)), verdict)
	}
	if verdict != "" {
		fmt.Fprintf(b, "\n**%s**\n", escapeMarkdown(verdict))
	}
}

// markdownTable prints the rows. A bar in a cell is escaped, since it would end the cell.
func (v Printer) markdownTable(b *bytes.Buffer, r Rows) {
	s, _ := r.printed(v.Units, escapeMarkdown)
	for i, cells := range append([][]string{s.Heads}, s.Cells...) {
		for _, cell := range cells {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, right := range s.Numbers {
				b.WriteString(map[bool]string{false: "|:--- ", true: "| ---:"}[right])
			}
			b.WriteString("|\n")
		}
	}
}
