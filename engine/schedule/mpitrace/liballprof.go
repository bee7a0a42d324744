package mpitrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A line of liballprof is a call: its name, begin, arguments and end, separated by colons. Times
// are in µs. A type is "type,size,extent", a communicator "communicator,rank,size", a request its
// address. Addresses of requests in one array differ by the size of a request.

// profiled is a rank of a liballprof trace.
type profiled struct {
	*rank
	from, to   int64 // begin and end of the call, in ns
	clock      int64 // end of the previous call
	stride     int64 // size of a request
	persistent map[int64]persistent
}

// persistent is the operation that starting a persistent request adds; none if ok is false.
type persistent struct {
	op schedule.Op
	ok bool
}

func translateLiballprof(r *rank, f *file) error {
	r.dialect = openMPI
	p := profiled{rank: r, stride: 8, persistent: map[int64]persistent{}}
	r.enter = p.gap
	state := "MPI_Init" // the call that is expected next
	for {
		l, err := f.next()
		if err == io.EOF && state == "" {
			return nil
		}
		if err == io.EOF {
			return f.errorf("the trace ends without %s; is it truncated?", state)
		}
		if err != nil {
			return err
		}
		if len(l) == 0 || l[0] == '#' {
			continue
		}
		fields := bytes.Split(l, []byte(":"))
		name := string(fields[0])
		r.line, r.call = f.line, name
		switch {
		case !strings.HasPrefix(name, "MPI_"):
			return f.errorf("%.40q is not a call of MPI", name)
		case state == "":
			return f.errorf("%s after MPI_Finalize", name)
		case name == "MPI_Init" || name == "MPI_Init_thread":
			if state != "MPI_Init" || len(fields) < 3 {
				return f.errorf("unexpected %s before %s", name, state)
			}
			if p.clock, err = nanoseconds(fields[len(fields)-1]); err != nil {
				return f.errorf("the end of %s: %w", name, err)
			}
			state = "MPI_Finalize"
		case local(name):
			// Its time becomes part of the next computation.
		case state == "MPI_Init":
			return f.errorf("%s before MPI_Init", name)
		case name == "MPI_Finalize":
			if len(fields) != 3 {
				return f.errorf("MPI_Finalize must have 3 fields (got %d)", len(fields))
			}
			if p.from, err = nanoseconds(fields[1]); err != nil {
				return f.errorf("the begin of MPI_Finalize: %w", err)
			}
			if err := p.gap(); err != nil {
				return f.errorf("MPI_Finalize: %w", err)
			}
			state = ""
		default:
			if err := p.translate(name, fields); err != nil {
				return f.errorf("%s: %w", name, err)
			}
		}
		if err := r.b.Err(); err != nil {
			return f.errorf("%s: %w", name, err)
		}
	}
}

