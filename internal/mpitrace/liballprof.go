package mpitrace

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A line of liballprof is a call: its name, begin, arguments and end, separated by colons. Times
// are in µs. A type is "type,size,extent", a communicator "communicator,rank,size", a request its
// address. From a run of Sweep3D on four ranks (collprof 0.9, published with spcl/atlahs):
//
//	# collprof 0.9 output file
//	# Init clockdiff: 0.000000
//	MPI_Init:-:140737488343500:140737488344604:1237666046950106.000000
//	MPI_Comm_size:1237666046950128.000000:0,0,4:140737488343496:1237666046950150.000000
//	MPI_Bcast:1237666046950835.000000:6610272:1:2,4,4:0:0,0,4:1237666046950889.000000
//	MPI_Recv:1237666047187471.000000:1125…:4500:11,8,4690…:1:3000:0,0,4:1407…:123…238935.0
//	MPI_Finalize:1237666089489240.000000:-
//
// The extent of that type is 46909632806920, which cannot be true, so extents are not read.

// liballprof is a rank of a trace of liballprof.
type liballprof struct {
	profiled
	state string // the call that is expected next, empty after the last
	at    place
}

// translateLiballprof adds the calls of a file to its rank.
func translateLiballprof(r *rank, f *file, splits *splitReader) error {
	r.dialect = openMPI
	p := liballprof{profiled: profiled{rank: r, stride: 8, persistent: map[int64]persistent{},
		joiner: joiner{reader: splits}, made: unnamed},
		state: "MPI_Init", at: r.o.Region.start()}
	r.enter = p.gap
	finalizes := func(l []byte) bool { return bytes.HasPrefix(l, []byte("MPI_Finalize:")) }
	for {
		l, ended, err := r.nextLine(f, p.state, finalizes)
		if err != nil {
			return err
		}
		if ended {
			return r.missing(f, p.at)
		}
		// Comments give the host and the clock's difference from rank 0's, which is not needed:
		// each rank begins at its own MPI_Init.
		if len(l) == 0 || l[0] == '#' {
			r.written = string(l) == writtenMark
			continue
		}
		fields := bytes.Split(l, []byte(":"))
		name := string(fields[0])
		r.line, r.call = f.line, name
		if err := p.do(f, name, fields); err != nil {
			return err
		}
		if err := r.Err(); err != nil {
			return f.errorf("%s: %w", name, err)
		}
		r.written = false
	}
}

// do translates a call.
func (p *liballprof) do(f *file, name string, fields [][]byte) error {
	if p.state == "MPI_Finalize" && p.o.Region.isMark(name) {
		if marked, err := p.mark(name, fields); err != nil {
			return f.errorf("%s: %w", name, err)
		} else if marked {
			return nil
		}
	}
	switch {
	case !strings.HasPrefix(name, "MPI_"):
		return f.errorf("%.40q is not a call of MPI", name)
	case p.state == "":
		return f.errorf("%s after MPI_Finalize", name)
	case name == "MPI_Init" || name == "MPI_Init_thread":
		return p.begin(f, name, fields)
	case p.at != within && makesSplit[name]:
		if err := p.joiner.make(p.rank, unnamed); err != nil {
			return f.errorf("%s: %w", name, err)
		}
	case p.at != within && name != "MPI_Finalize" && !strings.HasSuffix(name, "_init"):
		// Persistent requests may be made before the region.
	case local(name):
		// Its time becomes part of the next computation.
	case p.state == "MPI_Init":
		return f.errorf("%s before MPI_Init", name)
	case name == "MPI_Finalize":
		return p.end(f, fields)
	default:
		if err := p.translate(name, fields); err != nil {
			return f.errorf("%s: %w", name, err)
		}
	}
	return nil
}

// begin takes MPI_Init. Its begin is "-", and its arguments are addresses: the end alone counts.
func (p *liballprof) begin(f *file, name string, fields [][]byte) (err error) {
	if p.state != "MPI_Init" || len(fields) < 3 {
		return f.errorf("unexpected %s before %s", name, p.state)
	}
	if p.clock, err = nanoseconds(fields[len(fields)-1]); err != nil {
		return f.errorf("the end of %s: %w", name, err)
	}
	p.state = "MPI_Finalize"
	return nil
}

// end takes MPI_Finalize: name, begin, and "-" for the end, which is never written.
func (p *liballprof) end(f *file, fields [][]byte) (err error) {
	if len(fields) != 3 {
		return f.errorf("MPI_Finalize must have 3 fields (got %d)", len(fields))
	}
	if p.from, err = nanoseconds(fields[1]); err != nil {
		return f.errorf("the begin of MPI_Finalize: %w", err)
	}
	if p.at == within {
		err = p.gap()
	}
	if err != nil {
		return f.errorf("MPI_Finalize: %w", err)
	}
	p.state = ""
	return nil
}

