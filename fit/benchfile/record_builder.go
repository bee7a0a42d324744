package benchfile

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// usage counts what the tables of a file hold together.
type usage struct {
	times, sizes int  // kept times and sizes, both bounded
	merged       int  // builders whose rows were moved to another
	closed       bool // the file has ended: further rows are dropped
}

// maxKept is the maximum number of times of a file that are kept for medians. They take 32
// MiB at most. Beyond it, a size loses its median and keeps its mean.
const maxKept = 1 << 22

// A builder aggregates the rows of a table that is being read.
type builder struct {
	table *Table
	held  []held                // the rows, as long as they are few: see hold
	sizes map[uint64]*aggregate // nil as long as rows are held
	shift uint                  // mantissa bits dropped from a size to make its key

	file    *File
	usage   *usage // of the file
	tallies []tally
	free    bool   // no format says what the times are
	merged  bool   // the rows were moved to another table
	warned  bool   // the warning that a table gets once was given
	source  string // see [parser.source]
}

// A tally counts rows that a warning reports.
type tally struct {
	what        string
	rows, first int   // first is the line of the first one
	lines       []int // of the first rows
}

// What tallies count: a noun, and what happened to it.
const (
	cutOff       = "row cut off and left out"
	printedTwice = "row printed twice, as by server and client, counted once"
	coarse       = "rate printed with fewer than three digits: the times from them are as coarse"
	unusable     = "row without a usable size or time left out"
	noTime       = "row whose time or rate is printed as 0 left out"
	roundedSize  = "row whose size is rounded to unknown bytes left out"
	remarked     = "row read without the remark behind it"
	// Of a failed validation, the times may be right, and the results of the operation are not.
	invalid  = "row with wrong results by the benchmark's own validation, read all the same"
	negative = "row with a negative rate beside the one that is read"
)

const maxTallied = 6 // number of rows that a warning names by their lines

func (b *builder) tally(t tally) {
	i := slices.IndexFunc(b.tallies, func(o tally) bool { return o.what == t.what })
	if i < 0 {
		b.tallies = append(b.tallies, t)
		return
	}
	o := &b.tallies[i]
	o.rows, o.first = o.rows+t.rows, min(o.first, t.first)
	if o.lines = append(o.lines, t.lines...); len(o.lines) > maxTallied {
		o.lines = o.lines[:maxTallied]
	}
}

func (b *builder) count(what string) { b.countAt(what, b.file.Lines) }

func (b *builder) countAt(what string, line int) { b.tally(tally{what, 1, line, []int{line}}) }

// failed reports whether a validation has failed: by a word, or by a number of wrong results.
func failed(text []byte) bool {
	v, isNumber := lex.Parse(text)
	return isNumber && v.Value > 0 || bytes.EqualFold(text, []byte("fail")) ||
		bytes.EqualFold(text, []byte("failed"))
}

func (t *tally) String() string {
	noun, rest, _ := strings.Cut(t.what, " ")
	where := fmt.Sprintf("the first in line %d", t.first)
	// Doubtful rows are named, since a user has to look at them.
	if (t.what == invalid || t.what == negative) && len(t.lines) == t.rows && t.rows > 1 {
		lines := slices.Sorted(slices.Values(t.lines))
		where = "lines " + strings.Join(list.Map(lines, strconv.Itoa), ", ")
	}
	return fmt.Sprintf("%s %s (%s)", quantity.Plural(t.rows, noun), rest, where)
}

// row is one line of a benchmark. The fields that it does not print are 0.
type row struct {
	size, time       float64 // bytes, µs
	min, max, median float64
	rounded          float64 // see [Sample]
}

// held is a row with a time alone, the only one of its size.
type held struct {
	size, time float64
	line       int
}

// maxHeld bounds the rows that a table holds: a file may have millions of tables of few
// sizes, and a row takes a tenth of the memory of an aggregate. A benchmark that prints each
// size once has 20 to 30 rows.
const maxHeld = 64

// hold keeps a row as it is. It returns false if the rows have to be aggregated.
func (b *builder) hold(r row, line int) bool {
	if b.sizes != nil || len(b.held) == maxHeld || r != (row{size: r.size, time: r.time}) ||
		slices.ContainsFunc(b.held, func(h held) bool { return h.size == r.size }) {
		return false
	}
	b.held = append(b.held, held{r.size, r.time, line})
	b.table.Rows++
	b.usage.sizes++
	return true
}

