package trace

import (
	"bytes"
	"regexp"
)

// iperf3 reads what iperf3 --json prints, line by line, so that a file of any
// length and one that is cut off are read alike: from "blksize", and of each
// interval the rate of the sum of its streams. The time is the gap between blocks. The
// summary at the end repeats the intervals, and is not read.
type iperf3 struct {
	active    bool
	size      float64
	intervals bool // inside "intervals"
	sum       bool // inside a "sum" of it
	rate      float64
	tables    map[string]*builder
	protocol  string
}

var (
	iperfStart = regexp.MustCompile(`^"version"\s*:\s*"iperf 3|^"cookie"\s*:`)
	iperfField = regexp.MustCompile(`^"(blksize|bits_per_second|omitted|protocol)"\s*:\s*"?([\w.+-]+)"?\s*,?$`)
)

func (f *iperf3) take(p *parser, line []byte) bool {
	if c := line[0]; c != '"' && c != '{' && c != '}' && c != ']' {
		return false
	}
	if !f.active {
		if iperfStart.Match(line) {
			*f = iperf3{active: true, tables: f.tables}
			return true
		}
		return line[0] != '"' && len(line) <= 4 // brackets of the beginning
	}
	switch {
	case bytes.HasPrefix(line, []byte(`"intervals"`)):
		f.intervals, f.sum = true, false
	case bytes.HasPrefix(line, []byte(`"end"`)) && bytes.HasSuffix(line, []byte("{")):
		f.active = false
	case f.intervals && bytes.HasPrefix(line, []byte(`"streams"`)):
		f.sum = false
	case f.intervals && bytes.HasPrefix(line, []byte(`"sum"`)):
		f.sum, f.rate = true, 0
	case f.sum && line[0] == '}':
		f.interval(p, false)
	}
	m := iperfField.FindSubmatch(line)
	if m == nil {
		return true
	}
	v, _ := parse(m[2])
	switch string(m[1]) {
	case "blksize":
		f.size = v.value
	case "protocol":
		f.protocol = string(m[2])
	case "bits_per_second":
		if f.sum {
			f.rate = v.value / 8e6
		}
	case "omitted":
		if f.sum {
			f.interval(p, string(m[2]) == "true")
		}
	}
	return true
}

// interval takes the sum of an interval, unless iperf3 itself omits it.
func (f *iperf3) interval(p *parser, omitted bool) {
	f.sum = false
	if omitted || f.rate == 0 {
		return
	}
	b := f.tables[f.protocol]
	if b == nil {
		b = p.begin(Table{Format: "iperf3", Title: "iperf3 " + f.protocol, Kind: Gap})
		if f.tables == nil {
			f.tables = map[string]*builder{}
		}
		f.tables[f.protocol] = b
	}
	b.row(row{size: f.size, time: f.size / f.rate})
}
