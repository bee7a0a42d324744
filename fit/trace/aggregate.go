package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An accumulator sums up the rows of one size, or of neighbouring sizes once they are merged.
type accumulator struct {
	count       int64
	size        float64 // mean
	mean, m2    float64 // Welford 1962: running mean, and sum of squares about it
	min, max    float64
	median      float64 // as printed, for one row
	slowest     float64 // mean of the rows' slowest ranks, where
	slow        int64   // so many rows have it
	line        int
	histogram   *hdrhistogram.Histogram
	noHistogram bool
	first       float64 // the time of the first row, until there is a histogram
}

// A builder aggregates the rows of a table that is being read.
type builder struct {
	table *Table
	sizes map[uint64]*accumulator
	shift uint // mantissa bits dropped from a size to make its key
	last  *accumulator
	key   uint64

	parser *parser
	// Rows without a usable time or size, without their end, and twice in the file; and
	// the line of the first of each.
	dropped, cuts, repeats       int
	droppedAt, cutAt, repeatedAt int
	fewDigits                    int  // rates of less than three digits
	merged                       bool // another table has the rows
	warned                       bool // this was said once already
}

// maxHistograms bounds their memory, 38 KB each, over all tables of a file.
const maxHistograms = 1024

// Histograms count in units of 0.1 ns, to an hour.
const (
	histogramUnit = 1e-4 // µs
	histogramMax  = 36_000_000_000_000
)

// row is one line of a benchmark. The fields that it does not print are 0.
type row struct {
	size, time       float64 // bytes, µs
	min, max, median float64
}

func (b *builder) add(r row, line int) {
	key := math.Float64bits(r.size) >> b.shift
	a := b.last
	if a == nil || key != b.key {
		if a = b.sizes[key]; a == nil {
			if len(b.sizes) >= MaxSizes {
				b.merge()
				key = math.Float64bits(r.size) >> b.shift
				a = b.sizes[key]
			}
			if a == nil {
				a = &accumulator{min: math.Inf(1), line: line}
				b.sizes[key] = a
				b.parser.sizes++
			}
		}
		b.last, b.key = a, key
	}
	b.table.Rows++
	a.count++
	n := float64(a.count)
	if a.size != r.size {
		a.size += (r.size - a.size) / n
	}
	d := r.time - a.mean
	a.mean += d / n
	a.m2 += d * (r.time - a.mean)
	if r.min <= 0 || r.min > r.time {
		r.min = r.time
	}
	if !goodTime(r.max) {
		r.max = r.time
	} else if r.max >= r.time {
		a.slow++
		a.slowest += (r.max - a.slowest) / float64(a.slow)
	}
	if !goodTime(r.median) {
		r.median = 0
	}
	a.min, a.max = min(a.min, r.min), max(a.max, r.max, r.time)
	switch {
	case a.count == 1:
		a.median, a.first = r.median, r.time
	case a.histogram != nil:
		a.record(r.time)
	case !a.noHistogram:
		if b.count(a) {
			a.record(r.time)
		}
	}
}

// count gives an accumulator of one row its histogram, unless there are too many.
func (b *builder) count(a *accumulator) bool {
	if a.noHistogram = b.parser.histograms >= maxHistograms; a.noHistogram {
		return false
	}
	b.parser.histograms++
	a.histogram = hdrhistogram.New(1, histogramMax, 2)
	a.record(a.first)
	return true
}

func (a *accumulator) record(t float64) {
	// A time beyond the range counts at the end of the range: it cannot move the median unless most
	// times are beyond, and then no more than the end is known.
	_ = a.histogram.RecordValue(int64(min(max(t/histogramUnit, 1), histogramMax)))
}

// merge makes keys coarser until at most half of the room is taken.
func (b *builder) merge() {
	for len(b.sizes) > MaxSizes/2 {
		b.coarsen()
	}
}

// coarsen makes keys coarser by one bit.
func (b *builder) coarsen() {
	b.shift++
	merged := make(map[uint64]*accumulator, MaxSizes)
	for key, a := range b.sizes {
		if to := merged[key>>1]; to != nil {
			to.join(a)
			to.histogram, to.noHistogram = nil, true // of different sizes: no median of one
		} else {
			merged[key>>1] = a
		}
	}
	b.sizes = merged
	b.last = nil
}