// bySize returns the aggregates by the keys of their sizes. Afterwards, no row is held.
func (b *builder) bySize() map[uint64]*aggregate {
	if b.sizes == nil {
		rows := b.held
		b.held, b.sizes = nil, map[uint64]*aggregate{}
		b.table.Rows -= int64(len(rows))
		b.usage.sizes -= len(rows)
		for _, h := range rows {
			b.add(row{size: h.size, time: h.time}, h.line)
		}
	}
	return b.sizes
}

// add adds a row with a good size and time.
func (b *builder) add(r row, line int) {
	if b.hold(r, line) {
		return
	}
	a := b.aggregate(r.size, line)
	b.table.Rows++
	a.rounded = max(a.rounded, r.rounded)
	// A minimum above the mean is of other units or of another quantity.
	if r.min <= 0 || r.min > r.time {
		r.min = r.time
	}
	if !goodTime(r.max) {
		r.max = r.time
	} else if r.max >= r.time {
		if a.slowest == nil {
			a.slowest = &stats.Running{}
		}
		a.slowest.Add(r.max)
	}
	if !goodTime(r.median) {
		r.median = 0
	}
	b.point(a, r)
	// A row's own median is that of its size as long as there is no second row: medians of
	// medians would be neither.
	if a.Count == 1 {
		a.printed = r.median
	}
}

// point adds a time with its bounds to the aggregate of its size.
func (b *builder) point(a *aggregate, r row) {
	a.Add(r.time)
	a.sizes += r.size
	a.min, a.max = min(a.min, r.min), max(a.max, r.max, r.time)
	b.usage.times += a.keep(r.time)
	// The size that exceeds the limit gives up its times; sizes before it keep theirs.
	if b.usage.times > maxKept {
		b.usage.times -= len(a.times)
		a.times = nil
	}
}

// row adds the row of the current line. If its size or time is not usable, the row is dropped and
// counted.
func (b *builder) row(r row) { b.rowAt(r, b.file.Lines) }

// rowAt adds the row of a line.
func (b *builder) rowAt(r row, line int) {
	switch {
	case b.usage.closed:
	case !goodSize(r.size) || !goodTime(r.time):
		b.countAt(unusable, line)
	default:
		b.add(r, line)
	}
}

// A measurement is what a row says about a size in bytes: a time in µs, or a rate in bytes/µs of
// one stream. A value is NaN if the row has none.
type measurement struct {
	size, value, half float64 // half of the last digit of the value
	isRate            bool
	quantum           float64 // of a time; 0 if unknown
	min, max, median  float64 // times; 0 if they are not printed
	// A rate of messages per µs may stand beside one in bytes.
	hasMessages            bool
	messages, messagesHalf float64
}

// measure adds the row that a measurement makes, or counts why it makes none.
func (b *builder) measure(m measurement, line int) {
	x := row{size: m.size, time: m.value}
	switch {
	case math.IsNaN(m.value) && !m.hasMessages:
	// The unit of a rate in bytes may be of powers of 1000 or 1024, so that of messages counts,
	// unless it has fewer than three digits.
	case m.messages > 0 && !(isCoarse(m.messages, m.messagesHalf) && !isCoarse(m.value, m.half)):
		x.time = 1 / m.messages
		if m.value < 0 {
			b.countAt(negative, line)
		}
	case m.value == 0 || m.hasMessages && isCoarse(m.value, m.half):
		b.countAt(noTime, line)
		return
	case m.isRate:
		x.time = m.size / m.value
		// With fewer than three digits, rounding alone changes the rate by more than 0.5 %.
		if isCoarse(m.value, m.half) {
			b.countAt(coarse, line)
			x.rounded = m.half / m.value
		}
	default:
		b.resolution(m.quantum)
		x.min, x.max, x.median = m.min, m.max, m.median
	}
	b.rowAt(x, line)
}

// isCoarse reports whether a number is printed with fewer than three digits.
func isCoarse(v, half float64) bool { return v == 0 || v < 200*half }

// resolution records that a time was printed with a resolution of q µs.
func (b *builder) resolution(q float64) {
	// The finest row counts: %g drops trailing zeros, so 1.5 may stand beside 1.25.
	if b.table.Quantum == 0 || q < float64(b.table.Quantum) {
		b.table.Quantum = quantity.Micros(q)
	}
}

