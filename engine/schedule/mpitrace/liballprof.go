package mpitrace

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A line of liballprof is a call: its name, when it began, its arguments and when
// it ended, with colons between. Times are in µs. A type is "type,size,extent", a
// communicator "communicator,rank,size", a request its address. Addresses of
// requests in one array differ by their size.

// arguments are those of one call that say something. The other way of an
// exchange has its own.
type arguments struct {
	way      [2]struct{ count, size, peer, tag int64 } // size of the type in bytes
	root     int64
	requests int64
	request  int64
}

// A function is an MPI function: what its arguments are, and what it does. The
// words of args say what each is:
//
//	count type peer tag    of a message; with a 2, of the other way of an exchange
//	root comm              of a collective
//	requests request       their number and address
//	_                      nothing that matters
type function struct {
	args string
	do   func(p *profiled, a *arguments) error
}

var functions = func() map[string]function {
	const message = "_ count type peer tag comm"
	all := map[string]function{
		"MPI_Recv":             {message + " _", (*profiled).recv},
		"MPI_Irecv":            {message + " request", (*profiled).irecv},
		"MPI_Sendrecv":         {"_ count type peer tag _ count2 type2 peer2 tag2 comm _", (*profiled).sendrecv},
		"MPI_Sendrecv_replace": {"_ count type peer tag peer2 tag2 comm _", (*profiled).replace},
		"MPI_Probe":            {"_ _ comm _", func(p *profiled, _ *arguments) error { return p.gap() }}, // its message comes with the receive
		"MPI_Wait":             {"request _", (*profiled).waitOne},
		"MPI_Waitall":          {"requests request _", (*profiled).waitAll},
	}
	for _, mode := range []string{"S", "Bs", "Ss", "Rs"} {
		all["MPI_"+mode+"end"] = function{message, (*profiled).send}
		all["MPI_I"+strings.ToLower(mode)+"end"] = function{message + " request", (*profiled).isend}
	}
	// Where both counts are given, a root's own, or one with MPI_IN_PLACE, may mean nothing.
	const both = "_ count type _ count2 type2 "
	for name, c := range map[string]struct {
		args  string
		which func(*Collectives) collective.Algorithm
		bytes func(p *profiled, a *arguments) (uint64, error)
	}{
		"Barrier":   {"comm", func(c *Collectives) collective.Algorithm { return c.Barrier }, func(p *profiled, _ *arguments) (uint64, error) { return p.o.Collectives.BarrierBytes, nil }},
		"Bcast":     {"_ count type root comm", func(c *Collectives) collective.Algorithm { return c.Broadcast }, sendBytes},
		"Reduce":    {"_ _ count type _ root comm", func(c *Collectives) collective.Algorithm { return c.Reduce }, sendBytes},
		"Allreduce": {"_ _ count type _ comm", func(c *Collectives) collective.Algorithm { return c.Allreduce }, sendBytes},
		"Allgather": {both + "comm", func(c *Collectives) collective.Algorithm { return c.Allgather }, recvBytes},
		"Alltoall":  {both + "comm", func(c *Collectives) collective.Algorithm { return c.Alltoall }, recvBytes},
		"Gather": {both + "root comm", func(c *Collectives) collective.Algorithm { return c.Gather }, func(p *profiled, a *arguments) (uint64, error) {
			if a.root == int64(p.group.Place) {
				return recvBytes(p, a)
			}
			return sendBytes(p, a)
		}},
		"Scatter": {both + "root comm", func(c *Collectives) collective.Algorithm { return c.Scatter }, func(p *profiled, a *arguments) (uint64, error) {
			if a.root == int64(p.group.Place) {
				return sendBytes(p, a)
			}
			return recvBytes(p, a)
		}},
	} {
		do := func(nonBlocking bool) func(*profiled, *arguments) error {
			return func(p *profiled, a *arguments) error {
				bytes, err := c.bytes(p, a)
				if err != nil {
					return err
				}
				if a.root < 0 || a.root >= int64(p.group.Size) {
					return fmt.Errorf("the root is %d, but ranks are 0 to %d", a.root, p.group.Size-1)
				}
				var q *request
				if nonBlocking {
					if err := p.reuse(a.request); err != nil {
						return err
					}
					q = &request{a.request}
				}
				if err := p.gap(); err != nil {
					return err
				}
				p.collect(c.which(&p.o.Collectives), int(a.root), bytes, q)
				return nil
			}
		}
		all["MPI_"+name] = function{c.args, do(false)}
		all["MPI_I"+strings.ToLower(name)] = function{c.args + " request", do(true)}
	}
	// Who makes a communicator with others meets them.
	barrier := all["MPI_Barrier"].do
	all["MPI_Comm_dup"] = function{"comm _", barrier}
	all["MPI_Comm_create"] = function{"comm _ _", barrier}
	all["MPI_Comm_split"] = function{"comm _ _ _", barrier}
	all["MPI_Cart_create"] = function{"comm _ _ _ _ _", barrier}
	return all
}()

