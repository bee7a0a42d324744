// Package benchfile reads the output of message-passing benchmarks as samples: how long a message of a
// size took.
//
// Formats are recognised by content, never by name. One file may hold many tables, of different
// benchmarks, with anything around them: banners of mpirun, warnings, colours, prompts, log lines.
// Lines that belong to no table are skipped and counted. A table that was cut off gives its whole
// rows. Each table has a [Kind], which says what it measures: the time of a message is not the gap
// between the messages of a stream, though both are often called bandwidth.
//
// Reading streams: repeated sizes are aggregated, so that memory does not grow
// with the file. Text is UTF-8, or UTF-16 with a byte order mark; gzip is undone.
//
// [Known] lists the benchmarks. The comment of the type of each reader says what its times are.
package benchfile

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Kind says what the times of a table are.
type Kind uint8

const (
	// OneWay is the time from the start of a send to the end of the receive,
	// mostly half of a measured round trip.
	OneWay Kind = iota
	// RoundTrip is the time there and back.
	RoundTrip
	// Gap is the time between the messages of a stream: size over throughput. It
	// constrains g and G of LogGP, and says nothing about the latency.
	Gap
	// Operation is the time of something that is not one message, nor a collective:
	// an exchange in both directions, a call on one side.
	Operation
	// SendOverhead and ReceiveOverhead are the times that a processor is busy: o_s, o_r.
	SendOverhead
	ReceiveOverhead
	// Stage is the time that a part of the path takes for a piece of a size.
	Stage
	// Interval is the average time between the requests of a burst, in [Table.Bursts].
	Interval
	// Collective is the time of a collective operation: [Table.Collective] says which.
	Collective
	// SharedGap is the time between the messages of all streams together, where the file does not
	// say how many there are. It constrains no stream's g and G.
	SharedGap
)

