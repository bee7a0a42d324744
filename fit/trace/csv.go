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

// columns are the places of what is read in a row; −1 is none.
type columns struct {
	size, time, min, max, median, packet int
	burst, delta                         int
	groups                               []int
	sizeUnit, packetUnit, deltaUnit      float64 // bytes, bytes, µs
	timeUnit                             float64 // µs; of a rate, bytes/µs
	minUnit, maxUnit, medianUnit         float64
	rate                                 bool    // the time is size over a rate
	check                                int     // a rate beside the time, −1 for none
	checkUnit                            float64 // bytes/µs
	kind                                 Kind
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
var headerWords = [][]byte{[]byte("size"), []byte("byte"), []byte("msg"), []byte("message"), []byte("len"), []byte("burst"), []byte("kib"), []byte("(b)"), []byte("[b]"), []byte("n,"), []byte("x,")}

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

// columnOption splits "time:ms" into the column and its unit.
func columnOption(opt string) (column, unit string) {
	if i := strings.LastIndexByte(opt, ':'); i >= 0 {
		if _, ok := quantity.Unit(opt[i+1:]); ok {
			return opt[:i], opt[i+1:]
		}
	}
	return opt, ""
}

var noColumns = columns{size: -1, time: -1, min: -1, max: -1, median: -1, packet: -1, burst: -1, delta: -1, check: -1}

func (c *columns) setTime(u quantity.Value, base string) bool {
	switch u.Dim {
	case quantity.DimTime:
		c.timeUnit = u.Num
	case quantity.DimRate:
		c.timeUnit, c.rate = u.Num, true
	default:
		return false
	}
	c.kind = kindOf(base, c.rate)
	return true
}

// kindOf says what the times of a column are, by its name.
func kindOf(base string, rate bool) Kind {
	switch {
	case strings.HasPrefix(base, "rtt") || strings.HasPrefix(base, "round") || base == "prtt" || base == "ping":
		return RoundTrip
	case strings.Contains(base, "gap") || strings.Contains(base, "throughput"):
		return Gap
	case base == "o_s" || base == "os" || strings.HasPrefix(base, "send_overhead"):
		return SendOverhead
	case base == "o_r" || base == "or" || strings.HasPrefix(base, "receive_overhead"):
		return ReceiveOverhead
	case rate && !strings.Contains(base, "bandwidth") && base != "bw":
		return Gap
	}
	return OneWay
}

// A columnName is a header taken apart: "msg size [KiB]" is msg_size and KiB.
type columnName struct {
	full, base string
	unit       quantity.Value
	hasUnit    bool
}

func parseColumn(text []byte) columnName {
	full := strings.TrimSpace(string(text))
	c := columnName{full: full, base: full}
	try := func(base, unit string) bool {
		unit = strings.TrimSpace(unit)
		u, ok := quantity.Unit(unit)
		if !ok {
			u, ok = quantity.Unit(strings.ToLower(unit))
		}
		if !ok {
			u, ok = map[string]quantity.Value{ // what keys can spell
				"mb_s": {Num: 1, Dim: quantity.DimRate}, "gb_s": {Num: 1e3, Dim: quantity.DimRate},
				"mib_s": {Num: (1 << 20) / 1e6, Dim: quantity.DimRate},
			}[strings.ToLower(unit)]
		}
		if ok && u.Dim != quantity.DimNone {
			c.base, c.unit, c.hasUnit = base, u, true
		}
		return c.hasUnit
	}
	for _, pair := range []string{"()", "[]"} {
		if i := strings.IndexByte(full, pair[0]); i >= 0 && strings.HasSuffix(full, pair[1:]) && try(full[:i], full[i+1:len(full)-1]) {
			break
		}
	}
	for i := strings.IndexAny(full, "_ -./:"); !c.hasUnit && i >= 0; {
		if try(full[:i], full[i+1:]) {
			break
		}
		next := strings.IndexAny(full[i+1:], "_ -./:")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if !c.hasUnit && len(full) > 1 { // "t" and "m" are names, not units
		try("", full)
	}
	c.base = strings.Join(strings.FieldsFunc(strings.ToLower(c.base), func(r rune) bool { return strings.ContainsRune("_ -./", r) }), "_")
	return c
}

var (
	sizeNames = set("", "size", "bytes", "nbytes", "msg_size", "msgsize", "message_size", "messagesize", "message", "msg", "msglen", "n", "len", "length", "x")
	// timeNames in the order of preference.
	timeNames   = []string{"one_way", "oneway", "latency", "lat", "time", "t_avg", "avg", "average", "mean", "t", "duration", "elapsed", "usec", "rtt", "round_trip", "prtt", "interval", "gap"}
	groupNames  = set("stage", "transport", "program", "op", "operation", "benchmark", "test", "series", "platform", "layer", "method", "name", "host")
	minNames    = set("min", "t_min", "time_min", "min_time", "one_way_low", "lat_min", "minimum")
	maxNames    = set("max", "t_max", "time_max", "max_time", "one_way_high", "lat_max", "maximum")
	medianNames = set("p50", "median", "t_median")
)

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// columns finds the columns of a header. It returns nil if the line is no header,
// with the reason if it is nearly one.
func (f *csv) columns(p *parser, names [][]byte) (*columns, string) {
	c := noColumns
	cols := make([]columnName, len(names))
	timeRank := len(timeNames) + 2
	xName, xUnit := columnOption(p.opt.X)
	yName, yUnit := columnOption(p.opt.Y)
	noUnit := ""
	burst, delta := -1, -1
	timeAt := -1
	for i, text := range names {
		col := parseColumn(text)
		cols[i] = col
		number := strconv.Itoa(i + 1)
		isX := xName != "" && (col.full == xName || number == xName)
		isY := yName != "" && (col.full == yName || number == yName)
		if isX && xUnit != "" {
			col.unit, col.hasUnit = quantity.Unit(xUnit)
		}
		if isY && yUnit != "" {
			col.unit, col.hasUnit = quantity.Unit(yUnit)
		}
		cols[i] = col
		if isX || xName == "" && c.size < 0 && sizeNames[col.base] && (!col.hasUnit && col.base != "" || col.unit.Dim == quantity.DimSize) {
			if col.hasUnit && col.unit.Dim != quantity.DimSize {
				return nil, "column " + strconv.Quote(col.full) + " is not a size"
			}
			c.size, c.sizeUnit = i, 1
			if col.hasUnit {
				c.sizeUnit = col.unit.Num
			}
			continue
		}
		if isY {
			timeAt, timeRank = i, -1
			continue
		}
		isTime := col.hasUnit && col.unit.Dim == quantity.DimTime
		switch {
		case (col.base == "packet" || col.base == "packet_size") && (!col.hasUnit || col.unit.Dim == quantity.DimSize):
			c.packet, c.packetUnit = i, 1
			if col.hasUnit {
				c.packetUnit = col.unit.Num
			}
		case groupNames[col.base] && !col.hasUnit:
			c.groups = append(c.groups, i)
		case col.base == "burst" || col.base == "messages" && !col.hasUnit || col.full == "M":
			burst = i
		case (col.base == "delta" || col.base == "δ") && isTime:
			delta, c.deltaUnit = i, col.unit.Num
		case minNames[col.base] && isTime:
			c.min, c.minUnit = i, col.unit.Num
		case maxNames[col.base] && isTime:
			c.max, c.maxUnit = i, col.unit.Num
		case medianNames[col.base] && isTime:
			c.median, c.medianUnit = i, col.unit.Num
		case yName == "":
			rank := len(timeNames) + 1
			for r, name := range timeNames {
				if col.base == name {
					rank = r
				}
			}
			switch {
			case isTime:
				if col.base != "" && rank > len(timeNames) {
					rank = len(timeNames)
				}
			case col.hasUnit && col.unit.Dim == quantity.DimRate:
				rank = len(timeNames) + 1
				if strings.Contains(col.base, "bandwidth") || col.base == "bw" {
					c.check, c.checkUnit = i, col.unit.Num
				}
			case rank < len(timeNames) && !col.hasUnit:
				noUnit = col.full
				continue
			default:
				continue
			}
			if rank < timeRank {
				timeAt, timeRank = i, rank
			}
		}
	}
	if burst >= 0 && delta >= 0 && c.size < 0 {
		c.burst, c.delta = burst, delta
	}
	switch {
	case c.size < 0 && c.burst < 0 && xName != "" && (timeAt >= 0 || noUnit != ""):
		return nil, "no column " + strconv.Quote(xName) + " in this header"
	case yName != "" && timeAt < 0 && c.size >= 0:
		return nil, "no column " + strconv.Quote(yName) + " in this header"
	case c.size < 0 && c.burst < 0:
		return nil, ""
	case timeAt < 0 && noUnit != "":
		return nil, "column " + strconv.Quote(noUnit) + " has no unit; write it as " + strconv.Quote(noUnit+"_us") + ", or give the unit with --y " + noUnit + ":us"
	case timeAt < 0:
		return nil, ""
	}
	col := cols[timeAt]
	if !col.hasUnit {
		return nil, "column " + strconv.Quote(col.full) + " has no unit; give it with --y " + col.full + ":us"
	}
	c.time = timeAt
	if !c.setTime(col.unit, col.base) {
		return nil, "column " + strconv.Quote(col.full) + " is neither a time nor a rate"
	}
	for _, g := range c.groups {
		if cols[g].base == "stage" && c.kind == OneWay {
			c.kind = Stage
		}
	}
	if c.burst >= 0 {
		c.kind = Interval
	}
	return &c, ""
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
