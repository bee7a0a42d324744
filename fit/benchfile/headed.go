package benchfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A headed table has the rows under a header of blank-separated names with the size first, as OSU,
// IMB and perftest print it. The names alone show the columns; their rows make a [record].
type headed struct {
	title  titleRow
	names  []string
	rows   *record
	value  *series // the times or rates that are read; nil if there are none
	ignore bool    // the table has no sizes or no times: skip its rows

	rising   bool // sizes increase within a run; a smaller size begins another run
	unique   bool // a row that is printed twice counts once
	last     []byte
	size     float64 // of the last row
	decimals int     // of the values that are read; −1 if they differ
}

// layout finds the columns by their names. Blanks inside of names do not count, as versions write
// them differently.
func (h *headed) layout(names []string) {
	h.names, h.value = names, nil
	all := make([]*column, len(names))
	for i, name := range names {
		all[i] = &column{at: i, name: name, number: true}
	}
	top := reading{size: all[0], values: map[*column]guess{}}
	var messageRate *column
	for _, c := range all[1:] {
		c.guess(h.title.unit)
		g, score := top.likeliest(c)
		if h.title.binary && g.dim == rates && (g.factor == 1 || g.factor == 1e3) {
			g = c.binary(g)
		}
		if score < minNamed {
			continue
		}
		if top.values[c] = g; g.dim == messages {
			messageRate = c
		}
	}
	if !slices.ContainsFunc(all, func(c *column) bool { return isValue(top.values[c]) }) {
		return
	}
	values, _ := chooseSeries(all, top, h.title)
	h.value = values[0]
	if h.value.as.dim == rates && messageRate != nil {
		h.value.messages, h.value.messagesAs = messageRate, top.values[messageRate]
	}
	h.rows = &record{size: all[0], factor: 1, series: values[:1], valid: validation(all)}
}

// minNamed is the score of a column whose name alone says what it is: by a unit, or by its words.
const minNamed = 2

// binary returns the reading of a column's unit in powers of 1024 beside the given one.
func (c *column) binary(g guess) guess {
	for _, o := range c.guesses {
		if q := o.factor / g.factor; o.dim == g.dim && o.printed && q > 1.01 && q < 1.12 {
			return o
		}
	}
	return g
}

// open begins the table.
func (h *headed) open(p *parser, t Table) { h.value.open = p.begin(t) }

func (h *headed) builder() *builder { return h.value.open }

// isEmpty reports whether no row has been read of a table that has rows.
func (h *headed) isEmpty() bool { return !h.ignore && h.builder().table.Rows == 0 }

// refit divides the header into n names, one for each value of the first row: without units, a
// header does not show which words are one name. It reports whether that gives the same kind of
// columns.
func (h *headed) refit(n int) bool {
	var names []string
	for _, name := range h.names {
		for i, word := range strings.Fields(name) {
			if i > 0 && (word[0] == '(' || word[0] == '[') {
				names[len(names)-1] += " " + word
			} else {
				names = append(names, word)
			}
		}
	}
	if len(names) != n {
		return false
	}
	old := *h
	if h.layout(names); h.value == nil || h.value.as.dim != old.value.as.dim {
		*h = old
		return false
	}
	h.value.open, h.value.share = old.value.open, old.value.share
	return true
}

// knownColumn matches the columns that are known and not read.
var knownColumn = lex.NewPattern(`(?i)^(#?iterations|#?repetitions|#qpairs|overlap(\(%\)|\[%\])|` +
	`p\d+.*|(init|test|wait|overall|compute|coll\.?init|mpi_.*|purecomm.*|min.*|max.*)[(\[]us.*|` +
	`t_.*\[usec\]|.*percentile\[usec\]|.*(bandwidth|lat|latency).*|messages/s|mbytes/sec|BW.*|` +
	`MsgRate.*|tpsaverage|msg/sec|mb/s|.*validation|defects|t\[usec\])$`)

// unread returns the columns that are not known.
func (h *headed) unread() (names []string) {
	for _, name := range h.names[1:] {
		if bare := strings.ReplaceAll(name, " ", ""); !knownColumn().MatchString(bare) {
			names = append(names, lex.Quote(lex.Short([]byte(name))))
		}
	}
	return names
}

