package benchfile

import (
	"bytes"
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

	sizeScale, timeScale float64 // of the current row: to bytes, and to µs or bytes/µs
	remarks              int     // number of rows with a remark behind them
	tens                 tens
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
	s.tens = tens{open: c.decimal > 0 && !c.has(colBurst)}
	if len(c.others) > 0 {
		p.note("line %d: column %q is read; not read: %s", p.file.Lines,
			names[c.at[colTime]].full, strings.Join(c.others, ", "))
	}
}

// tens decides whether sizes in KB, MB or GB are of powers of ten or of two, from the first rows:
// which of them makes sizes whole, and which agrees with a bandwidth beside the time.
type tens struct {
	open     bool // undecided: rows are held
	rows     []openRow
	ten, two int // number of rows that speak for each
}

// An openRow is a row that waits for a decision.
type openRow struct {
	fields       [][]byte
	line, object int
}

// maxOpenRows is the number of rows that wait at most: benchmarks print 20 to 30 sizes.
const maxOpenRows = 64

// hold keeps the current row until the unit of sizes is decided.
func (s *sheet) hold(p *parser) bool {
	r := &s.row
	at, timeAt := r.at[colSize], r.at[colTime]
	if at >= len(r.fields) || timeAt >= len(r.fields) {
		return s.takeDecided(p)
	}
	size, ok := r.number(at)
	t, okTime := r.number(timeAt)
	if !ok || !okTime {
		return s.takeDecided(p)
	}
	two, ten := size.Value*r.scale[colSize], size.Value*r.decimal
	switch isTwo, isTen := isWholeNumber(two), isWholeNumber(ten); {
	case isTen && !isTwo:
		s.tens.ten++
	case isTwo && !isTen:
		s.tens.two++
	}
	if check := r.at[colCheck]; check >= 0 && check != timeAt && check < len(r.fields) && !r.rate {
		moved := r.value(colCheck) * t.Value * r.scale[colTime]
		// The two differ by 2.4 % or more.
		if near := math.Abs(moved/ten - 1); near < 0.01 {
			s.tens.ten += 2
		} else if math.Abs(moved/two-1) < 0.01 {
			s.tens.two += 2
		}
	}
	row := openRow{line: p.file.Lines, object: p.object}
	for _, f := range r.fields {
		row.fields = append(row.fields, bytes.Clone(f))
	}
	s.tens.rows = append(s.tens.rows, row)
	if len(s.tens.rows) >= maxOpenRows {
		s.decideTens(p)
	}
	return true
}

// takeDecided takes the current row, whose unit decides nothing.
func (s *sheet) takeDecided(p *parser) bool {
	s.tens.open = false
	ok := s.take(p)
	s.tens.open = true
	return ok
}

// decideTens decides the unit of sizes, and takes the rows that have waited for it.
func (s *sheet) decideTens(p *parser) {
	if !s.tens.open {
		return
	}
	t, line, object := s.tens, p.file.Lines, p.object
	s.tens = tens{}
	if t.ten > t.two && len(t.rows) > 0 {
		s.row.scale[colSize] = s.row.decimal
		p.note("sizes are in units of %g bytes, as the rows show", s.row.decimal)
	}
	for _, row := range t.rows {
		p.file.Lines, p.object, s.row.fields = row.line, row.object, row.fields
		s.take(p)
	}
	p.file.Lines, p.object = line, object
}

// close ends the open tables, now that all their rows are known.
func (s *sheet) close(p *parser) {
	s.decideTens(p)
	if s.remarks > 0 {
		p.note("%s read without the remark behind", quantity.Plural(s.remarks, "row"))
		s.remarks = 0
	}
	s.split.end(p)
	s.split = splitter{}
}

// take reads the current row. It returns false for any other line: noise, or another header.
func (s *sheet) take(p *parser) bool {
	if s.tens.open {
		return s.hold(p)
	}
	r := &s.row
	if r.comma == ' ' && len(r.fields) != s.width {
		if taken, done := s.cutRemark(p); done {
			return taken
		}
	}
	n, at, timeAt := len(r.fields), r.key(), r.at[colTime]
	// The row is shorter than its header.
	if at >= n || timeAt >= n {
		if _, ok := r.number(0); !ok || n > 1 && at >= n {
			return false
		}
		p.badRow("%s, want the %d of the header; mend or remove the row",
			quantity.Plural(n, "value"), max(at, timeAt)+1)
		return true
	}
	size, okSize := s.sizeOf(at)
	t, okTime := s.timeOf(timeAt)
	if okSize {
		for len(r.fields) > s.width && len(r.fields[len(r.fields)-1]) == 0 { // a comma at the end
			r.fields = r.fields[:len(r.fields)-1]
		}
		if len(r.fields) > s.width {
			s.tooMany(p)
			return true
		}
	}
	if !okSize && !okTime && !isNaN(r.fields[timeAt]) {
		return false
	}
	s.value(p, size, t, okSize, okTime)
	return true
}

// cutRemark cuts the remark off a row of more values, between blanks, than the header has columns.
// done reports that nothing is left to read; taken, whether the line was a row then.
func (s *sheet) cutRemark(p *parser) (taken, done bool) {
	r := &s.row
	if len(r.fields) < s.width || !isRow(r.fields[:s.width], ' ') {
		return false, true // prose is full of blanks
	}
	if _, ok := r.number(s.width); ok {
		if s.split.rows == 0 { // an index without a name, as pandas prints it
			return false, true
		}
		s.tooMany(p)
		return true, true
	}
	// A remark stands behind signs, as "<-- jump", or the line is a sentence.
	if !isSign(r.fields[s.width][0]) {
		return false, true
	}
	r.fields = r.fields[:s.width]
	s.remarks++
	return true, false
}