// mark goes to the place behind a mark, and reports whether the region begins or ends there.
// Barriers of a part of the ranks are not marks.
func (p *liballprof) mark(name string, fields [][]byte) (ends bool, err error) {
	if len(fields) < 3 {
		return false, fmt.Errorf("must have at least 3 fields (got %d)", len(fields))
	}
	if name == "MPI_Barrier" {
		var a arguments
		if err := p.argument(&a, "comm", fields[2]); err != nil || p.in(&a) != p.world {
			return false, err
		}
	}
	if !p.at.ends(p.rank, name) {
		return false, nil
	}
	if p.from, err = nanoseconds(fields[1]); err == nil {
		p.to, err = nanoseconds(fields[len(fields)-1])
	}
	if err == nil && p.at == within {
		err = p.gap() // the last computation of the region
	}
	p.clock = max(p.clock, p.to)
	p.at++
	return true, err
}

// writtenMark is the line before a send whose memory the program has written since its last
// message, in traces of halfpeak's trace.c. A comment, so that other readers read the trace too.
const writtenMark = "# written"

// translate translates a call that communicates.
func (p *profiled) translate(name string, fields [][]byte) error {
	f, ok := functions[name]
	if !ok {
		return errNotSupported
	}
	words := strings.Fields(f.args)
	if len(fields) != len(words)+3 {
		return fmt.Errorf("must have %d fields (got %d)", len(words)+3, len(fields))
	}
	var err error
	if p.from, err = nanoseconds(fields[1]); err != nil {
		return fmt.Errorf("its begin: %w", err)
	}
	if p.to, err = nanoseconds(fields[len(fields)-1]); err != nil {
		return fmt.Errorf("its end: %w", err)
	}
	if p.from < p.clock || p.to < p.from {
		return fmt.Errorf("the clock goes back: the call lasts from %d to %d ns, but the "+
			"previous one ended at %d ns", p.from, p.to, p.clock)
	}
	var a arguments
	for i, word := range words {
		if err := p.argument(&a, word, fields[i+2]); err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return f.do(p, &a)
}

// argument parses one argument.
func (p *profiled) argument(a *arguments, word string, field []byte) (err error) {
	at := 0
	if strings.HasSuffix(word, "2") {
		at = 1
	}
	way := &a.way[at]
	word = strings.TrimSuffix(word, "2")
	numbers := [...]*int64{&way.buffer, &way.peer, &way.tag, &a.root, &a.requests, &a.request[0]}
	names := []string{"buffer", "peer", "tag", "root", "requests", "request"}
	if i := slices.Index(names, word); i >= 0 {
		*numbers[i], err = integer(field)
		return err
	}
	switch word {
	case "count":
		n, err := integer(field)
		way.count = float64(n)
		return err
	case "type":
		parts := bytes.Split(field, []byte(","))
		if len(parts) != 3 {
			return fmt.Errorf("%q is not a type; write type,size,extent", field)
		}
		way.size, err = integer(parts[1])
	case "comm":
		x, err := communicatorOf(field)
		if err != nil {
			return err
		}
		if p.joiner.splits == nil && x.place == int64(p.group.Place) &&
			x.size == int64(p.group.Size) {
			return nil // no other one was made yet
		}
		a.comm, err = p.joiner.in(p.rank, x)
		return err
	case "blocks":
		a.blocks[at], err = countsOf(field)
	}
	return err
}

// communicatorOf parses a communicator: its handle, the rank's place in it and its size.
func communicatorOf(field []byte) (x handle, err error) {
	parts := bytes.Split(field, []byte(","))
	if len(parts) != 3 {
		return x, fmt.Errorf("%q is not a communicator; write communicator,rank,size", field)
	}
	for i, n := range []*int64{&x.number, &x.place, &x.size} {
		if *n, err = integer(parts[i]); err != nil {
			return x, err
		}
	}
	if x.place < 0 {
		return x, fmt.Errorf("%q is not a communicator; its rank must be at least 0", field)
	}
	return x, nil
}

// countsOf parses counts, one for each rank: "3,0".
func countsOf(field []byte) (all []uint64, err error) {
	for part := range bytes.SplitSeq(field, []byte(",")) {
		n, err := integer(part)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%.40q is not a list of counts", field)
		}
		all = append(all, uint64(n))
	}
	return all, nil
}

// allprofMakings returns the calls of a file that make communicators. Invalid lines are left to the
// translation.
func allprofMakings(f *file) (all []making, err error) {
	for l, err := range f.lines() {
		if err != nil {
			return nil, err
		}
		fields := bytes.Split(l, []byte(":"))
		name := string(fields[0])
		if !makesSplit[name] || len(fields) < 5 {
			continue
		}
		m := making{made: unnamed}
		if m.of, err = communicatorOf(fields[2]); err == nil && name == "MPI_Comm_split" {
			m.color, err = integer(fields[3])
			if err == nil {
				m.key, err = integer(fields[4])
			}
		}
		if m.color < 0 { // MPI_UNDEFINED
			m.color = notMember
		}
		if err == nil {
			all = append(all, m)
		}
	}
	return all, nil
}

// nanoseconds parses a time in µs, exact to the ns.
func nanoseconds(b []byte) (int64, error) {
	whole, fraction, _ := strings.Cut(string(b), ".")
	us, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || us > math.MaxInt64/1000-1 || strings.Trim(fraction, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q is not a time in µs", b)
	}
	// By text: a time of 1.2·10¹⁵ µs with six decimals has more digits than a float64.
	ns, err := strconv.ParseInt((fraction + "000")[:3], 10, 64)
	return int64(us)*1000 + ns, err
}
