package benchfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/sums"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An accumulator aggregates the rows of one size or, after merging, of neighbouring sizes.
type accumulator struct {
	sums.Moments
	size     float64   // of the first row
	sizes    [2]uint64 // the sum of the sizes, least significant word first
	min, max float64
	median   float64       // as printed, for one row
	slowest  *sums.Moments // µs, of the rows that print the time of the slowest rank; else nil
	line     int
	first    float64   // the time of the first row
	times    []float64 // of all rows, from the second one on, unless there are too many
}

// The times of a size are kept for its median: at most maxTimes of a size, and maxKept in a file.
const (
	maxTimes = 1 << 12
	maxKept  = 1 << 22
)

// keep adds the time of the last row, from the second one on, to the kept times. It returns by how
// many they grew.
func (a *accumulator) keep(t float64) int {
	had := len(a.times)
	switch {
	case a.Count == 2:
		a.times = append(a.times[:0], a.first, t)
	case int64(had) != a.Count-1: // they were too many
	case a.Count > maxTimes:
		a.times = a.times[:0]
	default:
		a.times = append(a.times, t)
	}
	return len(a.times) - had
}

// all returns the times of all rows, nil if there were too many.
func (a *accumulator) all() []float64 {
	if a.Count == 1 {
		return []float64{a.first}
	}
	return a.times
}

// A builder aggregates the rows of a table that is being read.
type builder struct {
	table *Table
	held  []held                  // the rows, as long as they are few: see hold
	sizes map[uint64]*accumulator // nil as long as rows are held
	shift uint                    // mantissa bits dropped from a size to make its key
	last  *accumulator
	key   uint64

	parser  *parser
	tallies []tally
	merged  bool // the rows were moved to another table
	warned  bool // the warning that a table gets once was given
}

// A tally counts rows that a warning reports.
type tally struct {
	what        string
	rows, first int // first is the line of the first one
}

// What tallies count: a noun, and what happened to it.
const (
	cutOff       = "row cut off and left out"
	printedTwice = "row printed twice, as by server and client, counted once"
	coarse       = "rate printed with fewer than three digits: the times from them are as coarse"
	unusable     = "row without a usable size or time left out"
)

// tally adds rows to the tally of what; first is the line of the first of them.
func (b *builder) tally(what string, rows, first int) {
	i := slices.IndexFunc(b.tallies, func(t tally) bool { return t.what == what })
	if i < 0 {
		b.tallies = append(b.tallies, tally{what, rows, first})
		return
	}
	t := &b.tallies[i]
	t.rows, t.first = t.rows+rows, min(t.first, first)
}

// count adds the current line to the tally of what.
func (b *builder) count(what string) { b.tally(what, 1, b.parser.file.Lines) }

// row is one line of a benchmark. The fields that it does not print are 0.
type row struct {
	size, time       float64 // bytes, µs
	min, max, median float64
}

// held is a row with a time alone, the only one of its size.
type held struct {
	size, time float64
	line       int
}

// maxHeld bounds the rows that a table holds: a file may have millions of tables of few sizes, and
// a row takes a tenth of the memory of an accumulator.
const maxHeld = 64

// hold keeps a row as it is. It returns false if the rows have to be aggregated.
func (b *builder) hold(r row, line int) bool {
	if b.sizes != nil || len(b.held) == maxHeld || r != (row{size: r.size, time: r.time}) ||
		slices.ContainsFunc(b.held, func(h held) bool { return h.size == r.size }) {
		return false
	}
	b.held = append(b.held, held{r.size, r.time, line})
	b.table.Rows++
	b.parser.sizes++
	return true
}

// bySize returns the accumulators. From then on no row is held.
func (b *builder) bySize() map[uint64]*accumulator {
	if b.sizes == nil {
		rows := b.held
		b.held, b.sizes = nil, map[uint64]*accumulator{}
		b.table.Rows -= int64(len(rows))
		b.parser.sizes -= len(rows)
		for _, h := range rows {
			b.add(row{size: h.size, time: h.time}, h.line)
		}
	}
	return b.sizes
}

func (b *builder) add(r row, line int) {
	if b.hold(r, line) {
		return
	}
	b.bySize()
	key := math.Float64bits(r.size) >> b.shift
	a := b.last
	if a == nil || key != b.key {
		if a = b.sizes[key]; a == nil {
			if a, key = b.room(r.size); a == nil {
				a = &accumulator{min: math.Inf(1), line: line, size: r.size}
				b.sizes[key] = a
				b.parser.sizes++
			}
		}
		b.last, b.key = a, key
	}
	b.table.Rows++
	if r.min <= 0 || r.min > r.time {
		r.min = r.time
	}
	if !goodTime(r.max) {
		r.max = r.time
	} else if r.max >= r.time {
		if a.slowest == nil {
			a.slowest = &sums.Moments{}
		}
		a.slowest.Add(r.max)
	}
	if !goodTime(r.median) {
		r.median = 0
	}
	a.Add(r.time)
	sums.AddAt(a.sizes[:], uint64(r.size))
	a.min, a.max = min(a.min, r.min), max(a.max, r.max, r.time)
	if a.Count == 1 {
		a.median, a.first = r.median, r.time
		return
	}
	b.parser.kept += a.keep(r.time)
	if b.parser.kept > maxKept || len(a.times) == 0 {
		b.parser.kept -= len(a.times)
		a.times = nil
	}
}

