// Package plain reads long runs of plain CSV rows on all processors.
//
// If all rows of a long CSV file belong to one table, most rows are plain: digits, commas and a
// point. [Read] reads blocks of plain rows. A block ends before the first line that is not plain.
// That line and some lines after it are read one by one, as in all other files.
//
// The aggregates of a size do not depend on the order of its rows (see package sums), and blocks
// are added in file order. The result is therefore identical to reading line by line.
package plain

import (
	"runtime"
	"sync"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/input"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/sums"
)

const (
	blockSizes = 1 << 10 // sizes in a block; with more, adding up blocks takes longer than reading
	maxRow     = 4 << 10 // maximum length of a plain row
)

// A Layout describes the columns of plain rows.
type Layout struct {
	Comma       byte
	Width       int     // number of columns
	Size, Time  int     // indices of these columns
	Bytes, Unit float64 // of sizes and times, in bytes and µs
}

// IsRow reports whether a line, which ends with a newline, is a plain row.
func (l *Layout) IsRow(line []byte) bool {
	_, ok := new(Block).row(l, line)
	return ok
}

// Read reads blocks as long as their rows are plain, and passes each to take, which reports whether
// it has taken the plain rows. Read puts the remaining lines of its blocks back. It returns the
// number of blocks whose rows were all taken, and whether these are the rest of the file.
func Read(in *input.Blocks, l Layout, take func(*Block) bool) (blocks int, all bool) {
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan *Block, workers+1)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for b := range jobs {
				b.scan(&l)
				b.done <- struct{}{}
			}
		})
	}
	defer wg.Wait()
	defer close(jobs)
	var queue, free []*Block
	for range workers + 1 {
		free = append(free, &Block{done: make(chan struct{}, 1)})
	}
	for ; ; blocks++ {
		for len(free) > 0 {
			b := free[len(free)-1]
			var ok bool
			if b.text, ok = in.Next(b.text); !ok {
				break
			}
			free, queue = free[:len(free)-1], append(queue, b)
			jobs <- b
		}
		if len(queue) == 0 {
			in.Leave(nil)
			return blocks, true
		}
		b := queue[0]
		<-b.done
		if !take(b) {
			b.Read = 0
		}
		if b.Read == len(b.text) {
			queue, free = queue[1:], append(free, b)
			continue
		}
		rest := [][]byte{b.text[b.Read:]}
		for _, b := range queue[1:] {
			<-b.done
			rest = append(rest, b.text)
		}
		in.Leave(rest)
		return blocks, false
	}
}

// A Block holds complete lines of a file, and the aggregates of its plain rows.
type Block struct {
	Read  int // length in bytes of the plain rows at the beginning of the block
	Lines int // number of these rows
	// Sizes holds the aggregates by the size as printed. Lines count from the beginning of the
	// block, and sizes have to be set by [sums.Aggregate.SetSizes].
	Sizes map[uint64]*sums.Aggregate
	Exp   int // decimal exponent of the last digit of the times, the minimum

	text   []byte
	spare  []*sums.Aggregate
	recent [128]struct { // of sizes, by a hash of them
		size uint64
		a    *sums.Aggregate
	}
	done chan struct{}
}

// scan reads rows up to the first line that is not plain.
func (b *Block) scan(l *Layout) {
	b.Read, b.Lines, b.Exp = 0, 0, 0
	clear(b.recent[:])
	for _, a := range b.Sizes {
		b.spare = append(b.spare, a)
	}
	clear(b.Sizes)
	for b.Read < len(b.text) {
		n, ok := b.row(l, b.text[b.Read:])
		if !ok {
			return
		}
		b.Read += n
		b.Lines++
	}
}

// row reads the row at the beginning of text, which ends with a newline, and returns its length
// including the newline. ok is false if the row is not plain; the row is then read as any line.
func (b *Block) row(l *Layout, text []byte) (length int, ok bool) {
	var size, time uint64
	decimals, column, i := 0, 0, 0
	for {
		if column == l.Size || column == l.Time {
			var v uint64
			start, point := i, -1
			for {
				if d := text[i] - '0'; d <= 9 {
					v = v*10 + uint64(d)
				} else if text[i] == '.' && point < 0 && column == l.Time {
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
			if column == l.Size {
				size = v
			} else if time = v; point >= 0 {
				decimals = i - point - 1
			}
		} else {
			start := i
			for c := text[i]; c != l.Comma && c != '\n'; c = text[i] {
				if c <= ' ' || c >= 0x7f || c == '"' || c == '^' || c == '-' && i <= 5 || c == ':' && column == 0 {
					return 0, false // or it may be more than text: see [lex.Clean]
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
		if end != l.Comma || column == l.Width {
			return 0, false
		}
	}
	micros := float64(time) / lex.Pow10[decimals] * l.Unit
	if column != l.Width || i > maxRow || !sums.GoodTime(micros) {
		return 0, false
	}
	return i, b.add(l, size, micros, -decimals)
}

// add counts a time of a size. It returns false if the block has no room for the size.
func (b *Block) add(l *Layout, size uint64, time float64, exp int) bool {
	recent := &b.recent[size*0x9e3779b97f4a7c15>>57] // Fibonacci hashing: 2⁶⁴ over the golden ratio
	a := recent.a
	if a == nil || size != recent.size {
		if a = b.Sizes[size]; a == nil {
			bytes := float64(size) * l.Bytes
			if !sums.GoodSize(bytes) || len(b.Sizes) >= blockSizes {
				return false
			}
			if n := len(b.spare); n > 0 {
				a, b.spare = b.spare[n-1], b.spare[:n-1]
			} else {
				a = new(sums.Aggregate)
			}
			*a = sums.Aggregate{Size: bytes, Min: time, Max: time, Line: b.Lines + 1, Times: a.Times[:0]}
			if b.Sizes == nil {
				b.Sizes = map[uint64]*sums.Aggregate{}
			}
			b.Sizes[size] = a
		}
		recent.size, recent.a = size, a
	}
	a.Moments.Add(time)
	a.Keep(time)
	a.Min, a.Max = min(a.Min, time), max(a.Max, time)
	b.Exp = min(b.Exp, exp)
	return true
}
