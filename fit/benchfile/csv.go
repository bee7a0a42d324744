package benchfile

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// csv reads tables of comma, semicolon, tab or blank separated values under a header that names
// columns and units: "size_bytes,time_us", "size (KiB)", "t [ms]". The unit of the times may also
// stand in a line of units under the header, in a column "unit", or in a comment before. Between
// semicolons, a comma in a number is a decimal one. Bars may separate values, too, as in tables of
// Markdown. Sizes may have units of their own ("4KiB").
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

	// the last header above numbered columns, and its separator
	above      []columnName
	aboveComma byte

	near [1 << nearBits]nearSize // by a hash of the size
	exp  int                     // of the last plain time
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
		f.row.fields = split(f.row.fields[:0], line, f.row.comma)
		if p.lines.Partial {
			return f.isWhole(p) && f.sheet.take(p)
		}
		if f.sheet.take(p) || f.row.comma == '|' && isRule(line) {
			return true
		}
	}
	return f.start(p, line)
}

// isWhole reports whether the row of a line without a line end has all its values: if the last one
// may be cut off, neither a size nor a time may be read from it, nor the name of a table.
func (f *csv) isWhole(p *parser) bool {
	last := len(f.row.fields) - 1
	return last+1 == f.width && (!p.open || !slices.Contains(f.row.at[:], last) &&
		!f.split.separates(last))
}

// split cuts a line into fields. A table of Markdown has bars around its rows, too.
func split(into [][]byte, line []byte, comma byte) [][]byte {
	if comma == '|' {
		line = bytes.Trim(line, "| ")
	}
	return lex.Split(into, line, comma)
}

// isRule reports whether a line is the rule under the header of a table between bars.
func isRule(line []byte) bool { return len(bytes.Trim(line, "|+-=: ")) == 0 }

func (f *csv) end(p *parser) { f.close(p) }

// separators in the order they are tried. The comma is the last: it may be a decimal one.
// Blanks come after it, since they may stand beside any separator.
var separators = []byte{'|', ';', '\t', ',', ' '}

// maySeparate reports whether a separator may be that of a header. The table of nccl-tests is
// separated by blanks, too; with something before it, its header is looked at again without that.
func maySeparate(comma byte, header []byte) bool {
	if comma == ' ' {
		return !bytes.Contains(header, []byte("algbw"))
	}
	return bytes.IndexByte(header, comma) >= 0
}

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
	if len(header) > 0 && header[0] == '|' { // of a benchmark that the recogniser knows
		if t, _ := titleOf("", append(p.above(), string(line))); t.bars {
			return false
		}
	}
	for _, comma := range separators {
		if !maySeparate(comma, header) {
			continue
		}
		names := split(nil, header, comma)
		if len(names) < 2 {
			continue
		}
		if slices.ContainsFunc(names, namesValue().Match) {
			return false // a row of names with their values
		}
		first := !f.seen
		f.seen = true
		// Numbers without a header. Only the first such line of a file gets advice; others may be
		// noise.
		if isRow(names, comma) || p.isNumbered(names, comma) {
			return f.headless(p, line, names, comma, first)
		}
		cols := list.Map(names, parseColumn)
		// Options give the columns and their units: a line of words is at most a header with the
		// names of the others.
		if n, _ := p.numberedColumns(len(names)); n != nil {
			f.above, f.aboveComma = cols, comma
			return false
		}
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
		if comma == ' ' { // of a benchmark that has a row of titles
			if _, known := titleOf("", append(p.above(), string(line))); known {
				return false
			}
		}
		f.begin(p, line, cols, comma, c)
		return true
	}
	return false
}

// namesValue matches a name with its value: "Transfer size (B): 8".
var namesValue = lex.NewPattern(`[A-Za-z)\]] *: +[0-9.]+$`)

// begin opens the tables of a header. If the file then ends, the advice that it leaves is the
// error.
func (f *csv) begin(p *parser, line []byte, names []columnName, comma byte, c *columns) {
	p.suggest("the header is not followed by a row")
	f.open(p, line, names, comma, c)
}

