package benchfile

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// A format reads the output of one benchmark. Each has a file of its own, which begins with
// an example of the output.
type format interface {
	// take reads one line, and reports whether it belongs to the format: a title, a header, or a
	// row of its open table. If not, the other formats are tried.
	// The line is not empty, and has no surrounding spaces. If it is not overlong, colours and
	// timestamps have been removed.
	take(p *parser, line []byte) bool
}

// A runner is a format whose last run may be open at the end of the file.
type runner interface{ end(p *parser) }

// A readerRow registers the reader of a benchmark's output.
type readerRow struct {
	name string // for messages and help
	// starts are possible beginnings of the first line of an output, without colours and
	// timestamps. Concatenated outputs are divided there if the previous output has rows. It is nil
	// for formats that do not belong to one benchmark, or that another format's reader recognises.
	starts []string
	// words is set if rows may begin with something else than a digit.
	words bool
	// hash is set if titles and headers begin with "#", which web pages swallow.
	hash bool
	// cut is set if a row may be read whose last field is cut off; see [parser.open].
	cut bool
	new func() format // nil if another row's format reads this format too
}

// registry lists the readers. If the reader of the previous line rejects a line, they try it
// in this order. CSV is last, since it is the most permissive. OSU and IMB come first, as
// most files are theirs. NetPIPE accepts rows of bare numbers, which
// the strict readers must have refused before.
var registry = []readerRow{
	{"OSU", []string{"# OSU "},
		false, true, true, func() format { return &titled{benchmark: &osu} }},
	{"IMB", []string{"#    Intel(R) MPI Benchmarks", "#    Intel (R) MPI Benchmarks",
		"# Intel (R) MPI Benchmarks", "# Intel(R) MPI Benchmarks"},
		false, true, true, func() format { return &titled{benchmark: &imb} }},
	{"perftest", []string{},
		false, true, true, func() format { return &titled{benchmark: &rdma} }},
	{"nccl-tests",
		[]string{"# nccl-tests version", "# rccl-tests", "# Collective test starting", "# nThread"},
		false, true, true, func() format { return &nccl{} }},
	{"netgauge", []string{"# Info:   (0): Netgauge"},
		true, false, false, func() format { return &netgauge{} }},
	{"NetPIPE", []string{"Now starting the main loop"},
		false, false, false, func() format { return &lined{lineBenchmark: &netpipe} }},
	{"ucx_perftest", []string{},
		true, false, false, func() format { return &ucx{} }},
	{"sockperf", []string{"sockperf: == version"},
		true, false, false, func() format { return &sockperf{} }},
	{"qperf", []string{},
		true, false, false, func() format { return &qperf{} }},
	{"netperf", []string{"MIGRATED "},
		true, false, false, func() format { return &netperf{} }},
	{"SimGrid calibration", nil,
		true, false, false, func() format { return &lined{lineBenchmark: &simgrid} }},
	{"HPCC", []string{"Latency-Bandwidth-Benchmark "},
		true, false, false, func() format { return &lined{lineBenchmark: &hpcc} }},
	{"iperf3, nccl-tests and perftest as JSON", nil,
		false, false, false, func() format { return &perftestText{} }},
	{"JSON", nil,
		false, false, false, func() format { return &objects{rows: sheet{format: "json"}} }},
	{"CSV and TSV", nil,
		true, false, true, func() format { return &csv{sheet: sheet{format: "csv"}} }},
}

// An openFormat is the reader of a format for one file, with its row of the registry.
type openFormat struct {
	format
	readerRow
}

func formats() []openFormat {
	var all []openFormat
	for _, r := range registry {
		if r.new != nil {
			all = append(all, openFormat{r.new(), r})
		}
	}
	return all
}

// Known lists the names of the formats that [Read] reads, for messages.
var Known = func() string {
	names := list.Map(registry, func(r readerRow) string { return r.name })
	return strings.Join(names, ", ")
}()

// A lineKind is the role of a line in the division of a file into outputs.
type lineKind uint8

const (
	otherLine lineKind = iota
	rowLine            // of numbers: the output has begun
	startLine          // of a benchmark
	titleLine          // of a file
)

// fileTitle matches what head and tail print before a file.
var fileTitle = lex.NewPattern(`^==> (.+) <==$`)

// kindOfLine returns the kind of a clean line, and the name that a title gives.
func kindOfLine(line []byte) (kind lineKind, title string) {
	if len(line) == 0 {
		return otherLine, ""
	}
	switch c := line[0]; {
	case c >= '0' && c <= '9' || c == '}': // or the end of a document of JSON
		return rowLine, ""
	case c == '=':
		if m := fileTitle().FindSubmatch(line); m != nil {
			return titleLine, lex.Plain(string(m[1]))
		}
	// A brace alone begins a document of JSON, as iperf3 and pretty printers write it.
	case c == '{' && len(line) == 1 || starts(line):
		return startLine, ""
	}
	return otherLine, ""
}

// starts reports whether a line begins the output of a benchmark. It is called for each line
// that is no row, so beginnings are compared in place.
func starts(line []byte) bool {
	for _, r := range registry {
		for _, s := range r.starts {
			if len(line) >= len(s) && string(line[:len(s)]) == s {
				return true
			}
		}
	}
	return false
}
