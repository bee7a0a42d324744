package benchfile

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A suspect is a run of skipped lines that look like the rows of a table: a size, and numbers
// behind it.
type suspect struct {
	line, last int    // the first line and the last one
	why        string // a format's reason for refusing the first; "" if no format knows the table
	header     []byte // the line before, if it may name the columns
	columns    int
	fields     [][]byte  // of the first row
	rising     []bool    // columns that have not fallen
	numbers    []bool    // columns that have numbers only
	values     []float64 // of the last row
}

// A search looks for lines that resemble rows among those that are skipped.
type search struct {
	first   *suspect // the first rows; nil if there are none
	heading []byte   // the last line that may name the columns of rows
	comma   int      // the first line with a number such as 3,57 among blanks or semicolons
}

// look looks at a line that is skipped.
func (x *search) look(p *parser, line []byte) {
	// Tables were read: what does not belong to them is counted, and not explained.
	if p.usage.sizes > 0 || len(line) > maxHeader {
		return
	}
	if x.comma == 0 && decimalComma.Match(line) {
		x.comma = p.file.Lines
	}
	fields := cells(line)
	numbers, others := 0, 0
	for _, f := range fields {
		if _, ok := magnitude(f); ok {
			numbers++
		} else if !isLabel(f) {
			others++
		}
	}
	s := x.first
	if looksLikeRow := numbers >= 2 && numbers >= others; !looksLikeRow {
		// The header of rows that may follow; the first rows are the ones that are explained.
		if s == nil && len(fields) > 1 && numbers == 0 {
			x.heading = append(x.heading[:0], line...)
		} else if s == nil && len(fields) > 0 && !bytes.ContainsAny(line, "|+-=") {
			x.heading = x.heading[:0]
		}
		return
	}
	if s != nil {
		s.add(p.file.Lines, fields)
		return
	}
	s = &suspect{line: p.file.Lines, last: p.file.Lines, why: p.why, columns: len(fields),
		header: bytes.Clone(x.heading)}
	for _, f := range fields {
		s.fields = append(s.fields, bytes.Clone(f))
		v, ok := magnitude(f)
		s.rising, s.numbers = append(s.rising, ok), append(s.numbers, ok)
		s.values = append(s.values, v)
	}
	x.first, p.explained = s, true
}

// decimalComma matches a row such as "1024   3,57" or "1024;3,57".
var decimalComma = regexp.MustCompile(`^\s*[0-9]+([ \t;]+[0-9]+,[0-9]+)+\s*$`)

// isLabel reports whether a field names the number behind it: "Bytes:", "count=".
func isLabel(field []byte) bool {
	end := len(field) - 1
	return end > 0 && (field[end] == ':' || field[end] == '=')
}

// add adds another row, if it has as many columns.
func (s *suspect) add(line int, fields [][]byte) {
	if s.columns != len(fields) {
		return
	}
	s.last = line
	for i, f := range fields {
		v, ok := magnitude(f)
		before, _ := magnitude(s.fields[i])
		s.rising[i] = s.rising[i] && ok && v >= before
		s.numbers[i] = s.numbers[i] && ok
		s.values[i] = v
	}
}

// cells divides a line at the separators of CSV, or else at blanks.
func cells(line []byte) [][]byte {
	for _, comma := range []byte{'|', ';', '\t', ','} {
		if bytes.IndexByte(line, comma) >= 0 {
			return lex.Split(nil, bytes.Trim(line, "| "), comma)
		}
	}
	return bytes.Fields(line)
}

// magnitude parses a number, or a size with its unit such as "4K" and "4KiB".
func magnitude(text []byte) (float64, bool) {
	v, ok := lex.Parse(text)
	if !ok {
		v, ok = sizeWithUnit(text)
	}
	return v.Value, ok
}

// error returns what stopped the rows, and which columns would do.
func (s *suspect) error(p *parser, claimedBy string) *Error {
	row := lex.Short(bytes.Join(s.fields, []byte(" ")))
	if s.why != "" {
		return p.errorf(s.line, "%q is not read as a row: %s", row, s.why)
	}
	rows := "line " + strconv.Itoa(s.line) + " looks like a row"
	if s.last > s.line {
		rows = "lines " + strconv.Itoa(s.line) + " to " + strconv.Itoa(s.last) + " look like rows"
	}
	size, time := s.choose()
	if claimedBy != "" {
		rows += ", but not of " + claimedBy
	}
	if size < 0 || time < 0 {
		return p.errorf(s.line, "%s (%s), but no column of sizes and no other of times is seen; "+
			"known formats are %s", rows, row, Known)
	}
	if s.isScaling(size) {
		return p.errorf(s.line, "%s (%s), but has times of numbers of ranks, not of sizes: "+
			"this is scaling, which Extra-P models; halfpeak simulate predicts it of a program",
			rows, row)
	}
	return p.errorf(s.line, "%s (%s); name the columns of sizes and of times or rates, such as "+
		"%s %s (column %d%s%s)", rows, row, p.spell("x", strconv.Itoa(size+1)+":B"),
		p.spell("y", strconv.Itoa(time+1)+":"+s.unit(time)), time+1, s.name(time), s.sure(time))
}

// isScaling reports whether the column that could be sizes has the name of numbers of ranks.
func (s *suspect) isScaling(size int) bool {
	names := s.headings()
	return names != nil && parseColumn([]byte(names[size])).meaning().isPlacement()
}

