package benchfile

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// perftestText reads what older versions of perftest's --out_json write: keys and words without
// quotes, "MsgSize: 8,", which is no JSON.
type perftestText struct {
	values map[string]string // of an open document; nil if none is open
	tables openTables
}

// perftestPair matches a line of a document without quotes.
var perftestPair = lex.NewPattern(`^(\w+): *([^,{]*?),?$`)

func (f *perftestText) take(p *parser, line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("test_info: {")):
		f.values = map[string]string{}
		return true
	case f.values == nil:
		return false
	case line[0] == '}' || bytes.HasPrefix(line, []byte("results: {")):
		if perftestResult(p, &f.tables, f.values) {
			f.values = nil
		}
		return true
	}
	m := perftestPair().FindSubmatch(line)
	if m != nil && len(f.values) < 100 { // a document has some 30
		f.values[string(m[1])] = string(m[2])
	}
	return m != nil
}

// perftestResult adds the row of a run whose results are known by the names of perftest's JSON. It
// reports whether they are results.
func perftestResult(p *parser, tables *openTables, values map[string]string) bool {
	number := func(key string) lex.Number {
		v, _ := lex.Parse([]byte(values[key]))
		return v
	}
	size := number("MsgSize").Value
	if _, ok := values["MsgSize"]; !ok {
		return false
	}
	title := strings.Join(strings.FieldsFunc(lex.Short([]byte(values["test"])),
		func(r rune) bool { return r == '_' || r == ' ' }), " ")
	t := Table{Format: "perftest", Title: cmp.Or(title, "perftest"), Kind: OneWay}
	r := row{size: size, min: number("t_min").Value, max: number("t_max").Value,
		median: number("t_typical").Value}
	time := number("t_avg")
	if time.Value <= 0 {
		time = number("t_typical")
	}
	if r.time = time.Value; r.time > 0 {
		if strings.Contains(title, "Read") || strings.Contains(title, "Atomic") {
			t.Kind = RoundTrip
		}
		b := tables.table(p, t.Title, t)
		b.resolution(time.Quantum())
		b.row(r)
		return true
	}
	rate := number("MsgRate").Value
	bandwidth := number("BW_average").Value
	t.Kind = Gap
	form, _ := titleOf(rdma.name, []string{title})
	share := t.divide(max(1, form.directions), 1)
	r.time = 1 / (rate * share)
	// The unit of the bandwidth is not written: it is the one that agrees with the message rate,
	// which is rounded more.
	for _, unit := range []float64{(1 << 20) / 1e6, 1e3 / 8} {
		if got := bandwidth * unit / size; rate > 0 && math.Abs(got/rate-1) < 0.05 {
			r.time = 1 / (got * share)
		}
	}
	tables.table(p, t.Title, t).row(r)
	return true
}

// ucx reads ucx_perftest. A run has one size, in its box ("Message size: 8") or its command line
// (-s 8); several runs in a file are one table. The last row of a run counts: "Final:", or the last
// that was printed. From an issue of UCX, with the size on the command line; a run that ends prints
// a last row "Final:" with the same columns:
//
//	$ ./ucx_perftest 172.23.155.50 -t ucp_am_lat -s 30000
//	|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall | …
//	[thread 0]             31045     15.993    16.106    16.106     1776.36    1776.36 …
//
// Other runs have a box before it: "| Test:  tag match latency |", "| Message size:  8 |".
//
// Latency tests print half of a round trip. The time of bandwidth tests is the gap, the inverse of
// the overall message rate.
//
// Tested with a log of unknown version, and files in the shape of UCX 1 written by hand.
type ucx struct {
	size    float64
	sized   bool
	test    string
	final   bool
	pending bool
	thread  string // of the last row
	threads bool   // the rows are of several
	latency float64
	rate    float64
	quantum float64
	inTable bool
	row     lex.Pattern // of the open table
	tables  openTables
	heading string  // of the columns of times: "latency", or "overhead" in tests of bandwidth
	typical float64 // the median time of a row; 0 if it is not printed
	average float64
	bytes   float64 // size by the row: bandwidth times time
	slack   float64 // the uncertainty of that, by rounding
}

var (
	ucxTest    = lex.NewPattern(`-t\s*(\w+)`)
	ucxSize    = lex.NewPattern(`\s-s\s*(\d+)(?:\s|$)`)
	ucxBox     = lex.NewPattern(`^\|\s+Message size:\s+(\d+)`)
	ucxBoxTest = lex.NewPattern(`^\|\s+Test:\s+(.*?)\s*\|`)
	// The header of a table: rows count only behind it.
	ucxStage = lex.NewPattern(`^\|\s+(Stage\s+\|)?.*# iterations`)
	ucxRow   = lex.NewPattern(`^(Final:|\[thread \d+\])\s+(.*)$`)
	// Older versions have no column Stage.
	ucxOldRow = lex.NewPattern(`^()(\d+(?:\s+[\d.]+){6,7})$`)
)

