package benchfile

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A benchmark is what a reader has to know of one that prints a title, a header and rows with the
// size first. What its times and rates are, is a row of [titleRows].
type benchmark struct {
	name, format string
	letters      string        // that titles begin with; headers and remarks begin with "#"
	title        lex.Pattern   // of its output: what it matches, or its group
	facts        []lex.Pattern // lines under a title, whose groups are said behind it
	labels       []string      // of the facts: "$1 processes"
	skips        lex.Pattern   // further lines under a title; nil for none
	// The names of a header, between tabs, of a table with sizes, and of one without them.
	header, unsized lex.Pattern
	untitled        string      // part of a header that needs no title; "" if all need one
	oneWay          lex.Pattern // a header whose times are one-way times where no title says it
	operation       lex.Pattern // the collective of a title; nil if it measures none
	rising          bool        // runs may follow each other without a header
	// Server and client print the same rows and headers into one file, and scripts print titles.
	twice bool
}

// osu is the OSU micro-benchmarks (OMB): a title, a header, and rows, with more columns by version
// and option. Two tables, of OMB 5.6.2 and of OMB 5.7 with -f:
//
//	# OSU MPI Latency Test v5.6.2
//	# Size          Latency (us)
//	0                       1.38
//	1                       1.38
//
//	# OSU MPI-CUDA Allreduce Latency Test v5.7
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//	4                      34.31             33.27             35.07        1000
//
// OSU does not print the number of ranks of a collective: it is taken from the command line before
// it, or from the file's name.
//
// Tested with OMB 5.6.2, 5.7, 5.7.1, 5.8 and 7.5.
var osu = benchmark{
	name: "OSU", format: "osu", letters: "#O",
	// A copy of the output may have lost the #. Ports to other languages have other names, and
	// mpi4py's none.
	title: lex.NewPattern(`^#?\s*((?:OSU|OMB)\b.*(?:Test|Benchmark|v\d).*|` +
		`MPI .*(?:Latency|Bandwidth) Test.*)$`),
	facts: []lex.Pattern{
		lex.NewPattern(`^# \[ (pairs: \d+) \] \[ (window size: \d+) \]`)},
	labels:  []string{"$1, $2"},
	skips:   lex.NewPattern(`(?i)^#\s*Datatype`),
	header:  lex.NewPattern(`(?i)^((msg|message) )?size( [\[(]b(ytes)?[\])])?\t`),
	unsized: lex.NewPattern(`(?i)^[^\t]*\(us\)`), untitled: "ize",
	oneWay: lex.NewPattern(`(?i)size[^\t]*\tlatency`),
	// "OSU MPI Allreduce Latency Test v5.8", "OSU MPI Non-blocking Alltoall Latency Test v5.9",
	// "OSU MPI All-to-All Personalized Exchange Latency Test v5.7", "OSU MPI Neighborhood Allgather
	// Latency Test v7.3".
	operation: lex.NewPattern(`^(?:OSU |OMB\S* )?(?P<series>\S+)(?: Java| Python)?` +
		`(?P<i>(?i: non-?blocking))?(?: Persistent)? ` +
		`(?P<name>(?:Neighbor(?:hood)? )?[A-Za-z_-]+?)` +
		`(?: Personalized Exchange)?(?: Persistent)? Latency`),
	rising: true,
}

// imb is the Intel MPI Benchmarks: a title, the number of processes, a header of "#bytes
// #repetitions" and columns by benchmark, and rows. From IMB 2019 update 5:
//
//	#---------------------------------------------------
//	# Benchmarking PingPong
//	# #processes = 2
//	#---------------------------------------------------
//	       #bytes #repetitions      t[usec]   Mbytes/sec
//	            0         1000         1.12         0.00
//	            1         1000         1.12         0.89
//
// Mbytes/sec are of 2²⁰ bytes before 2018 and 10⁶ since, and are not used. Tables that were made a
// CSV are read too, "#bytes,#repetitions,t[usec],Mbytes/sec"; the benchmark is then taken from an
// earlier command line.
//
// Tested with IMB 4.1, 2017 update 2, 2019 updates 5 and 6, and CSV files of PingPong.
var imb = benchmark{
	name: "IMB", format: "imb", letters: "#",
	title: lex.NewPattern(`^# ?Benchmarking:? +(\S+)`),
	facts: []lex.Pattern{
		lex.NewPattern(`^# ?#processes(?: =|:) +([1-9]\d{0,8})`),
		lex.NewPattern(`^# +MODE: +(\S+)`),
	},
	labels: []string{"$1 processes", "$1"},
	// Processes that a benchmark does not use wait in a barrier; IMB says so under the title.
	skips:   lex.NewPattern(`^# ?\( *\d+ additional process|^[#\- ]+$|^# ?#processes`),
	header:  lex.NewPattern(`^#bytes\t#rep`),
	unsized: lex.NewPattern(`^#repetitions`), untitled: "#bytes,#repetitions,",
	operation: lex.NewPattern(`^(?P<name>\S+?)(?:, (?P<ranks>\d+) processes)?` +
		`(?:, (?P<series>\S+))?$`),
}

