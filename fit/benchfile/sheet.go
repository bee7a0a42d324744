package benchfile

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/column"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A sheet reads the rows under a header, of CSV or JSON. Columns other than sizes and times may
// split the rows into several tables; see splitter.
type sheet struct {
	format string     // of the tables
	header []byte     // of the open tables, as it stood; nil if none is open
	width  int        // number of columns
	row    column.Row // the current row
	kind   Kind       // of the tables
	split  splitter
	unit   []byte  // of the last row, where a column has it
	scale  float64 // of that unit
}

// open closes the open tables and opens the tables of a header.
func (s *sheet) open(p *parser, header []byte, names []column.Name, comma byte, c *column.Columns) {
	s.close(p)
	s.header, s.width = append([]byte{}, header...), len(names)
	s.row.Comma, s.row.Columns = comma, c
	s.unit, s.scale = nil, 0
	s.kind = kindOf(c.Base, c.Rate)
	c.SetBounds(s.kind == OneWay)
	switch {
	case c.Has(column.Burst):
		s.kind = Interval
	case c.Stage && s.kind == OneWay:
		s.kind = Stage
	}
	if c.Assumed {
		p.warn("line %d: the header has no unit for the times; it is %s, as line %d says", p.file.Lines, p.unit, p.unitAt)
	}
	if c.Unread != "" {
		p.warn("line %d: column %q has no unit and is not read; give it with %s", p.file.Lines, c.Unread, p.spell("y", lex.Quote(c.Unread)+":us"))
	}
	s.split = newSplitter(p, names, c, Table{Format: s.format, Kind: s.kind})
}

func kindOf(name string, rate bool) Kind {
	switch {
	case strings.HasPrefix(name, "rtt") || strings.HasPrefix(name, "round") || name == "prtt" || name == "ping":
		return RoundTrip
	case strings.Contains(name, "gap") || strings.Contains(name, "throughput"):
		return Gap
	case name == "o_s" || name == "os" || strings.HasPrefix(name, "send_overhead"):
		return SendOverhead
	case name == "o_r" || name == "or" || strings.HasPrefix(name, "receive_overhead"):
		return ReceiveOverhead
	case rate && !strings.Contains(name, "bandwidth") && name != "bw":
		return Gap
	}
	return OneWay
}

// close ends the open tables, now that all their rows are known.
func (s *sheet) close(p *parser) {
	s.split.end(p)
	s.split = splitter{}
}

// take reads the current row. It returns false for any other line: noise, or another header.
func (s *sheet) take(p *parser) bool {
	r := &s.row
	n, at, timeAt := len(r.Fields), r.Key(), r.At[column.Time]
	if r.Comma == ' ' && n != s.width {
		if n > s.width && column.IsRow(r.Fields, ' ') {
			s.tooMany(p)
			return true
		}
		return false // prose is full of blanks
	}
	if at >= n || timeAt >= n {
		if _, ok := r.Number(0); !ok || n > 1 && at >= n {
			return false
		}
		if p.lines.Partial {
			p.warn("line %d: the last row is cut off; it is left out", p.file.Lines)
		} else {
			p.badRow("%s, want the %d of the header; mend or remove the row", lex.Plural(n, "value"), max(at, timeAt)+1)
		}
		return true
	}
	size, okSize := r.Number(at)
	t, okTime := r.Number(timeAt)
	if okSize {
		for len(r.Fields) > s.width && len(r.Fields[len(r.Fields)-1]) == 0 { // a comma at the end
			r.Fields = r.Fields[:len(r.Fields)-1]
		}
		if len(r.Fields) > s.width {
			s.tooMany(p)
			return true
		}
	}
	sizeText, timeText := r.Fields[at], r.Fields[timeAt]
	switch {
	case okSize && len(timeText) == 0: // no value, as in a sparse table
		s.split.table(p, r).row(row{})
	case !okSize && !okTime && !isNaN(timeText):
		return false
	case !okSize:
		p.badRow("size %q is not a number; mend or remove the row%s", lex.Short(sizeText), thousands(sizeText))
	case !okTime:
		p.badRow("time %q is not a number; mend or remove the row%s", lex.Short(timeText), thousands(timeText))
	case t.Value <= 0 && r.Rate:
		p.badRow("rate %s is not above 0; mend or remove the row", timeText)
	case t.Value <= 0:
		p.badRow("time %s is not above 0; mend or remove the row", timeText)
	case r.Has(column.Unit) && !s.readUnit():
		p.badRow("unit %q is not one of time; write ns, us, ms or s", lex.Short(r.Fields[min(r.At[column.Unit], len(r.Fields)-1)]))
	case r.Has(column.Burst):
		s.burst(p, size.Value, t)
	default:
		s.add(p, size.Value*r.Scale[column.Size], t)
	}
	return true
}

