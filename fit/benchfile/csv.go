package benchfile

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// csv reads tables of comma, semicolon, tab or blank separated values under a
// header that names columns and units: "size_bytes,time_us", "size (KiB)", "t [ms]". The
// unit of the times may also stand in a line of units under the header, in a column
// "unit", or in a comment before. Between semicolons, a comma in a number is a decimal one.
//
//	size_bytes,time_us        size;time;unit        # size time
//	1,1.25                    1;1,25;us             # (B)  (us)
//	1024,2.5                  1024;2,5;us             1024 2.5
//
// Columns may have any order. Columns other than sizes and times may split the rows into several
// tables; see splitter. A further header, the same or another, begins new tables. The columns
// burst, delta and interval form a LogP signature. halfpeak's own CSV is read like any other.
//
// A CSV file should contain no other text. A row with a size but no time is therefore an error, and
// so is a row with fewer or more values than the header.
//
// Tested with halfpeak's own output, and with files in the shapes of pandas (to_csv) and of
// spreadsheets (decimal commas, UTF-16) written by hand.
type csv struct {
	sheet
	seen    bool     // the first line with columns has been looked at
	pending [][]byte // a header without the unit of its times, in the line before
	between byte     // its separator
}

// take tries the line as a row of the open tables first, then as a header: with millions of
// rows, the common case makes one comparison and one split.
func (f *csv) take(p *parser, line []byte) bool {
	if f.header != nil {
		if bytes.Equal(line, f.header) {
			if f.split.rows > 0 {
				p.note("the header comes again in line %d: what follows is a table of its own",
					p.file.Lines)
			}
			return f.start(p, line)
		}
		f.row.fields = lex.Split(f.row.fields[:0], line, f.row.comma)
		if f.sheet.take(p) {
			return true
		}
	}
	return f.start(p, line)
}

func (f *csv) end(p *parser) { f.close(p) }

// separators in the order they are tried. The comma is the last: it may be a decimal one.
// Blanks come after it, since they may stand beside any separator.
var separators = []byte{';', '\t', ',', ' '}

// start opens a table if the line is a header, or the first row of a file whose columns are given
// by options.
func (f *csv) start(p *parser, line []byte) bool {
	pending := f.pending
	f.pending = nil
	if pending != nil && f.units(p, line, pending) {
		return true
	}
	if !f.worthParsing(p, line) {
		return false
	}
	header := bytes.TrimSpace(bytes.TrimLeft(line, "#%"))
	for _, comma := range separators {
		if comma != ' ' && bytes.IndexByte(header, comma) < 0 {
			continue
		}
		names := lex.Split(nil, header, comma)
		if len(names) < 2 {
			continue
		}
		first := !f.seen
		f.seen = true
		// Numbers without a header. Only the first such line of a file gets advice; others may be
		// noise.
		if isRow(names, comma) {
			return f.headless(p, line, names, comma, first)
		}
		cols := list.Map(names, parseColumn)
		nameless := slices.ContainsFunc(cols, func(c columnName) bool { return c.base == "" })
		if comma == ' ' && len(names) > 2 && nameless {
			continue // a line of units under another header
		}
		c, why := p.findColumns(cols, p.unit)
		// Of lines with blanks only those of two words: a sentence that has "size" and "time" in it
		// is no header.
		if why != "" && (comma != ' ' || len(names) == 2) {
			p.suggest("%s", why)
			// The units may stand in the next line.
			f.between, f.pending = comma, list.Map(names, bytes.Clone)
		}
		if c == nil {
			continue
		}
		f.begin(p, line, cols, comma, c)
		return true
	}
	return false
}

// begin opens the tables of a header. If the file then ends, the advice that it leaves is the
// error.
func (f *csv) begin(p *parser, line []byte, names []columnName, comma byte, c *columns) {
	p.suggest("the header is not followed by a row")
	f.open(p, line, names, comma, c)
}

// units opens the table of a header in the line before, if this one has its units: "(B),(us)".
func (f *csv) units(p *parser, line []byte, names [][]byte) bool {
	values := lex.Split(nil, bytes.TrimSpace(bytes.TrimLeft(line, "#%")), f.between)
	if len(values) != len(names) || isRow(values, f.between) {
		return false
	}
	with := make([]columnName, len(names))
	for i, v := range values {
		name := names[i]
		// An empty unit, or dashes, leaves the name as it is.
		if len(bytes.Trim(v, "()[]- ")) > 0 {
			name = fmt.Appendf(nil, "%s [%s]", name, bytes.Trim(v, "()[] "))
		}
		with[i] = parseColumn(name)
	}
	c, _ := p.findColumns(with, "")
	if c == nil {
		return false
	}
	p.hint = nil
	f.begin(p, line, with, f.between, c)
	return true
}

// worthParsing reports cheaply whether a line may be a header or a row; most lines of a log are
// neither.
func (f *csv) worthParsing(p *parser, line []byte) bool {
	// Before the first header, and with columns that options give, any short line may begin a
	// table.
	if p.opt.X != "" || p.opt.Y != "" || !f.seen {
		return len(line) <= maxHeader
	}
	if len(line) > maxHeader {
		return false
	}
	var lower [maxHeader]byte
	for i, c := range line {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	for _, word := range headerWords {
		if bytes.Contains(lower[:len(line)], word) {
			return true
		}
	}
	return false
}

// headerWords are parts of the names of a column of sizes; those of one letter need a unit. A
// header without any of them is not found behind the first line with columns; with
// Options.X or Y every line is looked at.
var headerWords = [][]byte{
	[]byte("size"), []byte("byte"), []byte("msg"), []byte("message"), []byte("len"),
	[]byte("burst"), []byte("kib"), []byte("(b)"), []byte("[b]"),
	[]byte("n,"), []byte(",n"), []byte("x,"), []byte(",x"),
}

// headless opens a table at its first row, with columns by number.
func (f *csv) headless(p *parser, line []byte, values [][]byte, comma byte, first bool) bool {
	c, why := p.numberedColumns(len(values))
	if c == nil {
		if why != "" {
			p.suggest("%s", why)
		} else if first {
			p.suggest("numbers without a header; write one such as \"size_bytes,time_us\", or "+
				"give columns and units with %s %s", p.spell("x", "1:bytes"),
				p.spell("y", "2:us"))
		}
		return false
	}
	// An empty header is equal to no line, so every line is tried as a row.
	f.open(p, nil, make([]columnName, len(values)), comma, c)
	f.row.fields = lex.Split(f.row.fields[:0], line, comma)
	return f.sheet.take(p)
}
