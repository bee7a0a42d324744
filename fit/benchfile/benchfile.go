// Package benchfile reads the output of message-passing benchmarks as samples: times of messages by
// size.
//
//	# OSU MPI Latency Test v5.6.2
//	# Size          Latency (us)
//	0                       1.38        Table{Title: "OSU MPI Latency Test v5.6.2", Kind: OneWay,
//	1                       1.38   →      Samples: {Size: 0, Mean: 1.38 …}, {Size: 1 …}, …}
//
// Formats are recognised by content, never by name. One file may hold many tables, of different
// benchmarks, with anything around them: banners of mpirun, warnings, colours, prompts, log lines.
// Lines outside of tables are skipped and counted. Of a truncated table, the complete rows are
// read. Each table has a [Kind], the quantity that it measures: the time of a message differs from
// the gap between the messages of a stream, though benchmarks often call both bandwidth.
//
// Files are streamed and repeated sizes are aggregated, so memory does not grow with the file.
// Text is UTF-8, or UTF-16 with a byte order mark; gzipped files are decompressed.
//
// [Known] lists the benchmarks. The comment at the type of each reader describes its times, begins
// with an example of the output, and lists the versions that it was tested with.
//
// # Reading the package
//
// A line goes through three stages, by which the files are named. [Read] in files.go opens a file,
// read.go passes its lines on, and registry.go lists the readers of benchmarks.
//
//   - clean_*.go takes off what launchers and web pages put around lines, and finds their numbers.
//   - Columns are recognised in two ways. header_*.go finds those of CSV and JSON by their names;
//     recognise_*.go finds those of all lines that no reader takes by what they do. Both know words
//     and units from names.go and units.go. titles.go says what the numbers of a benchmark measure.
//   - record_*.go makes measurements of rows, and samples of a table: sheet for CSV and JSON.
//
// titled.go with headed.go reads OSU, IMB and perftest, whose titles are rows of titles.go, and
// lines.go benchmarks without a header. The other files are the readers of one benchmark each.
//
// Diagnosis is a second pass: diagnose.go says why a file has no table, from what was left over. It
// never runs for a file that was read.
//
// # Rules
//
//   - Nothing is dropped or assumed silently: a warning counts the rows that are left out, and
//     another one names what was assumed, such as sockperf's default size.
//   - A reader takes only lines that can be nothing else. Logs are full of numbers, and a wrong row
//     spoils a fit without a sign, while a missing one is seen.
//   - Bad rows of a benchmark's own output are skipped, since logs are damaged. Bad rows of CSV and
//     JSON are left out with an error that names them, since a person or a script wrote them and
//     can mend them; a file of which 1 % are bad is refused.
//   - A last line without a line end may be cut off, 486.43 to 48, so it is never read. A file that
//     ends within a row, or within JSON, is an error with the rows before it.
//   - Memory depends on the number of sizes and tables, which are bounded, and not on the rows.
package benchfile

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Kind is the quantity that the times of a table measure.
type Kind uint8

const (
	// OneWay is the time from the start of a send to the end of the receive,
	// usually half of a measured round trip.
	OneWay Kind = iota
	// RoundTrip is the time of a message and its reply.
	RoundTrip
	// Gap is the time between the messages of a stream: size over throughput. It
	// constrains g and G of LogGP, but not the latency.
	Gap
	// Operation is the time of an operation other than a single message or a collective, such as
	// an exchange in both directions or a call on one side.
	Operation
	// SendOverhead and ReceiveOverhead are the times that a message takes on a processor: o_s, o_r.
	SendOverhead
	ReceiveOverhead
	// Stage is the time that one stage of the path takes for a piece of the given size.
	Stage
	// Interval is the average time between the requests of a burst; see [Table.Bursts].
	Interval
	// Collective is the time of a collective operation, described by [Table.Collective].
	Collective
	// SharedGap is the time between the messages of all streams together, if the file does not
	// give the number of streams. It does not constrain g and G of a stream.
	SharedGap
)