func (b *builder) warnOnce(text string) {
	if !b.warned {
		b.warned = true
		b.table.warn(text)
	}
}

// aggregate returns the aggregate of the size of the row in the given line. If there are too many
// sizes, it merges neighbouring ones.
func (b *builder) aggregate(size float64, line int) *aggregate {
	a := b.bySize()[b.keyOf(size)]
	for a == nil && len(b.sizes) >= maxSizes {
		b.coarsen()
		a = b.sizes[b.keyOf(size)]
	}
	if a == nil {
		a = &aggregate{min: math.Inf(1), line: line, size: size}
		b.sizes[b.keyOf(size)] = a
		b.usage.sizes++
	}
	return a
}

// keyOf returns the key of a size: its bits without the last ones of the mantissa, so that
// sizes with equal keys differ by a fraction of their value, not by a number of bytes.
func (b *builder) keyOf(size float64) uint64 { return math.Float64bits(size) >> b.shift }

// coarsen drops one more bit from the keys and merges the aggregates whose keys become equal.
func (b *builder) coarsen() {
	b.shift++
	merged := make(map[uint64]*aggregate, len(b.sizes))
	for _, key := range slices.Sorted(maps.Keys(b.sizes)) { // sums depend on the order
		a := b.sizes[key]
		if to := merged[key>>1]; to != nil {
			b.pool(to, a)
			b.usage.sizes--
		} else {
			merged[key>>1] = a
		}
	}
	b.sizes = merged
}

// absorb moves the rows of another table into this one, as two values of a column turn out to
// be no dimension. Counts, means and extremes are then those of all rows.
func (b *builder) absorb(o *builder) {
	b.bySize()
	// Keys are comparable only with equal shifts.
	for b.shift < o.shift {
		b.coarsen()
	}
	sizes := o.bySize()
	for _, key := range slices.Sorted(maps.Keys(sizes)) {
		a := sizes[key]
		b.pool(b.aggregate(a.size, a.line), a)
	}
	b.usage.sizes -= len(o.sizes)
	// The parser keeps it in its list until many are merged; finish skips it.
	o.merged = true
	b.usage.merged++
	t, u := b.table, o.table
	t.Rows += u.Rows
	t.Bursts = append(t.Bursts, u.Bursts...)
	t.Line = min(t.Line, u.Line)
	t.Warnings = append(t.Warnings, u.Warnings...)
	b.warned = b.warned || o.warned
	if u.Quantum > 0 {
		b.resolution(float64(u.Quantum))
	}
	for _, t := range o.tallies {
		b.tally(t)
	}
}

func (b *builder) pool(a, o *aggregate) { b.usage.times += a.merge(o) }

// finish moves the samples into the table, and drops what they were made of.
func (b *builder) finish() {
	t := b.table
	t.Samples = slices.Grow(t.Samples, len(b.held)+len(b.sizes))
	for _, h := range b.held {
		at := quantity.Micros(h.time)
		t.Samples = append(t.Samples, Sample{
			Size: quantity.Bytes(h.size), Count: 1, Line: h.line,
			Mean: at, Min: at, Max: at, Median: at,
		})
	}
	for _, a := range b.sizes {
		s := Sample{
			Size: quantity.Bytes(a.size), Count: a.Count, Line: a.line,
			Mean: quantity.Micros(a.Mean()), Min: quantity.Micros(a.min),
			Max: quantity.Micros(a.max), Median: quantity.Micros(a.median()),
			Variance: a.Variance(), Rounded: a.rounded,
		}
		// Of merged sizes, the mean over the rows: the times are means over the same rows.
		if b.shift > 0 {
			s.Size = quantity.Bytes(a.sizes / float64(a.Count))
		}
		// Only if every row has printed it: a mean over some rows is not comparable with that of
		// the times.
		if t.Kind == Collective && a.slowest != nil && a.slowest.Count == a.Count {
			s.Slowest = quantity.Micros(a.slowest.Mean())
		}
		t.Samples = append(t.Samples, s)
	}
	b.held, b.sizes = nil, nil
	slices.SortFunc(t.Samples, func(a, b Sample) int { return cmp.Compare(a.Size, b.Size) })
	if b.shift > 0 {
		b.table.warn("more than 65536 sizes: neighbouring sizes are merged, each at its " +
			"mean size and time")
	}
	for _, t := range b.tallies {
		if t.what == invalid {
			b.file.Warnings = remember(b.file.Warnings, lex.Plain(b.table.Name()+": "+t.String()))
			continue
		}
		b.table.warn(t.String())
	}
	b.doubtUnit()
}