// choose returns a column that may hold sizes, and one that may hold times; −1 for none.
func (s *suspect) choose() (size, time int) {
	size = s.chooseSize()
	return size, s.chooseTime(size)
}

// chooseSize returns the first column that rises and has whole numbers.
func (s *suspect) chooseSize() int {
	size := -1
	for i, f := range s.fields {
		if !s.numbers[i] || !s.rising[i] || bytes.IndexByte(f, '.') >= 0 {
			continue
		}
		switch name := strings.ToLower(s.name(i)); {
		case strings.Contains(name, "size") || strings.Contains(name, "byte"):
			size = i
		case size < 0:
			size = i
			continue
		// Behind a number of elements, the bytes that they have.
		default:
			count, _ := magnitude(s.fields[size])
			n, _ := magnitude(f)
			if strings.Contains(strings.ToLower(s.name(size)), "byte") ||
				n != 4*count && n != 8*count && n != 2*count ||
				s.values[i]*count != s.values[size]*n {
				continue
			}
			size = i
		}
		break
	}
	return size
}

// chooseTime returns a column whose heading has a unit of time, or else the first with decimals,
// or else the first of numbers beside the sizes.
func (s *suspect) chooseTime(size int) int {
	time := -1
	for i := range s.fields {
		if i == size || !s.numbers[i] {
			continue
		}
		switch {
		case s.unitOf(i) != "" && (time < 0 || s.unitOf(time) == ""):
			time = i
		case time < 0 && bytes.IndexByte(s.fields[i], '.') >= 0:
			time = i
		}
	}
	for i := range s.fields { // whole numbers only
		if time < 0 && i != size && s.numbers[i] {
			time = i
		}
	}
	return time
}

// headings returns the names of the columns if the line before the rows has as many.
func (s *suspect) headings() []string {
	names := headerNames(s.header)
	if parts := cells(bytes.TrimLeft(s.header, "# ")); len(parts) == s.columns {
		names = nil
		for _, f := range parts {
			names = append(names, string(f))
		}
	}
	if len(names) != s.columns {
		return nil
	}
	return names
}

func (s *suspect) name(column int) string {
	if names := s.headings(); names != nil {
		return " is " + strconv.Quote(lex.Short([]byte(names[column])))
	}
	if column > 0 && isLabel(s.fields[column-1]) {
		return " is " + strconv.Quote(lex.Short(s.fields[column-1]))
	}
	return ""
}

// unitOf returns the unit of time that the heading of a column names, "" if it names none.
func (s *suspect) unitOf(column int) string {
	names := s.headings()
	if names == nil {
		return ""
	}
	name := strings.ToLower(names[column])
	for _, u := range []struct{ part, unit string }{
		{"usec", "us"}, {"microsec", "us"}, {"(us", "us"}, {"[us", "us"}, {"_us", "us"},
		{", us", "us"},
		{"msec", "ms"}, {"millisec", "ms"}, {"(ms", "ms"}, {"[ms", "ms"}, {"_ms", "ms"},
		{"nsec", "ns"}, {"nanosec", "ns"}, {"(ns", "ns"}, {"[ns", "ns"}, {"_ns", "ns"},
	} {
		if strings.Contains(name, u.part) {
			return u.unit
		}
	}
	return ""
}

func (s *suspect) unit(column int) string {
	if u := s.unitOf(column); u != "" {
		return u
	}
	return "us"
}

func (s *suspect) sure(column int) string {
	if s.unitOf(column) != "" {
		return ""
	}
	return "; put its unit there: ns, us, ms, s, MB/s"
}

// noTable returns why a file has no table. claimed is the first line that the reader of the named
// benchmark took, 0 if none did.
func (x *search) noTable(p *parser, claimed int, claimedBy string) *Error {
	f, row := p.file, x.first
	if len(p.builders) > 0 {
		b := p.builders[0]
		for _, t := range b.tallies {
			if t.what == unusable || t.what == noTime {
				return p.errorf(t.first, "no row of %s has a usable size and time", b.table.Name())
			}
		}
	}
	switch {
	case f.Lines == 0:
		return p.errorf(0, "the file is empty; the benchmark may have said why on the "+
			"terminal (calibrate needs at least two ranks)")
	// From the most certain reason to the least: what a reader has warned of, a row that a format
	// has refused, a benchmark without rows, a line that is nearly a header, lines of numbers.
	case x.comma > 0:
		return p.errorf(x.comma, "numbers with a comma, as in 3,57; write them with a point: "+
			"sed 's/,/./g' %s > points.txt", f.Name)
	case len(f.Warnings) > 0:
		return p.errorf(0, "%s", strings.Join(f.Warnings, "; "))
	case row != nil && (row.why != "" || claimed > 0):
		return row.error(p, claimedBy)
	case claimed > 0:
		return p.errorf(claimed,
			"the output of %s has no row with a size and a time; did the run fail, or was the "+
				"output cut off?", claimedBy)
	case p.hint != nil:
		return p.hint
	case row != nil:
		return row.error(p, "")
	case len(p.builders) > 0:
		b := p.builders[0]
		return p.errorf(b.table.Line, "the header of %s is not followed by a row", b.table.Name())
	}
	return p.errorf(0, "no table of sizes and times in %s; known formats are %s",
		lex.Plural(f.Lines, "line"), Known)
}
