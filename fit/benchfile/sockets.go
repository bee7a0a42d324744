package benchfile

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// sockperf reads sockperf's ping-pong, under-load and throughput tests. A run has one size, given
// by -m of its command line, or 14 bytes by default. A log without the command line gives the size
// only for throughput, in a note; runs without a size are left out. Several runs in a file are one
// table. "Latency" is half of a round trip. From sockperf 3.5:
//
//	$ sockperf ping-pong -i 22.0.0.3 -p 5001 --tcp -m 64 -t 10
//	sockperf: == version #3.5-no.git ==
//	sockperf: Summary: Latency is 9.017 usec
//	sockperf: ---> <MAX> observation =   98.777
//	sockperf: ---> percentile 50.000 =    6.222
//	sockperf: ---> <MIN> observation =    4.629
//
// The summary comes before the percentiles, so a run is a row when the next one begins.
//
// Tested with sockperf 3.5 and 3.7, which colours its lines.
type sockperf struct {
	size    float64
	mode    string
	assumed bool
	without int
	at      int
	open    openTables
	current row
	kind    Kind
	pending bool
	quantum float64
}

var (
	// pp, ul and tp are short names of the tests.
	sockperfCommand = lex.NewPattern(
		`(?:\b|_)sockperf\s+(ping-pong|pp|under-load|ul|throughput|tp)\b(.*)`)
	sockperfSize    = lex.NewPattern(`\s(?:-m|--msg-size)[ =]?(\d+)`)
	sockperfSummary = lex.NewPattern(`Summary: (Latency|Round trip) is ([0-9.]+) usec`)
	sockperfRate    = lex.NewPattern(`Summary: Message Rate is (\d+)`)
	sockperfNote    = lex.NewPattern(`using msg-size=(\d+)`)
	sockperfPoint   = lex.NewPattern(
		`(<MAX> observation|<MIN> observation|percentile 50\.000?) = +([0-9.]+)`)
)

// sockperfDefault is the message size in bytes if -m is not given.
const sockperfDefault = 14

func (f *sockperf) take(p *parser, line []byte) bool {
	if !bytes.Contains(line, []byte("sockperf")) {
		return false
	}
	text := string(line)
	if m := sockperfCommand().FindStringSubmatch(text); m != nil {
		f.flush(p)
		// The command line counts until the next one: its run has not printed anything yet.
		f.size, f.assumed, f.mode = sockperfDefault, true, m[1]
		if s := sockperfSize().FindStringSubmatch(m[2]); s != nil {
			v, _ := lex.Parse([]byte(s[1]))
			f.size, f.assumed = v.Value, false
		}
		return true
	}
	if !strings.HasPrefix(text, "sockperf") {
		return false
	}
	if m := sockperfNote().FindStringSubmatch(text); m != nil {
		v, _ := lex.Parse([]byte(m[1]))
		f.size, f.assumed, f.mode = v.Value, false, cmp.Or(f.mode, "throughput")
	} else if strings.Contains(text, "== version #") && f.pending {
		// a run without its command line
		f.flush(p)
		f.mode = ""
	} else if m := sockperfSummary().FindStringSubmatch(text); m != nil {
		f.flush(p)
		v, _ := lex.Parse([]byte(m[2]))
		f.kind = OneWay
		// sockperf --full-rtt prints whole round trips.
		if m[1] == "Round trip" {
			f.kind = RoundTrip
		}
		f.current, f.pending, f.quantum = row{time: v.Value}, true, v.Quantum()
	} else if m := sockperfRate().FindStringSubmatch(text); m != nil {
		f.flush(p)
		v, _ := lex.Parse([]byte(m[1]))
		// The rate is in messages a second, and the time in µs.
		f.kind, f.current, f.pending = Gap, row{time: 1e6 / v.Value}, true
	} else if m := sockperfPoint().FindStringSubmatch(text); m != nil && f.pending {
		v, _ := lex.Parse([]byte(m[2]))
		switch m[1] {
		case "<MAX> observation":
			f.current.max = v.Value
		case "<MIN> observation":
			f.current.min = v.Value
		default:
			f.current.median = v.Value
		}
	}
	return true
}

func (f *sockperf) flush(p *parser) {
	if !f.pending {
		return
	}
	f.pending, f.at = false, p.file.Lines
	if f.mode == "" {
		f.without++
		return
	}
	title := "sockperf " + f.mode
	// Latencies and rates of one mode are two tables.
	key := title + f.kind.String()
	b := f.open.table(p, key, Table{Format: "sockperf", Title: title, Kind: f.kind})
	if f.assumed {
		b.warnOnce("no -m in the command line: sockperf's 14 bytes are assumed")
	}
	// A rate in whole messages a second says nothing about the resolution of times.
	if f.kind != Gap {
		b.resolution(f.quantum)
	}
	r := f.current
	r.size = f.size
	b.row(r)
}