// translate translates a call that communicates.
func (p *profiled) translate(name string, fields [][]byte) error {
	f, ok := functions[name]
	if !ok {
		return errors.New("not supported; only messages, their requests and collectives with one size are")
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
		return fmt.Errorf("the clock goes back: the call lasts from %d to %d ns, but the previous one ended at %d ns", p.from, p.to, p.clock)
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
	way := &a.way[0]
	if strings.HasSuffix(word, "2") {
		way = &a.way[1]
	}
	word = strings.TrimSuffix(word, "2")
	numbers := [...]*int64{&way.peer, &way.tag, &a.root, &a.requests, &a.request[0]}
	if i := slices.Index([]string{"peer", "tag", "root", "requests", "request"}, word); i >= 0 {
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
		parts := bytes.Split(field, []byte(","))
		if len(parts) != 3 {
			return fmt.Errorf("%q is not a communicator; write communicator,rank,size", field)
		}
		place, err := integer(parts[1])
		if err != nil {
			return err
		}
		size, err := integer(parts[2])
		if err != nil {
			return err
		}
		if size != int64(p.group.Size) || place != int64(p.group.Place) {
			return fmt.Errorf("rank %d of %d in its communicator, but this trace is rank %d of %d; "+
				"only communicators of all ranks in their order are supported (or files are missing or in another order)",
				place, size, p.group.Place, p.group.Size)
		}
	}
	return err
}

// gap adds the computation between the previous call and this one.
func (p *profiled) gap() error {
	if p.from < p.clock {
		return fmt.Errorf("the clock goes back: the call begins at %d ns, but the previous one ended at %d ns", p.from, p.clock)
	}
	err := p.compute(float64(p.from - p.clock))
	p.clock = p.to
	return err
}

func (p *profiled) sendrecv(a *arguments) error { return p.blocking(a, schedule.Send, schedule.Recv) }

// probe adds no message, since the receive does.
func (p *profiled) probe(*arguments) error { return p.gap() }

func (p *profiled) replace(a *arguments) error {
	a.way[1].count, a.way[1].size = a.way[0].count, a.way[0].size
	return p.sendrecv(a)
}

func (p *profiled) nonBlocking(a *arguments, kind schedule.Kind) error {
	p.reuse(a.request[0])
	return p.rank.nonBlocking(a, kind, a.request)
}

// prepare makes a persistent request. This is local, so it counts as computation.
func (p *profiled) prepare(a *arguments, kind schedule.Kind) (err error) {
	x := p.persistent[a.request[0]]
	if x.op, x.ok, err = p.message(kind, a, 0); err == nil {
		p.persistent[a.request[0]] = x
		p.reuse(a.request[0])
	}
	return err
}

func (p *profiled) start(a *arguments) error {
	if _, ok := p.persistent[a.request[0]]; !ok {
		return errors.New("no MPI_Send_init or MPI_Recv_init made the request")
	}
	a.requests = 1
	return p.startAll(a)
}

func (p *profiled) startAll(a *arguments) error {
	var at []int64
	for request, x := range p.persistent {
		if x.ok && p.isRequest(a, request) {
			at = append(at, request)
		}
	}
	slices.Sort(at)
	p.reuse(at...)
	var qs []request
	var ops []schedule.Op
	for _, at := range at {
		qs = append(qs, request{at})
		ops = append(ops, p.persistent[at].op)
	}
	if err := p.gap(); err != nil {
		return err
	}
	p.begin(qs, ops)
	return nil
}

// isRequest reports whether an address lies in the array of requests of a call.
func (p *profiled) isRequest(a *arguments, at int64) bool {
	d := at - a.request[0]
	return d >= 0 && d%p.stride == 0 && d/p.stride < a.requests
}

// reuse frees requests whose addresses are used again. If one has an operation without a wait, a
// test must have found it done, though the trace does not show which.
func (p *profiled) reuse(addresses ...int64) {
	var open []uint32
	for _, at := range addresses {
		if at%8 != 0 {
			p.stride = 4 // as in MPICH; pointers, as in Open MPI, lie at multiples of 8
		}
		if op, ok := p.oldest(request{at}); ok {
			open = append(open, op)
		}
	}
	if len(open) > 0 {
		call := p.call
		p.call += "_reuse"
		p.wait(open...)
		p.call = call
	}
}

// waitOne waits for a request. A request without an operation is done already.
func (p *profiled) waitOne(a *arguments) error {
	op, ok := p.oldest(a.request)
	if !ok {
		return nil
	}
	if err := p.gap(); err != nil {
		return err
	}
	p.wait(op)
	return nil
}

func (p *profiled) waitAll(a *arguments) error {
	var ops []uint32
	for q := range p.requests {
		if p.isRequest(a, q[0]) {
			op, _ := p.oldest(q)
			ops = append(ops, op)
		}
	}
	if err := p.gap(); err != nil {
		return err
	}
	slices.Sort(ops)
	p.wait(ops...)
	return nil
}

// integer parses a number that may be an address.
func integer(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a whole number", b)
	}
	return n, nil
}

// nanoseconds parses a time in µs, exact to the ns.
func nanoseconds(b []byte) (int64, error) {
	whole, fraction, _ := strings.Cut(string(b), ".")
	us, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || us > math.MaxInt64/1000-1 {
		return 0, fmt.Errorf("%.40q is not a time in µs", b)
	}
	ns := uint64(0)
	for i, c := range fraction {
		switch {
		case c < '0' || c > '9':
			return 0, fmt.Errorf("%.40q is not a time in µs", b)
		case i < 3:
			ns = ns*10 + uint64(c-'0')
		}
	}
	for i := len(fraction); i < 3; i++ {
		ns *= 10
	}
	return int64(us*1000 + ns), nil
}
