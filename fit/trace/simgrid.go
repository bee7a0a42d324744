package trace

import "bytes"

// simgrid reads the CSV files of SimGrid's calibration: op,size,start,duration in
// seconds, without a header. Each operation is a table. A ping-pong's duration
// (MPI_Recv or MPI_Send of both sides) is what the operation took at its caller.
type simgrid struct {
	tables map[string]*builder
}

func (f *simgrid) take(p *parser, line []byte) bool {
	if len(line) < 5 || line[0] != 'M' && line[0] != 'P' && line[0] != '"' {
		return false
	}
	var text [4][]byte
	parts := splitAt(text[:0], line, ',')
	op := parts[0]
	if !bytes.HasPrefix(op, []byte("MPI_")) && !bytes.Equal(op, []byte("PingPong")) {
		return false
	}
	var v [3]number
	if len(parts) != 4 || !numbers(parts[1:], v[:]) {
		if b := f.tables[string(op)]; b != nil {
			b.cut()
			return true
		}
		return false
	}
	b := f.tables[string(op)]
	if b == nil {
		kind := Operation
		switch string(op) {
		case "MPI_Send", "MPI_Isend":
			kind = SendOverhead
		case "PingPong":
			kind = RoundTrip
		}
		b = p.begin(Table{Format: "simgrid", Title: short(op), Kind: kind})
		if f.tables == nil {
			f.tables = map[string]*builder{}
		}
		if len(f.tables) < maxTables {
			f.tables[string(op)] = b
		}
	}
	b.resolution(v[2].quantum() * 1e6)
	b.row(row{size: v[0].value, time: v[2].value * 1e6})
	return true
}
