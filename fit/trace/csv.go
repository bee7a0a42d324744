package trace

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// csv reads tables of comma, semicolon, tab or blank separated values under a
// header that names columns and units: "size_bytes,time_us", "size (KiB)", "t [ms]".
// The columns may stand in any order among others.
//
// A column of names (stage, transport, program, …) makes a table for each name, a
// column of packet sizes one for each packet size. The columns burst, delta and interval
// are a LogP signature. halfpeak's own CSV is read like any other.
//
// In a CSV file nothing else is expected: a row that has a size but no time is an
// error and not noise.
type csv struct {
	header []byte // of the open table, as it stood
	width  int    // columns of the header
	comma  byte
	cols   columns
	fields [][]byte
	tables map[string]*builder
	only   *builder // the table of a file without groups
	seen   bool     // the first line with columns has been looked at
	format string   // of the tables; "csv" if empty
}

func (f *csv) take(p *parser, line []byte) bool {
	if f.header != nil {
		n := f.split(line)
		if f.row(p, line, n) {
			return true
		}
	}
	return f.start(p, line)
}

// split cuts a line into f.fields, without blanks and quotes around the values.
func (f *csv) split(line []byte) int {
	f.fields = splitAt(f.fields[:0], line, f.comma)
	return len(f.fields)
}

func splitAt(into [][]byte, line []byte, comma byte) [][]byte {
	if comma == ' ' {
		return append(into, bytes.Fields(line)...)
	}
	for {
		for len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		if len(line) > 0 && line[0] == '"' {
			// A quoted value may hold the separator; a doubled quote is rare enough to stay.
			if end := bytes.IndexByte(line[1:], '"'); end >= 0 {
				into = append(into, line[1:1+end])
				line = line[end+2:]
				i := bytes.IndexByte(line, comma)
				if i < 0 {
					return into
				}
				line = line[i+1:]
				continue
			}
		}
		i := 0
		for i < len(line) && line[i] != comma { // values are short
			i++
		}
		into = append(into, trimField(line[:i]))
		if i == len(line) {
			return into
		}
		line = line[i+1:]
	}
}

func trimField(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '"') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '"') {
		b = b[:len(b)-1]
	}
	return b
}

// start looks whether a line is a header, or the first row where options stand
// for a header.
func (f *csv) start(p *parser, line []byte) bool {
	if !f.likely(p, line) {
		return false
	}
	header := bytes.TrimSpace(bytes.TrimLeft(line, "#%"))
	for _, comma := range []byte{',', '\t', ';', ' '} {
		names := splitAt(nil, header, comma)
		if len(names) < 2 {
			continue
		}
		first := !f.seen
		f.seen = true
		if isRow(names, comma) {
			return f.headless(p, line, names, comma, first)
		}
		if comma == ' ' && len(names) > 2 && slices.ContainsFunc(names, func(n []byte) bool { return parseColumn(n).base == "" }) {
			continue // a line of units under another header
		}
		c, why := f.columns(p, names)
		if why != "" && (comma != ' ' || len(names) == 2) {
			p.suggest("%s", why)
		}
		if c == nil {
			continue
		}
		p.suggest("the header is not followed by a row")
		f.open(line, comma, *c)
		return true
	}
	return false
}