var kindNames = [...]string{
	OneWay: "one-way time", RoundTrip: "round trip", Gap: "gap", Operation: "operation",
	SendOverhead: "send overhead", ReceiveOverhead: "receive overhead", Stage: "stage",
	Interval: "burst interval", Collective: "collective", SharedGap: "gap of all streams together",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// kindsByName are the kinds that [Options.Kind] names.
var kindsByName = map[string]Kind{
	"one-way": OneWay, "round-trip": RoundTrip, "gap": Gap, "operation": Operation,
	"send-overhead": SendOverhead, "receive-overhead": ReceiveOverhead,
}

// KindNames lists the values of [Options.Kind].
var KindNames = slices.Sorted(maps.Keys(kindsByName))

// A Sample summarises the measurements at one size.
type Sample struct {
	// Size is in bytes, at least 0. It is a whole number unless the table has more than
	// 65,536 sizes: then neighbouring sizes are merged, and Size is their mean.
	Size quantity.Bytes
	// Count is the number of measurements of the size: rows of the file.
	Count int64
	// Mean, Min and Max are times in µs. With one row, Min and Max are the row's own minimum and
	// maximum if the benchmark printed them, else the mean.
	Mean, Min, Max quantity.Micros
	// Median is in µs, the lower of two in the middle; 0 if it is unknown, as with more than
	// 4,096 rows.
	Median quantity.Micros
	// Slowest is the time of a collective's slowest rank in µs, averaged over the rows. It is 0
	// unless the benchmark prints that maximum beside the average over ranks, which is Mean.
	Slowest quantity.Micros
	// Variance is the sample variance of the rows in µs², with n−1 in the denominator; 0 for
	// one row.
	Variance float64
	// Rounded is half of the last digit of a rate that was printed with fewer than three, as a part
	// of the rate; else 0.
	Rounded float64
	// Line is the first line of the file with the size, counted from 1.
	Line int
}

// A Burst is one point of a LogP signature: a number of Messages, issued with a computation of
// Delta after each, at an average Interval.
type Burst struct {
	Messages        int
	Delta, Interval quantity.Micros
	// Within is Interval with a 95 % interval if it is a median of repeats; else zero.
	Within quantity.Interval
	Line   int // of the file, from 1; 0 if it was not read from a file
}

// A Table is one series of samples of a file.
type Table struct {
	// Title is the benchmark's own name of the table, with the values that distinguish it from the
	// other tables of its file: "PingPong, 2 processes". Later tables of one name have a number:
	// "PingPong, 2 processes (2)".
	Title string
	// Run is that number, 1 for the first table of a name; 0 for a table that was not read.
	Run int
	// Format is the benchmark: "osu", "netpipe", "csv", …
	Format string
	Kind   Kind
	// Collective describes the operation of a table of kind Collective; it is empty for other
	// kinds.
	Collective CollectiveOp
	// Hosts lists the hosts in the order of their ranks; nil if the file does not give them.
	Hosts []string
	// Labels are the values of the columns that distinguish the table from the other tables of its
	// file. Only CSV and JSON files have labels.
	Labels []Label
	// Series distinguishes tables of the same collective, ranks and algorithm: "in-place",
	// "mapby=core". Tables with equal Series belong together.
	Series string
	// Pairs is the number of pairs of ranks that send at the same time, of which the table has the
	// times of one; 0 or 1 for one pair.
	Pairs int
	// Line is the first line of the table in the file, counted from 1.
	Line int
	// Samples are sorted by size; each size appears once.
	Samples []Sample
	// Bursts are the points of an Interval table, in file order; nil for other kinds.
	Bursts []Burst
	// Rows is the number of rows behind the samples.
	Rows int64
	// Quantum is the resolution of the printed times, 0 if unknown: 0.01 µs for a file that prints
	// µs with two decimals.
	Quantum quantity.Micros
	// Warnings are problems that a user should see: dropped rows, contradictory units.
	Warnings []string
}

// A Label is a column of a file and the value that it has in all rows of a table.
type Label struct{ Column, Value string }

// NodeColumns lists the pairs of columns of CSV and JSON that name nodes, then single columns. They
// are tried in this order.
var NodeColumns = [][]string{
	{"node_a", "node_b"}, {"node1", "node2"}, {"host1", "host2"}, {"host_a", "host_b"},
	{"src", "dst"}, {"source", "target"}, {"source", "destination"}, {"from", "to"},
	{"sender", "receiver"}, {"client", "server"}, {"a", "b"},
	{"node"}, {"host"}, {"hostname"},
}

// divide returns the share of one stream in a rate of t, which adds up the directions and the pairs
// of ranks that send at the same time. If pairs is 0, the file does not give their number: t
// becomes a [SharedGap].
func (t *Table) divide(directions, pairs int) (share float64) {
	if pairs == 0 {
		t.Kind = SharedGap
		t.warn("the file does not give the number of streams whose rates it adds up: " +
			"the gap is that of all streams together, and not used as one stream's")
		return 1
	}
	if directions > 1 {
		t.warn("both directions at once: the gap is that of one, with half of the bandwidth")
	}
	if t.Pairs = pairs; pairs > 1 {
		t.warn(fmt.Sprintf("the gap is one pair's while %d pairs send, with 1/%d of the "+
			"printed rate", pairs, pairs))
	}
	return 1 / float64(directions*pairs)
}

// warn adds a warning that the table does not have yet.
func (t *Table) warn(text string) {
	if text = lex.Plain(text); !slices.Contains(t.Warnings, text) {
		t.Warnings = append(t.Warnings, text)
	}
}

// Name returns the title, or the format if the title is empty.
func (t *Table) Name() string {
	if t.Title != "" {
		return t.Title
	}
	return t.Format
}

// runSuffix ends the names of all tables of one name but the first.
func (t *Table) runSuffix() string {
	if t.Run <= 1 {
		return ""
	}
	return fmt.Sprintf(" (%d)", t.Run)
}

// FirstName returns the name of the first table of the file that has t's name but for its number. A
// title that its benchmark itself ends with "(2)" is kept.
func (t *Table) FirstName() string { return strings.TrimSuffix(t.Name(), t.runSuffix()) }

// A File holds the tables of a file, in file order.
type File struct {
	Name   string
	Tables []Table
	// Lines is the number of lines of the file; Skipped, the number of those that are neither blank
	// nor part of a table.
	Lines, Skipped int
	// Warnings are problems of the file as a whole; see [Table.Warnings] for those of a table.
	Warnings []string
	// Notes describe the division of rows into tables: the columns that split tables, and those
	// that did not. They do not indicate problems.
	Notes []string
}

// maxSizes is the maximum number of sizes in a table. If a file has more, nearly equal sizes
// are merged. Benchmarks step through some hundred sizes at most; only programs that draw
// sizes at random, such as SimGrid's calibration, have more.
const maxSizes = 1 << 16

// maxTables and sizesEach, the average number of sizes in a table, bound the memory of a file.
const (
	// 4096 tables with 64 sizes each are 262,144 aggregates of about 150 bytes: 40 MB.
	maxTables = 4096
	sizesEach = 64
)

// Options control reading. The zero value suits every format, except CSV files without a header
// that names columns and units.
type Options struct {
	// X and Y name the size column and the time column of a CSV file, by header or by number from
	// 1.
	X, Y string
	// Kind, one of [KindNames], is what the times of CSV, JSON and recognised tables measure, if it
	// is not empty: their names may not say it.
	Kind string
	// Group and Pool name columns of a CSV or JSON file, by header or by number from 1. Each value
	// of a Group column has a table of its own. Values of a Pool column do not split tables.
	// Whether another column splits tables depends on the rows; see [File.Notes].
	Group, Pool []string
	// Ranks, PerNode and Nodes name the columns of a collective's ranks, of its ranks on each node
	// and of its nodes, by header or by number from 1. Empty: the columns that are named so.
	Ranks, PerNode, Nodes string
	// Names are lists of columns, by header. The first list whose columns all exist, and are
	// neither pooled nor read as a size or time, is treated like Group. A file need not have one.
	Names [][]string
	// Tables is the maximum number of tables in a file; 0 stands for 4096.
	Tables int
	// Collective is the operation of tables that do not name it (CSV, JSON and old nccl-tests), as
	// in [CollectiveOp.Name]; if it is empty, such tables keep the kind that their columns imply.
	Collective string
	// Clock is the clock rate in MHz of the processor whose cycles perftest -C prints as its times;
	// 0 if it is unknown.
	Clock float64
	// Spell, if not nil, returns how a user gives an option a value, for messages: "--y time:us"
	// for "y" and "time:us". The default is "y=time:us".
	Spell func(option, value string) string
	// Progress, if not nil, is called from time to time with the number of bytes read so far.
	Progress func(bytes int64)
	// Other, if not nil, may read the text of [Open] or [Read] in place of the formats; the file
	// then has no tables. It returns false, having read nothing, for a text that it does not know.
	Other func(text *bufio.Reader, name string) bool
	// Context, if not nil, ends [Outputs] when it is done, even if a pipe delivers no data.
	Context context.Context
}

// goodTime reports whether a time in µs is plausible: at least 1e-9 µs, and at most about 30
// years. Written so that NaN is not.
func goodTime(t float64) bool { return t >= 1e-9 && t <= 1e15 }

// goodSize reports whether a size in bytes is plausible for a message; 0 is.
func goodSize(n float64) bool {
	return n >= 0 && n <= float64(quantity.MaxBytes) && n == math.Trunc(n)
}

// A CollectiveOp describes a collective operation, as far as the file describes it.
type CollectiveOp struct {
	// Name is MPI's name in lower case: allreduce, allgather, alltoall, bcast, reduce,
	// reduce_scatter, gather, scatter, scan, exscan, with MPI's suffix v or w for varying counts
	// and prefix "i" or "neighbor_"; or sendrecv or hypercube of nccl-tests. It is empty if neither
	// the file nor its name gives the operation.
	Name string
	// Ranks is the number of ranks, PerNode the number on each node, Nodes the number of nodes; 0
	// if unknown.
	Ranks, PerNode, Nodes int
	// Groups is the number of groups of so many ranks that call at once on a node; 0 if there is
	// one.
	Groups int
	// Algorithm is the file's name of the algorithm; empty if unknown.
	Algorithm string
	// PerRank is set if the size is the block of one rank, as OSU and IMB count it for allgather,
	// alltoall, gather and scatter. Otherwise the size is that of the whole buffer, Ranks times as
	// much, as in nccl-tests and for all other collectives. CSV and JSON files do not give this;
	// there it is not set.
	PerRank bool
	// Total is set if a column total_bytes gives the sizes, which then add up all ranks' blocks.
	Total bool
}

// place computes one of ranks, ranks on each node and nodes from the other two. Shares are
// rounded up: the fullest node decides the time.
func (c *CollectiveOp) place() {
	switch {
	case c.Ranks == 0:
		c.Ranks = c.Nodes * c.PerNode
	case c.PerNode == 0 && c.Nodes > 0:
		c.PerNode = (c.Ranks + c.Nodes - 1) / c.Nodes
	case c.Nodes == 0 && c.PerNode > 0:
		c.Nodes = (c.Ranks + c.PerNode - 1) / c.PerNode
	}
}

// collectives maps the letters of collectives to [CollectiveOp.Name].
var collectives = func() map[string]string {
	all := map[string]string{"broadcast": "bcast", "ibroadcast": "ibcast"}
	for _, name := range []string{
		"allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw",
		"reduce_scatter", "reduce_scatter_block", "bcast", "reduce",
		"gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "barrier",
	} {
		all[letters.Replace(name)], all["i"+letters.Replace(name)] = name, "i"+name
	}
	return all
}()

var letters = strings.NewReplacer(" ", "", "_", "", "-", "")

// collectiveNamed returns the operation for a benchmark's name of it: "Allreduce",
// "MPI_Bcast", "osu_ialltoall", "all_reduce_perf", "Neighbor Allgather". nccl-tests print
// "all_reduce", OSU "Allreduce" or "All-to-All", IMB "Reduce_scatter": letters alone are
// compared.
func collectiveNamed(text string) (CollectiveOp, bool) {
	name := letters.Replace(strings.ToLower(text))
	for _, prefix := range []string{"mpi", "osu", "nccl", "rccl"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "perf"), "pure")
	name = strings.Replace(name, "neighborhood", "neighbor", 1)
	name, near := strings.CutPrefix(name, "neighbor")
	c, ok := collectives[name]
	if ok && near {
		c = "neighbor_" + c
	}
	return CollectiveOp{Name: c}, ok
}

// perRank returns c with PerRank set as MPI benchmarks count the size of the operation.
func (c CollectiveOp) perRank() CollectiveOp {
	base := strings.TrimPrefix(strings.TrimPrefix(c.Name, "neighbor_"), "i")
	for _, name := range []string{"allgather", "alltoall", "gather", "scatter"} {
		c.PerRank = c.PerRank || strings.HasPrefix(base, name)
	}
	return c
}

// nameWord finds the collective in the name of a file. Only names that hardly mean anything
// else: "reduce" or "scatter" alone may be any word.
var nameWord = lex.NewPattern(
	`(?i)(?:^|[^a-z])i?(all[-_]?reduce|all[-_]?gather|all[-_]?to[-_]?all|reduce[-_]?scatter|` +
		`bcast|broadcast)(?:[^a-z]|$)`)

func fromFileName(name string) (c CollectiveOp) {
	if m := nameWord().FindStringSubmatch(filepath.Base(name)); m != nil {
		c, _ = collectiveNamed(m[1])
	}
	return c
}
