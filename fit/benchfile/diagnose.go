package benchfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxWays is the number of readings that a refusal names.
const maxWays = 2

// anyWay returns the column that is a ladder of whole numbers as the sizes, and the first of the
// others with decimals as the times: a guess for a user to correct.
func (no *refusal) anyWay() (ways []way) {
	var size, time, whole *column
	for _, c := range no.columns {
		if strings.Contains(c.name, "/s") && c.dim == noDimension { // "images/sec"
			return nil
		}
		switch {
		case !c.number || otherName().MatchString(c.name) && !elementName().MatchString(c.name):
		case size == nil && ladder(c.values) > 0.5 && (c.halves[0] == 0 || c.dim == sizes):
			size = c
		// Behind a number of elements, the bytes that they have.
		case size != nil && !sizeName().MatchString(size.name) && elementsOf(size, c):
			size = c
		case c.dim == times && (time == nil || time.dim != times):
			time = c
		case time == nil && c.halves[0] > 0 && c.dim == noDimension:
			time = c
		case whole == nil && c.dim == noDimension:
			whole = c
		}
	}
	time = cmp.Or(time, whole)
	if size == nil || time == nil {
		return nil
	}
	return no.block.appendWay(nil, size, guess{dim: sizes, factor: 1}, time,
		guess{dim: times, factor: 1})
}

// elementsOf reports whether a column has the bytes of the elements that another counts.
func elementsOf(count, bytes *column) bool {
	each := bytes.values[0] / count.values[0]
	for i, n := range count.values {
		if bytes.values[i] != n*each {
			return false
		}
	}
	return each == 2 || each == 4 || each == 8
}

// A trial reads rows with options that a refusal may name.
type trial func(rows string, o Options) (*File, error)

// command returns the options of a way, and what they read: "--columns size=1:B,time=5:us → 4 KiB
// in 6.50 µs". It is empty if the rows cannot be read so.
func (no *refusal) command(p *parser, w way, read trial) string {
	f, err := read(strings.Join(no.block.texts, "\n")+"\n", Options{X: w.x, Y: w.y})
	if err != nil || len(f.Tables) == 0 || len(f.Tables[0].Samples) == 0 || !w.holds(f) {
		return ""
	}
	s := f.Tables[0].Samples[len(f.Tables[0].Samples)-1]
	x, y := p.spell("x", w.x), p.spell("y", w.y)
	// Two values of one flag stand in one list.
	flag, _, _ := strings.Cut(x, " ")
	if rest, same := strings.CutPrefix(y, flag+" "); same && flag != x {
		return fmt.Sprintf("%s,%s → %s in %s", x, rest, s.Size, s.Mean)
	}
	return fmt.Sprintf("%s %s → %s in %s", x, y, s.Size, s.Mean)
}

// rows names the rows of a block: "lines 6 to 12 look like rows".
func (no *refusal) rows() string {
	first, last := no.block.lines[0], no.block.lines[len(no.block.lines)-1]
	if last > first {
		return fmt.Sprintf("lines %d to %d look like rows", first, last)
	}
	return fmt.Sprintf("line %d looks like a row", first)
}