func (f *sockperf) end(p *parser) {
	f.flush(p)
	if f.without > 0 {
		p.warn("sockperf: %s without a message size (the last in line %d) left out: "+
			"print the command line with -m before it", quantity.Plural(f.without, "run"), f.at)
	}
}

// qperf reads qperf: blocks "tcp_lat:" with values "latency = 18.2 us" and, with -v, "msg_size = 1
// bytes". Values without a size are left out; a loop over sizes (-oo msg_size:1:64K:*2) prints
// them. Latency is half of a round trip. For tests of both directions (rc_bi_bw) it is unknown
// whether the rate adds up both.
//
//	tcp_lat:
//	    latency   =  18.2 us
//	    msg_size  =     1 bytes
//	tcp_bw:
//	    bw        =  3.92 GB/sec
//	    msg_size  =    64 KB
//
// The size may stand before or behind the value, by version, so values wait for the end of their
// block.
//
// Tested with a log of unknown version, which has no sizes, and files in the shape of -v written by
// hand.
type qperf struct {
	test    string
	size    float64
	sized   bool
	values  []row // of the block so far, until its size is known
	kind    Kind
	quantum float64
	open    openTables
	without int
	at      int
}

var (
	qperfTest  = lex.NewPattern(`^([a-z]+_(?:[a-z_]+_)?(?:bw|lat|mr)[0-9]?):$`)
	qperfValue = lex.NewPattern(
		`^(latency|bw|send_bw|recv_bw|msg_size|msg_rate)\s*=\s*([0-9.,]+) ?(\S*)` +
			`(?: \([0-9,]+\))?$`)
)

// maxPending bounds the values that wait for a size: a long log of runs without -v never prints it.
const maxPending = 1000

func (f *qperf) take(p *parser, line []byte) bool {
	// A title ends in a colon, and no value does.
	if line[len(line)-1] != ':' {
		return f.test != "" && f.value(p, line)
	}
	if m := qperfTest().FindSubmatch(line); m != nil {
		f.flush(p)
		f.test, f.sized = string(m[1]), false
		return true
	}
	return false
}

func (f *qperf) value(p *parser, line []byte) bool {
	m := qperfValue().FindSubmatch(line)
	if m == nil {
		return false
	}
	v, ok := lex.Parse(m[2])
	unit, okUnit := qperfUnit(string(m[3]))
	if !ok || !okUnit {
		return false
	}
	switch string(m[1]) {
	case "msg_size":
		if f.sized { // the next turn of a loop
			f.flush(p)
		}
		f.size, f.sized = v.Value*unit.Num, unit.Dim == quantity.DimSize
	case "latency", "bw", "send_bw":
		if len(f.values) >= maxPending {
			return true
		}
		f.at = p.file.Lines
		f.kind = OneWay
		if unit.Dim == quantity.DimRate {
			f.kind = Gap
		} else {
			f.quantum = v.Quantum() * unit.Num
		}
		f.values = append(f.values, row{time: v.Value * unit.Num})
	}
	return true
}

// qperfUnit returns a unit of qperf. A KB is 10³ bytes in rates, 2¹⁰ bytes in sizes.
func qperfUnit(name string) (quantity.Value, bool) {
	switch name {
	// Without these cases quantity would read a KB as 2¹⁰ bytes, as it does in sizes.
	case "KB/sec", "Kb/sec":
		u, _ := quantity.Unit("kB/s")
		return u, true
	case "bytes/sec":
		return quantity.Unit("B/s")
	}
	return quantity.Unit(name)
}

func (f *qperf) flush(p *parser) {
	values := f.values
	f.values = f.values[:0]
	// A block of a test that failed.
	if len(values) == 0 {
		return
	}
	if !f.sized {
		f.without += len(values)
		return
	}
	t := Table{Format: "qperf", Title: f.test, Kind: f.kind}
	if f.kind == Gap && strings.Contains(f.test, "_bi_") {
		// Two directions, and it is unknown whether they are added up: the gap becomes a shared
		// one.
		t.divide(2, 0)
	}
	b := f.open.table(p, f.test, t)
	for _, r := range values {
		r.size = f.size
		if f.kind == Gap {
			// The value is a bandwidth: the gap is the size over it.
			r.time = f.size / r.time
		} else {
			b.resolution(f.quantum)
		}
		b.row(r)
	}
}

func (f *qperf) end(p *parser) {
	f.flush(p)
	if f.without > 0 {
		p.warn("qperf: %s without a message size (the last in line %d) left out: "+
			"run qperf -v, which prints it", quantity.Plural(f.without, "value"), f.at)
	}
}