// value adds the size and time of the current row, or says what is wrong with them.
func (s *sheet) value(p *parser, size, t lex.Number, okSize, okTime bool) {
	r := &s.row
	sizeText, timeText := r.fields[r.key()], r.fields[r.at[colTime]]
	switch {
	case okSize && len(timeText) == 0: // no value, as in a sparse table
		s.split.table(p, r).row(row{})
	case !okSize:
		p.badRow("size %q is not a number; mend or remove the row%s",
			lex.Short(sizeText), thousands(sizeText))
	case !okTime:
		p.badRow("time %q is not a number; mend or remove the row%s",
			lex.Short(timeText), thousands(timeText))
	case t.Value < 0 && r.rate:
		p.badRow("rate %s is not above 0; mend or remove the row", timeText)
	case t.Value < 0:
		p.badRow("time %s is not above 0; mend or remove the row", timeText)
	// A rate of an empty message, and one that is rounded to 0.
	case t.Value == 0:
		s.split.table(p, r).count(noTime)
	case r.has(colUnit) && !s.readUnit():
		unit := r.fields[min(r.at[colUnit], len(r.fields)-1)]
		p.badRow("unit %q is not one of time; write ns, us, ms or s", lex.Short(unit))
	case r.has(colBurst):
		s.burst(p, size.Value, t)
	default:
		s.add(p, size.Value*s.sizeScale, t)
	}
}

// sizeOf parses the size of the row, and sets the scale that makes it bytes.
func (s *sheet) sizeOf(at int) (lex.Number, bool) {
	r := &s.row
	s.sizeScale = r.scale[colSize]
	if at != r.at[colSize] { // of a burst
		return r.number(at)
	}
	v, ok := r.number(at)
	if !ok {
		// The unit of a value is surer than that of its column.
		var u quantity.Value
		v, u, ok = withUnit(r.fields[at])
		s.sizeScale, ok = u.Num, ok && u.Dim == quantity.DimSize
	}
	return v, ok
}

// timeOf parses the time or rate of the row, and sets the scale that makes it µs or bytes/µs.
func (s *sheet) timeOf(at int) (v lex.Number, ok bool) {
	r := &s.row
	s.timeScale = r.scale[colTime]
	text := r.fields[at]
	if v, ok = r.number(at); ok {
		return v, true
	}
	number, rest, _ := bytes.Cut(text, []byte(" "))
	rest = bytes.TrimLeft(rest, " ")
	deviates := bytes.HasPrefix(rest, []byte("±")) || bytes.HasPrefix(rest, []byte("+/-"))
	if v, ok = lex.Parse(number); ok && len(rest) > 0 && (isSign(rest[0]) || deviates) {
		s.remarks++
		return v, true
	}
	v, u, known := withUnit(text)
	isTime := u.Dim == quantity.DimTime && !r.rate || u.Dim == quantity.DimRate && r.rate
	s.timeScale = u.Num
	return v, known && isTime
}

func (s *sheet) tooMany(p *parser) {
	hint := ""
	if s.row.comma == ',' {
		hint = "; write numbers without thousands commas (1,600 as 1600), " +
			"decimal commas want \";\" between values, text with commas wants quotes"
	}
	p.badRow("%s, want the %d of the header; mend or remove the row%s",
		quantity.Plural(len(s.row.fields), "value"), s.width, hint)
}

// readUnit reads the unit of the row's time, and reports whether it is one.
func (s *sheet) readUnit() bool {
	at := s.row.at[colUnit]
	if at >= len(s.row.fields) {
		return false
	}
	// Nearly all rows have the unit of the row before, which then need not be looked up.
	if text := s.row.fields[at]; s.scale == 0 || !bytes.Equal(text, s.unit) {
		u, _, ok := unitNamed(string(bytes.Trim(text, "()[] ")))
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
	case isWholeNumber(bytes) && bytes != math.Trunc(bytes): // 0.7 of a unit of ten
		bytes = math.Round(bytes)
	case bytes != math.Trunc(bytes) && size[len(size)-1] > '9': // with a unit of its own, as 1.1MB
		s.split.table(p, r).count(roundedSize)
		return
	case bytes != math.Trunc(bytes):
		p.badRow("size %s is not a whole number of bytes; mend or remove the row, "+
			"or give the unit of sizes with %s", size, p.spell("x", "COLUMN:UNIT"))
		return
	}
	b := s.split.table(p, r)
	unit := s.timeScale
	// The unit of this row, which may differ from that of the row before.
	if r.has(colUnit) {
		unit = s.scale
	}
	m := measurement{size: bytes, value: t.Value * unit, isRate: r.rate}
	m.quantum = t.Quantum() * unit
	// Rates that a person has written as whole numbers are not rounded to them.
	if t.Exp != 0 {
		m.half = m.quantum / 2
	}
	s.check(b)
	m.min, m.max, m.median = r.value(colMin), r.value(colMax), r.value(colMedian)
	b.measure(m, p.file.Lines)
	if s.kind == OneWay && !r.rate {
		contradicts(b, bytes, m.value, r.value(colCheck))
	}
}

// check counts a row whose results were wrong.
func (s *sheet) check(b *builder) {
	if at := s.row.at[colValid]; at >= 0 && at < len(s.row.fields) && failed(s.row.fields[at]) {
		b.count(invalid)
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
