package benchfile

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
)

// perftest reads ib_send_lat, ib_write_bw and their like. A header "#bytes #iterations"
// names the columns; a title such as "RDMA_Write BW Test" stands before it.
//
//	                   RDMA_Write BW Test
//	#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
//	1          10000000         0.00               3.16               3.312819
//	2          10000000         0.00               6.67               3.499174
//
//	                   Send Latency Test
//	#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]  …
//	2       1000          5.35           11.78        5.49               5.50         …
//
// Latencies are half of a round trip, or a whole one for reads and atomics. MB/sec are of 2²⁰
// bytes; the header may say Gb/sec instead. With -b they add up both directions. The gap is the
// inverse of the message rate where there is one. Server and client print the same rows: a row that
// comes twice counts once.
//
// Tested with logs of ib_write_bw and ib_send_bw of unknown version, and files in that shape
// written by hand.
type perftest struct {
	title string
	grid  *grid
	names string
}

var (
	perftestTitle = regexp.MustCompile(
		`^(RDMA_Write|RDMA_Read|Send|Atomic|RDMA_Atomic|Write|Raw Ethernet)\b.*(Test|BW|` +
			`Latency)`)
	// Names of columns contain single blanks, and a script's echo may have collapsed the wide
	// ones between them, so the names themselves are found.
	perftestColumns = regexp.MustCompile(
		`(#bytes|#iterations|BW \w+ ?\[\w+/sec\]|MsgRate ?\[\w+\]|t_\w+ ?\[usec\]|` +
			`[\d.]+% percentile ?\[usec\]|[\w#%.]+(\[\w+\])?)`)
)

var perftestRules = []gridRule{
	// The typical time of perftest is the median. It stands for the time where no average is
	// printed.
	{name: regexp.MustCompile(`^t_avg\[usec\]$`), is: gridTime},
	{name: regexp.MustCompile(`^t_typical\[usec\]$`), is: gridTime},
	{name: regexp.MustCompile(`^t_min\[usec\]$`), is: gridMin},
	{name: regexp.MustCompile(`^t_max\[usec\]$`), is: gridMax},
	{name: regexp.MustCompile(`^t_typical\[usec\]$`), is: gridMedian},
	// Mpps are 10⁶ messages a second, so 1 is one message per µs.
	{name: regexp.MustCompile(`^MsgRate\[Mpps`), is: gridRate, rateUnit: 1, messages: true},
	{name: regexp.MustCompile(`^BWaverage\[Mi?B`), is: gridRate, rateUnit: (1 << 20) / 1e6},
	{name: regexp.MustCompile(`^BWaverage\[Gb`), is: gridRate, rateUnit: 1e3 / 8},
}

func (f *perftest) take(p *parser, line []byte) bool {
	if f.grid != nil && f.grid.take(p, line) {
		return true
	}
	// The first letters of all titles; most other lines end here.
	if bytes.IndexByte([]byte("RSAW"), line[0]) < 0 {
		if line[0] != '#' {
			return false
		}
	} else if m := perftestTitle.Find(line); m != nil {
		f.title = strings.TrimSpace(string(m))
		return true
	}
	if !bytes.HasPrefix(line, []byte("#bytes")) {
		return false
	}
	names := perftestColumns.FindAllString(string(line), -1)
	if len(names) < 3 || names[0] != "#bytes" || names[1] != "#iterations" {
		return false
	}
	header := strings.Join(names, ",")
	if f.grid != nil && f.names == header && !f.grid.ignore && f.grid.b.table.Rows == 0 {
		return true // server and client, into one file
	}
	f.names = header
	g := newGrid(names, perftestRules)
	f.grid = g
	title := cmp.Or(f.title, p.previous, "perftest") // scripts echo a title of their own
	f.title = ""
	if !g.usable(p, title, true) {
		return true
	}
	t := Table{Format: "perftest", Title: title, Kind: OneWay}
	switch {
	case !g.hasTimes():
		g.streams(&t, title, 1)
	case strings.Contains(title, "Read") || strings.Contains(title, "Atomic"):
		t.Kind = RoundTrip
	}
	// Of server and client in one file, rows are interleaved: equal rows follow each other.
	g.unique = true
	g.b = p.begin(t)
	return true
}
