package benchfile

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A columnName is the parsed name of a column: "msg size [KiB]" has base msg_size and unit KiB.
type columnName struct {
	full, base string
	unit       quantity.Value
	hasUnit    bool
	decimal    float64 // the decimal value of KB, MB or GB, which are taken as binary; else 0
}

// unitNamed returns the unit with the given name, in its likeliest reading, and the reading of a
// size in powers of ten; 0 if there is none.
func unitNamed(name string) (u quantity.Value, decimal float64, ok bool) {
	d, readings := unitsOf(name)
	switch {
	case d == sizes && len(readings) > 1:
		decimal = readings[1].factor
		fallthrough
	case d == sizes:
		return quantity.Value{Num: readings[0].factor, Dim: quantity.DimSize}, decimal, true
	case d == times:
		return quantity.Value{Num: readings[0].factor, Dim: quantity.DimTime}, 0, true
	case d == rates:
		return quantity.Value{Num: readings[0].factor, Dim: quantity.DimRate}, 0, true
	}
	u, ok = quantity.Unit(name) // of a clock, an inverse bandwidth, …
	return u, 0, ok
}

// countNames are the last words of names that count messages and bytes a second, before the unit of
// the time: "ops_sec" is no time in seconds.
var countNames = set("per", "rate", "ops", "msgs", "messages", "packets", "xfers", "bytes", "bits")

// parseColumn parses the name of a column.
func parseColumn(text []byte) columnName {
	full := strings.TrimSpace(string(text))
	c := columnName{full: full, base: full}
	try := func(base, unit string) {
		if u, ten, ok := unitNamed(strings.TrimSpace(unit)); ok && u.Dim != quantity.DimNone {
			c.base, c.unit, c.hasUnit, c.decimal = base, u, true, ten
		}
	}
	// "size (KiB)", "t [ms]".
	for _, pair := range []string{"()", "[]"} {
		if i := strings.IndexByte(full, pair[0]); i >= 0 && strings.HasSuffix(full, pair[1:]) {
			try(full[:i], full[i+1:len(full)-1])
		}
	}
	// "time_us", "time us", "lat-ns", "time.ms": each separator from the left, so that the
	// longest unit is found: "bw_MB/s" is MB/s, not s.
	for i, r := range full {
		// "t/ms" is a time, "messages/s" and "messages_per_s" are rates.
		base := full[:i]
		words := strings.FieldsFunc(strings.ToLower(base), isNameGap)
		isRate := r == '/' && len(base) > 1 && !slices.Contains(timeNames, strings.ToLower(base)) ||
			len(words) > 0 && countNames[words[len(words)-1]]
		if !c.hasUnit && strings.ContainsRune("_ -./:", r) && !isRate {
			try(base, full[i+1:])
		}
	}
	if !c.hasUnit && len(full) > 1 { // "t" and "m" are names, not units
		try("", full)
	}
	words := strings.FieldsFunc(strings.ToLower(c.base), isNameGap)
	c.base = strings.Join(words, "_")
	return c
}

// isNameGap reports whether a character stands between the words of a name.
func isNameGap(r rune) bool { return strings.ContainsRune("_ -./", r) }

// isSize reports whether a column holds sizes. A name that is only a unit must be one of sizes.
func (n columnName) isSize() bool {
	return sizeNames[n.base] && (!n.hasUnit && n.base != "" || n.unit.Dim == quantity.DimSize)
}

func (n columnName) sizeUnit() float64 {
	if n.hasUnit {
		return n.unit.Num
	}
	return 1
}

// isResult reports whether a column holds results of a benchmark or remarks, so that its values do
// not identify a measurement.
func (n columnName) isResult() bool {
	if n.hasUnit && n.unit.Dim != quantity.DimSize || resultNames[n.base] {
		return true
	}
	return n.isStatistic() || strings.HasPrefix(n.base, "unnamed:") // as pandas calls its index
}

// isStatistic reports whether a column has the name of a statistic that is not a centre: a
// percentile, a deviation, the end of an interval.
func (n columnName) isStatistic() bool {
	percent, ok := strings.CutPrefix(n.base, "p")
	_, isNumber := lex.Parse([]byte(strings.ReplaceAll(percent, "_", "."))) // p50, p99_9
	return ok && isNumber || strings.Contains(n.base, "percentile") ||
		resultNames[n.base] && !slices.Contains(timeNames, n.base)
}

// isRepeat reports whether a column counts repetitions. Such a column separates nothing, even
// if each of its values has all sizes: ten runs are ten times of one table.
func (n columnName) isRepeat() bool { return repeatNames[n.base] }