// error returns why a block is not read, and the commands that would read it.
func (no *refusal) error(p *parser, claimedBy string, read trial) *Error {
	b := no.block
	first, rows := b.lines[0], no.rows()
	if claimedBy != "" {
		rows += ", but not of " + claimedBy
	}
	rows += " (" + b.shortRow() + ")"
	if no.isScaling() {
		return p.errorf(first, "%s, but has times of numbers of ranks, not of sizes: "+
			"this is scaling, which Extra-P models; halfpeak simulate predicts it of a program",
			rows)
	}
	if no.isMatrix() {
		return p.errorf(first, "a matrix has a number for each pair, and no sizes, so there is no "+
			"curve; measure a pair over sizes (osu_bw, sendrecv_perf -b 8 -e 1G -f 2), or write "+
			"rows under src,dst,size_bytes,bandwidth_gb_s for halfpeak fleet, which finds slow "+
			"pairs")
	}
	var commands []string
	ways := no.ways
	if len(ways) == 0 {
		ways = no.anyWay()
	}
	// Given by the user or a command that is tried, or none would be right.
	if p.opt.X != "" && p.opt.Y != "" || no.why == busAlone {
		ways = nil
	}
	for _, w := range ways {
		c := no.command(p, w, read)
		if c != "" && !slices.Contains(commands, c) && len(commands) < maxWays {
			commands = append(commands, c)
		}
	}
	if len(commands) == 0 {
		why := cmp.Or(no.why, "no column of sizes beside one of times or rates is seen")
		return p.errorf(first, "%s, but %s; known formats are %s", rows, why, Known)
	}
	guessed := ""
	if no.why == noUnit {
		guessed = ", if these are the units"
	}
	return p.errorf(first, "%s: %s; name the columns of sizes and of times or rates, and their "+
		"units, such as %s%s", rows, no.why, strings.Join(commands, ", or "), guessed)
}

// isMatrix reports whether the columns are numbered from 0, as are the rows: the table has a number
// for each pair of devices, as nvbandwidth and p2pBandwidthLatencyTest print it.
func (no *refusal) isMatrix() bool {
	b := no.block
	counts := func(row []token) int {
		n := 0
		for _, t := range row {
			if t.number && t.value != float64(n) {
				return 0
			}
			if t.number {
				n++
			}
		}
		return n
	}
	// The numbers of the columns are a row by themselves.
	if len(b.rows) == 1 && counts(b.rows[0]) == len(b.rows[0]) {
		return len(b.rows[0]) > 1
	}
	for i, row := range b.rows {
		if row[0].value != float64(i) {
			return false
		}
	}
	return counts(b.before) == len(b.pattern)-1
}

// isScaling reports whether the first numbers are ranks or nodes, and no column is named as sizes.
func (no *refusal) isScaling() bool {
	i := slices.IndexFunc(no.columns, func(c *column) bool { return c.number })
	return i >= 0 && parseColumn([]byte(no.columns[i].name)).meaning().isPlacement() &&
		!slices.ContainsFunc(no.columns, func(c *column) bool { return sizes.isNamed(c.name) })
}

// noTable returns why a file has no table. claimed is the first line that the reader of the named
// benchmark took, 0 if none did.
func (x *recogniser) noTable(p *parser, claimed int, claimedBy string, read trial) *Error {
	f, row := p.file, x.refused
	if len(p.builders) > 0 {
		b := p.builders[0]
		for _, t := range b.tallies {
			if t.what == unusable || t.what == noTime {
				return p.errorf(t.first, "no row of %s has a usable size and time", b.table.Name())
			}
		}
	}
	switch {
	case f.Lines == 0:
		return p.errorf(0, "the file is empty; the benchmark may have said why on the "+
			"terminal (calibrate needs at least two ranks)")
	// From the most certain reason to the least: what a reader has warned of, a row that a format
	// has refused, a benchmark without rows, a line that is nearly a header, lines of numbers.
	case x.comma > 0:
		return p.errorf(x.comma, "numbers with a comma, as in 3,57; write them with a point: "+
			"sed 's/,/./g' %s > points.txt", f.Name)
	case len(f.Warnings) > 0:
		return p.errorf(0, "%s", strings.Join(f.Warnings, "; "))
	case p.stopped != nil:
		return p.stopped
	case row != nil && claimed > 0:
		return row.error(p, claimedBy, read)
	case claimed > 0:
		return p.errorf(claimed,
			"the output of %s has no row with a size and a time; did the run fail, or was the "+
				"output cut off?", claimedBy)
	case p.hint != nil:
		return p.hint
	case row != nil:
		return row.error(p, "", read)
	case len(p.builders) > 0:
		b := p.builders[0]
		return p.errorf(b.table.Line, "the header of %s is not followed by a row", b.table.Name())
	}
	return p.errorf(0, "no table of sizes and times in %s; known formats are %s",
		quantity.Plural(f.Lines, "line"), Known)
}
