package benchfile

import (
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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
	qperfTest  = regexp.MustCompile(`^((?:tcp|udp|sctp|sdp|rc|uc|ud|rds|xrc|ver)_[a-z_0-9]+):$`)
	qperfValue = regexp.MustCompile(
		`^(latency|bw|send_bw|recv_bw|msg_size|msg_rate)\s+=\s+([0-9.,]+) ?(\S*)$`)
)

// maxPending bounds the values that wait for a size: a long log of runs without -v never prints it.
const maxPending = 1000

func (f *qperf) take(p *parser, line []byte) bool {
	// A title ends in a colon, and no value does.
	if line[len(line)-1] != ':' {
		return f.test != "" && f.value(p, line)
	}
	if m := qperfTest.FindSubmatch(line); m != nil {
		f.flush(p)
		f.test, f.sized = string(m[1]), false
		return true
	}
	return false
}

func (f *qperf) value(p *parser, line []byte) bool {
	m := qperfValue.FindSubmatch(line)
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
			"run qperf -v, which prints it", lex.Plural(f.without, "value"), f.at)
	}
}
