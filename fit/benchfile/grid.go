package benchfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A grid is a table of white-space separated columns with a size first, as OSU, IMB and perftest
// print it. Its header names the columns.
type grid struct {
	b        *builder
	names    []string
	rules    []gridRule
	at       [gridColumns]int // −1 if the column is missing
	rateUnit float64          // bytes/µs, or messages/µs
	messages bool             // the rate counts messages
	unit2    float64          // of gridRate2, in bytes/µs
	share    float64          // of the rate that belongs to one stream
	ignore   bool             // the table has no sizes or no times: skip its rows
	last     []byte           // the last row, where repeated rows are dropped
	unique   bool
	rising   bool    // sizes increase within a run; a smaller size begins another run
	size     float64 // of the last row
	exp      int     // of the times or rates; 1 if they differ, or there are none
	scale    float64 // of the times to µs
	texts    [][]byte
}

type gridColumn int

const (
	gridTime gridColumn = iota
	gridMin
	gridMax
	gridMedian
	gridRate
	gridRate2 // a second rate, in bytes, beside the rate in messages
	gridValid // whether the results were right: Pass or Fail, or a number of defects
	gridOther // a column that is known and not read
	gridColumns
)

// A gridRule identifies a column by its name, without blanks. Of several rules for one column of
// the grid, the first that matches a name counts.
type gridRule struct {
	name     lex.Pattern
	is       gridColumn
	rateUnit float64 // bytes/µs, or messages/µs
	messages bool
}

func isBracketed(text string) bool {
	return strings.ContainsAny(text[:1], "([") && strings.ContainsAny(text[len(text)-1:], ")]")
}

// headerNames splits a header into the names of its columns: at two or more blanks, and where
// copying has collapsed the blanks, behind units and words that are complete names.
func headerNames(line []byte) (names []string) {
	text := strings.TrimLeft(string(line), " ")
	text = strings.TrimPrefix(text, "# ")
	for _, part := range wide().Split(strings.TrimSpace(text), -1) {
		// A word joins the name before it until that is complete: "Avg" and "Latency(us)" are one
		// name, "Size" is another.
		begins := true
		for word := range strings.FieldsSeq(part) {
			if len(names) > 0 && (!begins && word[0] != '#' || isBracketed(word)) {
				word = names[len(names)-1] + " " + word
				names = names[:len(names)-1]
			}
			names = append(names, word)
			begins = completeName().MatchString(word)
		}
	}
	if len(names) > 0 {
		names[0] = strings.TrimPrefix(names[0], "# ")
	}
	return names
}

// completeName matches the end of a name that no further word belongs to.
var completeName = lex.NewPattern(
	`(?i)([)\]]|/s|/sec|size|iterations|repetitions|validation|bytes|defects)$`)

// newGrid finds the columns of a header. Blanks inside of names do not count, as versions
// write them differently.
func newGrid(names []string, rules []gridRule) *grid {
	g := &grid{share: 1, names: names, rules: rules, exp: 1, scale: 1}
	for i := range g.at {
		g.at[i] = -1
	}
	bare := make([]string, len(names))
	for i, name := range names {
		bare[i] = strings.ReplaceAll(name, " ", "")
	}
	for _, r := range rules {
		at := slices.IndexFunc(bare, r.name().MatchString)
		// A rate in bytes is the second one beside that of messages.
		if r.is == gridRate && g.messages && !r.messages {
			r.is = gridRate2
		}
		// Rules are in the order of preference, so the first that finds a column keeps it.
		if at >= 0 && g.at[r.is] < 0 {
			g.at[r.is] = at
			switch r.is {
			case gridRate:
				g.rateUnit, g.messages = r.rateUnit, r.messages
			case gridRate2:
				g.unit2 = r.rateUnit
			}
		}
	}
	// A remark behind a row has any number of words.
	g.texts = make([][]byte, len(names)+1)
	return g
}

// refit divides the header into n names, as the first row has so many values: of names without
// units it is not known which words belong together. It reports whether that gives the same
// columns.
func (g *grid) refit(n int) bool {
	var names []string
	for _, name := range g.names {
		for i, word := range strings.Fields(name) {
			if i > 0 && (word[0] == '(' || word[0] == '[') {
				names[len(names)-1] += " " + word
			} else {
				names = append(names, word)
			}
		}
	}
	other := newGrid(names, g.rules)
	if len(names) != n || other.key() < 0 || other.hasTimes() != g.hasTimes() {
		return false
	}
	g.names, g.at, g.texts = other.names, other.at, other.texts
	return true
}

