package benchfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// netperf reads netperf 2: the tables of the classic tests (TCP_STREAM, UDP_STREAM, TCP_RR and
// their like) by the units in the last line of their headers, the omni tests' table of columns, and
// what -o (values after a line of names), -k (NAME=value) and -j select.
//
// A request/response test measures round trips: 1/rate of its transactions, times those that are
// under way at once ("first burst"). If request and response differ in size, the time is that of an
// operation and not a round trip of either size. The time of a stream is the gap: the size of the
// sends over the throughput. Several runs of a test are one table. A size that is not printed comes
// from -r or -m of the command line; a request has 1 byte without -r. A classic table, of the
// manual, and what -k prints:
//
//	MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to … : first burst 6
//	Local /Remote
//	Socket Size   Request  Resp.   Elapsed
//	Send   Recv   Size     Size    Time     Throughput
//	bytes  Bytes  bytes    bytes   secs.    10^6bits/sec
//
//	16384  87380  32768    32768   10.00    1821.30
//
//	REQUEST_SIZE=32768
//	THROUGHPUT=3473.25
//	THROUGHPUT_UNITS=Trans/s
//
// Tested with a sample of netperf's manual, and with files in the shape of 2.7 (-o, -k) and of its
// classic tables written by hand.
type netperf struct {
	test    string   // "TCP_RR" of the last banner or command line
	command string   // the options behind --
	columns []string // of the row that follows: keys
	layout  byte     // ',' for -o, ' ' for other tables, 0 for none
	details bool     // the row that follows is of the same run as the last
	head    []string // lines of a header of the omni tests, as they stood
	keyed   map[string]string
	pending netperfRun
	half    bool // the row of the sender was read, and that of the receiver not yet
	units   bool // a run has printed the unit of its throughput among its keys
	tables  openTables
	without int
	at      int
}

var (
	netperfBanner = lex.NewPattern(
		`^(?:MIGRATED )?((?:TCP|UDP|SCTP|DCCP|OMNI) [A-Za-z/ -]*?)TEST from .* to `)
	netperfBurst   = lex.NewPattern(`: first burst (\d+)`)
	netperfCommand = lex.NewPattern(`(?:^|[\s/])netperf\s(.*)$`)
	netperfTest    = lex.NewPattern(`(?:^|\s)-t\s*(\w+)`)
	// The last line of a header has the units: the only one that is the same in all classic
	// tables.
	netperfUnits = lex.NewPattern(`^(?i:bytes\s+bytes\s.*secs\b)`)
	netperfKey   = lex.NewPattern(`^([A-Z][A-Z0-9_]+)=(.*)$`)
)

// netperfTests maps the tests' names in banners.
var netperfTests = map[string]string{
	"STREAM": "STREAM", "UNIDIRECTIONAL SEND": "STREAM", "Send": "STREAM",
	"MAERTS": "MAERTS", "Receive": "MAERTS", "SENDFILE": "SENDFILE",
	"REQUEST/RESPONSE": "RR", "Connect/Request/Response": "CRR", "Connect/Close": "CC",
}

// netperfKeys maps the names of -k to the columns of -o; names that are not read are missing.
var netperfKeys = map[string]string{
	"request size bytes":                   "REQUEST_SIZE",
	"response size bytes":                  "RESPONSE_SIZE",
	"local send size":                      "LOCAL_SEND_SIZE",
	"remote send size":                     "REMOTE_SEND_SIZE",
	"throughput":                           "THROUGHPUT",
	"throughput units":                     "THROUGHPUT_UNITS",
	"transaction rate tran/s":              "TRANSACTION_RATE",
	"round trip latency usec/tran":         "RT_LATENCY",
	"minimum latency microseconds":         "MIN_LATENCY",
	"mean latency microseconds":            "MEAN_LATENCY",
	"maximum latency microseconds":         "MAX_LATENCY",
	"50th percentile latency microseconds": "P50_LATENCY",
	"initial burst requests":               "BURST_SIZE",
}

// netperfWords are parts of the lines of netperf's headers, whichever options chose them.
var netperfWords = [][]byte{
	[]byte("atency"), []byte("hroughput"), []byte("Tran/s"), []byte("secs"),
}