// local says whether a function does not communicate; what it takes is computation.
func local(name string) bool {
	switch name {
	case "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group", "MPI_Comm_compare", "MPI_Comm_free", "MPI_Comm_test_inter",
		"MPI_Comm_set_name", "MPI_Comm_get_name", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Comm_delete_attr",
		"MPI_Comm_set_errhandler", "MPI_Comm_get_errhandler", "MPI_Comm_create_errhandler",
		"MPI_Cart_coords", "MPI_Cart_get", "MPI_Cart_rank", "MPI_Cart_shift", "MPI_Cartdim_get", "MPI_Dims_create", "MPI_Topo_test",
		"MPI_Get_count", "MPI_Get_elements", "MPI_Get_processor_name", "MPI_Get_version", "MPI_Get_address", "MPI_Address",
		"MPI_Initialized", "MPI_Finalized", "MPI_Is_thread_main", "MPI_Query_thread", "MPI_Wtime", "MPI_Wtick", "MPI_Pcontrol",
		"MPI_Alloc_mem", "MPI_Free_mem", "MPI_Buffer_attach", "MPI_Buffer_detach", "MPI_Pack", "MPI_Unpack", "MPI_Pack_size",
		"MPI_Op_create", "MPI_Op_free", "MPI_Error_class", "MPI_Error_string",
		"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Request_get_status":
		return true
	}
	for _, prefix := range []string{"MPI_Type_", "MPI_Group_", "MPI_Info_", "MPI_Attr_", "MPI_Keyval_", "MPI_Errhandler_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// profiled is a rank of a liballprof trace.
type profiled struct {
	*rank
	from, to int64 // when the call began and ended, in ns
	clock    int64 // when the call before ended
	stride   int64 // size of a request
}

func translateLiballprof(r *rank, f *file) error {
	p := profiled{rank: r, stride: 8}
	state := "MPI_Init" // what is to come
	for {
		l, err := f.next()
		if err == io.EOF && state == "" {
			return nil
		}
		if err == io.EOF {
			return f.errorf("the trace ends without %s; is it cut?", state)
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
			return f.errorf("%.40q is no call of MPI", name)
		case state == "":
			return f.errorf("%s after MPI_Finalize", name)
		case name == "MPI_Init" || name == "MPI_Init_thread":
			if state != "MPI_Init" || len(fields) < 3 {
				return f.errorf("%s stands here where a call is expected that ends with %s", name, state)
			}
			if p.clock, err = nanoseconds(fields[len(fields)-1]); err != nil {
				return f.errorf("the end of %s: %w", name, err)
			}
			state = "MPI_Finalize"
		case local(name):
			// What it takes becomes part of the next computation.
		case state == "MPI_Init":
			return f.errorf("%s before MPI_Init", name)
		case name == "MPI_Finalize":
			if len(fields) != 3 {
				return f.errorf("MPI_Finalize has %d fields, but should have 3", len(fields))
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
		return fmt.Errorf("not supported; a trace without it is needed")
	}
	words := strings.Fields(f.args)
	if len(fields) != len(words)+3 {
		return fmt.Errorf("%d fields, but should be %d", len(fields), len(words)+3)
	}
	var err error
	if p.from, err = nanoseconds(fields[1]); err != nil {
		return fmt.Errorf("its begin: %w", err)
	}
	if p.to, err = nanoseconds(fields[len(fields)-1]); err != nil {
		return fmt.Errorf("its end: %w", err)
	}
	if p.from < p.clock || p.to < p.from {
		return fmt.Errorf("the clock goes back: it begins at %d ns and ends at %d ns, and the call before ended at %d ns", p.from, p.to, p.clock)
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
	switch strings.TrimSuffix(word, "2") {
	case "count":
		way.count, err = integer(field)
	case "type":
		parts := bytes.Split(field, []byte(","))
		if len(parts) != 3 {
			return fmt.Errorf("%q is no type; it should be type,size,extent", field)
		}
		way.size, err = integer(parts[1])
	case "peer":
		way.peer, err = integer(field)
	case "tag":
		way.tag, err = integer(field)
	case "root":
		a.root, err = integer(field)
	case "requests":
		a.requests, err = integer(field)
	case "request":
		a.request, err = integer(field)
	case "comm":
		parts := bytes.Split(field, []byte(","))
		if len(parts) != 3 {
			return fmt.Errorf("%q is no communicator; it should be communicator,rank,size", field)
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
			return fmt.Errorf("rank %d of %d in its communicator, but this trace is rank %d of %d; only communicators of all ranks in their order are supported (or files are missing or in another order)",
				place, size, p.group.Place, p.group.Size)
		}
	}
	return err
}

// gap computes from the end of the call before to the begin of this one.
func (p *profiled) gap() error {
	if p.from < p.clock {
		return fmt.Errorf("the clock goes back: it begins at %d ns, but the call before ended at %d ns", p.from, p.clock)
	}
	err := p.compute(float64(p.from - p.clock))
	p.clock = p.to
	return err
}

func sendBytes(_ *profiled, a *arguments) (uint64, error) { return a.bytes(0) }
func recvBytes(_ *profiled, a *arguments) (uint64, error) { return a.bytes(1) }

// bytes is count times size of one way.
func (a *arguments) bytes(way int) (uint64, error) {
	count, size := a.way[way].count, a.way[way].size
	if count < 0 || size < 0 {
		return 0, fmt.Errorf("%d elements of %d bytes", count, size)
	}
	high, n := bits.Mul64(uint64(count), uint64(size))
	if high != 0 || n > math.MaxInt64 {
		return 0, fmt.Errorf("%d elements of %d bytes are more than %d bytes", count, size, int64(math.MaxInt64))
	}
	return n, nil
}

// message is the operation of one way.
func (p *profiled) message(kind schedule.Kind, a *arguments, way int) (op schedule.Op, ok bool, err error) {
	bytes, err := a.bytes(way)
	if err != nil {
		return op, false, err
	}
	return p.rank.message(kind, a.way[way].peer, a.way[way].tag, bytes)
}

// blocking does a blocking call of one or two messages.
func (p *profiled) blocking(a *arguments, kinds ...schedule.Kind) error {
	var ops []schedule.Op
	for way, kind := range kinds {
		op, ok, err := p.message(kind, a, way)
		if err != nil {
			return err
		}
		if ok {
			ops = append(ops, op)
		}
	}
	if err := p.gap(); err != nil {
		return err
	}
	p.block(ops...)
	return nil
}

func (p *profiled) send(a *arguments) error { return p.blocking(a, schedule.Send) }
func (p *profiled) recv(a *arguments) error { return p.blocking(a, schedule.Recv) }

func (p *profiled) sendrecv(a *arguments) error { return p.blocking(a, schedule.Send, schedule.Recv) }

func (p *profiled) replace(a *arguments) error {
	a.way[1].count, a.way[1].size = a.way[0].count, a.way[0].size
	return p.sendrecv(a)
}

func (p *profiled) isend(a *arguments) error { return p.nonBlocking(a, schedule.Send) }
func (p *profiled) irecv(a *arguments) error { return p.nonBlocking(a, schedule.Recv) }

func (p *profiled) nonBlocking(a *arguments, kind schedule.Kind) error {
	op, ok, err := p.message(kind, a, 0)
	if err != nil {
		return err
	}
	if err := p.reuse(a.request); err != nil {
		return err
	}
	if err := p.gap(); err != nil {
		return err
	}
	if ok {
		p.begin(op, request{a.request})
	}
	return nil
}

// reuse notes a request that is about to stand for something new. If something is
// open there, a test must have found it done, though the trace does not say which.
func (p *profiled) reuse(at int64) error {
	if at%8 != 0 {
		p.stride = 4 // as in MPICH; pointers, as in Open MPI, lie at multiples of 8
	}
	if op, ok := p.oldest(request{at}); ok {
		call := p.call
		p.call += "_reuse"
		p.wait(op)
		p.call = call
	}
	return nil
}

// waitOne waits for a request. One that nothing is known of is done already.
func (p *profiled) waitOne(a *arguments) error {
	op, ok := p.oldest(request{a.request})
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
		if d := q[0] - a.request; d >= 0 && d%p.stride == 0 && d/p.stride < a.requests {
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
		return 0, fmt.Errorf("%.40q is no whole number", b)
	}
	return n, nil
}

// nanoseconds parses a time in µs exactly, as far as ns.
func nanoseconds(b []byte) (int64, error) {
	whole, fraction, _ := strings.Cut(string(b), ".")
	us, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || us > math.MaxInt64/1000-1 {
		return 0, fmt.Errorf("%.40q is no time in µs", b)
	}
	ns := uint64(0)
	for i, c := range fraction {
		switch {
		case c < '0' || c > '9':
			return 0, fmt.Errorf("%.40q is no time in µs", b)
		case i < 3:
			ns = ns*10 + uint64(c-'0')
		}
	}
	for i := len(fraction); i < 3; i++ {
		ns *= 10
	}
	return int64(us*1000 + ns), nil
}
