// Package input turns a file into lines of UTF-8: it decompresses, decodes UTF-16, reads ahead, and
// stops if a pipe delivers nothing.
package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/text/encoding/unicode"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// MaxLine is the longest line that is read; the rest of a longer line is dropped, except in JSON,
// which is read in pieces. No benchmark prints rows that long.
const MaxLine = 64 << 10

type ReaderFunc func([]byte) (int, error)

func (r ReaderFunc) Read(into []byte) (int, error) { return r(into) }

// OpenUnless opens a file. If waits is set, opening may block, as for a pipe without a writer; then
// OpenUnless gives up when ctx is done.
func OpenUnless(ctx context.Context, name string, waits bool) (*os.File, error) {
	if !waits {
		return os.Open(name)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Waiting reads from a source that may never deliver, such as a pipe, a terminal or a device.
// Reading ends when ctx is done.
type Waiting struct {
	Ctx context.Context
	R   io.Reader
}

func (w *Waiting) Read(into []byte) (int, error) {
	var n int // n, err and the text belong to the read, which may end long after ctx
	var err error
	text, done := make([]byte, len(into)), make(chan struct{})
	go func() {
		n, err = w.R.Read(text)
		close(done)
	}()
	select {
	case <-done:
		return copy(into, text[:n]), err
	case <-w.Ctx.Done():
		return 0, w.Ctx.Err()
	}
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

func Buffered(r io.Reader) (in *bufio.Reader, done func()) {
	if in, ok := r.(*bufio.Reader); ok && in.Size() >= MaxLine {
		return in, func() {}
	}
	in = readers.Get().(*bufio.Reader)
	in.Reset(r)
	return in, func() { in.Reset(nil); readers.Put(in) }
}

// Gunzip returns the text of a gzipped file, or in itself. The caller must call done when the text
// is read.
func Gunzip(in *bufio.Reader) (text *bufio.Reader, done func(), err error) {
	if head, _ := in.Peek(2); string(head) != "\x1f\x8b" {
		return in, func() {}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, errors.New("broken gzip file: " + lex.Plain(err.Error()))
	}
	ahead, stop := readAhead(z)
	text, put := Buffered(ahead)
	return text, func() { put(); stop() }, nil
}

// UTF8 returns in, or its text as UTF-8 and true if it begins with a byte order mark of UTF-16, as
// PowerShell's > writes it.
func UTF8(in *bufio.Reader) (text *bufio.Reader, decodes bool) {
	if head, _ := in.Peek(2); string(head) != "\xff\xfe" && string(head) != "\xfe\xff" {
		return in, false
	}
	decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	return bufio.NewReaderSize(decoder.Reader(in), MaxLine), true
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
	if bytes.IndexByte(head, 0) >= 0 {
		return "a binary file"
	}
	return ""
}