func (f *netperf) take(p *parser, line []byte) bool {
	if f.layout != 0 && (f.layout == ',' || line[0] >= '0' && line[0] <= '9') && f.row(p, line) {
		return true
	}
	// Most lines of a log are not netperf's, and expressions are slow.
	banner := bytes.Contains(line, []byte(" TEST from "))
	command := bytes.Contains(line, []byte("netperf"))
	isPart := func(word []byte) bool { return bytes.Contains(line, word) }
	if !banner && !command && f.test == "" && !slices.ContainsFunc(netperfWords, isPart) {
		return false
	}
	text := string(line[:min(len(line), maxHeader)])
	return banner && f.banner(p, text) || command && f.commandLine(p, text) ||
		f.test != "" && f.key(p, text) || f.header(p, text)
}

// banner begins the run that a banner announces.
func (f *netperf) banner(p *parser, text string) bool {
	m := netperfBanner().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	f.flush(p)
	protocol, test, _ := strings.Cut(strings.TrimSpace(m[1]), " ")
	f.test = protocol + "_" + netperfTests[strings.TrimSpace(test)]
	// b: a banner; the header of its table comes next.
	f.layout, f.head, f.pending.burst = 'b', nil, 0
	if b := netperfBurst().FindStringSubmatch(text); b != nil {
		v, _ := lex.Parse([]byte(b[1]))
		f.pending.burst = v.Value
	}
	return true
}

// commandLine begins the run of a command line that a script has echoed.
func (f *netperf) commandLine(p *parser, text string) bool {
	m := netperfCommand().FindStringSubmatch(text)
	if m == nil || !strings.HasPrefix(m[1], "-") {
		return false
	}
	f.flush(p)
	// Without -t, netperf runs TCP_STREAM.
	f.test, f.command, f.layout = "TCP_STREAM", " "+m[1], 0
	if t := netperfTest().FindStringSubmatch(m[1]); t != nil {
		f.test = strings.ToUpper(t[1])
	}
	f.pending.burst = netperfOption(netperfFirst, f.command, 1)
	return true
}

// key reads a line of NAME=value.
func (f *netperf) key(p *parser, text string) bool {
	m := netperfKey().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if f.keyed == nil {
		f.keyed = map[string]string{}
	}
	// A key that comes again begins the next run. The bound keeps a file of other NAME=value
	// lines from filling the memory.
	if _, again := f.keyed[m[1]]; again || len(f.keyed) > 200 {
		f.flush(p)
		f.keyed = map[string]string{}
	}
	f.keyed[m[1]] = m[2]
	f.units = f.units || m[1] == "THROUGHPUT_UNITS"
	f.at = p.file.Lines
	return true
}

func (f *netperf) header(p *parser, text string) bool {
	// The names of -o, in one line. With one column there is no comma, so the name itself must
	// be known.
	names := strings.Split(text, ",")
	oneKey := netperfKeys[strings.ToLower(strings.TrimSpace(text))] != ""
	if len(names) > 1 || f.layout == 'b' && oneKey {
		if !f.setColumns(names) {
			return false
		}
		f.flush(p)
		if f.layout == ',' || f.layout == ' ' { // not of the banner or command line before
			f.test, f.command, f.pending.burst = "", "", 0
		}
		f.layout = ','
		return true
	}
	if netperfUnits().MatchString(text) {
		f.columns, f.layout, f.details = wide().Split(strings.TrimSpace(text), -1), ' ', false
		return f.classic()
	}
	if strings.HasPrefix(text, "Send") && strings.Contains(text, "usec/Tran") { // -v 2
		f.columns = []string{"", "", "", "", "RT_LATENCY", "TRANSACTION_RATE", "", ""}
		f.layout, f.details = ' ', f.pending.ok()
		return true
	}
	c := text[0]
	isLetter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	// The omni tests print the words of their columns below each other, in some lines.
	// They are kept as they stand, since places tell which words belong together; see
	// lex.Stacked.
	if f.layout == 'b' && len(f.head) < 5 && isLetter && !strings.Contains(text, ": ") {
		f.head = append(f.head, strings.TrimRight(string(p.raw), " \r"))
		return true
	}
	return false
}

// setColumns sets the columns from their names, and reports whether one holds times or rates.
func (f *netperf) setColumns(names []string) bool {
	keys := make([]string, len(names))
	useful := false
	for i, name := range names {
		keys[i] = netperfKeys[strings.ToLower(strings.TrimSpace(name))]
		isRate := keys[i] == "TRANSACTION_RATE" || keys[i] == "THROUGHPUT_UNITS"
		useful = useful || isRate || strings.HasSuffix(keys[i], "LATENCY")
	}
	if useful {
		f.columns, f.details = keys, false
	}
	return useful
}

