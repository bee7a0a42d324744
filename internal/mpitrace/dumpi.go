package mpitrace

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The text of dumpi2ascii has, for each call, a line where it begins, a line for each argument but
// the buffers, and a line where it returns. Times are seconds with nine decimals; the meaning of a
// number may follow it in parentheses. Requests are numbers that are given again after a wait. (SST
// DUMPI, dumpi/bin/dumpi2ascii-defs.h and dumpi/common/argtypes.h.)
//
//	MPI_Isend entering at walltime 8153.049300000, cputime 0.004400000 seconds in thread 0.
//	int count=128
//	MPI_Datatype datatype=14 (MPI_DOUBLE)
//	int dest=1
//	int tag=7
//	MPI_Comm comm=2 (MPI_COMM_WORLD)
//	MPI_Request request=[3]
//	MPI_Isend returning at walltime 8153.049301000, cputime 0.004401000 seconds in thread 0.

const (
	entering  = " entering at walltime "
	returning = " returning at walltime "
)

// dumpiDialect has DUMPI's numbers of any source and any tag. It keeps that of the null process as
// the implementation has it, which is negative.
var dumpiDialect = dialect{-1, -1, -3}

// dumpiNames are the names of arguments by the words of [function]; the first that a call has
// counts.
var dumpiNames = map[string][]string{
	"count": {"count", "sendcount"}, "type": {"datatype", "sendtype"},
	"peer": {"dest", "source"}, "tag": {"tag", "sendtag"},
	"count2": {"recvcount"}, "type2": {"recvtype"}, "peer2": {"source"}, "tag2": {"recvtag"},
	"root": {"root"}, "comm": {"comm", "oldcomm"}, "request": {"request"},
	"blocks": {"sendcounts", "recvcounts"}, "blocks2": {"recvcounts"},
}

// dumpiTypes are the sizes of MPI's types in bytes, where C has 64 bits.
var dumpiTypes = map[string]int64{
	"MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_BYTE": 1, "MPI_PACKED": 1,
	"MPI_WCHAR": 4, "MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_INT": 4, "MPI_UNSIGNED": 4,
	"MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8, "MPI_LONG_LONG": 8, "MPI_LONG_LONG_INT": 8,
	"MPI_UNSIGNED_LONG_LONG": 8, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16,
	"MPI_FLOAT_INT": 8, "MPI_DOUBLE_INT": 12, "MPI_LONG_INT": 12, "MPI_SHORT_INT": 6, "MPI_2INT": 8,
	"MPI_LONG_DOUBLE_INT": 20,
}

// dumpi is a rank of a DUMPI trace.
type dumpi struct {
	profiled
	fields map[string]string // of the present call, without their types
}

// translateDumpi adds the calls of a file to its rank.
func translateDumpi(r *rank, f *file, splits *splitReader) error {
	if r.o.Region.Call != "" {
		return f.errorf("no region of a DUMPI trace can be selected; omit the region")
	}
	r.dialect = dumpiDialect
	d := dumpi{profiled: profiled{rank: r, persistent: map[int64]persistent{},
		joiner: joiner{reader: splits}}}
	r.enter = d.gap
	state, name := "MPI_Init", "" // the call that is expected next, and the one under way
	finalizes := func([]byte) bool { return name == "MPI_Finalize" }
	for {
		l, ended, err := r.nextLine(f, state, finalizes)
		if ended || err != nil {
			return err
		}
		text := string(l)
		begun, rest, found := strings.Cut(text, entering)
		if found && strings.HasPrefix(begun, "MPI") {
			if name != "" {
				return f.errorf("%s begins within %s", begun, name)
			}
			name, d.fields = begun, map[string]string{}
			r.line, r.call = f.line, name
			if d.from, err = walltime(rest); err != nil {
				return f.errorf("%s: %w", name, err)
			}
			continue
		}
		var of string
		of, rest, found = strings.Cut(text, returning)
		if !found && name == "" {
			continue // the header and the footer of a file
		}
		if !found {
			d.field(text)
			continue
		}
		if of != name {
			return f.errorf("%.40q returns within %q", of, name)
		}
		if d.to, err = walltime(rest); err != nil {
			return f.errorf("%s: %w", name, err)
		}
		if state, err = d.call(name, state); err == nil {
			err = r.Err()
		}
		if err != nil {
			return f.errorf("%s: %w", name, err)
		}
		name = ""
	}
}