// rdma is perftest: ib_send_lat, ib_write_bw and their like. A header "#bytes #iterations" names
// the columns; a title such as "RDMA_Write BW Test" stands before it.
//
//	                   RDMA_Write BW Test
//	#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
//	1          10000000         0.00               3.16               3.312819
//	2          10000000         0.00               6.67               3.499174
//
//	                   Send Latency Test
//	#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]  …
//	2       1000          5.35           11.78        5.49               5.50         …
//
// MB/sec are of 2²⁰ bytes; the header may say Gb/sec instead. Server and client print the same
// rows: a row that comes twice counts once.
//
// Tested with logs of ib_write_bw and ib_send_bw of unknown version, and files in that shape
// written by hand.
var rdma = benchmark{
	name: "perftest", format: "perftest", letters: "#RSAW",
	title: lex.NewPattern(
		`^(?:RDMA_Write|RDMA_Read|Send|Atomic|RDMA_Atomic|Write|Raw Ethernet)\b.*(?:Test|BW|` +
			`Latency)`),
	header: lex.NewPattern(`^#bytes\t#iterations\t`), untitled: "#bytes",
	oneWay: lex.NewPattern(`^#bytes`),
	twice:  true,
}

// titled reads the output of a benchmark.
type titled struct {
	*benchmark
	above  []string // the title and the facts under it, as they stand; nil without a title
	said   string   // the title
	known  []string // what the facts say behind it
	names  string   // of the open table's header
	table  *headed  // the open table; nil without one
	commas bool     // it was made a CSV
}

func (f *titled) take(p *parser, line []byte) bool {
	if f.table != nil && f.table.take(p, f.blanks(line)) {
		return true
	}
	// One byte excludes nearly all other lines of a log.
	if strings.IndexByte(f.letters, line[0]) < 0 {
		return false
	}
	if m := f.title().FindSubmatch(line); m != nil {
		f.said = strings.TrimSpace(string(m[len(m)-1]))
		f.above, f.known = []string{string(line)}, make([]string, len(f.facts))
		f.table, f.commas = nil, false
		return true
	}
	if line[0] != '#' {
		return false
	}
	if f.above == nil {
		return bytes.Contains(line, []byte(f.untitled)) && f.begin(p, line)
	}
	for i, fact := range f.facts {
		if m := fact().FindSubmatchIndex(line); m != nil {
			f.above = append(f.above, string(line))
			f.known[i] = string(fact().Expand(nil, []byte(f.labels[i]), line, m))
			return true
		}
	}
	return f.skips != nil && f.skips().Match(line) || f.begin(p, line)
}

// begin opens the table of a header, and reports whether the line is one.
func (f *titled) begin(p *parser, line []byte) bool {
	commas := bytes.IndexByte(line, ',') > 0 && bytes.HasPrefix(line, []byte(f.untitled))
	if commas {
		line = bytes.ReplaceAll(line, []byte(","), []byte(" "))
	}
	names := headerNames(line)
	header := strings.Join(names, "\t")
	isSized := f.header().MatchString(header)
	if !isSized && (f.above == nil || f.unsized == nil || !f.unsized().MatchString(header)) {
		return false
	}
	// A row of names and values: "Size (MB): 1, time (s): 0.1", "size 8 lat 1.79 us".
	if pairWithNumber().Match(line) || slices.ContainsFunc(names, valueFirst().MatchString) {
		return false
	}
	if f.twice && f.table != nil && f.names == header && f.table.isEmpty() {
		return true
	}
	title := cmp.Or(f.said, f.previousTitle(p, commas))
	lines := []string{strings.Join(names, "  ")}
	if f.above != nil || title != "" {
		lines = slices.Concat(f.above, []string{title})
	}
	row, known := titleOf(f.name, lines)
	h := &headed{title: row, rising: f.rising, unique: f.twice}
	h.layout(names)
	// A header without a title that has neither times nor rates, or other columns beside them, is
	// another program's.
	if f.above == nil && (h.value == nil || title == "" && len(h.unread()) > 0) {
		return false
	}
	f.names, f.commas, f.table = header, commas, h
	f.open(p, title, lines, known, isSized)
	if f.twice {
		f.above, f.said = nil, ""
	}
	return true
}