// classic turns the units of a classic table into keys, by the bytes before the seconds: two
// sockets, then request and response, or a message.
func (f *netperf) classic() bool {
	sizes := 0
	for i, unit := range f.columns {
		_, transactions, ok := netperfRate(unit)
		switch {
		case strings.EqualFold(unit, "bytes"):
			sizes++
			f.columns[i] = ""
		case transactions:
			f.columns[i] = "TRANSACTION_RATE"
		case ok:
			f.columns[i] = "THROUGHPUT " + unit
		default:
			f.columns[i] = ""
		}
	}
	switch sizes {
	// "bytes  Bytes  bytes    bytes   secs.": two sockets, request, response.
	case 4:
		f.columns[2], f.columns[3] = "REQUEST_SIZE", "RESPONSE_SIZE"
	// "bytes  bytes  bytes   secs.": two sockets and a message, or in UDP_STREAM one socket.
	case 2, 3:
		f.columns[sizes-1] = "LOCAL_SEND_SIZE"
	}
	return true
}

func (f *netperf) row(p *parser, line []byte) bool {
	if f.layout == 'b' { // the header of an omni test has ended
		if names := lex.Stacked(f.head); !f.setColumns(names) {
			f.layout = 0
			return false
		}
		f.layout = ' '
	}
	values := lex.Split(nil, line, f.layout)
	isStream := f.layout == ' ' && len(f.columns) == 6 && f.columns[1] == "LOCAL_SEND_SIZE"
	if isStream && len(values) == 4 && f.pending.ok() {
		// UDP_STREAM: the second row has what the receiver got. Only that has crossed the network.
		f.half = false
		v, ok := lex.Parse(values[3])
		if !ok || v.Value <= 0 {
			p.warn("netperf: the receiver of the run of %s in line %d got nothing, so the run is "+
				"left out", f.test, f.at)
			f.pending = netperfRun{burst: f.pending.burst}
			return true
		}
		f.pending.throughput = f.pending.throughput / f.pending.perUs * v.Value
		f.pending.perUs = v.Value
		return true
	}
	// The second line of a classic table: "524288 524288".
	if f.layout == ' ' && len(values) == 2 {
		return true // the sockets of the other side
	}
	isNumber := func(text []byte) bool {
		_, ok := lex.Parse(text)
		return ok
	}
	if len(values) != len(f.columns) || !slices.ContainsFunc(values, isNumber) {
		return false
	}
	if !f.details {
		f.flush(p)
	}
	f.at, f.half = p.file.Lines, isStream
	for i, key := range f.columns {
		unit := ""
		if key == "THROUGHPUT" {
			for k, other := range f.columns {
				if other == "THROUGHPUT_UNITS" {
					unit = string(values[k])
				}
			}
		}
		f.pending.set(key, string(values[i]), unit)
	}
	return true
}

func (f *netperf) flush(p *parser) {
	if len(f.keyed) > 0 {
		f.pending.setAll(f.keyed, f.test)
		f.keyed = nil
	}
	// A header gives the burst for all rows under it.
	r, half := f.pending, f.half
	f.half = false
	if f.pending = (netperfRun{burst: r.burst}); !r.ok() {
		return
	}
	t, measures := r.table(f.test, f.command)
	switch {
	case half:
		p.warn("netperf: the run of %s in line %d has no row of the receiver, and is left out",
			f.test, f.at)
		return
	case !measures:
		p.warn("netperf: %s measures no message, and is left out (line %d)", f.test, f.at)
		return
	case r.size == 0 || r.time == 0:
		if t.Kind != Gap || r.throughput > 0 {
			f.without++
		}
		return
	}
	b := f.tables.table(p, t.Title, t)
	if t.Kind == Operation {
		b.warnOnce("requests and responses differ in size: " +
			"the time is that of both, and not a round trip")
	}
	b.row(row{size: r.size, time: r.time, min: r.min, max: r.max, median: r.median})
}

func (f *netperf) end(p *parser) {
	_, rate := f.keyed["THROUGHPUT"]
	_, unit := f.keyed["THROUGHPUT_UNITS"]
	// Without its unit, which other runs have, the throughput would get netperf's default.
	if f.half || rate && !unit && f.units {
		p.endsWithin(len(p.builders), "the last run of netperf is cut off here, so it is left out")
		f.keyed = nil
	}
	f.flush(p)
	if f.without > 0 {
		p.warn("netperf: %s without a size (the last in line %d) left out: print the command line "+
			"before it, or select REQUEST_SIZE or LOCAL_SEND_SIZE with -o",
			quantity.Plural(f.without, "run"), f.at)
	}
}