// field takes the line of an argument: "MPI_Datatype datatype=14 (MPI_DOUBLE)".
func (d *dumpi) field(line string) {
	left, value, found := strings.Cut(line, "=")
	words := strings.Fields(left)
	if !found || len(words) == 0 {
		return // a performance counter
	}
	key, _, _ := strings.Cut(words[len(words)-1], "[") // the length of a list stands behind it
	d.fields[key] = value
}

// call translates one call, and returns the next state.
func (d *dumpi) call(name, state string) (string, error) {
	switch {
	case d.from < d.clock && state != "MPI_Init" || d.to < d.from:
		return state, fmt.Errorf("the clock goes back: the call lasts from %d to %d ns, but the "+
			"previous one ended at %d ns", d.from, d.to, d.clock)
	case name == "MPI_Init" || name == "MPI_Init_thread":
		if state != "MPI_Init" {
			return state, errors.New("a second time")
		}
		d.clock = d.to
		return "MPI_Finalize", nil
	case state == "":
		return state, errors.New("after MPI_Finalize")
	case local(name) && !d.tested(name):
		return state, nil // its time becomes part of the next computation
	case state == "MPI_Init":
		return state, errors.New("before MPI_Init")
	case name == "MPI_Finalize":
		return "", d.gap()
	}
	return state, d.translateCall(name)
}

// translateCall translates a call that communicates.
func (d *dumpi) translateCall(name string) error {
	switch name {
	// Unlike other traces, this one says which requests were done.
	case "MPI_Test":
		return d.waitFields("request")
	case "MPI_Waitall", "MPI_Testall":
		return d.waitFields("requests")
	case "MPI_Waitany", "MPI_Testany":
		return d.waitFields("requests", "index")
	case "MPI_Waitsome", "MPI_Testsome":
		return d.waitFields("requests", "indices")
	case "MPI_Startall":
		all, err := d.numbers("requests")
		if err != nil {
			return err
		}
		return d.startRequests(all)
	}
	f, ok := functions[name]
	if !ok {
		return errNotSupported
	}
	var a arguments
	words := strings.Fields(f.args)
	for _, word := range words {
		names := dumpiNames[word]
		// The received block of an allgather or alltoall; its sent one may be in place.
		if received, has := dumpiNames[word+"2"]; has && !slices.Contains(words, word+"2") &&
			d.fields[received[0]] != "" && (word == "count" || word == "type") {
			names = received
		}
		if err := d.argument(&a, word, names); err != nil {
			return err
		}
	}
	if makesSplit[name] {
		var err error
		if d.made, err = d.number("newcomm"); err != nil {
			return err
		}
	}
	return f.do(&d.profiled, &a)
}

// tested reports whether a call is a test that found something.
func (d *dumpi) tested(name string) bool {
	return strings.HasPrefix(name, "MPI_Test") && (strings.HasPrefix(d.fields["flag"], "1") ||
		name == "MPI_Testsome" && !strings.HasPrefix(d.fields["outcount"], "0"))
}

