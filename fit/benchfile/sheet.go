package benchfile

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A sheet reads the rows under a header, of CSV or JSON. Columns other than sizes and times may
// split the rows into several tables; see splitter.
type sheet struct {
	format string   // of the tables
	header []byte   // of the open tables, as it stood; nil if none is open
	width  int      // number of columns
	row    sheetRow // the current row
	kind   Kind     // of the tables
	split  splitter
	unit   []byte  // of the last row, where a column has it
	scale  float64 // of that unit
}

// open closes the open tables and opens the tables of a header.
func (s *sheet) open(p *parser, header []byte, names []columnName, comma byte, c *columns) {
	s.close(p)
	// A copy, as the line is valid until the next one only. Not nil even if it is empty: nil
	// means closed.
	s.header, s.width = append([]byte{}, header...), len(names)
	s.row.comma, s.row.columns = comma, c
	s.unit, s.scale = nil, 0
	s.kind = kindOf(c.base, c.rate)
	c.setBounds(s.kind == OneWay)
	switch {
	case c.has(colBurst):
		s.kind = Interval
	case c.stage && s.kind == OneWay:
		s.kind = Stage
	}
	if c.assumed {
		p.warn("line %d: the header has no unit for the times; it is %s, as line %d says",
			p.file.Lines, p.unit, p.unitAt)
	}
	if c.unread != "" {
		p.warn("line %d: column %q has no unit and is not read; give it with %s",
			p.file.Lines, c.unread, p.spell("y", lex.Quote(c.unread)+":us"))
	}
	s.split = newSplitter(p, names, c, Table{Format: s.format, Kind: s.kind})
}

