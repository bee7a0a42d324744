package benchfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A columnRole is a value that is read from a column.
type columnRole int

const (
	sizeColumn columnRole = iota
	timeColumn
	minColumn
	maxColumn
	medianColumn
	packetColumn
	burstColumn
	deltaColumn
	checkColumn // a rate beside the time
	unitColumn  // the unit of the time
	columnRoles
)

type columns struct {
	at      [columnRoles]int     // −1 if there is no such column
	scale   [columnRoles]float64 // units in bytes, µs, bytes/µs
	groups  []int                // columns whose names describe a table
	assumed bool                 // the unit of the time is not in the header, nor in the rows
	unread  string               // a column of times without a unit, beside a rate
	rate    bool                 // the time is size over a rate
	total   bool                 // sizes add up all ranks' blocks
	kind    Kind
}

func noColumns() (c columns) {
	for i := range c.at {
		c.at[i] = -1
	}
	return c
}

func (c *columns) has(r columnRole) bool { return c.at[r] >= 0 }

func (c *columns) set(r columnRole, at int, scale float64) { c.at[r], c.scale[r] = at, scale }

// columnOption splits "time:ms" into the column and its unit.
func columnOption(opt string) (column, unit string) {
	if i := strings.LastIndexByte(opt, ':'); i >= 0 {
		if _, ok := quantity.Unit(opt[i+1:]); ok {
			return opt[:i], opt[i+1:]
		}
	}
	return opt, ""
}

// keyColumn returns the index of the column that every row must have: the size or the burst.
func (c *columns) keyColumn() int {
	if c.has(burstColumn) {
		return c.at[burstColumn]
	}
	return c.at[sizeColumn]
}

func (c *columns) setTime(at int, u quantity.Value, base string) bool {
	c.set(timeColumn, at, u.Num)
	c.rate = u.Dim == quantity.DimRate
	c.kind = kindOf(base, c.rate)
	return c.rate || u.Dim == quantity.DimTime
}

func kindOf(base string, rate bool) Kind {
	switch {
	case strings.HasPrefix(base, "rtt") || strings.HasPrefix(base, "round") || base == "prtt" || base == "ping":
		return RoundTrip
	case strings.Contains(base, "gap") || strings.Contains(base, "throughput"):
		return Gap
	case base == "o_s" || base == "os" || strings.HasPrefix(base, "send_overhead"):
		return SendOverhead
	case base == "o_r" || base == "or" || strings.HasPrefix(base, "receive_overhead"):
		return ReceiveOverhead
	case rate && !strings.Contains(base, "bandwidth") && base != "bw":
		return Gap
	}
	return OneWay
}

// A columnName is the parsed header of a column: "msg size [KiB]" has base msg_size and unit KiB.
type columnName struct {
	full, base string
	unit       quantity.Value
	hasUnit    bool
}

// spelled maps units, as column names spell them, to their values. Mbps means megabits, as usual
// for networks.
var spelled = map[string]quantity.Value{
	"kb": {Num: 1 << 10, Dim: quantity.DimSize}, "kib": {Num: 1 << 10, Dim: quantity.DimSize},
	"mb": {Num: 1 << 20, Dim: quantity.DimSize}, "mib": {Num: 1 << 20, Dim: quantity.DimSize},
	"gb": {Num: 1 << 30, Dim: quantity.DimSize}, "gib": {Num: 1 << 30, Dim: quantity.DimSize},
	"usecs": {Num: 1, Dim: quantity.DimTime}, "nsecs": {Num: 1e-3, Dim: quantity.DimTime},
	"microsecond": {Num: 1, Dim: quantity.DimTime}, "secs": {Num: 1e6, Dim: quantity.DimTime},
	"mb_s": {Num: 1, Dim: quantity.DimRate}, "gb_s": {Num: 1e3, Dim: quantity.DimRate},
	"mib_s": {Num: (1 << 20) / 1e6, Dim: quantity.DimRate}, "gib_s": {Num: (1 << 30) / 1e6, Dim: quantity.DimRate},
	"mbps": {Num: 1. / 8, Dim: quantity.DimRate}, "gbps": {Num: 1e3 / 8, Dim: quantity.DimRate},
	"mbit_s": {Num: 1. / 8, Dim: quantity.DimRate}, "gbit_s": {Num: 1e3 / 8, Dim: quantity.DimRate},
}