var kindNames = [...]string{"one-way time", "round trip", "gap", "operation", "send overhead", "receive overhead", "stage", "burst interval", "collective", "gap of all streams together"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A Sample sums up the measurements at one size.
type Sample struct {
	// Size is in bytes, from 0. It is whole, but for a table with more than
	// [MaxSizes] sizes, where neighbours are merged and Size is their mean.
	Size quantity.Bytes
	// Count is how often the size was measured: rows of the file.
	Count int64
	// Mean, Min and Max are times in µs. With one row, Min and Max are that of the
	// row if the benchmark printed them, else the mean.
	Mean, Min, Max quantity.Micros
	// Median is exact for one row, else within 0.4 %; 0 if it is not known.
	Median quantity.Micros
	// Slowest is the time of the slowest rank in a collective, a mean over the rows, where the
	// benchmark prints it (max) beside the average over ranks, which is the Mean; else 0.
	Slowest quantity.Micros
	// Overlap is the share of the communication that ran beside a computation, in percent, a mean
	// over the rows; nil if the benchmark does not print it.
	Overlap *float64
	// Variance of the rows about their mean, in µs² with n−1; 0 for one row.
	Variance float64
	// Line is where the size comes first in the file, from 1.
	Line int
}

// A Burst is one point of a LogP signature: Messages requests were issued with a
// computation of Delta after each, Interval apart on average.
type Burst struct {
	Messages        int
	Delta, Interval quantity.Micros
	// Low and High are a 95 % interval of Interval if it is a median of repeats; else 0.
	Low, High quantity.Micros
	Line      int // in the file, if it is from one
}

// A Table is one series of samples of a file.
type Table struct {
	// Title is the benchmark's own name of the table, with what tells it from the
	// others of its file: "PingPong, 2 processes".
	Title string
	// Format is the benchmark: "osu", "netpipe", "csv", …
	Format string
	Kind   Kind
	// Collective is what a table of kind Collective measured; of others it is empty.
	Collective CollectiveOp
	// Hosts took part, in the order of their ranks; nil if the file does not say.
	Hosts []string
	// Labels are the values of the columns that tell the table from the others of its file; of CSV
	// and JSON alone.
	Labels []Label
	// Series is what tells a collective from others of its kind, beside ranks and algorithm:
	// "in-place", "mapby=core". Tables with the same belong together.
	Series string
	// Line is where the table starts in the file, from 1.
	Line int
	// Samples are sorted by size; each size comes once.
	Samples []Sample
	// Bursts are the points of an Interval table, as they came. Others have none.
	Bursts []Burst
	// Pairs of ranks that send at the same time, and Directions in which they do; 0 stands for 1.
	// The benchmark's rates add up all of them. Samples hold the gap of one: the inverse of the
	// rate divided by both.
	Pairs, Directions int
	// Packet is the packet size the times were measured with, 0 if not known.
	Packet quantity.Bytes
	// Rows is the number of rows behind the samples.
	Rows int64
	// Quantum is the resolution of the times as printed, or 0 if not known:
	// 0.01 µs for a file that prints µs with two decimals.
	Quantum quantity.Micros
	// Warnings are doubts that a user should see: rows dropped, units that
	// contradict each other.
	Warnings []string
}

// A Label is a column of a file, and the value of it that a table is of.
type Label struct{ Column, Value string }

// divide sets how many streams the rates of t add up, and returns the fraction of a rate that is
// one stream's. If pairs is 0, the file does not say how many there are: t becomes a [SharedGap].
func (t *Table) divide(directions, pairs int) (share float64) {
	t.Directions, t.Pairs = directions, pairs
	if pairs == 0 {
		t.Kind = SharedGap
		t.warn("the file does not say how many streams its rates add up: the gap is that of all of them together, and not used as a stream's")
		return 1
	}
	if directions > 1 {
		t.warn("both directions at once: the gap is that of one, with half of the bandwidth")
	}
	if pairs > 1 {
		t.warn("the gap is one pair's while " + itoa(pairs) + " pairs send, with 1/" + itoa(pairs) + " of the printed rate")
	}
	return 1 / float64(directions*pairs)
}

func (t *Table) warn(text string) { t.Warnings = append(t.Warnings, plain(text)) }

// Name returns the title, or the format where the file has no title.
func (t *Table) Name() string {
	if t.Title != "" {
		return t.Title
	}
	return t.Format
}

// Between returns the table with its samples of from to to bytes alone.
func (t Table) Between(from, to quantity.Bytes) Table {
	var within []Sample
	for _, s := range t.Samples {
		if from <= s.Size && s.Size <= to {
			within = append(within, s)
		}
	}
	t.Samples = within
	return t
}

// A File is the tables of a file, in their order.
type File struct {
	Name   string
	Tables []Table
	// Lines is the number of lines of the file; Skipped of them belong to no
	// table and are not blank.
	Lines, Skipped int
	// Warnings are doubts about the file; those about a table are in the table.
	Warnings []string
	// Notes say how the rows were put into tables: which columns told them apart, and
	// which did not. They are no doubts.
	Notes []string
}

// MaxSizes is the number of sizes that a table keeps apart. Above it, sizes
// that are nearly equal are merged.
const MaxSizes = 1 << 16

// maxTables bounds the memory of a file full of headers, with sizesEach of them on average.
const (
	maxTables = 4096
	sizesEach = 64
)

// Options control reading. The zero value suits every format but a CSV file without a telling
// header.
type Options struct {
	// X and Y name the columns of size and time of a CSV file, by header or by
	// number from 1.
	X, Y string
	// Group and Pool name columns of a CSV or JSON file, by header or by number from 1. Each value
	// of a Group column has a table of its own. Values of a Pool column do not split tables. For
	// other columns the rows decide; see [File.Notes].
	Group, Pool []string
	// Names are lists of columns, by header. The first list whose columns are all there, and neither
	// pooled nor read as a size or time, is taken as Group is; none need be there.
	Names [][]string
	// Tables is the largest number of tables that one file may have; 0: 4096.
	Tables int
	// Collective is what tables measure that do not say so: CSV and JSON, and old nccl-tests. It is a
	// name of [CollectiveOp]; empty if they are to be taken for what they seem.
	Collective string
	// Progress, if not nil, is told the bytes read so far, now and then.
	Progress func(bytes int64)
	// Context, if not nil, ends [Outputs] where it is done, even where a pipe gives nothing.
	Context context.Context
}

// goodTime reports whether a time in µs can be a measurement: above 0, and below
// 30 years.
func goodTime(t float64) bool { return t >= 1e-9 && t <= 1e15 }

// goodSize reports whether a size can be one of a message, 0 included.
func goodSize(n float64) bool {
	return n >= 0 && n <= float64(quantity.MaxBytes) && n == math.Trunc(n)
}
