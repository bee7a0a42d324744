package benchfile

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A lineRow describes the rows of a benchmark that prints no header: the form of a line says what
// its numbers are. The groups of its pattern are size and time, and where lines have them, the
// units of both, a rate beside the time, and the operation, which has a table of its own.
type lineRow struct {
	line lex.Pattern
	time float64 // unit of times that print none, in µs
	// rate is the unit of the rates in bytes/µs; 0 without one. A line is a row only if rate times
	// time is the size, within the precision of printing.
	rate    float64
	size    float64 // of lines that print none, whose rate alone may give the time
	warning string  // of a table with such rows
	suffix  string  // of titles
}

// A lineBenchmark is what [lined] has to know of a benchmark.
type lineBenchmark struct {
	rows []lineRow
	cut  lex.Pattern // matches the beginning of a row that ends too early
	// table returns the table of an operation, and of all rows if there is none. Sizes that start
	// again then begin another table.
	table func(operation string, r *lineRow) Table
}

// netpipe is NetPIPE's np.out and its log. np.out of NetPIPE 3.7.2 over loopback, and the log of
// 3.7.1:
//
//	     1 0.913949   0.00000835
//	     2 1.857686   0.00000821
//
//	0:       1 bytes  32103 times -->      4.58 Mbps in       1.67 usec
//	1:       2 bytes  59994 times -->      9.22 Mbps in       1.65 usec
//
// NetPIPE 3 writes three columns: bytes, Mbps of 2²⁰ bits, and seconds with eight decimals. NetPIPE
// 4 and 5 write five: bytes, the average, minimum and maximum Gbps of 10⁹ bits, and µs; their logs
// have sizes such as "4 B", and KB, MB of 10³, 10⁶ bytes. The time is half of a round trip; the
// times are used, and not the rates.
//
// Tested with NetPIPE 3.7.1 and 3.7.2, and with files in the shape of 4 and 5 written by hand.
var netpipe = lineBenchmark{
	rows: []lineRow{
		{line: netpipe3, time: 1e6, rate: (1 << 20) / 8e6},
		{line: netpipe3, time: 1e6, rate: 1. / 8, warning: "the rates contradict the times: they " +
			"are of 10⁶ bits, and NetPIPE 3 prints them of 2²⁰; the times count"},
		{line: lex.NewPattern(`^(?P<size>\d+)\s+(?P<rate>\d+\.\d+)(?:\s+[0-9.eE+-]+){2}\s+` +
			`(?P<time>[0-9.eE+-]+)$`), time: 1, rate: 1e3 / 8},
		{line: lex.NewPattern(`^\d+:\s+(?P<size>[0-9.]+)\s+(?P<sizeUnit>bytes|B|KB|MB|GB)\s+` +
			`\d+ times\s+-->\s+[0-9.]+ +[KMGT]?bps\s+in\s+(?P<time>[0-9.]+) +` +
			`(?P<timeUnit>nsec|usec|msec|sec)s?\b`)},
	},
	// A run that was killed ends behind the arrow.
	cut: lex.NewPattern(`^\d+:\s+[0-9.]+\s+(bytes|B|KB|MB|GB)\s+\d+ times\s+-->`),
	table: func(string, *lineRow) Table {
		return Table{Format: "netpipe", Kind: OneWay, Title: "NetPIPE"}
	},
}

var netpipe3 = lex.NewPattern(`^(?P<size>\d+)\s+(?P<rate>\d+\.\d+)\s+(?P<time>\d+\.\d{6,})$`)

// simgrid is the CSV files of SimGrid's calibration, which have no header: op,size,start,duration
// in seconds, and of its saturation test rank,op,size,start,duration in milliseconds. Each
// operation is a table. A ping-pong's duration (MPI_Recv or MPI_Send on both sides) is the time of
// the call. In a saturation test several ranks send at once. R quotes the operations.
//
//	MPI_Recv,8294400,0.030067,3.810518e-03
//	MPI_Recv,8294400,0.051203,4.921038e-03
//
// Tested with the files of PlaFRIM (2016), whose programs are those of SimGrid's
// platform-calibration.
var simgrid = lineBenchmark{
	rows: []lineRow{
		{line: lex.NewPattern(`^"?(?P<op>MPI_\w*|PingPong)"?` + simgridRest), time: 1e6},
		{line: lex.NewPattern(`^[0-9.]+,"?(?P<op>MPI_\w*|PingPong)"?` + simgridRest), time: 1e3,
			suffix: " under load"},
	},
	cut:   lex.NewPattern(`^(?:[0-9.]+,)?"?(?P<op>MPI_\w*|PingPong)"?,`),
	table: simgridTable,
}

const simgridRest = `,(?P<size>[0-9.eE+-]+),[0-9.eE+-]+,(?P<time>[0-9.eE+-]+)$`