// unitNamed returns the unit with the given name; upper and lower case are equivalent.
func unitNamed(name string) (quantity.Value, bool) {
	u, ok := quantity.Unit(name)
	if ok {
		return u, ok
	}
	lower := strings.ToLower(name)
	if lower != name {
		u, ok = quantity.Unit(lower)
	}
	if !ok {
		u, ok = spelled[lower]
	}
	return u, ok
}

func parseColumn(text []byte) columnName {
	full := strings.TrimSpace(string(text))
	c := columnName{full: full, base: full}
	try := func(base, unit string) bool {
		u, ok := unitNamed(strings.TrimSpace(unit))
		if ok && u.Dim != quantity.DimNone {
			c.base, c.unit, c.hasUnit = base, u, true
		}
		return c.hasUnit
	}
	for _, pair := range []string{"()", "[]"} {
		if i := strings.IndexByte(full, pair[0]); i >= 0 && strings.HasSuffix(full, pair[1:]) && try(full[:i], full[i+1:len(full)-1]) {
			break
		}
	}
	for i := strings.IndexAny(full, "_ -./:"); !c.hasUnit && i >= 0; {
		if try(full[:i], full[i+1:]) {
			break
		}
		next := strings.IndexAny(full[i+1:], "_ -./:")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if !c.hasUnit && len(full) > 1 { // "t" and "m" are names, not units
		try("", full)
	}
	c.base = strings.ToLower(c.base)
	if strings.ContainsAny(c.base, "_ -./") {
		c.base = strings.Join(strings.FieldsFunc(c.base, func(r rune) bool { return strings.ContainsRune("_ -./", r) }), "_")
	}
	return c
}

var (
	sizeNames = set("", "size", "bytes", "nbytes", "msg_size", "msgsize", "message_size", "messagesize", "message", "msg", "msglen", "n", "len", "length", "x",
		"total", "total_bytes", "total_size")
	// timeNames in the order of preference.
	timeNames   = []string{"one_way", "oneway", "latency", "lat", "time", "t_avg", "avg", "average", "mean", "t", "duration", "elapsed", "usec", "rtt", "round_trip", "prtt", "interval", "gap"}
	groupNames  = set("stage", "transport", "program", "op", "operation", "benchmark", "test", "series", "platform", "layer", "method", "name", "host")
	unitNames   = set("unit", "units", "time_unit", "latency_unit")
	minNames    = set("min", "t_min", "time_min", "min_time", "one_way_low", "lat_min", "minimum")
	maxNames    = set("max", "t_max", "time_max", "max_time", "one_way_high", "lat_max", "maximum")
	medianNames = set("p50", "median", "t_median")
)

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// A finder assigns the columns of a header to the values that are read.
type finder struct {
	columns
	spell    func(option, value string) string
	cols     []columnName
	x, y     string // names or numbers given by options; "" if not given
	timeRank int    // place of the time's name in the order of preference; −1 if an option names it
	noUnit   int    // a column of times without a unit, −1 for none
}

// columns finds the columns of a header. unit is the unit of times whose column names none; "" if
// unknown. columns returns nil if the line is not a header, with the reason if it is nearly one.
func (f *csv) columns(p *parser, cols []columnName, unit string) (*columns, string) {
	x, xUnit := columnOption(p.opt.X)
	y, yUnit := columnOption(p.opt.Y)
	h := finder{columns: noColumns(), spell: p.spell, cols: cols, x: x, y: y, timeRank: len(timeNames) + 2, noUnit: -1}
	for i := range cols {
		col, number := &cols[i], strconv.Itoa(i+1)
		isX := x != "" && (col.full == x || number == x)
		isY := y != "" && (col.full == y || number == y)
		if isX && xUnit != "" {
			col.unit, col.hasUnit = quantity.Unit(xUnit)
		}
		if isY && yUnit != "" {
			col.unit, col.hasUnit = quantity.Unit(yUnit)
		}
		switch {
		case isX || x == "" && !h.has(sizeColumn) && sizeNames[col.base] && (!col.hasUnit && col.base != "" || col.unit.Dim == quantity.DimSize):
			if col.hasUnit && col.unit.Dim != quantity.DimSize {
				return nil, "column " + strconv.Quote(col.full) + " is not a size"
			}
			h.set(sizeColumn, i, col.sizeUnit())
			h.total = totalNames[col.base]
		case isY:
			h.at[timeColumn], h.timeRank = i, -1
		case !h.assignSide(i, *col) && y == "":
			h.time(i, *col)
		}
	}
	h.setUnit(unit)
	if why := h.missing(); why != "" || !h.has(timeColumn) || h.keyColumn() < 0 {
		return nil, why
	}
	at := h.at[timeColumn]
	if !h.setTime(at, cols[at].unit, cols[at].base) {
		return nil, "column " + strconv.Quote(cols[at].full) + " is neither a time nor a rate"
	}
	h.setBounds()
	return &h.columns, ""
}

func (c columnName) sizeUnit() float64 {
	if c.hasUnit {
		return c.unit.Num
	}
	return 1
}

// assignSide assigns column i if it is read beside sizes and times or names its rows, and reports
// whether it did.
func (h *finder) assignSide(i int, col columnName) bool {
	isTime := col.hasUnit && col.unit.Dim == quantity.DimTime
	switch {
	case unitNames[col.base] && !col.hasUnit:
		h.at[unitColumn] = i
	case (col.base == "packet" || col.base == "packet_size") && (!col.hasUnit || col.unit.Dim == quantity.DimSize):
		h.set(packetColumn, i, col.sizeUnit())
	case groupNames[col.base] && !col.hasUnit:
		h.groups = append(h.groups, i)
	case col.base == "burst" || col.base == "messages" && !col.hasUnit || col.full == "M":
		h.at[burstColumn] = i
	case (col.base == "delta" || col.base == "δ") && isTime:
		h.set(deltaColumn, i, col.unit.Num)
	case minNames[col.base] && (isTime || !col.hasUnit): // without a unit, that of the time
		h.set(minColumn, i, col.unit.Num)
	case maxNames[col.base] && (isTime || !col.hasUnit):
		h.set(maxColumn, i, col.unit.Num)
	case medianNames[col.base] && isTime:
		h.set(medianColumn, i, col.unit.Num)
	default:
		return false
	}
	return true
}

// time considers column i as the column of times. Times are preferred to rates, and among times the
// first name in timeNames.
func (h *finder) time(i int, col columnName) {
	rank := slices.Index(timeNames, col.base)
	switch {
	case col.hasUnit && col.unit.Dim == quantity.DimTime:
		if rank < 0 {
			rank = len(timeNames)
			if col.base == "" {
				rank++
			}
		}
	case col.hasUnit && col.unit.Dim == quantity.DimRate:
		rank = len(timeNames) + 1
		if strings.Contains(col.base, "bandwidth") || col.base == "bw" {
			h.set(checkColumn, i, col.unit.Num)
		}
	case rank >= 0 && !col.hasUnit && h.noUnit < 0:
		h.noUnit = i
		return
	default:
		return
	}
	if rank < h.timeRank {
		h.at[timeColumn], h.timeRank = i, rank
	}
}

// setUnit gives times without a unit the given one, and decides whether the table is a table of
// bursts.
func (h *finder) setUnit(unit string) {
	if h.has(sizeColumn) || !h.has(burstColumn) || !h.has(deltaColumn) {
		h.at[burstColumn], h.at[deltaColumn] = -1, -1
	}
	if h.has(unitColumn) && h.noUnit >= 0 {
		unit = "us" // until a row gives the unit
	}
	rate := h.has(timeColumn) && h.cols[h.at[timeColumn]].unit.Dim == quantity.DimRate
	if u, ok := unitNamed(unit); ok && h.noUnit >= 0 && u.Dim == quantity.DimTime && (!h.has(timeColumn) || rate) && h.y == "" {
		h.at[timeColumn] = h.noUnit
		h.cols[h.noUnit].unit, h.cols[h.noUnit].hasUnit = u, true
		h.assumed = !h.has(unitColumn)
		return
	}
	h.at[unitColumn] = -1
	if h.noUnit >= 0 && rate {
		h.unread = h.cols[h.noUnit].full
	}
}

// missing returns what a line lacks that is nearly a header; "" if it is complete or not a header.
func (h *finder) missing() string {
	switch at := h.at[timeColumn]; {
	case h.keyColumn() < 0 && h.x != "" && (at >= 0 || h.noUnit >= 0):
		return "no column " + strconv.Quote(h.x) + " in this header"
	case h.y != "" && at < 0 && h.has(sizeColumn):
		return "no column " + strconv.Quote(h.y) + " in this header"
	case h.keyColumn() < 0:
	case at < 0 && h.noUnit >= 0:
		name := h.cols[h.noUnit].full
		return "column " + strconv.Quote(name) + " has no unit; write it as " + strconv.Quote(name+"_us") + ", or give the unit with " + h.spell("y", lex.Quote(name)+":us")
	case at >= 0 && !h.cols[at].hasUnit:
		name := h.cols[at].full
		return "column " + strconv.Quote(name) + " has no unit; give it with " + h.spell("y", lex.Quote(name)+":us")
	}
	return ""
}

// setBounds gives the columns of minimum and maximum times the unit of the time if they have none,
// and drops them if they do not measure the same kind of time.
func (h *finder) setBounds() {
	for _, bound := range []columnRole{minColumn, maxColumn} {
		switch {
		case !h.has(bound) || h.scale[bound] > 0:
		case h.rate || h.kind != OneWay || h.has(unitColumn): // or the rows have units of their own
			h.at[bound] = -1
		default:
			h.scale[bound] = h.scale[timeColumn]
		}
	}
	for _, g := range h.groups {
		if h.cols[g].base == "stage" && h.kind == OneWay {
			h.kind = Stage
		}
	}
	if h.has(burstColumn) {
		h.kind = Interval
	}
}

// Names of columns that are not read, by their purpose.
var (
	resultNames = set("iterations", "iters", "niter", "n_iter", "#iterations", "repetitions", "#repetitions", "loops", "count", "counts", "num", "n_samples", "samples",
		"elements", "error", "errors", "wrong", "#wrong", "validation", "status", "result", "ok", "algbw", "busbw", "bw", "bandwidth", "throughput", "rate", "msg_rate", "msgrate",
		"messages_s", "messages_per_s", "messages_per_second", "mbps", "gbps", "mbytes_sec", "mb_sec", "gb_sec", "gflops", "speedup", "efficiency",
		"time", "times", "latency", "lat", "avg", "average", "mean", "t", "t_avg", "t_min", "t_max", "median", "min", "max", "minimum", "maximum", "std", "stdev", "stddev", "sd", "var", "variance", "cov",
		"cnfint", "ci", "ci_low", "ci_high", "low", "high", "lower", "upper", "mad", "iqr", "jitter", "cpu", "cpu_util", "util", "elapsed", "start", "begin", "end", "stop", "duration",
		"timestamp", "date", "datetime", "clock", "note", "notes", "comment", "remark", "description")
	repeatNames    = set("run", "runs", "rep", "repeat", "repetition", "trial", "take", "iter", "iteration", "sample", "round", "pass", "seed", "index", "idx", "i", "id", "seq", "row", "line")
	rankNames      = set("ranks", "nranks", "np", "nprocs", "procs", "processes", "nprocesses", "tasks", "ntasks", "cores", "p", "comm_size", "world_size", "gpus", "ngpus", "num_gpus", "num_workers")
	nodeNames      = set("nodes", "nnodes", "num_nodes", "n_nodes")
	perNodeNames   = set("ranks_per_node", "gpus_per_node", "devices_per_node", "tasks_per_node", "ntasks_per_node", "procs_per_node", "processes_per_node", "ppn", "rpn")
	totalNames     = set("total", "total_bytes", "total_size")
	algorithmNames = set("algorithm", "alg", "algo")
	collectiveCols = set("collective", "op", "operation", "benchmark", "test", "program", "name", "function", "call")
)

func isResult(c columnName) bool {
	if c.hasUnit && c.unit.Dim != quantity.DimSize || resultNames[c.base] {
		return true
	}
	percent, ok := strings.CutPrefix(c.base, "p")
	_, isNumber := lex.Parse([]byte(strings.ReplaceAll(percent, "_", "."))) // p50, p99_9
	return ok && isNumber || strings.Contains(c.base, "percentile") || strings.HasPrefix(c.base, "unnamed:")
}
