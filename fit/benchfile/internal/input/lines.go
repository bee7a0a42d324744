package input

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// Lines returns the lines of a file in constant memory.
type Lines struct {
	in       *bufio.Reader
	raw      io.Reader // of in; nil until blocks are read
	Offset   int64
	progress func(int64)
	reported int64
	Long     int  // lines that were cut
	More     bool // the line goes on in the next piece
	Partial  bool // the last line had no end
	held     []byte
}

func NewLines(in *bufio.Reader, progress func(int64)) Lines {
	return Lines{in: in, progress: progress}
}

// Next returns the next line without its end, valid until the next call.
func (l *Lines) Next() ([]byte, error) {
	if line := l.held; line != nil {
		l.held = nil
		return line, nil
	}
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

// Hold puts the line back that Next has returned last.
func (l *Lines) Hold(line []byte) { l.held = line }

// Held reports whether a line was put back.
func (l *Lines) Held() bool { return l.held != nil }

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
	if l.raw == nil {
		l.raw, l.in = l.in, bufio.NewReaderSize(nil, MaxLine)
	}
	buffered, _ := l.in.Peek(l.in.Buffered()) // cannot fail: it is there
	return &Blocks{lines: l, raw: io.MultiReader(bytes.NewReader(bytes.Clone(buffered)), l.raw), size: size}
}

type Blocks struct {
	lines *Lines
	raw   io.Reader
	size  int
	carry []byte // the beginning of a line
	err   error  // of raw
}

// Next returns the next block in the memory of text. It returns false at the end of the file, and
// before a line that is longer than a block.
func (b *Blocks) Next(text []byte) ([]byte, bool) {
	text = slices.Grow(text[:0], b.size)[:b.size]
	filled := copy(text, b.carry)
	for filled < len(text) && b.err == nil {
		var n int
		n, b.err = b.raw.Read(text[filled:])
		filled += n
	}
	end := bytes.LastIndexByte(text[:filled], '\n') + 1
	b.carry = append(b.carry[:0], text[end:filled]...)
	return text[:end], end > 0
}

// Leave returns to reading line by line: first the texts in rest, then the unread text.
func (b *Blocks) Leave(rest [][]byte) {
	var all []io.Reader
	for _, text := range append(rest, b.carry) {
		all = append(all, bytes.NewReader(text))
	}
	if b.err != nil {
		b.raw = ReaderFunc(func([]byte) (int, error) { return 0, b.err })
	}
	b.lines.raw = io.MultiReader(append(all, b.raw)...)
	b.lines.in.Reset(b.lines.raw)
}

// Drop reads the rest of a line that goes on.
func (l *Lines) Drop() {
	l.Long++
	for l.More {
		_, _ = l.Next() // an error comes again with the next line
	}
}