// unread returns the columns that no rule knows.
func (g *grid) unread() (names []string) {
	for _, name := range g.names[1:] {
		bare := strings.ReplaceAll(name, " ", "")
		knows := func(r gridRule) bool { return r.name().MatchString(bare) }
		known := slices.ContainsFunc(g.rules, knows)
		if !known {
			names = append(names, lex.Quote(lex.Short([]byte(name))))
		}
	}
	return names
}

// take reads a row and reports whether the line is one. The size and the columns that are read must
// be numbers; other columns may hold any text ("Pass", "N/A").
func (g *grid) take(p *parser, line []byte) bool {
	// A table that is skipped may have names in its first column; all others begin with a size.
	if c := line[0]; (c < '0' || c > '9') && !g.ignore {
		return false
	}
	n := g.divide(line)
	columns := len(g.names)
	size, ok := lex.Parse(g.texts[0])
	switch {
	// Rows of a skipped table belong to the format: no other reader may take them for its own.
	case !ok || g.ignore:
		return ok && n == columns
	case p.open && (n != columns || g.reads(n-1)):
		return false
	case n < columns:
		return g.isCutOff(p, n)
	case n > columns && !g.isRemarked():
		p.stop("it has more values than the header has columns (%d)", columns)
		return false
	}
	if g.rising && size.Value < g.size {
		g.beginAgain(p)
	}
	g.size = size.Value
	if g.unique && g.isRepeated(line) {
		g.b.count(printedTwice)
		return true
	}
	if !g.row(p, size.Value) {
		return false
	}
	if n > columns {
		g.b.count(remarked)
	}
	return true
}

// beginAgain opens a table for what follows in the same columns.
func (g *grid) beginAgain(p *parser) {
	p.note("the sizes of %s begin again in line %d: what follows is a table of its own",
		g.b.table.Name(), p.file.Lines)
	t := *g.b.table
	t.Rows, t.Quantum, t.Warnings = 0, 0, slices.Clone(t.Warnings)
	g.b = p.begin(t)
}

// isRepeated reports whether the line is the one before, and keeps it.
func (g *grid) isRepeated(line []byte) bool {
	if bytes.Equal(line, g.last) {
		return true
	}
	g.last = append(g.last[:0], line...)
	return false
}

// divide divides a line into the values of columns, and returns their number. The first row may
// show that the header's words are not its columns.
func (g *grid) divide(line []byte) int {
	n := lex.Fields(line, g.texts)
	if n != len(g.names) && !g.ignore && g.b.table.Rows == 0 && g.refit(len(bytes.Fields(line))) {
		n = lex.Fields(line, g.texts)
	}
	return n
}

// isCutOff reports whether a row of n columns, fewer than the header's, was cut off: all of them
// are then numbers. Other text is no row.
func (g *grid) isCutOff(p *parser, n int) bool {
	if !lex.ParseAll(g.texts[:n], make([]lex.Number, n)) {
		p.stop("it has %s, and the header has %d columns", quantity.Plural(n, "value"),
			len(g.names))
		return false
	}
	if n > 1 {
		g.b.count(cutOff)
	}
	return true
}

// reads reports whether column i is read.
func (g *grid) reads(i int) bool {
	return i == 0 || slices.Contains(g.at[:gridRate2], i)
}

// isRemarked reports whether the values of the current line are a row with something behind it. A
// sentence may begin with two numbers, too: so the one that is read must be written like those of
// the rows before, with decimals.
func (g *grid) isRemarked() bool {
	v, ok := lex.Parse(g.texts[g.key()])
	return ok && v.Exp < 0 && (v.Exp == g.exp || g.b.table.Rows == 0)
}

// key returns the column that every row must have.
func (g *grid) key() int {
	if at := g.at[gridTime]; at >= 0 {
		return at
	}
	return g.at[gridRate]
}