// A meaning is a fact about a collective operation.
type meaning uint8

const (
	noMeaning meaning = iota
	meansRanks
	meansNodes
	meansPerNode
	meansAlgorithm
	meansCollective
)

// meaning returns the fact about a collective that a column holds, or noMeaning.
func (n columnName) meaning() meaning {
	for m, names := range meanings {
		if names[n.base] {
			return meaning(m)
		}
	}
	return noMeaning
}

// isPlacement reports whether m is the number or placement of the ranks.
func (m meaning) isPlacement() bool {
	return m == meansRanks || m == meansNodes || m == meansPerNode
}

var meanings = [...]map[string]bool{
	// The names are those of published files and of the launchers' options;
	// a name that may as well mean something else is not here.
	meansRanks: set(
		"ranks", "nranks", "np", "nprocs", "procs", "processes", "nprocesses", "tasks", "ntasks",
		"cores", "p", "comm_size", "world_size", "gpus", "ngpus", "num_gpus", "num_workers",
	),
	meansNodes: set("nodes", "nnodes", "num_nodes", "n_nodes"),
	meansPerNode: set(
		"ranks_per_node", "gpus_per_node", "rankspernode", "devices_per_node", "tasks_per_node",
		"ntasks_per_node", "procs_per_node", "processes_per_node", "ppn", "rpn",
	),
	meansAlgorithm: set("algorithm", "alg", "algo"),
	meansCollective: set(
		"collective", "op", "operation", "benchmark", "test", "program", "name", "function",
		"call",
	),
}

var (
	// The empty name is that of a column which is only a unit, such as "KiB".
	sizeNames = set(
		"", "size", "bytes", "nbytes", "msg_size", "msgsize", "message_size", "messagesize",
		"message", "msg", "msglen", "n", "len", "length", "x",
		"total", "total_bytes", "total_size",
		"io_size", "message_bytes", "msg_bytes", "data_size",
	)
	plainSizeNames = set("size", "bytes", "nbytes", "msg_size", "msgsize", "message_size",
		"messagesize", "size_bytes")
	totalNames = set("total", "total_bytes", "total_size")
	// timeNames in the order of preference.
	timeNames = []string{
		"one_way", "oneway", "latency", "lat", "time", "t_avg", "avg", "average", "mean", "t",
		"duration", "elapsed", "usec", "rtt", "round_trip", "prtt", "interval", "gap",
	}
	groupNames = set(
		"stage", "transport", "program", "op", "operation", "benchmark", "test", "series",
		"platform", "layer", "method", "name", "host",
	)
	unitNames   = set("unit", "units", "time_unit", "latency_unit")
	minNames    = set("min", "t_min", "time_min", "min_time", "one_way_low", "lat_min", "minimum")
	maxNames    = set("max", "t_max", "time_max", "max_time", "one_way_high", "lat_max", "maximum")
	medianNames = set("p50", "median", "t_median")
	// Results differ from row to row. If one of them were taken as a dimension, every row would
	// be a table.
	resultNames = set(
		"iterations", "iters", "niter", "n_iter", "#iterations", "repetitions", "#repetitions",
		"loops", "count", "counts", "num", "n_samples", "samples", "gpusperrank",
		"alg_bw", "bus_bw",
		"elements", "error", "errors", "wrong", "#wrong", "validation", "status", "result", "ok",
		"algbw", "busbw", "bw", "bandwidth", "throughput", "rate", "msg_rate", "msgrate",
		"messages_s", "messages_per_s", "messages_per_second", "mbps", "gbps", "mbytes_sec",
		"mb_sec", "gb_sec", "gflops", "speedup", "efficiency",
		"time", "times", "latency", "lat", "avg", "average", "mean", "t", "t_avg", "t_min",
		"t_max", "median", "min", "max", "minimum", "maximum", "std", "stdev", "stddev", "sd",
		"var", "variance", "cov",
		"cnfint", "ci", "ci_low", "ci_high", "low", "high", "lower", "upper", "mad", "iqr",
		"jitter", "cpu", "cpu_util", "util", "elapsed", "start", "begin", "end", "stop",
		"duration",
		"timestamp", "date", "datetime", "clock", "note", "notes", "comment", "remark",
		"description",
	)
	repeatNames = set(
		"run", "runs", "rep", "repeat", "repetition", "trial", "take", "iter", "iteration",
		"sample", "round", "pass", "seed", "index", "idx", "i", "id", "seq", "row", "line",
	)
)
