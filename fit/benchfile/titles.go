package benchfile

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A titleRow says what the numbers of a benchmark measure, which its columns cannot show. A new
// benchmark whose output is a table of sizes and times or rates is one row here.
type titleRow struct {
	format string      // for messages
	text   lex.Pattern // in the header, or in the lines above it
	kind   Kind        // of the times; of rates, see rateKind
	rate   Kind        // of times that are size over a rate
	// collective is set if the benchmark measures collectives, named in its lines.
	collective bool
	names      bool        // or whose title may name one
	prefer     lex.Pattern // the column to read; nil if names and identities show it
	bars       bool        // its tables stand between bars, as Markdown's do
	unit       float64     // of times without one, in µs; 0 if they have one
	binary     bool        // MB and GB of its rates are powers of 1024
	directions int         // that a rate adds up; 0 for one
	several    bool        // its rates count the bytes of several messages, as IMB's Exchange
	// columns are the names of the numbers in rows that stand without a header, as grep or a script
	// leaves them; "" if that is not known.
	columns string
	// pairs finds the number of ranks, or of pairs of them, whose rates are added up; nil for one
	// pair. each is how many of that number are a pair.
	pairs lex.Pattern
	each  int
}

// titleRows are tried in this order; all further text is [unknownTitle].
var titleRows = []titleRow{
	{format: "fabtests", text: lex.NewPattern(`\bfi_\w+_bw\b`), kind: Gap, rate: Gap},
	{format: "fabtests", text: lex.NewPattern(`usec/xfer|\bfi_(rdm|msg|dgram)?_?\w*pingpong`),
		kind: OneWay, rate: Gap},
	{format: "nixlbench", text: lex.NewPattern(`(?i)nixlbench|Avg Prep \(us\)|` +
		`Block Size \(B\)\s+Batch Size\b`),
		kind: Operation, rate: Gap},
	{format: "NVSHMEM", text: lex.NewPattern(`(?i)\bn?v?shmem_\w*(bw|lat)`),
		kind: Operation, rate: Gap, bars: true},
	{format: "MSCCL++", text: lex.NewPattern(`(?i)mscclpp|MSCCL\+\+|NCCL Time \(us\)`),
		kind: Collective, rate: Collective, collective: true, bars: true,
		prefer: lex.NewPattern(`^(Time|AlgBW)`)},
	{format: "google-benchmark", text: lex.NewPattern(`/(manual|real)_time\b`), kind: Operation,
		rate: Operation, prefer: lex.NewPattern(`^Time`), columns: "Time,CPU,Iterations,bytes"},
	{format: "criterion", text: lex.NewPattern(`\btime:\s+\[[\d.]+ \S+ [\d.]+ \S+ [\d.]+ \S+\]`),
		kind: Operation, rate: Operation, columns: "size,time min,time avg,time max"},
	// Copies between a host and its GPU, one after the other.
	{format: "hipBusBandwidth", text: lex.NewPattern(`\b[HD]2[HD]_(Bandwidth|Time)`),
		kind: Operation, rate: Operation},
	// Of a header that is cut off, the line of units may be left.
	{format: "nccl-tests", text: lex.NewPattern(`\bbusbw\b|\(us\)\s+\(GB/s\)\s+\(GB/s\)`),
		kind: Collective, rate: Collective, collective: true},
	{format: "nccl-tests", text: lex.NewPattern(`\b(float|half|u?int\d+|b?float\d+|double) +` +
		`(sum|prod|max|min|avg|none) +-?\d+ `),
		kind: Collective, rate: Collective, collective: true, columns: "size(B),count,root," +
			"out-of-place time(us),out-of-place algbw(GB/s),out-of-place busbw(GB/s),#wrong," +
			"in-place time(us),in-place algbw(GB/s),in-place busbw(GB/s),#wrong"},
	{format: "UCC", text: lex.NewPattern(`(?i)ucc_perftest|^Collective:\s`),
		kind: Collective, rate: Collective, collective: true},
	{format: "mpiBench", text: lex.NewPattern(`\bBytes:\s+\d+\s+Iters:\s+\d+\s+Avg:`),
		kind: Operation, names: true, unit: 1},
	{format: "ucx_perftest", text: lex.NewPattern(`(?i)ucx_perftest|typical_lat`),
		kind: OneWay, rate: Gap},
	// IMB prints half of the round trip of a ping-pong, and the time of the call of all others:
	// PingPing, Sendrecv and Exchange send in both directions.
	{format: "IMB", text: lex.NewPattern(`(?i)^(#? ?Benchmarking:? +)?PingPong\w*\s*$`),
		rate: Gap},
	{format: "IMB", text: lex.NewPattern(`^(#? ?Benchmarking:? +)?Biband\s*$`), kind: Operation,
		rate: Gap, directions: 2, pairs: imbRanks, each: 2},
	{format: "IMB", text: lex.NewPattern(`^#? ?Benchmarking:? +\S+\s*$|` +
		`MODE: (NON-)?AGGREGATE|` + imbNames),
		kind: Operation, rate: Gap, names: true, pairs: imbRanks, each: 2, several: true,
		prefer: lex.NewPattern(`(?i)pure`)},
	{format: "IMB", text: lex.NewPattern(`#bytes\s+#repetitions`), kind: Operation, rate: Gap,
		several: true},
	{format: "perftest", text: lex.NewPattern(`(?i)\bBidirectional\b`), rate: Gap,
		directions: 2, binary: true},
	// Half of a round trip, or all of it for reads and atomics.
	{format: "perftest", text: lex.NewPattern(`\bRDMA_(Read|Atomic)|^Atomic .*Test|` +
		`\bib_(read|atomic)_`),
		kind: RoundTrip, rate: Gap, binary: true},
	{format: "perftest", text: lex.NewPattern(`#bytes\s+#iterations|BW Test|ib_\w+_bw`),
		kind: OneWay, rate: Gap, binary: true,
		columns: "#bytes,#iterations,BW peak,BW average,MsgRate[Mpps]"},
	{format: "perftest", text: lex.NewPattern(`ib_\w+_lat`), kind: OneWay, rate: Gap, binary: true,
		columns: "#bytes,#iterations,t_min[usec],t_max[usec],t_typical[usec],t_avg[usec]," +
			"t_stdev[usec],99% percentile[usec],99.9% percentile[usec]"},
	// The bandwidth tests have a window of messages under way. osu_bibw and osu_put_bibw count both
	// directions, osu_mbw_mr adds up all pairs.
	{format: "OSU", text: lex.NewPattern(`Multiple Bandwidth|\[ pairs: \d+ \]`), rate: Gap,
		pairs: lex.NewPattern(`pairs: (\d+)`), each: 1},
	{format: "OSU", text: lex.NewPattern(`(?i)Bi-?Directional (MPI )?Bandwidth|` +
		`OSU .*Bi-?Directional`), rate: Gap, directions: 2},
	{format: "OSU", text: lex.NewPattern(`(?i)\b(OSU|MPI) (.* )?Bandwidth Test|` +
		`OSU .*Bandwidth`), rate: Gap},
	{format: "OSU", text: lex.NewPattern(`(?i)\bOSU .*Non-?blocking`), rate: Gap,
		kind: Operation, names: true, prefer: lex.NewPattern(`(?i)pure`)},
	// Latencies between pairs of ranks. What is left, such as osu_get_latency, is the time of a
	// call.
	{format: "OSU", text: lex.NewPattern(`(\b(OSU|OMB\S*) \S+( Java| Python)?|# MPI) ` +
		`((Multi|Multi-threaded|Multi-process|Persistent|Congestion|Put) )?Latency|` +
		`MPI_Put.* Latency`),
		rate: Gap},
	{format: "OSU", text: lex.NewPattern(`(\b(OSU|OMB\S*)|# MPI) .*Latency`), kind: Operation,
		rate: Gap, names: true},
}