// valueFirst matches a name that begins with a number by itself.
var valueFirst = lex.NewPattern(`^\d+\s`)

// previousTitle returns what stands for a title that is missing: the benchmark of a command line,
// or the line before the header.
func (f *titled) previousTitle(p *parser, commas bool) string {
	switch {
	case commas:
		return p.command
	case f.twice:
		return p.previous
	}
	return ""
}

// open opens the table of the header.
func (f *titled) open(p *parser, title string, lines []string, known, isSized bool) {
	h := f.table
	title = cmp.Or(title, f.name)
	for _, known := range f.known {
		if known != "" {
			title += ", " + known
		}
	}
	inCycles := f.format == rdma.format && (p.cycles || p.opt.Clock > 0)
	if inCycles && !h.ofCycles(p, title) || !h.usable(p, title, isSized) {
		return
	}
	t := Table{Format: f.format, Title: title, Kind: h.title.kind}
	if !known && (f.oneWay == nil || !f.oneWay().MatchString(f.names)) {
		t.Kind = Operation
	}
	if h.value.as.dim == rates {
		t.Kind = Gap
		pairs := h.title.pairsIn(lines)
		if f.above == nil && h.value.messages != nil && !f.twice { // of osu_mbw_mr
			pairs = 0
		}
		h.value.share = t.divide(max(1, h.title.directions), pairs)
	} else if t.Kind == Operation {
		f.operationOf(p, &t)
	}
	h.open(p, t)
	if title == f.name && f.commas {
		h.builder().table.warn("no command line says which benchmark of IMB this is: the times " +
			"are taken as those of an operation")
	}
}

// operationOf makes t a table of the collective that the title names, if it names one.
func (f *titled) operationOf(p *parser, t *Table) {
	if f.operation == nil {
		return
	}
	m := f.operation().FindStringSubmatch(t.Title)
	if m == nil {
		return
	}
	group := func(name string) string {
		if i := f.operation().SubexpIndex(name); i > 0 {
			return m[i]
		}
		return ""
	}
	name := group("name")
	if group("i") != "" {
		name = "i" + name // MPI_Iallreduce
	}
	op, ok := collectiveNamed(name)
	if !ok {
		return
	}
	t.Kind, t.Collective, t.Series = Collective, op.perRank(), group("series")
	if t.Collective.Ranks = lex.Count(group("ranks")); t.Collective.Ranks == 0 {
		at := p.placeOf()
		t.Collective.Ranks, t.Collective.PerNode = at.Ranks, at.PerNode
		t.Collective.Nodes = at.Nodes
	}
	t.Collective.Algorithm = p.algorithmOf(op.Name)
}

// blanks returns a line of CSV with its commas replaced by blanks.
func (f *titled) blanks(line []byte) []byte {
	if !f.commas {
		return line
	}
	return bytes.ReplaceAll(line, []byte(","), []byte(" "))
}

// cyclesRows is the number of rows that show cycles. Times of perftest in µs have two decimals, so
// that the least and the greatest of three rows are all whole or halves in one of 1.6 × 10¹⁰ files.
const cyclesRows = 3

// checkCycles fails if a table of perftest has cycles although no command line says so: half of a
// round trip of whole cycles is whole or a half.
func (p *parser) checkCycles(tables []Table) {
	halves := func(t quantity.Micros) bool { return float64(2*t) == math.Trunc(float64(2*t)) }
	for _, t := range tables {
		in := p.opt.Clock == 0 && t.Format == rdma.format && t.Kind == OneWay &&
			len(t.Samples) >= cyclesRows
		for _, s := range t.Samples {
			in = in && halves(s.Min) && halves(s.Max) && s.Min < s.Max
		}
		if in {
			p.fail(t.Samples[0].Line, "the times of %s are whole numbers and halves, so they are "+
				"the cycles that perftest -C prints, and not µs; give the clock of the processor "+
				"with %s, or measure without -C", t.Name(), p.spell("clock", "3GHz"))
		}
	}
}
