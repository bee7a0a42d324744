package benchfile

import (
	"bytes"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// netgauge reads Netgauge's patterns loggp and one_one.
//
// The data file of loggp has PRTT(1,0,s), the round trip of one message, PRTT(n,0,s), that of
// n in a row, and PRTT(n,d,s), n with a delay of d = PRTT(1,0,s) between them. With them
// (Hoefler et al., Low-Overhead LogGP Parameter Assessment, 2007):
//
//	gap(s) = (PRTT(n,0,s) − PRTT(1,0,s)) / (n−1) = g + (s−1)G
//	o_s(s) = (PRTT(n,d,s) − PRTT(1,0,s)) / (n−1) − d
//
// Netgauge's own g and G are fits over all sizes so far, NaN at first and negative after a change
// of protocol. They are not used. Its standard output has only those: there the gap is g +
// (s−1)G, and rows with impossible values are dropped. Its L is half of a round trip and includes
// the overheads. A data file, and one_one:
//
//	# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
//	1 10 2.244175 4.112484 23.683617 1.122088 0.137985 0.168865 -nan -nan -nan
//	1025 10 3.322662 7.057275 35.187145 1.122088 0.217836 0.284759 0.207387 0.000203 -nan
//
//	1024 bytes 	 -> 4.00 us 	 == 2048.00 Mbit/s
//
// Standard output of loggp has a line for each size, "L=… s=1025 o_s=… o_r=… g=… G=…".
//
// Tested with Netgauge 2.4.6.
type netgauge struct {
	data     bool // rows of a data file follow
	trip     *builder
	gap      *builder
	send     *builder
	receive  *builder
	oneOne   *builder
	columns  int // of a one_one file
	texts    [24][]byte
	lastSize float64
}

var (
	netgaugeLine = lex.NewPattern(
		`^L=(\S+)\s+s=(\d+)\s+o_s=(\S+)\s+o_r=(\S+)\s+g=(\S+)\s+G=(\S+)`)
	netgaugeShort  = lex.NewPattern(`^(\d+) bytes\s+-> ([0-9.]+) us\s+== [0-9.]+ Mbit/s`)
	netgaugeHeader = []byte("# size n PRTT(1,0,s) PRTT(n,0,s)")
)

func (f *netgauge) take(p *parser, line []byte) bool {
	switch {
	case bytes.HasPrefix(line, netgaugeHeader):
		f.begin(p)
		f.data = true
		return true
	// The legend of one_one's file. With "(F G)" in it, two of the three blocks of a row have two
	// columns more, in parentheses.
	case bytes.HasPrefix(line, []byte("## A  -  B  C  D  E")):
		f.columns = 13
		if bytes.Contains(line, []byte("(F G)")) {
			f.columns = 17
		}
		f.oneOne = p.begin(Table{Format: "netgauge", Title: "one_one", Kind: OneWay})
		f.data = false
		return true
	case line[0] == 'L':
		return f.stdout(p, line)
	case line[0] < '0' || line[0] > '9':
		return false
	}
	if m := netgaugeShort().FindSubmatch(line); m != nil {
		size, _ := lex.Parse(m[1])
		t, ok := lex.Parse(m[2])
		// A smaller size begins another run.
		if f.oneOne == nil || size.Value < f.lastSize || f.columns != 0 {
			f.oneOne = p.begin(Table{Format: "netgauge", Title: "one_one", Kind: OneWay})
			f.columns = 0
			f.oneOne.table.warn("the times are the shortest of each size")
		}
		f.lastSize = size.Value
		if ok {
			f.oneOne.resolution(t.Quantum())
			f.oneOne.row(row{size: size.Value, time: t.Value})
		}
		return ok
	}
	n := lex.Fields(line, f.texts[:])
	switch {
	case f.data && n == 11:
		return f.row(p)
	// A row that was cut off: it begins with a size and n.
	case f.data && n > 2 && n < 11:
		var v [11]lex.Number
		if !lex.ParseAll(f.texts[:2], v[:]) {
			return false
		}
		f.trip.count(cutOff)
		return true
	case f.columns > 0 && f.oneOne != nil:
		return f.oneOneRow(n)
	}
	return false
}

func (f *netgauge) begin(p *parser) {
	f.trip = p.begin(Table{Format: "netgauge", Title: "loggp PRTT(1,0,s)", Kind: RoundTrip})
	f.gap = p.begin(Table{Format: "netgauge", Title: "loggp gap", Kind: Gap})
	f.send = p.begin(Table{Format: "netgauge", Title: "loggp o_s", Kind: SendOverhead})
	f.receive = p.begin(Table{Format: "netgauge", Title: "loggp o_r", Kind: ReceiveOverhead})
}

func (f *netgauge) row(p *parser) bool {
	var v [5]lex.Number
	if !lex.ParseAll(f.texts[:5], v[:]) {
		return false
	}
	size, n, one, many, slow := v[0].Value, v[1].Value, v[2].Value, v[3].Value, v[4].Value
	f.trip.resolution(v[2].Quantum())
	f.trip.row(row{size: size, time: one})
	// A run of one message has no gap.
	if n > 1 {
		f.gap.row(row{size: size, time: (many - one) / (n - 1)})
		f.send.row(row{size: size, time: (slow-one)/(n-1) - one})
	}
	// Column 8 is Netgauge's o_r, which needs no fit; o_s is computed above from the round
	// trips.
	if o, ok := lex.Parse(f.texts[7]); ok {
		f.receive.row(row{size: size, time: o.Value})
	}
	return true
}

func (f *netgauge) stdout(p *parser, line []byte) bool {
	m := netgaugeLine().FindSubmatch(line)
	if m == nil {
		return false
	}
	size, _ := lex.Parse(m[2])
	// The first line, or the first one of another run.
	if f.trip == nil || f.data || size.Value < f.lastSize {
		f.begin(p)
		f.data = false
		f.gap.table.warn("from Netgauge's own g and G, which are those of all sizes up to each")
		if l, ok := lex.Parse(m[1]); ok {
			// L is that of the first size alone, and the same in all lines: one row.
			f.trip.resolution(2 * l.Quantum())
			f.trip.row(row{size: size.Value, time: 2 * l.Value})
		}
	}
	f.lastSize = size.Value
	send, _ := lex.Parse(m[3])
	f.send.row(row{size: size.Value, time: send.Value})
	receive, _ := lex.Parse(m[4])
	f.receive.row(row{size: size.Value, time: receive.Value})
	g, okG := lex.Parse(m[5])
	perByte, okPerByte := lex.Parse(m[6])
	// NaN at the first sizes, negative behind a change of protocol.
	if !okG || !okPerByte || g.Value < 0 || perByte.Value < 0 {
		f.gap.row(row{})
		return true
	}
	f.gap.row(row{size: size.Value, time: g.Value + (size.Value-1)*perByte.Value})
	return true
}

// oneOneRow reads a row of one_one with a header: "size - 4 blocking times [(..)] - minimum,
// average, median, maximum of half a round trip …".
func (f *netgauge) oneOneRow(n int) bool {
	var v [20]lex.Number
	count := 0
	for _, text := range f.texts[:min(n, len(f.texts))] {
		text = bytes.Trim(text, "()")
		if len(text) == 1 && text[0] == '-' {
			continue
		}
		x, ok := lex.Parse(text)
		if !ok || count == len(v) {
			return false
		}
		v[count] = x
		count++
	}
	if count != f.columns {
		return false
	}
	// Behind the size, the four blocking times: minimum, average, median and maximum follow;
	// with the two columns more, two places later.
	at := 5
	if f.columns == 17 {
		at = 7
	}
	f.oneOne.resolution(v[at].Quantum())
	f.oneOne.row(row{
		size: v[0].Value, min: v[at].Value, time: v[at+1].Value,
		median: v[at+2].Value, max: v[at+3].Value,
	})
	return true
}
