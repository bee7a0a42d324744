package lex

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/text/encoding/unicode"
)

// MaxLine is the longest line that is read; the rest of a longer line is dropped, except in
// JSON, which is read in pieces. No benchmark prints rows that long, and a file without
// newlines must not be read into memory.
const MaxLine = 64 << 10

// A ReaderFunc is a function as an [io.Reader].
type ReaderFunc func([]byte) (int, error)

func (r ReaderFunc) Read(into []byte) (int, error) { return r(into) }

// Await returns what f returns. If ctx ends first, f goes on alone: it may wait forever, as for the
// writer of a pipe.
func Await[T any](ctx context.Context, f func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	// With room for the result: a goroutine that nobody waits for any more can still end.
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// Waiting reads from a source that may never deliver, such as a pipe, a terminal or a device.
// Reading ends when ctx is done.
func Waiting(ctx context.Context, from io.Reader) io.Reader {
	return ReaderFunc(func(into []byte) (int, error) {
		text := make([]byte, len(into)) // of the read, which may end long after ctx
		n, err := Await(ctx, func() (int, error) { return from.Read(text) })
		return copy(into, text[:n]), err
	})
}

// readAhead reads in a second goroutine: decompressing gzip takes as long as parsing its text. stop
// ends that, and returns when the goroutine has ended.
func readAhead(r io.Reader) (ahead io.Reader, stop func()) {
	out, in := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err) // never fails
	}()
	return out, func() { _ = out.Close(); <-ended }
}

// readers pools buffers: each is as long as the longest line, and most files are shorter.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, MaxLine) }}

// Buffered returns r with a buffer of at least MaxLine bytes. The caller must call done when
// it no longer reads.
func Buffered(r io.Reader) (in *bufio.Reader, done func()) {
	if in, ok := r.(*bufio.Reader); ok && in.Size() >= MaxLine {
		return in, func() {}
	}
	in = readers.Get().(*bufio.Reader)
	in.Reset(r)
	return in, func() { in.Reset(nil); readers.Put(in) }
}

// A text may have maxUnzipped bytes after decompression or, if that is more, maxRatio times those
// of the file. Repetitive logs shrink to a fiftieth; gzip shrinks zeros to a thousandth, so that a
// small file could keep a reader busy for minutes.
const (
	maxUnzipped = 256 << 20
	maxRatio    = 50
)

// ErrUnzipped is the error of reading a text that is too long after decompression.
var ErrUnzipped = fmt.Errorf("after decompression the text has more than %d MiB, and more than %d "+
	"times the bytes of the file; decompress it first", maxUnzipped>>20, maxRatio)

// Unzip returns the decompressed text of in. Reading ends with [ErrUnzipped] if the text is too
// long for its file.
func Unzip(in *bufio.Reader) (io.Reader, error) { return unzip(in, maxUnzipped) }

func unzip(in *bufio.Reader, most int64) (io.Reader, error) {
	packed := &counter{Reader: in}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	var text int64
	return ReaderFunc(func(into []byte) (int, error) {
		n, err := z.Read(into)
		if text += int64(n); text > max(most, maxRatio*packed.n) {
			return 0, ErrUnzipped
		}
		return n, err
	}), nil
}

// A counter counts the bytes that are read. It has ReadByte, so that gzip does not read ahead.
type counter struct {
	*bufio.Reader
	n int64
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.Reader.Read(into)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// Gunzip returns the text of a gzipped file, or in itself. The caller must call done when the text
// is read.
func Gunzip(in *bufio.Reader) (text *bufio.Reader, done func(), err error) {
	if head, _ := in.Peek(2); string(head) != "\x1f\x8b" {
		return in, func() {}, nil
	}
	// gzip.Reader reads concatenated members as one text, as cat *.gz writes them.
	z, err := Unzip(in)
	if err != nil {
		return nil, nil, errors.New("broken gzip file: " + Plain(err.Error()))
	}
	ahead, stop := readAhead(z)
	text, put := Buffered(ahead)
	return text, func() { put(); stop() }, nil
}

// UTF8 returns in, or its text as UTF-8 if it begins with a byte order mark of UTF-16, as
// PowerShell's > writes it.
func UTF8(in *bufio.Reader) *bufio.Reader {
	if head, _ := in.Peek(2); string(head) != "\xff\xfe" && string(head) != "\xfe\xff" {
		return in
	}
	decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	return bufio.NewReaderSize(decoder.Reader(in), MaxLine)
}

// NotText returns what the file is if it is not text, else "".
func NotText(head []byte) string {
	for _, k := range []struct{ magic, what string }{
		{"BZh", "compressed with bzip2; decompress it first"},
		{"\xfd7zXZ", "compressed with xz; decompress it first"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first"},
		{"PK\x03\x04", "a zip archive (or spreadsheet); unpack it, or save it as CSV"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.what
		}
	}
	const ustar = 257 // where the header of a tar archive's first member says so
	switch {
	case len(head) > ustar && bytes.HasPrefix(head[ustar:], []byte("ustar")):
		return "a tar archive; unpack it"
	// No text that is UTF-8 has zero bytes. UTF-16 has, but has been converted before.
	case bytes.IndexByte(head, 0) >= 0:
		return "a binary file"
	}
	return ""
}

// Lines returns the lines of a file in constant memory.
type Lines struct {
	in       *bufio.Reader
	offset   int64
	progress func(int64)
	reported int64
	Long     int    // lines that were cut
	More     bool   // the line goes on in the next piece
	Partial  bool   // the last line had no end
	Held     []byte // the line that Next has returned last, if it is put back
}

func NewLines(in *bufio.Reader, progress func(int64)) Lines {
	return Lines{in: in, progress: progress}
}

// Next returns the next line without its end, valid until the next call.
func (l *Lines) Next() ([]byte, error) {
	if line := l.Held; line != nil {
		l.Held = nil
		return line, nil
	}
	line, err := l.in.ReadSlice('\n')
	l.advance(len(line))
	switch {
	case err == nil:
		l.More = false
		return line[:len(line)-1], nil
	// The line is as long as the buffer, MaxLine: this is its first piece, or another one.
	case err == bufio.ErrBufferFull:
		l.More = true
		return line, nil
	case err == io.EOF && len(line) > 0:
		l.More, l.Partial = false, true
		return line, nil
	}
	l.More = false
	if l.progress != nil {
		l.progress(l.offset)
	}
	return nil, err
}

// Ahead returns the text behind the last line, as far as it is in memory, valid until the next
// call.
func (l *Lines) Ahead() []byte {
	if l.Held != nil {
		return nil
	}
	text, _ := l.in.Peek(l.in.Buffered()) // cannot fail: it is in memory
	return text
}

// Skip goes on behind the first n bytes of the text ahead.
func (l *Lines) Skip(n int) {
	_, _ = l.in.Discard(n)
	l.advance(n)
}

func (l *Lines) advance(n int) {
	l.offset += int64(n)
	// Once a MiB: some hundred times a second.
	if l.progress != nil && l.offset-l.reported >= 1<<20 {
		l.reported = l.offset
		l.progress(l.offset)
	}
}

// Drop reads the rest of a line that goes on.
func (l *Lines) Drop() {
	l.Long++
	for l.More {
		_, _ = l.Next() // an error comes again with the next line
	}
}
