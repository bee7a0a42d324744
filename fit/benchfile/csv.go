package benchfile

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// csv reads tables of comma, semicolon, tab or blank separated values under a
// header that names columns and units: "size_bytes,time_us", "size (KiB)", "t [ms]". The
// unit of the times may also stand in a line of units under the header, in a column
// "unit", or in a comment before. Between semicolons, a comma in a number is a decimal one.
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
	header  []byte // of the open table, as it stood
	width   int    // columns of the header
	comma   byte
	cols    columns
	fields  [][]byte
	split   splitter
	seen    bool     // the first line with columns has been looked at
	format  string   // of the tables; "csv" if empty
	pending [][]byte // a header without the unit of its times, in the line before
	between byte     // its separator
	unit    []byte   // of the last row, where a column has it
	scale   float64  // of that unit
}

func (f *csv) take(p *parser, line []byte) bool {
	if f.header != nil {
		if len(line) == len(f.header) && bytes.Equal(line, f.header) {
			if f.split.rows > 0 {
				p.note("the header comes again in line %d: what follows is a table of its own", p.file.Lines)
			}
			return f.start(p, line)
		}
		f.fields = lex.Split(f.fields[:0], line, f.comma)
		if f.row(p, len(f.fields)) {
			return true
		}
	}
	return f.start(p, line)
}

func (f *csv) end(p *parser) { f.close(p) }

// open closes the open tables and opens the tables of a header.
func (f *csv) open(p *parser, header []byte, names [][]byte, comma byte, c columns) {
	f.close(p)
	f.header, f.comma, f.cols, f.width = append([]byte{}, header...), comma, c, len(names)
	f.unit, f.scale = nil, 0
	if c.assumed {
		p.warn("line %d: the header has no unit for the times; it is %s, as line %d says", p.file.Lines, p.unit, p.unitAt)
	}
	if c.unread != "" {
		p.warn("line %d: column %q has no unit and is not read; give it with %s", p.file.Lines, c.unread, p.spell("y", lex.Quote(c.unread)+":us"))
	}
	f.split = newSplitter(p, names, &f.cols)
}

// close ends the open tables, now that all their rows are known.
func (f *csv) close(p *parser) {
	f.split.end(p)
	f.split = splitter{}
}

// row reads a row of the open table. It returns false for any other line: noise, or another header.
func (f *csv) row(p *parser, n int) bool {
	c := &f.cols
	at, timeAt := c.keyColumn(), c.at[timeColumn]
	if f.comma == ' ' && n != f.width {
		if n > f.width && isRow(f.fields, ' ') {
			f.tooMany(p, n)
			return true
		}
		return false // prose is full of blanks
	}
	if at >= n || timeAt >= n {
		if _, ok := f.number(f.fields[0]); !ok || n > 1 && at >= n {
			return false
		}
		if p.lines.Partial {
			p.warn("line %d: the last row is cut off; it is left out", p.file.Lines)
		} else {
			p.badRow("%s, want the %s of the header; mend or remove the row", lex.Plural(n, "value"), strconv.Itoa(max(at, timeAt)+1))
		}
		return true
	}
	size, okSize := f.number(f.fields[at])
	t, okTime := f.number(f.fields[timeAt])
	if okSize && n > f.width {
		for n > f.width && len(f.fields[n-1]) == 0 { // a comma at the end
			n--
		}
		if n > f.width {
			f.tooMany(p, n)
			return true
		}
	}
	switch {
	case okSize && len(f.fields[timeAt]) == 0: // no value, as in a sparse table
		f.split.table(p, f, n).row(row{})
	case !okSize && !okTime && !isNaN(f.fields[timeAt]):
		return false
	case !okSize:
		p.badRow("size %q is not a number; mend or remove the row%s", lex.Short(f.fields[at]), thousands(f.fields[at]))
	case !okTime:
		p.badRow("time %q is not a number; mend or remove the row%s", lex.Short(f.fields[timeAt]), thousands(f.fields[timeAt]))
	case t.Value <= 0 && c.rate:
		p.badRow("rate %s is not above 0; mend or remove the row", f.fields[timeAt])
	case t.Value <= 0:
		p.badRow("time %s is not above 0; mend or remove the row", f.fields[timeAt])
	case c.has(unitColumn) && !f.readUnit(n):
		p.badRow("unit %q is not one of time; write ns, us, ms or s", lex.Short(f.fields[min(c.at[unitColumn], n-1)]))
	case c.has(burstColumn):
		f.burst(p, size.Value, t)
	default:
		f.add(p, n, size.Value*c.scale[sizeColumn], t)
	}
	return true
}

