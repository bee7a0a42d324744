package input

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// MaxLine is the longest line that is read; the rest of a longer one is dropped, except in JSON,
// which is read in pieces. No benchmark prints rows that long.
const MaxLine = 64 << 10

// Lines returns the lines of a file in constant memory.
type Lines struct {
	in       *bufio.Reader
	source   *source // of in; nil until blocks are read
	Offset   int64
	progress func(int64)
	reported int64
	Long     int  // lines that were cut
	More     bool // the line goes on in the next piece
	Partial  bool // the last line had no end
}

// A source is the reader of a file's text. Text that was read can be put back.
type source struct {
	r    io.Reader
	back [][]byte
	err  error // that r gave when it was read to be put back
}

func (s *source) Read(into []byte) (n int, err error) {
	for len(s.back) > 0 {
		if len(s.back[0]) > 0 {
			n = copy(into, s.back[0])
			s.back[0] = s.back[0][n:]
			return n, nil
		}
		s.back = s.back[1:]
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.r.Read(into)
}

func NewLines(in *bufio.Reader, progress func(int64)) Lines {
	return Lines{in: in, progress: progress}
}

// Next returns the next line without its end, valid until the next call.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	l.Count(len(line))
	switch {
	case err == nil:
		l.More = false
		return line[:len(line)-1], nil
	case err == bufio.ErrBufferFull:
		l.More = true
		return line, nil
	case err == io.EOF && len(line) > 0:
		l.More, l.Partial = false, true
		return line, nil
	}
	l.More = false
	if l.progress != nil {
		l.progress(l.Offset)
	}
	return nil, err
}

// Count adds n to the number of bytes read, and reports progress.
func (l *Lines) Count(n int) {
	l.Offset += int64(n)
	if l.progress != nil && l.Offset-l.reported >= 1<<20 {
		l.reported = l.Offset
		l.progress(l.Offset)
	}
}

// Blocks returns the file's blocks of complete lines, each of up to size bytes, beginning with the
// current line. No line may be read until [Blocks.Leave].
func (l *Lines) Blocks(size int) *Blocks {
	if l.source == nil {
		l.source = &source{r: l.in}
		l.in = bufio.NewReaderSize(l.source, MaxLine)
	}
	buffered, _ := l.in.Peek(l.in.Buffered()) // cannot fail: it is there
	l.source.back = append([][]byte{bytes.Clone(buffered)}, l.source.back...)
	l.in.Reset(l.source)
	return &Blocks{lines: l, size: size}
}

type Blocks struct {
	lines *Lines
	size  int
	carry []byte // the beginning of a line
	ended bool
}

// Next returns the next block in the memory of text. It returns false at the end of the file, and
// before a line that is longer than a block.
func (b *Blocks) Next(text []byte) ([]byte, bool) {
	if b.ended {
		return text, false
	}
	text = slices.Grow(text[:0], b.size)[:b.size]
	filled := copy(text, b.carry)
	for filled < len(text) && !b.ended {
		n, err := b.lines.source.Read(text[filled:])
		filled += n
		b.lines.source.err, b.ended = err, err != nil
	}
	text = text[:filled]
	end := bytes.LastIndexByte(text, '\n') + 1
	b.carry = append(b.carry[:0], text[end:]...)
	b.ended = b.ended || end == 0
	return text[:end], end > 0
}

// Leave returns to reading line by line: first the texts in rest, then the unread text.
func (b *Blocks) Leave(rest [][]byte) {
	s := b.lines.source
	s.back = append(append(rest, b.carry), s.back...)
}

// Drop reads the rest of a line that goes on.
func (l *Lines) Drop() {
	l.Long++
	for l.More {
		_, _ = l.Next() // an error comes again with the next line
	}
}