// kindOf returns the kind of times by the name of their column. A bandwidth is taken as size
// over a one-way time, which is what most people plot; other rates, such as throughput, are
// of streams.
func kindOf(name string, rate bool) Kind {
	switch {
	case strings.HasPrefix(name, "rtt"), strings.HasPrefix(name, "round"),
		name == "prtt", name == "ping":
		return RoundTrip
	case strings.Contains(name, "gap") || strings.Contains(name, "throughput"):
		return Gap
	// LogP's names, as halfpeak writes them.
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
	n, at, timeAt := len(r.fields), r.key(), r.at[colTime]
	if r.comma == ' ' && n != s.width {
		if n > s.width && isRow(r.fields, ' ') {
			s.tooMany(p)
			return true
		}
		return false // prose is full of blanks
	}
	// The row is shorter than its header.
	if at >= n || timeAt >= n {
		if _, ok := r.number(0); !ok || n > 1 && at >= n {
			return false
		}
		p.badRow("%s, want the %d of the header; mend or remove the row",
			lex.Plural(n, "value"), max(at, timeAt)+1)
		return true
	}
	size, okSize := r.number(at)
	t, okTime := r.number(timeAt)
	if okSize {
		for len(r.fields) > s.width && len(r.fields[len(r.fields)-1]) == 0 { // a comma at the end
			r.fields = r.fields[:len(r.fields)-1]
		}
		if len(r.fields) > s.width {
			s.tooMany(p)
			return true
		}
	}
	sizeText, timeText := r.fields[at], r.fields[timeAt]
	switch {
	case okSize && len(timeText) == 0: // no value, as in a sparse table
		s.split.table(p, r).row(row{})
	case !okSize && !okTime && !isNaN(timeText):
		return false
	case !okSize:
		p.badRow("size %q is not a number; mend or remove the row%s",
			lex.Short(sizeText), thousands(sizeText))
	case !okTime:
		p.badRow("time %q is not a number; mend or remove the row%s",
			lex.Short(timeText), thousands(timeText))
	case t.Value <= 0 && r.rate:
		p.badRow("rate %s is not above 0; mend or remove the row", timeText)
	case t.Value <= 0:
		p.badRow("time %s is not above 0; mend or remove the row", timeText)
	case r.has(colUnit) && !s.readUnit():
		unit := r.fields[min(r.at[colUnit], n-1)]
		p.badRow("unit %q is not one of time; write ns, us, ms or s", lex.Short(unit))
	case r.has(colBurst):
		s.burst(p, size.Value, t)
	default:
		s.add(p, size.Value*r.scale[colSize], t)
	}
	return true
}

func (s *sheet) tooMany(p *parser) {
	hint := ""
	if s.row.comma == ',' {
		hint = "; write numbers without thousands commas (1,600 as 1600), " +
			"decimal commas want \";\" between values, text with commas wants quotes"
	}
	p.badRow("%s, want the %d of the header; mend or remove the row%s",
		lex.Plural(len(s.row.fields), "value"), s.width, hint)
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
	at := s.row.at[colUnit]
	if at >= len(s.row.fields) {
		return false
	}
	// Nearly all rows have the unit of the row before, which then need not be looked up.
	if text := s.row.fields[at]; s.scale == 0 || !bytes.Equal(text, s.unit) {
		u, ok := unitNamed(string(bytes.Trim(text, "()[] ")))
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
	size := r.fields[r.at[colSize]]
	switch {
	case bytes < 0:
		p.badRow("size %s is negative; mend or remove the row", size)
		return
	// A number that large is of another column, or has lost its decimal point.
	case bytes > float64(quantity.MaxBytes):
		p.badRow("size %s is above 8192 TiB; mend or remove the row", size)
		return
	case bytes != math.Trunc(bytes):
		p.badRow("size %s is not a whole number of bytes; mend or remove the row, "+
			"or give the unit of sizes with %s", size, p.spell("x", "COLUMN:UNIT"))
		return
	}
	b := s.split.table(p, r)
	unit := r.scale[colTime]
	// The unit of this row, which may differ from that of the row before.
	if r.has(colUnit) {
		unit = s.scale
	}
	x := row{size: bytes, time: t.Value * unit}
	if r.rate {
		if bytes == 0 { // the rate of an empty message has no time
			x = row{}
		}
		x.time = bytes / x.time
		b.row(x)
		return
	}
	b.resolution(t.Quantum() * unit)
	x.min, x.max, x.median = r.value(colMin), r.value(colMax), r.value(colMedian)
	b.row(x)
	if s.kind == OneWay {
		contradicts(b, x, r.value(colCheck))
	}
}

// contradicts warns, once for each table, if the bandwidth beside the time is not size over time.
// It tolerates a difference of 3 %, as of rounded numbers.
func contradicts(b *builder, r row, rate float64) {
	if rate == 0 || b.warned || r.size == 0 {
		return
	}
	// MB of 2²⁰ bytes are 4.9 % larger than those of 10⁶, so 3 % tells them apart.
	if ratio := rate * r.time / r.size; ratio < 0.97 || ratio > 1.03 {
		b.warnOnce(fmt.Sprintf("the bandwidth contradicts the time in line %d: it is %.3g times "+
			"size over time (units of 2²⁰ or of bits?); the times count", b.file.Lines, ratio))
	}
}

// burst adds the current row as a point of a LogP signature with m messages.
func (s *sheet) burst(p *parser, m float64, t lex.Number) {
	r := &s.row
	var delta lex.Number
	at, ok := r.at[colDelta], false
	if at < len(r.fields) {
		delta, ok = r.number(at)
	}
	// A thousand million messages would take minutes: such a number is of another column.
	if !ok || delta.Value < 0 || m < 1 || m > 1e9 || m != math.Trunc(m) {
		p.badRow("a burst is a whole number of messages from 1 and a delta from 0; " +
			"mend or remove the row")
		return
	}
	b := s.split.table(p, r)
	unit := r.scale[colTime]
	wait, interval := delta.Value*r.scale[colDelta], t.Value*unit
	if !goodTime(interval) || wait > 0 && !goodTime(wait) || len(b.table.Bursts) >= maxSizes {
		b.row(row{}) // dropped and counted
		return
	}
	b.resolution(t.Quantum() * unit)
	b.table.Rows++
	b.table.Bursts = append(b.table.Bursts, Burst{
		Messages: int(m), Delta: quantity.Micros(wait), Interval: quantity.Micros(interval),
		Line: p.file.Lines,
	})
}