// join adds the rows of o to a (Chan, Golub, LeVeque 1979).
func (a *accumulator) join(o *accumulator) {
	na, no := float64(a.count), float64(o.count)
	n := na + no
	d := o.mean - a.mean
	a.m2 += o.m2 + d*d*na*no/n
	a.mean += d * no / n
	a.size += (o.size - a.size) * no / n
	a.min, a.max = min(a.min, o.min), max(a.max, o.max)
	a.line = min(a.line, o.line)
	if o.slow > 0 {
		a.slowest += (o.slowest - a.slowest) * float64(o.slow) / float64(a.slow+o.slow)
	}
	a.slow += o.slow
	a.count += o.count
}

// absorb moves the rows of another table into this one.
func (b *builder) absorb(o *builder) {
	for b.shift < o.shift {
		b.coarsen()
	}
	for _, a := range o.sizes {
		key := math.Float64bits(a.size) >> b.shift
		to := b.sizes[key]
		if to == nil {
			if len(b.sizes) >= MaxSizes {
				b.merge()
				key = math.Float64bits(a.size) >> b.shift
				to = b.sizes[key]
			}
			if to == nil {
				b.sizes[key] = a
				continue
			}
		}
		b.parser.sizes--
		b.pool(to, a)
	}
	b.last, o.merged = nil, true
	t, u := b.table, o.table
	t.Rows += u.Rows
	t.Bursts = append(t.Bursts, u.Bursts...)
	t.Line = min(t.Line, u.Line)
	t.Warnings = append(t.Warnings, u.Warnings...)
	b.warned = b.warned || o.warned
	if u.Quantum > 0 {
		b.resolution(float64(u.Quantum))
	}
	for _, c := range []struct{ to, at, from, fromAt *int }{
		{&b.dropped, &b.droppedAt, &o.dropped, &o.droppedAt}, {&b.cuts, &b.cutAt, &o.cuts, &o.cutAt},
		{&b.repeats, &b.repeatedAt, &o.repeats, &o.repeatedAt}, {&b.fewDigits, new(int), &o.fewDigits, new(int)},
	} {
		if *c.to == 0 || *c.from > 0 && *c.fromAt < *c.at {
			*c.at = *c.fromAt
		}
		*c.to += *c.from
	}
}

// pool adds the rows of one size, with those of the same size of another table.
func (b *builder) pool(to, a *accumulator) {
	switch {
	case to.noHistogram || a.noHistogram || to.size != a.size || to.histogram == nil && !b.count(to):
		to.histogram, to.noHistogram = nil, true
	case a.histogram != nil:
		to.histogram.Merge(a.histogram)
	default:
		to.record(a.first)
	}
	to.join(a)
}

// finish moves the samples into the table.
func (b *builder) finish() {
	t := b.table
	for _, a := range b.sizes {
		s := Sample{
			Size: quantity.Bytes(a.size), Count: a.count, Line: a.line,
			Mean: quantity.Micros(a.mean), Min: quantity.Micros(a.min), Max: quantity.Micros(a.max),
		}
		switch {
		case a.count == 1:
			s.Median = quantity.Micros(cmp.Or(a.median, a.mean))
		case a.histogram != nil:
			s.Median = quantity.Micros(float64(a.histogram.ValueAtQuantile(50)) * histogramUnit)
		}
		if a.count > 1 {
			s.Variance = a.m2 / float64(a.count-1)
		}
		if t.Kind == Collective && a.slow == a.count {
			s.Slowest = quantity.Micros(a.slowest)
		}
		t.Samples = append(t.Samples, s)
	}
	slices.SortFunc(t.Samples, func(a, b Sample) int { return cmp.Compare(a.Size, b.Size) })
	if b.shift > 0 {
		b.warn("more than 65536 sizes: neighbouring sizes are merged, each at its mean size and time")
	}
	if b.cuts > 0 {
		b.warn(plural(b.cuts, "row") + " cut off and left out (the first in line " + itoa(b.cutAt) + ")")
	}
	if b.repeats > 0 {
		b.warn(plural(b.repeats, "row") + " printed twice, as by server and client, counted once (the first in line " + itoa(b.repeatedAt) + ")")
	}
	if b.fewDigits > 0 {
		b.warn(plural(b.fewDigits, "rate") + " printed with fewer than three digits: the times from them are as coarse")
	}
	if b.dropped > 0 {
		b.warn(plural(b.dropped, "row") + " without a usable size or time left out (the first in line " + itoa(b.droppedAt) + ")")
	}
}
