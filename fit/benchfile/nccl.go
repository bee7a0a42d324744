package benchfile

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// nccl reads nccl-tests and rccl-tests. Rows have the size first, and at their end time, algbw,
// busbw and an error column twice, out of place and in place: two tables. The columns between them
// depend on the version and the collective; the redop column may be empty. The header lists the
// ranks. Older versions do not print the collective: it is taken from the file's name. If that is
// missing too, the ratio busbw/algbw gives the collective, provided that only one fits.
//
//	# nThread 1 nGpus 8 minBytes 1 maxBytes 8589934592 step: 2(factor) …
//	#   Rank  0 Pid 112424 on localhost device  0 [0x00] A100-SXM4-40GB
//	#                                                     out-of-place                 in-place
//	#       size         count    type   redop     time   algbw   busbw  error     time   algbw …
//	           4             1   float     sum    34.73    0.00    0.00    N/A    35.30    0.00 …
//
// The size is the whole buffer, for all collectives. Lines of NCCL's own log may stand between the
// rows, and in the middle of them; see ncclLog. They name the algorithm of each row, which then
// divides the tables.
//
// Tested with nccl-tests of 2021 (commit 0b30de5, NCCL 2.8.4), of 2022 and 2.17.8.
type nccl struct {
	name    string
	ranks   int
	hosts   []string // of the ranks, in their order
	groups  ncclGroups
	open    []*builder
	ratio   busRatio // over all rows of the open tables
	log     ncclLog
	named   map[string][]*builder // the open tables of the algorithms that the log names
	more    []*builder            // these, in file order
	plain   []Table               // the open tables as the header begins them
	kind    string                // type and operation of the first row: "float sum"
	kinds   bool                  // rows differ in them, and have tables of their own
	listed  bool                  // a header has followed the list of ranks
	again   bool                  // a second list of ranks came before a header
	layout  ncclLayout
	cpuTime bool // the open tables have no times of collectives, and are not kept
	// A row of nccl-tests has at most 23 fields: 5, twice 8, and a date.
	texts [32][]byte
}

// maxHosts is the maximum number of hosts in a header.
// Beyond it the number of nodes stays unknown, so that a broken header cannot fill the memory.
const maxHosts = 1 << 12

func (f *nccl) take(p *parser, line []byte) bool {
	if len(f.open) > 0 {
		if row, isLog := f.log.take(line, p.file.Lines, len(f.open)); isLog {
			p.readRemark(line)
			return row == nil || f.row(p, row)
		} else if row != nil {
			line = row
		}
		if f.row(p, line) {
			return true
		}
	}
	if line[0] != '#' {
		return false
	}
	if name := ncclName(line); name != nil {
		f.name, f.ranks, f.hosts = string(name)+" ", 0, nil
		return true
	}
	if rank, group, host, ok := ncclRank(line); ok {
		// Rank 0 begins a list: each of several outputs in a file has its own.
		if rank.Value == 0 {
			f.again = f.ranks > 0 && !f.listed
			f.ranks, f.hosts, f.listed, f.groups = 0, nil, false, ncclGroups{}
		}
		name := lex.Plain(string(host))
		f.groups.add(group, name)
		if name != "" && !slices.Contains(f.hosts, name) && len(f.hosts) < maxHosts {
			f.hosts = append(f.hosts, name)
		}
		f.ranks = max(f.ranks, 1+int(min(rank.Value, 1e9)))
		return true
	}
	if f.header(p, line) || bytes.HasPrefix(line, []byte("# nThread ")) {
		return true
	}
	if m := ncclWrong().FindSubmatch(line); m != nil {
		f.failed(p, string(m[1]))
		return true
	}
	// Lines above and below the header, which name no column that is read.
	isHeading := bytes.Contains(line, []byte("out-of-place")) ||
		bytes.Contains(line, []byte("(elements)"))
	return len(f.open) > 0 && isHeading
}

// ncclWrong matches the last lines of a run.
var ncclWrong = lex.NewPattern(`^# Out of bounds values : (\d+) FAILED`)

// failed warns of results that the run's last lines call wrong, unless its rows have said so.
func (f *nccl) failed(p *parser, number string) {
	for _, b := range slices.Concat(f.open, f.more) {
		if slices.ContainsFunc(b.tallies, func(t tally) bool { return t.what == invalid }) {
			return
		}
	}
	p.warn("line %d: %s of the results were wrong by nccl-tests' own validation, read all the same",
		p.file.Lines, number)
}

const cpuTimeOnly = "cputime (-C 1) is the time that the CPU takes to launch a collective, " +
	"not the time of the collective, and is not read; run nccl-tests without -C"

