package benchfile

import (
	"bytes"
	"math"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// netpipe reads NetPIPE's np.out and its log. np.out of NetPIPE 3.7.2 over loopback, and the log of
// 3.7.1:
//
//	     1 0.913949   0.00000835
//	     2 1.857686   0.00000821
//
//	0:       1 bytes  32103 times -->      4.58 Mbps in       1.67 usec
//	1:       2 bytes  59994 times -->      9.22 Mbps in       1.65 usec
//
// NetPIPE 3 writes three columns without a header: bytes, Mbps of 2²⁰ bits, and seconds with
// eight decimals. NetPIPE 4 and 5 write five: bytes, the average, minimum and maximum Gbps of 10⁹
// bits, and µs. A row is recognised by its numbers: rate times time must be the size, within the
// precision of printing. The time is half of a round trip; the times are used, and not the rates.
//
// Tested with NetPIPE 3.7.1 and 3.7.2, and with files in the shape of 4 and 5 written by hand.
type netpipe struct {
	open *builder
	cols int     // of the open table; 0 for a log
	last float64 // size of the last row
}

// NetPIPE 3:   "  3:       4 bytes 247253 times -->    112.85 Mbps in       0.27 usec"
// NetPIPE 4,5: "  3:       4  B    247253 times -->    112.853 Mbps  in  270.123 nsecs",
// with KB, MB of 10³, 10⁶ bytes.
var (
	netpipeLog = lex.NewPattern(
		`^\d+:\s+([0-9.]+)\s+(bytes|B|KB|MB|GB)\s+\d+ times\s+-->\s+` +
			`[0-9.]+ +[KMGT]?bps\s+in\s+([0-9.]+) +(nsec|usec|msec|sec)s?\b`)
	// A run that was killed ends behind the arrow.
	netpipeCut = lex.NewPattern(`^\d+:\s+([0-9.]+)\s+(bytes|B|KB|MB|GB)\s+\d+ times\s+-->`)
)

var (
	netpipeSizes = map[string]float64{"bytes": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}
	netpipeTimes = map[string]float64{"nsec": 1e-3, "usec": 1, "msec": 1e3, "sec": 1e6}
)

func (f *netpipe) take(p *parser, line []byte) bool {
	if c := line[0]; c < '0' || c > '9' {
		return false
	}
	var text [6][]byte
	n := lex.Fields(line, text[:])
	// A row of np.out, of version 3 or later.
	if n == 3 || n == 5 {
		var v [5]lex.Number
		return lex.ParseAll(text[:n], v[:n]) && f.row(p, v[:n])
	}
	if m := netpipeLog().FindSubmatch(line); m != nil {
		size, okSize := lex.Parse(m[1])
		t, okTime := lex.Parse(m[3])
		// Two dots in a number match the expression, too.
		if !okSize || !okTime {
			return false
		}
		unit := netpipeTimes[string(m[4])]
		bytes := math.Round(size.Value * netpipeSizes[string(m[2])])
		f.add(p, 0, bytes, t.Value*unit, t.Quantum()*unit)
		// "1.049 MB" stands for 1,048,576 bytes, but also for its neighbours.
		if size.Quantum()*netpipeSizes[string(m[2])] > 1 {
			f.open.warnOnce("the log rounds sizes from 1 MB up; np.out has them all")
		}
		return true
	}
	if f.open != nil && netpipeCut().Match(line) {
		f.open.count(cutOff)
		return true
	}
	return false
}

func (f *netpipe) row(p *parser, v []lex.Number) bool {
	size, t, unit := v[0].Value, v[len(v)-1], 1.0
	bits := 8 * size // per µs: Mbit/s
	rate, step := v[1].Value, v[1].Quantum()
	// The Gbps of NetPIPE 4 and 5 are 10³ Mbit/s; the Mbps of NetPIPE 3 are of 2²⁰ bits, and
	// its times in seconds.
	scale := 1e3
	if len(v) == 3 {
		unit, scale = 1e6, (1<<20)/1e6
	}
	rate, step = rate*scale, step*scale
	us, quantum := t.Value*unit, t.Quantum()*unit
	// NetPIPE prints sizes as integers and rates with decimals. A row of other numbers is not its
	// row.
	// NetPIPE 3 prints eight decimals of a second.
	isCoarse := len(v) == 3 && t.Exp > -6
	if !goodSize(size) || size == 0 || rate < 0 || us <= 0 || v[0].Exp != 0 || v[1].Exp == 0 ||
		isCoarse {
		return false
	}
	// Both are rounded to their last digit; 1 % is for averaging.
	slack := rate*quantum + us*step + 0.01*bits
	agrees := math.Abs(rate*us-bits) <= slack
	// Rows of NetPIPE 3 with rates of 10⁶ bits are accepted too, with a warning: their times are
	// right.
	decimal := rate / scale * 1e6 / (1 << 20)
	if !agrees && (len(v) != 3 || math.Abs(decimal*scale*us-bits) > slack) {
		return false
	}
	f.add(p, len(v), size, us, quantum)
	if !agrees {
		f.open.warnOnce("the rates contradict the times: they are of 10⁶ bits, and NetPIPE 3 " +
			"prints them of 2²⁰; the times count")
	}
	return true
}

// add adds a row. If the sizes start again, it starts a table.
func (f *netpipe) add(p *parser, cols int, size, us, quantum float64) {
	// A smaller size begins another run; an equal one is a repetition.
	if f.open == nil || f.cols != cols || size < f.last {
		f.open = p.begin(Table{Format: "netpipe", Kind: OneWay, Title: "NetPIPE"})
	}
	f.cols, f.last = cols, size
	f.open.resolution(quantum)
	f.open.row(row{size: size, time: us})
}

// simgrid reads the CSV files of SimGrid's calibration, which have no header:
// op,size,start,duration in seconds, and of its saturation test rank,op,size,start,duration in
// milliseconds. Each operation is a table. A ping-pong's duration (MPI_Recv or MPI_Send on both
// sides) is the time of the call. In a saturation test several ranks send at once.
//
//	MPI_Recv,8294400,0.030067,3.810518e-03
//	MPI_Recv,8294400,0.051203,4.921038e-03
//
// Tested with the files of PlaFRIM (2016), whose programs are those of SimGrid's
// platform-calibration.
type simgrid struct {
	tables openTables
}

func (f *simgrid) take(p *parser, line []byte) bool {
	c := line[0]
	// Names begin with MPI_ or are PingPong; R quotes them.
	if len(line) < 5 || c != 'M' && c != 'P' && c != '"' && (c < '0' || c > '9') {
		return false
	}
	var text [6][]byte
	// A saturation test puts the rank first; other lines of numbers are not its rows.
	if c <= '9' && c >= '0' && !bytes.Contains(line, []byte(",MPI_")) {
		return false
	}
	parts := lex.Split(text[:0], line, ',')
	// The calibration prints seconds; its saturation test, milliseconds.
	unit, key := 1e6, ""
	if len(parts) > 1 && c >= '0' && c <= '9' {
		if _, ok := lex.Parse(parts[0]); !ok {
			return false
		}
		parts, unit, key = parts[1:], 1e3, " under load"
	}
	op := parts[0]
	if !bytes.HasPrefix(op, []byte("MPI_")) && !bytes.Equal(op, []byte("PingPong")) {
		return false
	}
	key = lex.Short(op) + key
	b := f.tables[key]
	var v [3]lex.Number
	if len(parts) != 4 || !lex.ParseAll(parts[1:], v[:]) {
		if b != nil {
			b.count(cutOff)
		}
		return b != nil
	}
	if b == nil {
		t := simgridTable(string(op), unit == 1e3)
		t.Title = key
		b = f.tables.table(p, key, t)
	}
	b.resolution(v[2].Quantum() * unit)
	b.row(row{size: v[0].Value, time: v[2].Value * unit})
	return true
}

// simgridTable returns the table of an operation. Under load, both sides use the name of a send.
func simgridTable(op string, loaded bool) Table {
	t := Table{Format: "simgrid", Kind: Operation}
	switch {
	case (op == "MPI_Send" || op == "MPI_Isend") && !loaded:
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
