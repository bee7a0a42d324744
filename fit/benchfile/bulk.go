package benchfile

import (
	"bytes"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// If all rows of a long CSV file belong to one table, most rows are plain: digits, commas and a
// point. Blocks of plain rows are read on all processors. A block ends before the first line that
// is not plain. That line and some lines after it are read one by one, as in all other files.
//
// The aggregates of a size do not depend on the order of its rows (see package sums), and
// blocks are added in file order. The result is therefore identical to reading line by line.

const (
	blockSizes = 1 << 10 // sizes in a block; with more, adding up blocks takes longer than reading
	plainLine  = 4 << 10 // maximum length of a plain row
)

// A plainTable describes how to read the plain rows of the open table of a CSV file.
type plainTable struct {
	comma       byte
	width       int // columns
	size, time  int // of these
	bytes, unit float64
}

// plain returns how to read the plain rows of the open table. ok is false if blocks do not apply,
// for example because the rows belong to several tables.
func (f *csv) plain() (t plainTable, ok bool) {
	c, only := &f.cols, f.split.only
	if f.header == nil || only == nil || only.b.shift > 0 || f.comma == ' ' || c.rate || !c.has(sizeColumn) ||
		slices.Max(c.at[timeColumn+1:]) >= 0 {
		return t, false
	}
	t = plainTable{comma: f.comma, width: f.width, size: c.at[sizeColumn], time: c.at[timeColumn], bytes: c.scale[sizeColumn], unit: c.scale[timeColumn]}
	_, isRow := new(block).row(&t, append(bytes.Clone(f.header), '\n'))
	return t, !isRow // a row that looks like the header is one
}

// A block holds complete lines of a file and the aggregates that a worker computes from them.
type block struct {
	text   []byte
	read   int // bytes of whole plain rows at the beginning of text
	lines  int // that these are
	sizes  map[uint64]*accumulator
	spare  []*accumulator
	recent [128]struct { // of sizes, by a hash of them
		size uint64
		a    *accumulator
	}
	exp  int // decimal exponent of the last digit of the times, the minimum
	done chan struct{}
}

// scan reads rows up to the first line that is not plain.
func (b *block) scan(t *plainTable) {
	b.read, b.lines, b.exp = 0, 0, 0
	clear(b.recent[:])
	for _, a := range b.sizes {
		b.spare = append(b.spare, a)
	}
	clear(b.sizes)
	for b.read < len(b.text) {
		n, ok := b.row(t, b.text[b.read:])
		if !ok {
			return
		}
		b.read += n
		b.lines++
	}
}

// row reads the row at the beginning of text, which ends with a newline, and returns its length
// including the newline. ok is false if the row is not plain; [csv.row] then reads it.
func (b *block) row(t *plainTable, text []byte) (length int, ok bool) {
	var size, time uint64
	decimals, column, i := 0, 0, 0
	for {
		if column == t.size || column == t.time {
			var v uint64
			start, point := i, -1
			for {
				if d := text[i] - '0'; d <= 9 {
					v = v*10 + uint64(d)
				} else if text[i] == '.' && point < 0 && column == t.time {
					point = i
				} else {
					break
				}
				i++
			}
			digits := i - start
			if point >= 0 {
				digits--
			}
			if digits == 0 || digits > 15 {
				return 0, false
			}
			if column == t.size {
				size = v
			} else if time = v; point >= 0 {
				decimals = i - point - 1
			}
		} else {
			start := i
			for c := text[i]; c != t.comma && c != '\n'; c = text[i] {
				if c <= ' ' || c >= 0x7f || c == '"' || c == '^' || c == '-' && i <= 5 || c == ':' && column == 0 {
					return 0, false // or it may be more than text: see clean
				}
				i++
			}
			if i == start && (column == 0 || text[i] == '\n') || column == 0 && text[0] == '[' {
				return 0, false
			}
		}
		end := text[i]
		i++
		if column++; end == '\n' {
			break
		}
		if end != t.comma || column == t.width {
			return 0, false
		}
	}
	micros := float64(time) / lex.Pow10[decimals] * t.unit
	if column != t.width || i > plainLine || !goodTime(micros) {
		return 0, false
	}
	return i, b.add(t, size, micros, -decimals)
}

// add counts a time of a size. It returns false if the block has no room for the size.
func (b *block) add(t *plainTable, size uint64, time float64, exp int) bool {
	recent := &b.recent[size*0x9e3779b97f4a7c15>>57] // Fibonacci hashing: 2⁶⁴ over the golden ratio
	a := recent.a
	if a == nil || size != recent.size {
		if a = b.sizes[size]; a == nil {
			bytes := float64(size) * t.bytes
			if !goodSize(bytes) || len(b.sizes) >= blockSizes {
				return false
			}
			if n := len(b.spare); n > 0 {
				a, b.spare = b.spare[n-1], b.spare[:n-1]
			} else {
				a = new(accumulator)
			}
			*a = accumulator{size: bytes, min: time, max: time, line: b.lines + 1, first: time, times: a.times[:0]}
			if b.sizes == nil {
				b.sizes = map[uint64]*accumulator{}
			}
			b.sizes[size] = a
		}
		recent.size, recent.a = size, a
	}
	a.Moments.Add(time)
	if a.Count > 1 {
		a.keep(time)
	}
	a.min, a.max = min(a.min, time), max(a.max, time)
	b.exp = min(b.exp, exp)
	return true
}

// bulk reads blocks as long as their rows are plain. The remaining lines of its blocks are put back
// to be read line by line.
func (p *parser) bulk() {
	defer func() { p.bulkAt = p.lines.Offset + p.stretch }()
	f, ok := p.formats[0].format.(*csv)
	if !ok {
		return
	}
	t, ok := f.plain()
	if !ok {
		return
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan *block, workers+1)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for b := range jobs {
				b.scan(&t)
				b.done <- struct{}{}
			}
		})
	}
	defer wg.Wait()
	defer close(jobs)
	in := p.lines.Blocks(p.pace.block)
	var queue, free []*block
	for range workers + 1 {
		free = append(free, &block{done: make(chan struct{}, 1)})
	}
	for taken := 0; ; taken++ {
		for len(free) > 0 {
			b := free[len(free)-1]
			if b.text, ok = in.Next(b.text); !ok {
				break
			}
			free, queue = free[:len(free)-1], append(queue, b)
			jobs <- b
		}
		if len(queue) == 0 {
			in.Leave(nil)
			return
		}
		b := queue[0]
		<-b.done
		if f.takeBlock(p, &t, b) {
			queue, free = queue[1:], append(free, b)
			continue
		}
		if taken > 8 {
			p.stretch = p.pace.after
		}
		p.stretch *= 2
		rest := [][]byte{b.text[b.read:]}
		for _, b := range queue[1:] {
			<-b.done
			rest = append(rest, b.text)
		}
		in.Leave(rest)
		return
	}
}

