package benchfile

import (
	"bytes"

	"github.com/halfpeak/halfpeak/internal/lex"
)

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
		t := Table{Format: "simgrid", Title: key, Kind: Operation}
		switch op := string(op); op {
		case "MPI_Send", "MPI_Isend":
			if t.Kind = SendOverhead; unit == 1e3 {
				t.Kind = Operation // both sides use this name
			}
		case "PingPong":
			t.Kind = RoundTrip
		default:
			if c, ok := collectiveNamed(op); ok {
				t.Kind, t.Collective = Collective, c.perRank()
			}
		}
		b = f.tables.table(p, key, t)
	}
	b.resolution(v[2].Quantum() * unit)
	b.row(row{size: v[0].Value, time: v[2].Value * unit})
	return true
}