// add adds a row of n fields with a size in bytes, and a time or rate as it is printed.
func (f *csv) add(p *parser, n int, bytes float64, t lex.Number) {
	c := &f.cols
	size := f.fields[c.at[sizeColumn]]
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
	b := f.split.table(p, f, n)
	unit := c.scale[timeColumn]
	if c.has(unitColumn) {
		unit = f.scale
	}
	r := row{size: bytes, time: t.Value * unit}
	if c.rate {
		if bytes == 0 { // the rate of an empty message has no time
			r = row{}
		}
		r.time = bytes / r.time
		b.row(r)
		return
	}
	b.resolution(t.Quantum() * unit)
	r.min, r.max, r.median = f.value(minColumn, n), f.value(maxColumn, n), f.value(medianColumn, n)
	b.row(r)
	if c.kind == OneWay {
		f.contradicts(b, r, f.value(checkColumn, n))
	}
}

func (f *csv) tooMany(p *parser, n int) {
	hint := ""
	if f.comma == ',' {
		hint = "; a number with a comma in it is written without it (1600), decimal commas want \";\" between values, text with commas wants quotes"
	}
	p.badRow("%s, want the %d of the header; mend or remove the row%s", lex.Plural(n, "value"), f.width, hint)
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

// number parses a number; with separator ';' it may have a decimal comma.
func (f *csv) number(text []byte) (lex.Number, bool) {
	v, ok := lex.Parse(text)
	if !ok && f.comma == ';' {
		v, ok = lex.ParseDecimal(text)
	}
	return v, ok
}

func (f *csv) readUnit(n int) bool {
	at := f.cols.at[unitColumn]
	if at >= n {
		return false
	}
	if text := f.fields[at]; f.scale == 0 || !bytes.Equal(text, f.unit) {
		u, ok := unitNamed(string(bytes.Trim(text, "()[] ")))
		if !ok || u.Dim != quantity.DimTime {
			return false
		}
		f.unit, f.scale = append(f.unit[:0], text...), u.Num
	}
	return true
}

// contradicts warns, once for each table, if the bandwidth beside the time is not size over time.
// It tolerates a difference of 5 %, as between MB and MiB, and the factors of bits and round trips.
func (f *csv) contradicts(b *builder, r row, rate float64) {
	if rate == 0 || b.warned || r.size == 0 {
		return
	}
	if ratio := rate * r.time / r.size; ratio < 0.97 || ratio > 1.03 {
		b.warned = true
		b.warn("the bandwidth contradicts the time in line " + strconv.Itoa(b.parser.file.Lines) + ": it is " + strconv.FormatFloat(ratio, 'g', 3, 64) + " times size over time (units of 2²⁰ or of bits?); the times count")
	}
}

// value returns the value of an optional column in µs, bytes or bytes/µs; 0 if it is missing or not
// above 0.
func (f *csv) value(r columnRole, n int) float64 {
	at := f.cols.at[r]
	if at < 0 || at >= n {
		return 0
	}
	v, _ := f.number(f.fields[at])
	return max(0, v.Value) * f.cols.scale[r]
}

func (f *csv) burst(p *parser, m float64, t lex.Number) {
	var delta lex.Number
	at, ok := f.cols.at[deltaColumn], false
	if at < len(f.fields) {
		delta, ok = f.number(f.fields[at])
	}
	if !ok || delta.Value < 0 || m < 1 || m > 1e9 || m != math.Trunc(m) {
		p.badRow("a burst is a whole number of messages from 1 and a delta from 0; mend or remove the row")
		return
	}
	b := f.split.table(p, f, len(f.fields))
	unit := f.cols.scale[timeColumn]
	wait, interval := delta.Value*f.cols.scale[deltaColumn], t.Value*unit
	if !goodTime(interval) || wait > 0 && !goodTime(wait) || len(b.table.Bursts) >= MaxSizes {
		b.row(row{}) // dropped and counted
		return
	}
	b.resolution(t.Quantum() * unit)
	b.table.Rows++
	b.table.Bursts = append(b.table.Bursts, Burst{Messages: int(m), Delta: quantity.Micros(wait), Interval: quantity.Micros(interval), Line: p.file.Lines})
}

// isNaN reports whether the value is a printed NaN or infinity.
func isNaN(b []byte) bool {
	s := strings.TrimLeft(strings.ToLower(lex.Short(b)), "+-")
	return s == "nan" || strings.HasPrefix(s, "inf")
}