// imbNames are the benchmarks of IMB on a command line.
const imbNames = `(?i:^(Sendrecv|Exchange|PingPing|Uniband|Biband|Bcast|Allreduce|Allgatherv?|` +
	`Alltoallv?|Reduce|Reduce_scatter|Gatherv?|Scatterv?)$)`

var imbRanks = lex.NewPattern(`#processes = +(\d+)`)

// pairsIn returns the number of pairs whose rates are added up; 0 if the lines do not give it.
func (t titleRow) pairsIn(lines []string) int {
	if t.pairs == nil {
		return 1
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if m := t.pairs().FindStringSubmatch(lines[i]); m != nil {
			return lex.Count(m[1]) / t.each
		}
	}
	return 0
}

// unknownTitle is for tables of no benchmark that is known: the names of their columns say what
// they measure.
var unknownTitle = titleRow{format: "table"}

// titleOf returns the row of the first title that the lines have: of a format, or of any for "".
func titleOf(format string, lines []string) (row titleRow, known bool) {
	for _, t := range titleRows {
		for _, line := range lines {
			if (format == "" || t.format == format) && t.text().MatchString(line) {
				return t, true
			}
		}
	}
	return unknownTitle, false
}

// collectiveWord finds a collective in the lines above a table. Words that prose has, too, count
// only as names of programs.
var collectiveWord = lex.NewPattern(`(?i)(?:^|[^a-z])i?(all[-_ ]?reduce|all[-_ ]?gatherv?|` +
	`all[-_ ]?to[-_ ]?all[vw]?|reduce[-_ ]?scatter|broadcast|bcast|` +
	`(?:reduce|gatherv?|scatterv?)_perf|osu[_ ](?:reduce|gatherv?|scatterv?))(?:[^a-z]|$)`)

// callAlone matches the name of a call that stands over its rows: "all_gather_into_tensor".
var callAlone = lex.NewPattern(`(?i)^\s*((?:all[-_ ]?(?:reduce|gatherv?|to[-_ ]?all[vw]?)|` +
	`reduce(?:[-_ ]?scatter)?|broadcast|bcast|gatherv?|scatterv?|barrier|send|recv|sendrecv))` +
	`(?:_(?:into|tensor|single|base|coalesced|object|list))*\s*:?\s*$`)

// collectiveIn returns the collective that the last of some lines names.
func collectiveIn(lines []string) (op CollectiveOp, ok bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		if m := callAlone().FindStringSubmatch(lines[i]); m != nil {
			return collectiveNamed(m[1])
		}
		if all := collectiveWord().FindAllStringSubmatch(lines[i], -1); all != nil {
			return collectiveNamed(strings.TrimSpace(all[len(all)-1][1]))
		}
	}
	return op, false
}