// header opens the tables of a header, and reports whether the line is one.
func (f *nccl) header(p *parser, line []byte) bool {
	if !bytes.Contains(line, []byte("algbw")) {
		return false
	}
	names := strings.Fields(string(bytes.TrimLeft(line, "# ")))
	layout, ok := ncclLayoutOf(names)
	if !ok {
		return false
	}
	rows := func(b *builder) bool { return b.table.Rows > 0 }
	if f.again && f.listed && !slices.ContainsFunc(f.open, rows) {
		p.warn("line %d: rank 0 and the header come twice: nccl-tests was built without MPI "+
			"(make MPI=1), and each process measured its own GPUs alone", p.file.Lines)
	}
	// The tables before get what their own rows show.
	f.close()
	f.layout, f.listed = layout, true
	f.open, f.named, f.more, f.log = nil, nil, nil, ncclLog{}
	f.plain, f.kind, f.kinds = nil, "", false
	f.ratio = busRatio{0, math.Inf(1)}
	f.cpuTime = names[layout.lead] == "cputime"
	if f.cpuTime {
		p.warn(cpuTimeOnly)
	}
	if layout.others > 0 {
		p.note("line %d: not read: column %s", p.file.Lines,
			strings.Join(list.Map(names[len(names)-layout.others:], strconv.Quote), ", "))
	}
	name := f.title(p)
	op := f.operation(p, strings.TrimSpace(name))
	for _, place := range []string{"out-of-place", "in-place"}[:layout.groups] {
		t := Table{
			Format: "nccl-tests", Title: name + place, Series: place,
			Kind: Collective, Collective: op, Hosts: f.hosts,
		}
		f.plain = append(f.plain, t)
		if f.cpuTime {
			f.open = append(f.open, &builder{table: &t, file: p.file, usage: &usage{closed: true}})
			continue
		}
		f.open = append(f.open, p.begin(t))
	}
	return true
}

// title returns the name of the test, or the program of the last command line where versions print
// none, with a blank.
func (f *nccl) title(p *parser) string {
	if f.name == "" && p.program != "" {
		return p.program + " "
	}
	return f.name
}

// operation returns the collective of the next tables, as far as their title, the lines so far and
// the name of the file describe it.
func (f *nccl) operation(p *parser, name string) CollectiveOp {
	op := CollectiveOp{Name: ncclOperation(name)}
	if name == "" {
		op = fromFileName(p.file.Name)
		op.Name = cmp.Or(op.Name, p.opt.Collective)
	}
	// The list of ranks comes first: a process may drive several GPUs, each of them a rank, and
	// a command line counts processes.
	op.Algorithm = cmp.Or(op.Algorithm, p.algorithm)
	if op.Ranks = f.ranks; op.Ranks > 0 && len(f.hosts) > 0 && len(f.hosts) < maxHosts {
		op.Nodes = len(f.hosts)
		f.groups.place(&op)
		op.place()
	}
	if op.Ranks == 0 {
		at := p.placeOf()
		op.Ranks, op.PerNode, op.Nodes = at.Ranks, at.PerNode, at.Nodes
	}
	return op
}

func (f *nccl) row(p *parser, line []byte) bool {
	if c := line[0]; c < '0' || c > '9' {
		return false
	}
	n := lex.Fields(line, f.texts[:])
	if n > len(f.texts) {
		return false
	}
	size, ok := lex.Parse(f.texts[0])
	// The count of elements is a whole number behind the size: other lines of numbers, such as a
	// log's, mostly are not.
	if _, err := strconv.Atoi(string(f.texts[min(1, n-1)])); !ok || err != nil || n < 3 {
		return false
	}
	tail := f.tail(size.Value, n)
	if tail < 0 {
		if n > f.layout.lead+f.layout.groups*f.layout.width+f.layout.others {
			p.stop("its values do not fit the columns of the header")
			return false
		}
		if !p.open {
			f.open[0].count(cutOff)
		}
		return !p.open
	}
	for i, b := range f.tables(p, size.Value, f.kindOf(tail)) {
		at := tail + f.layout.width*i
		alg, okAlg := lex.Parse(f.texts[at+1])
		bus, okBus := lex.Parse(f.texts[at+2])
		if okAlg && okBus {
			f.ratio.narrow(alg.Value, bus.Value, alg.Quantum()/2)
		}
		// Before validation in bytes, an "error" was a difference of floating-point numbers.
		if v, ok := lex.Parse(f.texts[at+3]); ok && v.Value >= 1 && !f.cpuTime {
			b.count(invalid)
		}
		if t, ok := lex.Parse(f.texts[at]); ok {
			b.resolution(t.Quantum())
			b.row(row{size: size.Value, time: t.Value})
		} else {
			// A time of N/A, as of alltoall in place, is dropped and counted.
			b.row(row{})
		}
	}
	return true
}