// row reads the fields of a row. It returns false if the time or rate is a word.
func (g *grid) row(p *parser, size float64) bool {
	at := g.key()
	v, ok := lex.Parse(g.texts[at])
	if !ok {
		text := string(bytes.ToLower(g.texts[at]))
		// A word is another line, such as a remark that begins with a number. These three are
		// results of runs that failed.
		if !strings.Contains(text, "nan") && !strings.Contains(text, "inf") && text != "n/a" {
			p.stop("%q in column %q is not a number", lex.Short(g.texts[at]), g.names[at])
			return false
		}
		g.b.row(row{}) // dropped and counted
		return true
	}
	if g.b.table.Rows == 0 {
		g.exp = v.Exp
	} else if v.Exp != g.exp {
		g.exp = 1
	}
	g.check()
	r := row{size: size, min: g.optional(gridMin), max: g.optional(gridMax),
		median: g.optional(gridMedian)}
	switch {
	case g.at[gridTime] >= 0:
		r.time = v.Value * g.scale
		g.b.resolution(v.Quantum() * g.scale)
	case g.messages && size > 0 && v.Value < 100*v.Quantum() && g.bytesRate() > 0:
		r.time = size / (g.bytesRate() * g.share)
	case v.Value == 0 && size > 0:
		g.b.count(noTime)
		return true
	case g.messages:
		r.time = 1 / (v.Value * g.rateUnit * g.share)
	case size == 0: // the rate of an empty message in bytes has no time
		return true
	default:
		r.time = size / (v.Value * g.rateUnit * g.share)
		// With fewer than three digits, rounding alone changes the rate by more than 0.5 %.
		if v.Value < 100*v.Quantum() {
			g.b.count(coarse)
			r.rounded = v.Quantum() / 2 / v.Value
		}
	}
	g.b.row(r)
	return true
}

// bytesRate returns the rate in bytes/µs that stands beside one in messages; 0 if there is none
// with three digits or more.
func (g *grid) bytesRate() float64 {
	if g.at[gridRate2] < 0 || g.at[gridRate2] == g.at[gridRate] {
		return 0
	}
	v, ok := lex.Parse(g.texts[g.at[gridRate2]])
	if !ok || v.Value < 100*v.Quantum() {
		return 0
	}
	return v.Value * g.unit2
}

// failed reports whether a validation has failed: by a word, or by a number of wrong results.
func failed(text []byte) bool {
	v, isNumber := lex.Parse(text)
	return isNumber && v.Value > 0 || bytes.EqualFold(text, []byte("fail")) ||
		bytes.EqualFold(text, []byte("failed"))
}

// check counts a row whose results were wrong, or whose rates contradict each other.
func (g *grid) check() {
	if at := g.at[gridValid]; at >= 0 && failed(g.texts[at]) {
		g.b.count(invalid)
	}
	for _, c := range []gridColumn{gridRate, gridRate2} {
		if g.at[c] >= 0 && g.at[c] != g.key() {
			if v, ok := lex.Parse(g.texts[g.at[c]]); ok && v.Value < 0 {
				g.b.count(negative)
				return
			}
		}
	}
}

func (g *grid) optional(c gridColumn) float64 {
	if g.at[c] < 0 {
		return 0
	}
	v, _ := lex.Parse(g.texts[g.at[c]])
	// 0 stands for a value that is not printed.
	return max(0, v.Value) * g.scale
}

// ofCycles makes the times those of a processor's cycles, as perftest prints them with -C. It
// reports whether its clock is known; else the rows are skipped.
func (g *grid) ofCycles(p *parser, title string) bool {
	if p.opt.Clock > 0 {
		g.scale = 1 / p.opt.Clock
		return true
	}
	p.warn("line %d: %s was run with -C, so its times are cycles of the processor, and are "+
		"left out; run it without -C, or give the clock with %s", p.file.Lines, title,
		p.spell("clock", "3GHz"))
	g.ignore = true
	return false
}

func (g *grid) hasTimes() bool { return g.at[gridTime] >= 0 }

// barrierHint says which command predicts the time of a barrier; empty of other titles.
func barrierHint(title string) string {
	if !strings.Contains(title, "Barrier") {
		return ""
	}
	return "; halfpeak collective barrier predicts one from a fit of latencies"
}

// usable reports whether the header has columns of sizes and of times or rates. If not, it warns,
// and the rows are skipped.
func (g *grid) usable(p *parser, title string, hasSize bool) bool {
	switch {
	case !hasSize:
		p.warn("line %d: %s has no column of sizes, and is left out%s", p.file.Lines, title,
			barrierHint(title))
	case !g.hasTimes() && g.at[gridRate] < 0:
		p.warn("line %d: %s has neither times nor rates, and is left out", p.file.Lines, title)
	default:
		if names := g.unread(); len(names) > 0 {
			p.note("line %d: not read: column %s", p.file.Lines, strings.Join(names, ", "))
		}
		return true
	}
	g.ignore = true
	return false
}

// wide splits a header at two or more blanks, or a tab.
var wide = lex.NewPattern(`\s{2,}|\t`)