// takeBlock adds the plain rows of a block to the open table, and reports whether these were the
// whole block. A block that would exceed the limits of the table is not added.
func (f *csv) takeBlock(p *parser, t *plainTable, b *block) bool {
	to := f.split.only.b
	if len(to.bySize())+len(b.sizes) > MaxSizes {
		b.read = 0
		return false
	}
	for _, a := range b.sizes {
		if a.Count == 0 {
			continue // of the row before which the block ends
		}
		x := *a
		x.line += p.file.Lines
		if p.kept+len(x.times) > maxKept {
			x.times = nil
		}
		x.sizes[1], x.sizes[0] = bits.Mul64(uint64(x.size), uint64(x.Count))
		key := math.Float64bits(x.size)
		if there := to.sizes[key]; there != nil {
			p.kept += len(x.times)
			to.pool(there, &x)
			continue
		}
		x.times = slices.Clone(x.times)
		p.kept += len(x.times)
		to.sizes[key] = &x
		p.sizes++
	}
	if b.lines > 0 {
		to.resolution(math.Pow10(b.exp) * t.unit)
	}
	to.table.Rows += int64(b.lines)
	f.split.rows += b.lines
	p.file.Lines += b.lines
	p.lines.Count(b.read)
	return b.read == len(b.text)
}

// A pace controls when a file is read in blocks.
type pace struct {
	// after is the number of bytes that are read line by line before blocks are tried, and the
	// minimum after a line that is not plain. It doubles at each such line, which discards the
	// blocks behind it.
	after int64
	block int // bytes
}

var quick = pace{64 << 10, 512 << 10}