// row adds the row of the current line. If its size or time is not usable, the row is dropped and
// counted.
func (b *builder) row(r row) {
	if !goodSize(r.size) || !goodTime(r.time) {
		b.count(unusable)
		return
	}
	b.add(r, b.parser.file.Lines)
}

// resolution records that a time was printed with a resolution of q µs.
func (b *builder) resolution(q float64) {
	if b.table.Quantum == 0 || q < float64(b.table.Quantum) {
		b.table.Quantum = quantity.Micros(q)
	}
}

func (b *builder) warn(text string) { b.table.warn(text) }

// room makes room for a size that is new, if need be by merging neighbouring sizes. It returns the
// merged accumulator that holds the size, or nil and the key for a new accumulator.
func (b *builder) room(size float64) (*accumulator, uint64) {
	for len(b.sizes) >= MaxSizes {
		b.coarsen()
		if a := b.sizes[math.Float64bits(size)>>b.shift]; a != nil {
			return a, math.Float64bits(size) >> b.shift
		}
	}
	return nil, math.Float64bits(size) >> b.shift
}

// coarsen drops one more bit from the keys and merges the accumulators whose keys become equal.
func (b *builder) coarsen() {
	b.shift++
	merged := make(map[uint64]*accumulator, len(b.sizes))
	for key, a := range b.sizes {
		if to := merged[key>>1]; to != nil {
			b.pool(to, a)
			b.parser.sizes--
		} else {
			merged[key>>1] = a
		}
	}
	b.sizes = merged
	b.last = nil
}

// absorb moves the rows of another table into this one.
func (b *builder) absorb(o *builder) {
	b.bySize()
	for b.shift < o.shift {
		b.coarsen()
	}
	for _, a := range o.bySize() {
		key := math.Float64bits(a.size) >> b.shift
		to := b.sizes[key]
		if to == nil {
			if to, key = b.room(a.size); to == nil {
				b.sizes[key] = a
				continue
			}
		}
		b.parser.sizes--
		b.pool(to, a)
	}
	b.last, o.merged = nil, true
	b.parser.merged++
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
		b.tally(t.what, t.rows, t.first)
	}
}

// pool moves the rows of accumulator a to accumulator to. The times are kept only if both hold the
// same size.
func (b *builder) pool(to, a *accumulator) {
	b.parser.kept -= len(to.times) + len(a.times)
	x, y := to.all(), a.all()
	if to.times = nil; x != nil && y != nil && len(x)+len(y) <= maxTimes && to.size == a.size {
		to.times = append(x, y...)
	}
	b.parser.kept += len(to.times)
	to.Join(&a.Moments)
	if to.slowest == nil {
		to.slowest = a.slowest
	} else if a.slowest != nil {
		to.slowest.Join(a.slowest)
	}
	sums.AddWords(to.sizes[:], a.sizes[:])
	to.min, to.max = min(to.min, a.min), max(to.max, a.max)
	if a.line < to.line {
		to.line, to.size = a.line, a.size
	}
}

// finish moves the samples into the table, and drops what they were made of.
func (b *builder) finish() {
	t := b.table
	t.Samples = slices.Grow(t.Samples, len(b.held)+len(b.sizes))
	for _, h := range b.held {
		at := quantity.Micros(h.time)
		t.Samples = append(t.Samples, Sample{Size: quantity.Bytes(h.size), Count: 1, Line: h.line, Mean: at, Min: at, Max: at, Median: at})
	}
	for _, a := range b.sizes {
		s := Sample{
			Size: quantity.Bytes(a.size), Count: a.Count, Line: a.line,
			Mean: quantity.Micros(a.Mean()), Min: quantity.Micros(a.min), Max: quantity.Micros(a.max),
			Variance: a.Variance(),
		}
		if b.shift > 0 {
			s.Size = quantity.Bytes(sums.Rounded(a.sizes[:]) / float64(a.Count))
		}
		switch {
		case a.Count == 1:
			s.Median = quantity.Micros(cmp.Or(a.median, float64(s.Mean)))
		case int64(len(a.times)) == a.Count:
			s.Median = quantity.Micros(stats.Select(a.times, (len(a.times)-1)/2))
		}
		if t.Kind == Collective && a.slowest != nil && a.slowest.Count == a.Count {
			s.Slowest = quantity.Micros(a.slowest.Mean())
		}
		t.Samples = append(t.Samples, s)
	}
	b.held, b.sizes, b.last = nil, nil, nil
	slices.SortFunc(t.Samples, func(a, b Sample) int { return cmp.Compare(a.Size, b.Size) })
	if b.shift > 0 {
		b.warn("more than 65536 sizes: neighbouring sizes are merged, each at its mean size and time")
	}
	for _, t := range b.tallies {
		noun, rest, _ := strings.Cut(t.what, " ")
		b.warn(fmt.Sprintf("%s %s (the first in line %d)", lex.Plural(t.rows, noun), rest, t.first))
	}
}