// tail returns the place of the first time among n fields; −1 if the row is not whole. Size, count
// and type come first. Only some collectives and versions have a redop or a root behind them, so
// fields are counted from the end of the row; where further columns or a remark end it, the
// bandwidth beside the time shows the place.
func (f *nccl) tail(size float64, n int) int {
	l := f.layout
	behind := l.groups * l.width
	if tail := n - behind; l.others == 0 && tail >= 3 && tail <= 5 && f.fits(tail, -1) {
		return tail
	}
	for tail := min(l.lead, n-behind); tail >= max(3, l.lead-2); tail-- {
		if n > tail+behind && f.fits(tail, size) {
			return tail
		}
	}
	return -1
}

// fits reports whether the groups of a row may begin at a place: with a time and two bandwidths, of
// which the first agrees with a size from 0 on.
func (f *nccl) fits(tail int, size float64) bool {
	some := false
	for i := range f.layout.groups {
		at := tail + f.layout.width*i
		if bytes.EqualFold(f.texts[at], []byte("N/A")) {
			continue
		}
		var v [3]lex.Number
		if !lex.ParseAll(f.texts[at:at+3], v[:]) || v[0].Value < 0 {
			return false
		}
		// GB/s of 10⁹ bytes, rounded; the rate of a rounded time.
		t := max(v[0].Value, 1e-9)
		want := size / t / 1e3
		if size >= 0 && math.Abs(v[1].Value-want) > v[1].Quantum()+want*v[0].Quantum()/t {
			return false
		}
		some = true
	}
	return some || size < 0
}

// kindOf returns the type of the elements of a row and the operation on them, where it has one.
func (f *nccl) kindOf(tail int) string {
	kind := lex.Plain(lex.Short(f.texts[2]))
	if tail > 3 {
		_, isRoot := lex.Parse(f.texts[3])
		if !isRoot && string(f.texts[3]) != "none" {
			kind += " " + lex.Plain(lex.Short(f.texts[3]))
		}
	}
	return kind
}

// tables returns the open tables for a row of that size and kind: with the algorithm that the log
// names for it, if it does.
func (f *nccl) tables(p *parser, size float64, kind string) []*builder {
	op := f.plain[0].Collective
	algorithm := f.log.algorithm(op, size)
	if algorithm == op.Algorithm {
		algorithm = ""
	}
	if f.kind == "" {
		f.kind = kind
	}
	if kind != f.kind && !f.kinds {
		f.kinds = true
		for _, b := range slices.Concat(f.open, f.more) {
			b.table.nameKind(f.kind)
		}
	}
	if algorithm == "" && kind == f.kind || f.cpuTime {
		return f.open
	}
	key := algorithm + "\x00" + kind
	if f.named[key] == nil {
		if f.named == nil {
			f.named = map[string][]*builder{}
		}
		f.named[key] = f.begin(p, algorithm, kind)
		f.more = append(f.more, f.named[key]...)
	}
	return f.named[key]
}

// begin begins the tables of an algorithm, "" if the log names none, and of a kind.
func (f *nccl) begin(p *parser, algorithm, kind string) (all []*builder) {
	for _, t := range f.plain {
		if algorithm != "" {
			t.Title += ", " + algorithm
			t.Collective.Algorithm = algorithm
		}
		if f.kinds {
			t.nameKind(kind)
		}
		all = append(all, p.begin(t))
	}
	return all
}

// nameKind adds the type and the operation of the rows to the names of a table.
func (t *Table) nameKind(kind string) {
	t.Title += ", " + kind
	t.Series += " " + kind
}

func (f *nccl) end(p *parser) {
	if f.log.pending != nil && f.log.at == p.file.Lines {
		p.endsWithin(len(p.builders),
			"the row that begins in line %d does not end: the file is cut off", f.log.from)
	}
	f.close()
}

// close sets the collective and the ranks of the open tables if the file does not give them:
// busbw/algbw is 2(p−1)/p for allreduce alone, (p−1)/p for allgather, reduce_scatter and
// alltoall.
func (f *nccl) close() {
	all := slices.Concat(f.open, f.more)
	f.countCut(all)
	for _, b := range all {
		op := &b.table.Collective
		op.Name = cmp.Or(op.Name, f.log.op)
		// Each rank sends to the next and receives from the one before: what takes the time is a
		// message, and no algorithm of ranks.
		if op.Name == "sendrecv" {
			b.table.Kind = OneWay
		}
		f.ratio.ranks(op)
	}
}

// countCut counts the rows that were cut off in the first of the tables that has rows: others are
// left out, with their warnings.
func (f *nccl) countCut(all []*builder) {
	f.log.drop()
	i := slices.IndexFunc(all, func(b *builder) bool { return b.table.Rows > 0 })
	if i < 0 {
		return
	}
	if f.log.cut > 0 {
		all[i].tally(tally{cutOff, f.log.cut, f.log.cutAt, nil})
	}
	if i > 0 {
		for _, t := range all[0].tallies {
			all[i].tally(t)
		}
		all[0].tallies = nil
	}
	f.log.cut = 0
}