func (s *sheet) tooMany(p *parser) {
	hint := ""
	if s.row.Comma == ',' {
		hint = "; a number with a comma in it is written without it (1600), decimal commas want \";\" between values, text with commas wants quotes"
	}
	p.badRow("%s, want the %d of the header; mend or remove the row%s", lex.Plural(len(s.row.Fields), "value"), s.width, hint)
}

// thousands returns a hint if the text would be a number without its commas, else "".
func thousands(text []byte) string {
	if i := bytes.IndexByte(text, ','); i > 0 {
		if _, ok := lex.Parse(bytes.ReplaceAll(text, []byte(","), nil)); ok {
			return " (write numbers without thousands commas)"
		}
	}
	return ""
}

func isNaN(b []byte) bool {
	s := strings.TrimLeft(strings.ToLower(lex.Short(b)), "+-")
	return s == "nan" || strings.HasPrefix(s, "inf")
}

// readUnit reads the unit of the row's time, and reports whether it is one.
func (s *sheet) readUnit() bool {
	at := s.row.At[column.Unit]
	if at >= len(s.row.Fields) {
		return false
	}
	if text := s.row.Fields[at]; s.scale == 0 || !bytes.Equal(text, s.unit) {
		u, ok := column.UnitNamed(string(bytes.Trim(text, "()[] ")))
		if !ok || u.Dim != quantity.DimTime {
			return false
		}
		s.unit, s.scale = append(s.unit[:0], text...), u.Num
	}
	return true
}

// add adds the current row, with a size in bytes, and a time or rate as it is printed.
func (s *sheet) add(p *parser, bytes float64, t lex.Number) {
	r := &s.row
	size := r.Fields[r.At[column.Size]]
	switch {
	case bytes < 0:
		p.badRow("size %s is negative; mend or remove the row", size)
		return
	case bytes > float64(quantity.MaxBytes):
		p.badRow("size %s is above 8 PiB; mend or remove the row", size)
		return
	case bytes != math.Trunc(bytes):
		p.badRow("size %s is not a whole number of bytes; mend or remove the row, or give the unit of sizes with %s", size, p.spell("x", "COLUMN:UNIT"))
		return
	}
	b := s.split.table(p, r)
	unit := r.Scale[column.Time]
	if r.Has(column.Unit) {
		unit = s.scale
	}
	x := row{size: bytes, time: t.Value * unit}
	if r.Rate {
		if bytes == 0 { // the rate of an empty message has no time
			x = row{}
		}
		x.time = bytes / x.time
		b.row(x)
		return
	}
	b.resolution(t.Quantum() * unit)
	x.min, x.max, x.median = r.Value(column.Min), r.Value(column.Max), r.Value(column.Median)
	b.row(x)
	if s.kind == OneWay {
		contradicts(b, x, r.Value(column.Check))
	}
}

// contradicts warns, once for each table, if the bandwidth beside the time is not size over time.
// It tolerates a difference of 3 %, as of rounded numbers.
func contradicts(b *builder, r row, rate float64) {
	if rate == 0 || b.warned || r.size == 0 {
		return
	}
	if ratio := rate * r.time / r.size; ratio < 0.97 || ratio > 1.03 {
		b.warnOnce("the bandwidth contradicts the time in line " + strconv.Itoa(b.file.Lines) + ": it is " + strconv.FormatFloat(ratio, 'g', 3, 64) + " times size over time (units of 2²⁰ or of bits?); the times count")
	}
}

// burst adds the current row as a point of a LogP signature with m messages.
func (s *sheet) burst(p *parser, m float64, t lex.Number) {
	r := &s.row
	var delta lex.Number
	at, ok := r.At[column.Delta], false
	if at < len(r.Fields) {
		delta, ok = r.Number(at)
	}
	if !ok || delta.Value < 0 || m < 1 || m > 1e9 || m != math.Trunc(m) {
		p.badRow("a burst is a whole number of messages from 1 and a delta from 0; mend or remove the row")
		return
	}
	b := s.split.table(p, r)
	unit := r.Scale[column.Time]
	wait, interval := delta.Value*r.Scale[column.Delta], t.Value*unit
	if !goodTime(interval) || wait > 0 && !goodTime(wait) || len(b.table.Bursts) >= maxSizes {
		b.row(row{}) // dropped and counted
		return
	}
	b.resolution(t.Quantum() * unit)
	b.table.Rows++
	b.table.Bursts = append(b.table.Bursts, Burst{Messages: int(m), Delta: quantity.Micros(wait), Interval: quantity.Micros(interval), Line: p.file.Lines})
}
