package benchfile

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// separators in the order they are tried. The comma is the last: it may be a decimal one.
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
		if isRow(names, comma) {
			return f.headless(p, line, names, comma, first)
		}
		cols := list.Map(names, parseColumn)
		if comma == ' ' && len(names) > 2 && slices.ContainsFunc(cols, func(c columnName) bool { return c.base == "" }) {
			continue // a line of units under another header
		}
		c, why := f.columns(p, cols, p.unit)
		if why != "" && (comma != ' ' || len(names) == 2) {
			p.suggest("%s", why)
			f.between, f.pending = comma, nil
			for _, n := range names {
				f.pending = append(f.pending, bytes.Clone(n))
			}
		}
		if c == nil {
			continue
		}
		f.begin(p, line, names, comma, *c)
		return true
	}
	return false
}

func (f *csv) begin(p *parser, line []byte, names [][]byte, comma byte, c columns) {
	p.suggest("the header is not followed by a row")
	f.open(p, line, names, comma, c)
}

// units opens the table of a header in the line before, if this one has its units: "(B),(us)".
func (f *csv) units(p *parser, line []byte, names [][]byte) bool {
	values := lex.Split(nil, bytes.TrimSpace(bytes.TrimLeft(line, "#%")), f.between)
	if len(values) != len(names) || isRow(values, f.between) {
		return false
	}
	with := make([][]byte, len(names))
	for i, v := range values {
		if with[i] = names[i]; len(bytes.Trim(v, "()[]- ")) > 0 {
			with[i] = []byte(string(names[i]) + " [" + strings.Trim(string(v), "()[] ") + "]")
		}
	}
	c, _ := f.columns(p, list.Map(with, parseColumn), "")
	if c == nil {
		return false
	}
	p.hint = nil
	f.begin(p, line, with, f.between, *c)
	return true
}

// worthParsing reports cheaply whether a line may be a header or a row; most lines of a log are
// neither.
func (f *csv) worthParsing(p *parser, line []byte) bool {
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

// maxHeader is the longest line that can be a header.
const maxHeader = 1024

// headerWords are parts of the names of a column of sizes; those of one letter need a unit.
var headerWords = [][]byte{[]byte("size"), []byte("byte"), []byte("msg"), []byte("message"), []byte("len"), []byte("burst"), []byte("kib"), []byte("(b)"), []byte("[b]"), []byte("n,"), []byte(",n"), []byte("x,"), []byte(",x")}

// isRow reports whether a line has at least two numbers. If blanks separate the values, as in
// prose, all values must be numbers.
func isRow(values [][]byte, comma byte) bool {
	n := 0
	for _, v := range values {
		_, ok := lex.Parse(v)
		if !ok && comma == ';' {
			_, ok = lex.ParseDecimal(v)
		}
		if ok {
			n++
		}
	}
	return n >= 2 && (comma != ' ' || n == len(values))
}

// headless opens a table at its first row, with columns by number.
func (f *csv) headless(p *parser, line []byte, values [][]byte, comma byte, first bool) bool {
	x, xUnit := columnOption(p.opt.X)
	y, yUnit := columnOption(p.opt.Y)
	i, errX := strconv.Atoi(x)
	j, errY := strconv.Atoi(y)
	if errX != nil || errY != nil || i < 1 || j < 1 || i > len(values) || j > len(values) {
		if first {
			p.suggest("numbers without a header; write one such as \"size_bytes,time_us\", or give columns and units with %s %s", p.spell("x", "1:bytes"), p.spell("y", "2:us"))
		}
		return false
	}
	c := noColumns()
	size, _ := quantity.Unit(cmp.Or(xUnit, "B"))
	c.set(sizeColumn, i-1, size.Num)
	if u, ok := quantity.Unit(yUnit); !ok || !c.setTime(j-1, u, "") {
		p.suggest("column %d has no unit; give it with %s", j, p.spell("y", strconv.Itoa(j)+":us"))
		return false
	}
	f.open(p, nil, make([][]byte, len(values)), comma, c)
	f.fields = lex.Split(f.fields[:0], line, comma)
	return f.row(p, len(f.fields))
}