// units opens the table of a header in the line before, if this one has its units: "(B),(us)".
func (f *csv) units(p *parser, line []byte, names [][]byte) bool {
	values := split(nil, bytes.TrimSpace(bytes.TrimLeft(line, "#%")), f.between)
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
		} else if first && len(values) == 2 { // of more, diagnose.go finds those that would do
			p.suggest("numbers without a header; write one such as \"size_bytes,time_us\", or "+
				"give columns and units with %s %s", p.spell("x", "1:bytes"),
				p.spell("y", "2:us"))
		}
		return false
	}
	// An empty header is equal to no line, so every line is tried as a row.
	names := make([]columnName, len(values))
	if len(f.above) == len(names) && f.aboveComma == comma {
		names = f.above
	}
	f.open(p, nil, names, comma, c)
	f.row.fields = split(f.row.fields[:0], line, comma)
	return f.sheet.take(p)
}

// isPlain reports whether the open table takes from each row a size and a time alone.
func (f *csv) isPlain() bool {
	c := f.row.columns
	if f.header == nil || f.split.only == nil || f.split.only.b.sizes == nil || f.tens.open ||
		f.row.comma == ' ' || f.row.comma == '|' || f.kind == Interval ||
		c.scale[colSize] != math.Trunc(c.scale[colSize]) {
		return false
	}
	for role := colMin; role < colRoles; role++ {
		if c.has(role) && !(role == colCheck && f.row.rate) {
			return false
		}
	}
	return true
}

// plainRow parses the line at the beginning of a text: digits for the size, plain decimals above 0
// for the time, and no quotes. It returns the length of the line with its end; 0 if it is another
// one, or has no end.
func (f *csv) plainRow(text []byte) (size, t lex.Number, end int) {
	sizeAt, timeAt, comma := f.row.at[colSize], f.row.at[colTime], f.row.comma
	i := 0
	for column := range f.width {
		from := i
		for i < len(text) && text[i] != comma && text[i] != '\n' {
			if c := text[i]; c == '"' || c < ' ' && c != '\r' || c >= 0x7f {
				return size, t, 0
			}
			i++
		}
		isLast := column == f.width-1
		if i == len(text) || (text[i] == '\n') != isLast {
			return size, t, 0
		}
		field := text[from:i]
		if isLast && len(field) > 0 && field[len(field)-1] == '\r' {
			field = field[:len(field)-1]
		}
		ok := true
		switch column {
		case sizeAt:
			size, ok = lex.Parse(field)
			ok = ok && size.Exp == 0 && size.Value >= 0
		case timeAt:
			t, ok = lex.Parse(field)
			ok = ok && t.Value > 0
		}
		if !ok {
			return size, t, 0
		}
		i++
	}
	return size, t, i
}

// addPlain adds a plain row.
func (f *csv) addPlain(size, t lex.Number, line int) {
	b := f.split.only.b
	f.split.rows++
	n := size.Value * f.row.scale[colSize]
	x := row{size: n, time: t.Value * f.row.scale[colTime]}
	if f.row.rate {
		x.time = n / x.time
	} else if t.Exp != f.exp || b.table.Quantum == 0 {
		f.exp = t.Exp
		b.resolution(t.Quantum() * f.row.scale[colTime])
	}
	if !goodSize(n) || !goodTime(x.time) {
		b.tally(tally{unusable, 1, line, []int{line}})
		return
	}
	x.min, x.max = x.time, x.time
	b.table.Rows++
	near := &f.near[uint64(n)*0x9e3779b97f4a7c15>>(64-nearBits)]
	if near.a == nil || near.a.size != n || near.b != b || near.shift != b.shift {
		*near = nearSize{b.aggregate(n, line), b, b.shift}
	}
	b.point(near.a, x)
}

// A nearSize remembers the aggregate of a size, which a map finds more slowly.
type nearSize struct {
	a     *aggregate
	b     *builder
	shift uint
}

const nearBits = 8