// doubtUnit warns of times that no network has: a column of a table that people have written says
// seconds, and has microseconds.
func (b *builder) doubtUnit() {
	t := b.table
	if len(t.Samples) == 0 || !b.free {
		return
	}
	s := t.Samples[0]
	const small = 4 << 10 // bytes: their time is latency, and not bandwidth
	// A second is 10⁵ times the latency of a slow network; a nanosecond, a hundredth of a fast one.
	if s.Size <= small && (s.Mean > 1e6 || s.Mean < 1e-3) {
		b.file.Warnings = remember(b.file.Warnings, fmt.Sprintf(
			"line %d: %s take %s: is that the unit of the times?", s.Line, s.Size, s.Mean))
	}
}

// remember adds a message that is new, up to a hundred: a damaged file could have one for
// each line, and nobody reads more.
func remember(texts []string, text string) []string {
	if len(texts) >= 100 || slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}

// contradicts warns, once for each table, if the bandwidth beside the time is not size over time.
// It tolerates a difference of 3 %, as of rounded numbers.
func contradicts(b *builder, size, time, rate float64) {
	if rate == 0 || b.warned || size == 0 {
		return
	}
	// MB of 2²⁰ bytes are 4.9 % larger than those of 10⁶, so 3 % tells them apart.
	if ratio := rate * time / size; ratio < 0.97 || ratio > 1.03 {
		b.warnOnce(fmt.Sprintf("the bandwidth contradicts the time in line %d: it is %.3g times "+
			"size over time (units of 2²⁰ or of bits?); the times count", b.file.Lines, ratio))
	}
}

// An aggregate summarises the rows of one size or, after merging, of neighbouring sizes.
type aggregate struct {
	stats.Running
	size     float64 // of the first row
	sizes    float64 // the sum of the sizes of all rows
	min, max float64
	printed  float64        // the median that the row printed, for one row; else 0
	slowest  *stats.Running // of the rows that print the time of the slowest rank; else nil
	line     int            // of the first row
	rounded  float64        // the most of the rows; see [Sample]
	times    []float64      // of all rows, unless there are too many
}

// maxTimes is the maximum number of times of a size that are kept for its median. A size
// takes 32 KiB at most. Without its times it has a mean, and no median. Of 4,096 times, a
// median is as certain as any fit can use.
const maxTimes = 1 << 12

// keep adds the time of the last row to the kept times. It returns by how many they grew.
func (a *aggregate) keep(t float64) int {
	had := len(a.times)
	switch {
	case int64(had) != a.Count-1: // they were too many
	case a.Count > maxTimes:
		a.times = nil
	default:
		a.times = append(a.times, t)
	}
	return len(a.times) - had
}

// median returns the median in µs, the lower of two in the middle; 0 if the times were not kept.
// It reorders the kept times.
func (a *aggregate) median() float64 {
	switch {
	case a.Count == 1:
		return cmp.Or(a.printed, a.Mean())
	case int64(len(a.times)) == a.Count:
		return stats.Select(a.times, (len(a.times)-1)/2)
	}
	return 0
}

// merge adds the rows of o. The times are kept only if both hold the same size. It returns by how
// many the kept times of both grew.
func (a *aggregate) merge(o *aggregate) int {
	if a.Count == 0 {
		*a = *o
		a.times = slices.Clone(o.times)
		return 0
	}
	had := len(a.times) + len(o.times)
	all := int64(len(a.times)) == a.Count && int64(len(o.times)) == o.Count
	if all && had <= maxTimes && a.size == o.size {
		a.times = append(a.times, o.times...)
	} else {
		a.times = nil
	}
	a.Join(&o.Running)
	if a.slowest == nil {
		a.slowest = o.slowest
	} else if o.slowest != nil {
		a.slowest.Join(o.slowest)
	}
	a.sizes += o.sizes
	a.min, a.max = min(a.min, o.min), max(a.max, o.max)
	// Aggregates are merged in any order; the first row of the file names them.
	if o.line < a.line {
		a.line, a.size = o.line, o.size
	}
	return len(a.times) - had
}
