package mpitrace

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/lex"
)

// A Source is one file of a trace.
type Source struct {
	Name string // for errors
	Open func() (io.ReadCloser, error)
	Size int64 // in bytes; 0 if it is not known
}

// Files returns the sources with these names, sorted by the numbers in them: trace-2 comes
// before trace-10. The place in this order is the rank; a shell's own order would mix ranks
// from ten on.
func Files(names ...string) []Source {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(natural(a, b), cmp.Compare(a, b))
	})
	var all []Source
	for _, name := range names {
		open := func() (io.ReadCloser, error) { return atomicfile.Open(name) }
		size := int64(0)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		all = append(all, Source{name, open, size})
	}
	return all
}

// natural compares names, and the numbers in them by value.
func natural(a, b string) int {
	digits := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			// Without leading zeros a longer number is a larger one: numbers of any length compare.
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			break
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(a, b)
}

// A file is an open source, read line by line.
type file struct {
	name string
	line int // the line that next returned, from 1
	r    *bufio.Reader
	c    io.Closer
	// longest is the maximum length of a line, if lines may be longer than the buffer.
	longest int
	cut     bool // the last line that next returned has no end
}

// maxLine is the maximum length of a line in bytes. A call has at most a dozen fields of 20
// bytes.
const maxLine = 1 << 16

// open opens a source, and adds the bytes that are read of it, compressed or not, to a number.
func open(s Source, read *int64) (*file, error) {
	c, err := s.Open()
	if err != nil {
		return nil, err
	}
	f := &file{name: s.Name, r: bufio.NewReaderSize(&counted{c, read}, maxLine), c: c}
	if head, _ := f.r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := lex.Unzip(f.r)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		f.r = bufio.NewReaderSize(z, maxLine)
	}
	return f, nil
}

func (f *file) Close() error { return f.c.Close() }

// counted adds the bytes that are read to a number.
type counted struct {
	io.Reader
	n *int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.n += int64(n)
	return n, err
}

// reading returns a function that returns which part of the sources was read, from the number of
// bytes that were; nil if their sizes are not known.
func reading(sources []Source, read *int64) func() float64 {
	all := int64(0)
	for _, s := range sources {
		if all += s.Size; s.Size == 0 {
			return nil
		}
	}
	return func() float64 { return float64(max(*read, 1)) / float64(all) }
}

// next returns the next line without its end, or io.EOF. The line is valid until the next call.
func (f *file) next() ([]byte, error) {
	f.line++
	l, err := f.r.ReadSlice('\n')
	for err == bufio.ErrBufferFull && len(l) < f.longest {
		var more []byte
		l = slices.Clone(l)
		more, err = f.r.ReadSlice('\n')
		l = append(l, more...)
	}
	switch {
	case err == bufio.ErrBufferFull:
		return nil, f.errorf("the line is longer than %d bytes", max(maxLine, f.longest))
	// The last line may lack its newline, and a compressed file its end.
	case (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)) && len(l) > 0:
		f.cut = true
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, io.EOF
	case err != nil:
		return nil, f.errorf("%w", err)
	}
	return bytes.TrimRight(l, "\r\n"), nil
}

// lines returns the lines that [file.next] returns. An error is the last one.
func (f *file) lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			l, err := f.next()
			if err == io.EOF || !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func (f *file) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{f.name, f.line}, args...)...)
}

// integer parses a number that may be an address.
func integer(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a whole number", b)
	}
	return n, nil
}
