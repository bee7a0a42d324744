package benchfile

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
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
	name      string
	ranks     int
	hosts     []string // of the ranks, in their order
	open      []*builder
	low, high float64 // bounds of busbw/algbw over all rows of the open tables
	log       ncclLog
	named     map[string][]*builder // the open tables of the algorithms that the log names
	more      []*builder            // these, in file order
	// A row of nccl-tests has at most 13 fields: 5, and twice 4.
	texts [16][]byte
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
	if rank, host, ok := ncclRank(line); ok {
		// Rank 0 begins a list: each of several outputs in a file has its own.
		if rank.Value == 0 {
			f.ranks, f.hosts = 0, nil
		}
		name := lex.Plain(string(host))
		if name != "" && !slices.Contains(f.hosts, name) && len(f.hosts) < maxHosts {
			f.hosts = append(f.hosts, name)
		}
		f.ranks = max(f.ranks, 1+int(min(rank.Value, 1e9)))
		return true
	}
	// The header has a group of columns for out-of-place, and in most versions one for in-place.
	n := bytes.Count(line, []byte("algbw"))
	times := bytes.Count(line, []byte("time"))
	if (n == 1 || n == 2) && times == n && bytes.Contains(line, []byte("size")) {
		// The tables before get what their own rows show.
		f.close()
		f.open, f.named, f.more, f.log = nil, nil, nil, ncclLog{}
		f.low, f.high = 0, math.Inf(1)
		op, ok := collectiveNamed(f.name)
		switch name := strings.TrimSpace(f.name); {
		// No operations of MPI, and so not in the list of collectives.
		case name == "sendrecv_perf", name == "hypercube_perf":
			op.Name = strings.TrimSuffix(name, "_perf")
		case !ok && f.name == "":
			op = fromFileName(p.file.Name)
			op.Name = cmp.Or(op.Name, p.opt.Collective)
		}
		// The list of ranks comes first: a process may drive several GPUs, each of them a rank, and
		// a command line counts processes.
		if op.Ranks, op.Algorithm = f.ranks, cmp.Or(op.Algorithm, p.algorithm); op.Ranks == 0 {
			op.Ranks = p.placeOf().Ranks
		} else if len(f.hosts) > 0 && len(f.hosts) < maxHosts {
			op.Nodes = len(f.hosts)
			op.place()
		}
		for _, place := range []string{"out-of-place", "in-place"}[:n] {
			f.open = append(f.open, p.begin(Table{
				Format: "nccl-tests", Title: f.name + place, Series: place,
				Kind: Collective, Collective: op, Hosts: f.hosts,
			}))
		}
		return true
	}
	// Lines above and below the header, which name no column that is read.
	isHeading := bytes.Contains(line, []byte("out-of-place")) ||
		bytes.Contains(line, []byte("(elements)"))
	return len(f.open) > 0 && isHeading
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
	// Size, count and type come first. Only some collectives and versions have a redop or a root
	// behind them.
	tail := n - 4*len(f.open)
	if tail < 3 || tail > 5 {
		f.open[0].count(cutOff)
		return true
	}
	for i, b := range f.tables(p, size.Value) {
		alg, okAlg := lex.Parse(f.texts[tail+4*i+1])
		bus, okBus := lex.Parse(f.texts[tail+4*i+2])
		// Each printed bandwidth is uncertain by half of its last digit, which bounds their ratio
		// on both sides. Every row narrows the bounds.
		if half := alg.Quantum() / 2; okAlg && okBus && alg.Value > half {
			f.low = max(f.low, (bus.Value-half)/(alg.Value+half))
			f.high = min(f.high, (bus.Value+half)/(alg.Value-half))
		}
		if t, ok := lex.Parse(f.texts[tail+4*i]); ok {
			b.resolution(t.Quantum())
			b.row(row{size: size.Value, time: t.Value})
		} else {
			// A time of N/A, as of alltoall in place, is dropped and counted.
			b.row(row{})
		}
	}
	return true
}

// tables returns the open tables for a row of that size: those of the algorithm that the log names
// for it, if it does.
func (f *nccl) tables(p *parser, size float64) []*builder {
	op := f.open[0].table.Collective
	algorithm := f.log.algorithm(op, size)
	if algorithm == "" || algorithm == op.Algorithm {
		return f.open
	}
	if f.named[algorithm] == nil {
		if f.named == nil {
			f.named = map[string][]*builder{}
		}
		var like []*builder
		for _, b := range f.open {
			t := *b.table
			t.Title += ", " + algorithm
			t.Collective.Algorithm = algorithm
			like = append(like, p.begin(t))
		}
		f.named[algorithm], f.more = like, append(f.more, like...)
	}
	return f.named[algorithm]
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
		// Rows contradict each other: they are of several collectives, or of another program.
		if f.low > f.high {
			continue
		}
		// Only the ratio of allreduce exceeds 1, from 3 ranks on.
		if op.Name == "" && f.low > 1 && op.Ranks != 1 {
			op.Name = "allreduce"
		}
		whole := 1.
		switch op.Name {
		case "allreduce":
			whole = 2
		case "allgather", "reduce_scatter", "alltoall":
		default:
			continue
		}
		// A ratio r = w(p−1)/p gives p = w/(w−r).
		ranks := math.Ceil(whole / (whole - f.low))
		// The bounds leave one whole number: the rounded bandwidths decide it.
		decided := f.high < whole && ranks == math.Floor(whole/(whole-f.high))
		if op.Ranks == 0 && ranks > 1 && decided {
			op.Ranks = int(min(ranks, 1<<24))
		}
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
		all[i].tally(cutOff, f.log.cut, f.log.cutAt)
	}
	if i > 0 {
		for _, t := range all[0].tallies {
			all[i].tally(t.what, t.rows, t.first)
		}
		all[0].tallies = nil
	}
	f.log.cut = 0
}

// ncclName returns the program that a line names: "# Collective test starting: sendrecv_perf",
// "# NCCL Tests: …", or its name alone behind the "# "; else nil. An output has a few dozen lines
// with a "#": expressions would take longer than all else.
func ncclName(line []byte) []byte {
	for _, before := range []string{"# Collective test starting: ", "# NCCL Tests: ", "# "} {
		if rest, ok := bytes.CutPrefix(line, []byte(before)); ok {
			name, _, _ := bytes.Cut(rest, []byte(" "))
			if bytes.HasSuffix(name, []byte("_perf")) {
				return name
			}
			return nil
		}
	}
	return nil
}

// ncclRank parses "#  Rank  3 Group  0 Pid  1234 on host-a device  3 …". In some versions
// the host is missing.
func ncclRank(line []byte) (rank lex.Number, host []byte, ok bool) {
	words := bytes.Fields(line)
	if len(words) < 4 || string(words[1]) != "Rank" {
		return rank, nil, false
	}
	for i, w := range words[:len(words)-1] {
		if string(w) == "on" {
			host = words[i+1]
		}
	}
	rank, ok = lex.Parse(words[2])
	return rank, host, ok
}