// simgridTable returns the table of an operation. Under load, both sides use the name of a send.
func simgridTable(op string, r *lineRow) Table {
	t := Table{Format: "simgrid", Kind: Operation, Title: op + r.suffix}
	switch {
	case (op == "MPI_Send" || op == "MPI_Isend") && r.suffix == "":
		t.Kind = SendOverhead
	case op == "PingPong":
		t.Kind = RoundTrip
	default:
		if c, ok := collectiveNamed(op); ok {
			t.Kind, t.Collective = Collective, c.perRank()
		}
	}
	return t
}

// hpcc is the latency-bandwidth test of the HPC Challenge, b_eff: in hpccoutf.txt, the times of
// ping-pongs of 8 B and the rates of those of 2,000,000 B, one way, over pairs of ranks. Its rings
// are not read.
//
//	Latency   min / avg / max:   0.000238 /   0.000871 /   0.001283 msecs
//	Bandwidth min / avg / max:   9521.337 /  11422.161 /  12841.551 MByte/s
//
// Tested with files in the shape of HPCC 1.5 written by hand.
var hpcc = lineBenchmark{
	rows: []lineRow{
		{line: lex.NewPattern(`^Latency +` + hpccRest + `msecs$`), time: 1e3, size: 8},
		{line: lex.NewPattern(`^Bandwidth +` + hpccRest + `MByte/s$`), rate: 1, size: 2e6},
	},
	cut: lex.NewPattern(`^(Latency|Bandwidth) +min / avg / max:`),
	table: func(string, *lineRow) Table {
		return Table{Format: "hpcc", Kind: OneWay, Title: "HPCC ping pong"}
	},
}

const hpccRest = `min / avg / max: +[\d.]+ / +(?P<time>(?P<rate>[\d.]+)) / +[\d.]+ +`

// Units that lines name, in bytes and µs.
var (
	lineSizes = map[string]float64{"": 1, "bytes": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}
	lineTimes = map[string]float64{"nsec": 1e-3, "usec": 1, "msec": 1e3, "sec": 1e6}
)

// lined reads the rows of a benchmark without headers.
type lined struct {
	*lineBenchmark
	tables openTables // by their operations
	open   *builder   // the last table
	unit   float64    // of its times
	last   float64    // its last size
}

func (f *lined) take(p *parser, line []byte) bool {
	for i := range f.rows {
		if f.row(p, &f.rows[i], line) {
			return true
		}
	}
	if f.open != nil && f.cut().Match(line) {
		f.open.count(cutOff)
		return true
	}
	return false
}

// row adds the row of a line, and reports whether it is one.
func (f *lined) row(p *parser, r *lineRow, line []byte) bool {
	pattern := r.line()
	m := pattern.FindSubmatch(line)
	if m == nil {
		return false
	}
	group := func(name string) string {
		if i := pattern.SubexpIndex(name); i > 0 {
			return string(m[i])
		}
		return ""
	}
	n, okSize := lex.Parse([]byte(group("size")))
	t, okTime := lex.Parse([]byte(group("time")))
	if r.size > 0 {
		return f.summary(p, r, t, group("rate"))
	}
	if !okSize || !okTime { // two dots in a number
		return false
	}
	unit := r.time
	if unit == 0 {
		unit = lineTimes[group("timeUnit")]
	}
	each := lineSizes[group("sizeUnit")]
	size, us, quantum := n.Value*each, t.Value*unit, t.Quantum()*unit
	if r.rate > 0 {
		v, ok := lex.Parse([]byte(group("rate")))
		rate := v.Value * r.rate
		// Both are rounded to their last digit; 1 % is for averaging.
		slack := rate*quantum + us*v.Quantum()*r.rate + 0.01*size
		if !ok || size == 0 || us <= 0 || math.Abs(rate*us-size) > slack {
			return false
		}
	}
	f.begin(p, r, lex.Short([]byte(group("op"))), size)
	f.open.resolution(quantum)
	// "1.049 MB" stands for 1,048,576 bytes, but also for its neighbours.
	if n.Exp < 0 && n.Quantum()*each > 1 {
		f.open.warnOnce("the log rounds sizes from 1 MB up; np.out has them all")
	}
	f.open.row(row{size: math.Round(size), time: us})
	if r.warning != "" {
		f.open.warnOnce(r.warning)
	}
	return true
}

// summary adds the row of a line whose benchmark has the size: by its time, or by its rate.
func (f *lined) summary(p *parser, r *lineRow, t lex.Number, rate string) bool {
	us := t.Value * r.time
	if r.rate > 0 {
		v, _ := lex.Parse([]byte(rate))
		us = r.size / (v.Value * r.rate)
	}
	f.begin(p, r, "", r.size)
	f.open.row(row{size: r.size, time: us})
	return true
}

// begin makes the table of a row the open one.
func (f *lined) begin(p *parser, r *lineRow, operation string, size float64) {
	switch {
	case operation != "":
		f.open = f.tables.table(p, operation+r.suffix, f.table(operation, r))
	// A smaller size begins another run; an equal one is a repetition.
	case f.open == nil || f.unit != r.time && r.size == 0 || size < f.last:
		f.open = p.begin(f.table("", r))
	}
	f.unit, f.last = r.time, size
}