// likely reports whether it is worth to take a line apart: most lines of a log are
// neither a header nor a row.
func (f *csv) likely(p *parser, line []byte) bool {
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

// headerWords are parts of the names of a column of sizes; those of one letter need
// a unit.
var headerWords = [][]byte{[]byte("size"), []byte("byte"), []byte("msg"), []byte("message"), []byte("len"), []byte("burst"), []byte("kib"), []byte("(b)"), []byte("[b]"), []byte("n,"), []byte(",n"), []byte("x,"), []byte(",x")}

func (f *csv) open(header []byte, comma byte, c columns) {
	f.header, f.comma, f.cols = bytes.Clone(header), comma, c
	f.tables, f.only = map[string]*builder{}, nil
	f.width = len(splitAt(nil, bytes.TrimSpace(bytes.TrimLeft(header, "#%")), comma))
}

// isRow reports whether a line has two numbers or more; between blanks, which
// prose has too, nothing else.
func isRow(values [][]byte, comma byte) bool {
	n := 0
	for _, v := range values {
		if _, ok := parse(v); ok {
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
			p.suggest("numbers without a header; write one such as \"size_bytes,time_us\", or give columns and units with --x 1:bytes --y 2:us")
		}
		return false
	}
	c := noColumns
	c.size, c.time = i-1, j-1
	if xUnit == "" {
		xUnit = "B"
	}
	u, _ := quantity.Unit(xUnit)
	c.sizeUnit = u.Num
	u, ok := quantity.Unit(yUnit)
	if !ok || !c.setTime(u, "") || u.Dim == quantity.DimSize {
		p.suggest("column %d has no unit; give it with --y %d:us", j, j)
		return false
	}
	f.open(nil, comma, c)
	f.header, f.width = []byte{}, len(values) // not nil: a table is open
	return f.row(p, line, f.split(line))
}

// row takes a row of the open table. It is false for a line that is something
// else: noise, or another header.
func (f *csv) row(p *parser, line []byte, n int) bool {
	c := &f.cols
	at := c.size
	if c.burst >= 0 {
		at = c.burst
	}
	if f.comma == ' ' && n != f.width {
		return bytes.Equal(line, f.header) // prose is full of blanks
	}
	if at >= n || c.time >= n {
		if _, ok := parse(f.fields[0]); !ok || n > 1 && at >= n {
			return bytes.Equal(line, f.header) // files put together with their headers
		}
		if p.lines.partial {
			p.warn("line %d: the last row is cut off; it is left out", p.file.Lines)
		} else {
			p.badRow("%s, want the %s of the header; mend or remove the row", plural(n, "value"), itoa(max(at, c.time)+1))
		}
		return true
	}
	size, okSize := parse(f.fields[at])
	t, okTime := parse(f.fields[c.time])
	switch {
	case okSize && len(f.fields[c.time]) == 0: // a value that does not exist
		f.table(p, n).row(row{})
		return true
	case !okSize && !okTime && !isNaN(f.fields[c.time]):
		return bytes.Equal(line, f.header)
	case !okSize:
		p.badRow("size %q is not a number; mend or remove the row", short(f.fields[at]))
		return true
	case !okTime:
		p.badRow("time %q is not a number; mend or remove the row", short(f.fields[c.time]))
		return true
	}
	if t.value <= 0 {
		what := "time"
		if c.rate {
			what = "rate"
		}
		p.badRow("%s %s is not above 0; mend or remove the row", what, f.fields[c.time])
		return true
	}
	if c.burst >= 0 {
		f.burst(p, size.value, t)
		return true
	}
	bytes := size.value * c.sizeUnit
	switch {
	case bytes < 0:
		p.badRow("size %s is negative; mend or remove the row", f.fields[at])
		return true
	case bytes > float64(quantity.MaxBytes):
		p.badRow("size %s is above 8 PiB; mend or remove the row", f.fields[at])
		return true
	case bytes != math.Trunc(bytes):
		p.badRow("size %s is not a whole number of bytes; mend or remove the row, or give the unit of sizes with --x", f.fields[at])
		return true
	}
	b := f.table(p, n)
	r := row{size: bytes, time: t.value * c.timeUnit}
	if c.rate {
		if bytes == 0 { // a rate says nothing of an empty message
			b.row(row{})
			return true
		}
		r.time = bytes / r.time
	} else {
		b.resolution(t.quantum() * c.timeUnit)
		r.min = f.value(c.min, n) * c.minUnit
		r.max = f.value(c.max, n) * c.maxUnit
		r.median = f.value(c.median, n) * c.medianUnit
	}
	b.row(r)
	if !c.rate && c.kind == OneWay && c.size >= 0 {
		f.contradicts(b, r, f.value(c.check, n)*c.checkUnit)
	}
	return true
}

// contradicts warns, once a table, of a bandwidth beside the time that is not size over
// time: by less than the 5 % between MB and MiB, or by the factor of a bit or a
// round trip.
func (f *csv) contradicts(b *builder, r row, rate float64) {
	if rate == 0 || b.warned || r.size == 0 {
		return
	}
	if ratio := rate * r.time / r.size; ratio < 0.97 || ratio > 1.03 {
		b.warned = true
		b.warn("the bandwidth contradicts the time in line " + itoa(b.parser.file.Lines) + ": it is " + strconv.FormatFloat(ratio, 'g', 3, 64) + " times size over time (units of 2²⁰ or of bits?); the times count")
	}
}

// value returns an optional column, 0 if it is not there or no time.
func (f *csv) value(at, n int) float64 {
	if at < 0 || at >= n {
		return 0
	}
	if v, ok := parse(f.fields[at]); ok && v.value > 0 {
		return v.value
	}
	return 0
}

func (f *csv) burst(p *parser, m float64, t number) {
	c := &f.cols
	delta := number{}
	ok := c.delta < len(f.fields)
	if ok {
		delta, ok = parse(f.fields[c.delta])
	}
	if !ok || delta.value < 0 || m < 1 || m > 1e9 || m != math.Trunc(m) {
		p.badRow("a burst is a whole number of messages from 1 and a delta from 0; mend or remove the row")
		return
	}
	b := f.table(p, len(f.fields))
	if !goodTime(t.value*c.timeUnit) || delta.value > 0 && !goodTime(delta.value*c.deltaUnit) || len(b.table.Bursts) >= MaxSizes {
		b.row(row{}) // dropped and counted
		return
	}
	b.resolution(t.quantum() * c.timeUnit)
	b.table.Rows++
	b.table.Bursts = append(b.table.Bursts, Burst{
		Messages: int(m), Delta: quantity.Micros(delta.value * c.deltaUnit),
		Interval: quantity.Micros(t.value * c.timeUnit), Line: p.file.Lines,
	})
}

// table returns the table that the row in f.fields belongs to.
func (f *csv) table(p *parser, n int) *builder {
	c := &f.cols
	if f.only != nil {
		return f.only
	}
	var key []byte
	for _, g := range c.groups {
		if g < n && len(f.fields[g]) > 0 {
			if len(key) > 0 {
				key = append(key, ' ')
			}
			key = append(key, short(f.fields[g])...)
		}
	}
	packet := f.value(c.packet, n) * c.packetUnit
	if packet > 0 {
		key = append(key, " packet "...)
		key = strconv.AppendFloat(key, packet, 'g', -1, 64)
	}
	if b := f.tables[string(key)]; b != nil {
		return b
	}
	b := p.begin(Table{Format: cmp.Or(f.format, "csv"), Kind: c.kind, Title: strings.TrimSpace(string(key)), Packet: quantity.Bytes(packet)})
	if c.rate {
		b.table.Warnings = append(b.table.Warnings, "the times are size over "+c.kind.rateName())
	}
	if len(f.tables) < maxTables {
		f.tables[string(key)] = b
	}
	if len(c.groups) == 0 && c.packet < 0 {
		f.only = b
	}
	return b
}

// rateName says what the rate was that a time comes from.
func (k Kind) rateName() string {
	if k == Gap {
		return "throughput: the gap between messages, not the latency"
	}
	return "bandwidth, taken as that of a one-way time"
}

// isNaN reports whether a value was a number once: NaN, inf.
func isNaN(b []byte) bool {
	s := strings.TrimLeft(strings.ToLower(short(b)), "+-")
	return s == "nan" || strings.HasPrefix(s, "inf")
}

// short returns text fit for a message or a title.
func short(b []byte) string {
	if len(b) > 60 {
		b = b[:60]
	}
	return strings.ToValidUTF8(string(b), "?")
}
