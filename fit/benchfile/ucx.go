package benchfile

import (
	"bytes"
	"regexp"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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
	latency float64
	rate    float64
	quantum float64
	inTable bool
	tables  openTables
	nosize  bool
}

var (
	ucxTest    = regexp.MustCompile(`-t\s*(\w+)`)
	ucxSize    = regexp.MustCompile(`\s-s\s*(\d+)(?:\s|$)`)
	ucxBox     = regexp.MustCompile(`^\|\s+Message size:\s+(\d+)`)
	ucxBoxTest = regexp.MustCompile(`^\|\s+Test:\s+(.*?)\s*\|`)
	// The header of a table: rows count only behind it.
	ucxStage = regexp.MustCompile(`^\|\s+Stage\s+\|.*iterations`)
	ucxRow   = regexp.MustCompile(`^(Final:|\[thread \d+\])\s+(.*)$`)
)

func (f *ucx) take(p *parser, line []byte) bool {
	switch {
	case bytes.Contains(line, []byte("ucx_perftest")):
		f.flush(p)
		// A command line begins a run: it inherits neither size nor test. The tables stay open,
		// since several runs are one table.
		*f = ucx{tables: f.tables, nosize: f.nosize}
		if m := ucxTest.FindSubmatch(line); m != nil {
			f.test = string(m[1])
		}
		if m := ucxSize.FindSubmatch(line); m != nil {
			f.setSize(m[1])
		}
		return true
	case line[0] == '|':
		if m := ucxBox.FindSubmatch(line); m != nil {
			f.flush(p)
			f.setSize(m[1])
			return true
		}
		if m := ucxBoxTest.FindSubmatch(line); m != nil {
			f.flush(p)
			f.test, f.sized = string(m[1]), false
			return true
		}
		if ucxStage.Match(line) {
			f.flush(p)
			f.inTable, f.final = true, false
			return true
		}
		// Other lines of the box belong to the format, so that no other reader looks at them.
		return f.inTable || f.test != ""
	case !f.inTable:
		return false
	}
	m := ucxRow.FindSubmatch(line)
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
	f.final = m[1][0] == 'F'
	// overall latency and message rate
	f.latency, f.rate, f.pending = v[n-5].Value, v[n-1].Value, true
	f.quantum = v[n-5].Quantum()
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
	f.pending = false
	if !f.sized {
		if !f.nosize {
			p.warn("line %d: a run of ucx_perftest without its size: print the command line, "+
				"or the box that UCX prints by default; it is left out", p.file.Lines)
			f.nosize = true
		}
		return
	}
	kind := OneWay
	// The test is named "tag_lat" on a command line, and "tag match latency" in the box.
	if !bytes.Contains(bytes.ToLower([]byte(f.test)), []byte("lat")) {
		kind = Gap
	}
	b := f.tables.table(p, f.test, Table{Format: "ucx_perftest", Title: f.test, Kind: kind})
	if !f.final {
		b.table.warn("the run of " + quantity.Bytes(f.size).String() +
			" has no final line: its last average so far counts")
	}
	r := row{size: f.size, time: f.latency}
	if kind == Gap {
		// The rate is in messages a second, and the time in µs.
		r.time = 1e6 / f.rate
	} else {
		b.resolution(f.quantum)
	}
	b.row(r)
}

func (f *ucx) end(p *parser) { f.flush(p) }