// number parses an argument that is a number, perhaps with its meaning.
func (d *dumpi) number(name string) (int64, error) {
	value, _, _ := strings.Cut(d.fields[name], " ")
	n, err := integer([]byte(strings.Trim(value, "[]")))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// dumpiMakings returns the calls of a file that make communicators. Invalid lines are left to the
// translation.
func dumpiMakings(f *file) (all []making, err error) {
	d := dumpi{}
	for l, err := range f.lines() {
		if err != nil {
			return nil, err
		}
		text := string(l)
		if _, _, found := strings.Cut(text, entering); found {
			d.fields = map[string]string{}
			continue
		}
		name, _, returns := strings.Cut(text, returning)
		if !returns && d.fields != nil {
			d.field(text)
		}
		if returns && makesSplit[name] && d.fields != nil {
			if m, err := d.making(name); err == nil {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// making returns the making of the present call. In a grid the first ranks have a place.
func (d *dumpi) making(name string) (m making, err error) {
	var errs [3]error
	m.of, errs[0] = d.number("oldcomm")
	if name == "MPI_Comm_split" {
		m.color, errs[1] = d.number("color")
		m.key, errs[2] = d.number("key")
	}
	if m.color < 0 { // MPI_UNDEFINED
		m.color = notMember
	}
	if m.made, err = d.number("newcomm"); strings.Contains(d.fields["newcomm"], "MPI_COMM_NULL") {
		m.color = notMember
	}
	return m, errors.Join(errs[0], errs[1], errs[2], err)
}

// argument parses the argument that a word stands for.
func (d *dumpi) argument(a *arguments, word string, names []string) error {
	i := slices.IndexFunc(names, func(n string) bool { return d.fields[n] != "" })
	if i < 0 {
		return fmt.Errorf("no argument %s", strings.Join(names, " or "))
	}
	value, meaning, _ := strings.Cut(d.fields[names[i]], " ")
	meaning = strings.Trim(meaning, "()")
	at := 0
	if strings.HasSuffix(word, "2") {
		at = 1
	}
	way := &a.way[at]
	switch word = strings.TrimSuffix(word, "2"); word {
	case "comm":
		if meaning == "MPI_COMM_WORLD" {
			return nil
		}
		number, err := d.number(names[i])
		if err == nil {
			a.comm, err = d.joiner.in(d.rank, number)
		}
		return err
	case "blocks":
		counts, err := d.numbers(names[i])
		for _, n := range counts {
			a.blocks[at] = append(a.blocks[at], uint64(max(n, 0)))
		}
		return err
	case "type":
		size, known := dumpiTypes[meaning]
		if way.size = size; !known && way.count != 0 {
			return fmt.Errorf("the size of the type %s (%s) is not in the trace; only MPI's own "+
				"types are supported", value, meaning)
		}
		return nil
	}
	n, err := integer([]byte(strings.Trim(value, "[]")))
	if err != nil {
		return fmt.Errorf("%s: %w", names[i], err)
	}
	switch word {
	case "count":
		way.count = float64(n)
	case "peer":
		// -1 is any source, and for a destination the null process of MPICH; Open MPI has -2.
		if way.peer = n; n < -1 || n < 0 && names[i] == "dest" {
			way.peer = d.nullRank
		}
	case "tag":
		way.tag = n
	case "root":
		a.root = n
	case "request":
		a.request = request(n)
	}
	return nil
}

// numbers parses an argument that is a number or a list of numbers, such as "[3, 4]".
func (d *dumpi) numbers(name string) (all []int64, err error) {
	text, found := d.fields[name]
	if !found {
		return nil, fmt.Errorf("no argument %s", name)
	}
	if text, _, _ = strings.Cut(text, " ("); text == "<IGNORED>" {
		return nil, nil
	}
	for word := range strings.FieldsFuncSeq(strings.Trim(text, "[]"), func(r rune) bool {
		return r == ',' || r == ' '
	}) {
		n, err := integer([]byte(word))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, n)
	}
	return all, nil
}

// waitFields waits for the requests of a list, or for those that other arguments select.
func (d *dumpi) waitFields(name string, selecting ...string) error {
	all, err := d.numbers(name)
	if err != nil {
		return err
	}
	for _, by := range selecting {
		indices, err := d.numbers(by)
		if err != nil {
			return err
		}
		var some []int64
		for _, i := range indices {
			if i >= 0 && i < int64(len(all)) { // else no request was active
				some = append(some, all[i])
			}
		}
		all = some
	}
	var ops []uint32
	for _, at := range all {
		if op, ok := d.oldest(request(at)); ok {
			ops = append(ops, op)
		}
	}
	if err := d.gap(); err != nil {
		return err
	}
	d.wait(ops...)
	return nil
}

// walltime parses the time at the beginning of a text, "8153.049300000, cputime …", in ns.
func walltime(text string) (int64, error) {
	number, _, _ := strings.Cut(text, ",")
	seconds, decimals, _ := strings.Cut(number, ".")
	if len(decimals) > 9 {
		decimals = decimals[:9]
	}
	n, err := strconv.ParseInt(seconds+decimals+strings.Repeat("0", 9-len(decimals)), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%.40q is not a time in seconds", number)
	}
	return n, nil
}

// isDumpi reports whether the beginning of a file has a call of a DUMPI trace.
func isDumpi(beginning []byte) bool { return bytes.Contains(beginning, []byte(entering)) }

// errNotSupported is the error of a call that communicates in another way.
var errNotSupported = errors.New("not supported; only messages, their requests and collectives " +
	"are")
