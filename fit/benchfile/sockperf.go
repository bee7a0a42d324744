package benchfile

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
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
	sockperfCommand = regexp.MustCompile(
		`\bsockperf\s+(ping-pong|pp|under-load|ul|throughput|tp)\b(.*)`)
	sockperfSize    = regexp.MustCompile(`\s(?:-m|--msg-size)[ =]?(\d+)`)
	sockperfSummary = regexp.MustCompile(`Summary: (Latency|Round trip) is ([0-9.]+) usec`)
	sockperfRate    = regexp.MustCompile(`Summary: Message Rate is (\d+)`)
	sockperfNote    = regexp.MustCompile(`using msg-size=(\d+)`)
	sockperfPoint   = regexp.MustCompile(
		`(<MAX> observation|<MIN> observation|percentile 50\.000?) = +([0-9.]+)`)
)

// sockperfDefault is the message size in bytes if -m is not given.
const sockperfDefault = 14

func (f *sockperf) take(p *parser, line []byte) bool {
	if !bytes.Contains(line, []byte("sockperf")) {
		return false
	}
	text := string(line)
	if m := sockperfCommand.FindStringSubmatch(text); m != nil {
		f.flush(p)
		// The command line counts until the next one: its run has not printed anything yet.
		f.size, f.assumed, f.mode = sockperfDefault, true, m[1]
		if s := sockperfSize.FindStringSubmatch(m[2]); s != nil {
			v, _ := lex.Parse([]byte(s[1]))
			f.size, f.assumed = v.Value, false
		}
		return true
	}
	if !strings.HasPrefix(text, "sockperf") {
		return false
	}
	if m := sockperfNote.FindStringSubmatch(text); m != nil {
		v, _ := lex.Parse([]byte(m[1]))
		f.size, f.assumed, f.mode = v.Value, false, cmp.Or(f.mode, "throughput")
	} else if strings.Contains(text, "== version #") && f.pending {
		// a run without its command line
		f.flush(p)
		f.mode = ""
	} else if m := sockperfSummary.FindStringSubmatch(text); m != nil {
		f.flush(p)
		v, _ := lex.Parse([]byte(m[2]))
		f.kind = OneWay
		// sockperf --full-rtt prints whole round trips.
		if m[1] == "Round trip" {
			f.kind = RoundTrip
		}
		f.current, f.pending, f.quantum = row{time: v.Value}, true, v.Quantum()
	} else if m := sockperfRate.FindStringSubmatch(text); m != nil {
		f.flush(p)
		v, _ := lex.Parse([]byte(m[1]))
		// The rate is in messages a second, and the time in µs.
		f.kind, f.current, f.pending = Gap, row{time: 1e6 / v.Value}, true
	} else if m := sockperfPoint.FindStringSubmatch(text); m != nil && f.pending {
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
			"print the command line with -m before it", lex.Plural(f.without, "run"), f.at)
	}
}