func (f *ucx) take(p *parser, line []byte) bool {
	switch {
	case bytes.Contains(line, []byte("ucx_perftest")):
		f.flush(p)
		// A command line begins a run: it inherits neither size nor test. The tables stay open,
		// since several runs are one table.
		*f = ucx{tables: f.tables}
		if m := ucxTest().FindSubmatch(line); m != nil {
			f.test = string(m[1])
		}
		if m := ucxSize().FindSubmatch(line); m != nil {
			f.setSize(m[1])
		}
		return true
	case line[0] == '|':
		if m := ucxBox().FindSubmatch(line); m != nil {
			f.flush(p)
			f.setSize(m[1])
			return true
		}
		if m := ucxBoxTest().FindSubmatch(line); m != nil {
			f.flush(p)
			f.test, f.sized = string(m[1]), false
			return true
		}
		for _, word := range []string{"latency", "overhead"} {
			if bytes.Contains(line, []byte(word+" (usec)")) {
				f.heading = word
			}
		}
		if m := ucxStage().FindSubmatch(line); m != nil {
			f.flush(p)
			f.inTable, f.final, f.row = true, false, ucxRow
			if m[1] == nil {
				f.row = ucxOldRow
			}
			return true
		}
		// Other lines of the box belong to the format, so that no other reader looks at them.
		return f.inTable || f.test != ""
	case !f.inTable:
		return false
	}
	m := f.row().FindSubmatch(line)
	if m == nil {
		return false
	}
	var text [8][]byte
	var v [8]lex.Number
	n := lex.Fields(m[2], text[:])
	// Rows have 7 or 8 columns. They end with the overall latency, two bandwidths and two message
	// rates, so columns are counted from the end.
	if n != 7 && n != 8 || !lex.ParseAll(text[:n], v[:n]) {
		return true // cut off; the rows before it count
	}
	f.final = len(m[1]) > 0 && m[1][0] == 'F'
	f.threads = f.threads || f.pending && !f.final && f.thread != string(m[1])
	f.thread = string(m[1])
	// overall latency and message rate
	f.latency, f.rate, f.pending = v[n-5].Value, v[n-1].Value, true
	f.quantum = v[n-5].Quantum()
	f.typical, f.average = 0, v[n-6].Value
	if n == 8 {
		f.typical = v[n-7].Value
	}
	// The bandwidth is in MB/s of 2²⁰ bytes.
	f.bytes = v[n-3].Value * (1 << 20) / 1e6 * f.latency
	f.slack = f.bytes * (v[n-3].Quantum()/max(v[n-3].Value, 1e-9) + f.quantum/max(f.latency, 1e-9))
	if f.final {
		f.flush(p)
	}
	return true
}

func (f *ucx) setSize(text []byte) {
	v, ok := lex.Parse(text)
	f.size, f.sized = v.Value, ok
}

func (f *ucx) flush(p *parser) {
	if !f.pending {
		return
	}
	several := f.threads && !f.final
	f.pending, f.threads = false, false
	if several {
		p.warn("line %d: a run of ucx_perftest has rows of several threads, and no final line of "+
			"them all; it is left out", p.file.Lines)
		return
	}
	size, title := f.size, f.test
	if !f.sized {
		size = f.sizeByRow()
		if !goodSize(size) || size == 0 {
			p.warn("line %d: a run of ucx_perftest without its size: print the command line, "+
				"or the box that UCX prints by default; it is left out", p.file.Lines)
			return
		}
	}
	kind, guessed := f.kind()
	if title == "" {
		title = "ucx_perftest"
	}
	b := f.tables.table(p, title+kind.String(),
		Table{Format: "ucx_perftest", Title: title, Kind: kind})
	if !f.sized {
		b.warnOnce("no command line and no box give the size: it is bandwidth × time of each row")
	}
	if guessed {
		b.table.warn("the test is not named; its times are taken as the " + kind.String() +
			", as their median beside the average suggests")
	}
	if !f.final {
		b.table.warn("the run of " + quantity.Bytes(size).String() +
			" has no final line: its last average so far counts")
	}
	r := row{size: size, time: f.latency}
	if kind == Gap {
		// The rate is in messages a second, and the time in µs. Of few messages a second, the time
		// of one has more digits.
		if r.time = 1e6 / f.rate; isCoarse(f.rate, 0.5) && f.latency > 0 {
			r.time = f.latency
		}
	} else {
		b.resolution(f.quantum)
	}
	b.row(r)
}

// kind returns what the times of the run are, and whether that is a guess.
func (f *ucx) kind() (k Kind, guessed bool) {
	// The test is named "tag_lat" on a command line, and "tag match latency" in the box.
	name := strings.ToLower(cmp.Or(f.test, f.heading))
	switch {
	case strings.Contains(name, "lat"):
		return OneWay, false
	case name != "":
		return Gap, false
	// A test of bandwidth only posts most of its messages, and waits for the others: its median is
	// far below its average.
	case f.typical > 0 && f.typical > f.average/2:
		return OneWay, true
	}
	return Gap, true
}

// sizeByRow returns the size that bandwidth and time give: within their rounding, the whole number
// of bytes with the fewest digits, or the nearest power of two.
func (f *ucx) sizeByRow() float64 {
	low, high := f.bytes-f.slack, f.bytes+f.slack
	for _, unit := range []float64{1 << 30, 1 << 20, 1 << 10} {
		if n := math.Round(f.bytes/unit) * unit; n >= low && n <= high && n > 0 {
			return n
		}
	}
	if n := math.Exp2(math.Round(math.Log2(max(f.bytes, 1e-9)))); n >= low && n <= high {
		return max(n, 1)
	}
	for unit := 1e12; unit >= 1; unit /= 10 {
		if n := math.Round(f.bytes/unit) * unit; n >= low && n <= high && n > 0 {
			return n
		}
	}
	return math.Round(f.bytes)
}

func (f *ucx) end(p *parser) { f.flush(p) }
