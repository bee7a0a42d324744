package trace

import (
	"math"
	"regexp"
)

// netpipe reads NetPIPE's np.out and its log.
//
// NetPIPE 3 writes three columns without a header: bytes, Mbps of 2²⁰ bits, and
// seconds with eight decimals. NetPIPE 4 and 5 write five: bytes, the average,
// minimum and maximum Gbps of 10⁹ bits, and µs. A row is known by its numbers: rate
// times time must be the size, to what the printing leaves. The time is half
// of a round trip, and it is the authority; the rates follow from it.
type netpipe struct {
	open *builder
	cols int     // of the open table; 0 for a log
	last float64 // size of the last row
}

// "  3:       4 bytes 247253 times -->    112.85 Mbps in       0.27 usec", and
// "  3:       4  B  247253 times -->  112.85 Mbps  in  0.27 usecs" since NetPIPE 4.
var netpipeLog = regexp.MustCompile(`^\d+:\s+(\d+)\s+(?:bytes|B)\s+\d+ times\s+-->\s+([0-9.]+) ([MG])bps\s+in\s+([0-9.]+) (usec|msec|sec|nsec)s?\b`)

func (f *netpipe) take(p *parser, line []byte) bool {
	if c := line[0]; c < '0' || c > '9' {
		return false
	}
	var text [6][]byte
	n := fields(line, text[:])
	if n == 3 || n == 5 {
		var v [5]number
		return numbers(text[:n], v[:n]) && f.row(p, v[:n])
	}
	if m := netpipeLog.FindSubmatch(line); m != nil {
		size, _ := parse(m[1])
		t, ok := parse(m[4])
		unit := map[string]float64{"nsec": 1e-3, "usec": 1, "msec": 1e3, "sec": 1e6}[string(m[5])]
		if !ok {
			return false
		}
		f.add(p, 0, size.value, t.value*unit, t.quantum()*unit)
		return true
	}
	return false
}

// row takes a row of np.out, if that is what the numbers are.
func (f *netpipe) row(p *parser, v []number) bool {
	size, t, unit := v[0].value, v[len(v)-1], 1.0
	bits := 8 * size // per µs: Mbit/s
	rate, rateStep := v[1].value, v[1].quantum()
	if len(v) == 3 {
		unit = 1e6
		rate, rateStep = rate*(1<<20)/1e6, rateStep*(1<<20)/1e6
	} else {
		rate, rateStep = rate*1e3, rateStep*1e3
	}
	us, step := t.value*unit, t.quantum()*unit
	if !goodSize(size) || size == 0 || rate <= 0 || us <= 0 || v[0].exp != 0 {
		return false
	}
	// Both are rounded to their last digit; 1 % is for the averaging of NetPIPE 4 and 5.
	if slack := rate*step + us*rateStep + 0.01*bits; math.Abs(rate*us-bits) > slack {
		return false
	}
	f.add(p, len(v), size, us, step)
	return true
}

// add starts a table where the sizes start again.
func (f *netpipe) add(p *parser, cols int, size, us, step float64) {
	if f.open == nil || f.cols != cols || size < f.last {
		f.open = p.begin(Table{Format: "netpipe", Kind: OneWay, Title: "NetPIPE"})
	}
	f.cols, f.last = cols, size
	f.open.resolution(step)
	f.open.row(row{size: size, time: us})
}