// take reads a row and reports whether the line is one. The size and the columns that are read must
// be numbers; other columns may hold any text ("Pass", "N/A").
func (h *headed) take(p *parser, line []byte) bool {
	// A table that is skipped may have names in its first column; all others begin with a size.
	if c := line[0]; (c < '0' || c > '9') && !h.ignore {
		return false
	}
	row := fieldsOf(line)
	if len(row) != len(h.names) && !h.ignore && h.isEmpty() {
		h.refit(len(row))
	}
	n, columns := len(row), len(h.names)
	switch {
	// Rows of a skipped table belong to the format: no other reader may take them for its own.
	case !row[0].number || h.ignore:
		return row[0].number && n == columns
	case p.open && (n != columns || h.reads(n-1)):
		return false
	case n < columns:
		return h.isCutOff(p, row)
	case n > columns && !h.isRemarked(row):
		p.stop("it has more values than the header has columns (%d)", columns)
		return false
	}
	if value := row[h.key()]; !value.number {
		p.stop("%q in column %q is not a number", lex.Short([]byte(value.text)), h.names[h.key()])
		return false
	}
	if h.rising && row[0].value < h.size {
		h.beginAgain(p)
	}
	h.size = row[0].value
	if h.unique && h.isRepeated(line) {
		h.builder().count(printedTwice)
		return true
	}
	if n > columns {
		h.builder().count(remarked)
	}
	if d := trailingDecimals([]byte(row[h.key()].text)); h.isEmpty() {
		h.decimals = d
	} else if d != h.decimals {
		h.decimals = -1
	}
	h.rows.add(p, row, p.file.Lines)
	return true
}

// beginAgain opens a table for what follows in the same columns.
func (h *headed) beginAgain(p *parser) {
	p.note("the sizes of %s begin again in line %d: what follows is a table of its own",
		h.builder().table.Name(), p.file.Lines)
	t := *h.builder().table
	t.Rows, t.Quantum, t.Warnings = 0, 0, slices.Clone(t.Warnings)
	h.open(p, t)
}

// isRepeated reports whether the line is the one before, and keeps it.
func (h *headed) isRepeated(line []byte) bool {
	if bytes.Equal(line, h.last) {
		return true
	}
	h.last = append(h.last[:0], line...)
	return false
}

// isCutOff reports whether a row of fewer columns than the header's was cut off: all of them are
// then numbers. A line with a word is not a row.
func (h *headed) isCutOff(p *parser, row []token) bool {
	if slices.ContainsFunc(row, func(t token) bool { return !t.number }) {
		p.stop("it has %s, and the header has %d columns", quantity.Plural(len(row), "value"),
			len(h.names))
		return false
	}
	if len(row) > 1 {
		h.builder().count(cutOff)
	}
	return true
}

// reads reports whether column i is read.
func (h *headed) reads(i int) bool {
	s := h.value
	isIt := func(c *column) bool { return c != nil && c.at == i }
	return i == 0 || isIt(s.value) || isIt(s.messages) || isIt(s.min) || isIt(s.max) ||
		isIt(s.median)
}

// isRemarked reports whether the values of a line are a row with something behind it. A sentence
// may begin with two numbers, too: so the one that is read must be written like those of the rows
// before, with decimals.
func (h *headed) isRemarked(row []token) bool {
	d := trailingDecimals([]byte(row[h.key()].text))
	return row[h.key()].number && d > 0 && (d == h.decimals || h.isEmpty())
}

// key returns the column that every row must have.
func (h *headed) key() int {
	if h.value.messages != nil {
		return h.value.messages.at
	}
	return h.value.value.at
}

// ofCycles makes the times those of a processor's cycles, as perftest prints them with -C. It
// reports whether its clock is known; else the rows are skipped.
func (h *headed) ofCycles(p *parser, title string) bool {
	if h.value == nil || h.value.as.dim != times {
		return true
	}
	if p.opt.Clock > 0 {
		h.value.as.factor /= p.opt.Clock
		return true
	}
	p.warn("line %d: %s was run with -C, so its times are cycles of the processor, and are "+
		"left out; run it without -C, or give the clock with %s", p.file.Lines, title,
		p.spell("clock", "3GHz"))
	h.ignore = true
	return false
}

// barrierHint says which command predicts the time of a barrier; empty of other titles.
func barrierHint(title string) string {
	if !strings.Contains(title, "Barrier") {
		return ""
	}
	return "; halfpeak collective barrier predicts one from a fit of latencies"
}

// imbFiles matches the benchmarks of IMB-IO: S_IWrite_Indv, P_Read_Priv, C_Write_Shared.
var imbFiles = lex.NewPattern(`^[SPC]_I?(Read|Write)_`)

// usable reports whether the header has columns of sizes and of times or rates. If not, it warns,
// and the rows are skipped.
func (h *headed) usable(p *parser, title string, hasSize bool) bool {
	isBeside := func(name string) bool { return strings.Contains(name, "# Size") }
	switch {
	case imbFiles().MatchString(title):
		p.warn("line %d: %s measures reading and writing of files, and is left out", p.file.Lines,
			title)
	case !hasSize:
		p.warn("line %d: %s has no column of sizes, and is left out%s", p.file.Lines, title,
			barrierHint(title))
	case h.value == nil:
		p.warn("line %d: %s has neither times nor rates, and is left out", p.file.Lines, title)
	default:
		if slices.ContainsFunc(h.names[1:], isBeside) {
			p.warn("line %d: a second table stands beside this one, and is not read; give it a "+
				"file of its own", p.file.Lines)
		}
		if names := h.unread(); len(names) > 0 {
			p.note("line %d: not read: column %s", p.file.Lines, strings.Join(names, ", "))
		}
		return true
	}
	h.ignore = true
	return false
}
