// Package input turns a file into lines of UTF-8: it decompresses, decodes UTF-16, reads ahead, and
// gives up where a pipe delivers nothing.
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

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

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

// An ahead reads ahead in a second goroutine: decompressing gzip takes as long as parsing its text.
type ahead struct {
	pieces chan []byte
	piece  []byte
	err    error // of the reading, once pieces is closed
	ended  chan struct{}
}

// Up to aheadPieces pieces of up to aheadPiece bytes are read ahead.
const (
	aheadPieces = 16
	aheadPiece  = 256 << 10
)

func readAhead(r io.Reader) *ahead {
	a := &ahead{pieces: make(chan []byte, aheadPieces), ended: make(chan struct{})}
	go func() {
		defer close(a.pieces)
		for size := 4 << 10; ; size = min(2*size, aheadPiece) { // most files are small
			piece := make([]byte, size)
			n, err := io.ReadFull(r, piece)
			select {
			case a.pieces <- piece[:n]:
			case <-a.ended:
				return
			}
			if err == io.ErrUnexpectedEOF && n > 0 {
				err = nil // the reader's own error comes next
			}
			if a.err = err; err != nil {
				return
			}
		}
	}()
	return a
}

func (a *ahead) Read(into []byte) (int, error) {
	for len(a.piece) == 0 {
		var more bool
		if a.piece, more = <-a.pieces; !more {
			return 0, a.err
		}
	}
	n := copy(into, a.piece)
	a.piece = a.piece[n:]
	return n, nil
}

// stop ends the reading and returns when the goroutine has stopped.
func (a *ahead) stop() {
	close(a.ended)
	for range a.pieces {
	}
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
	ahead := readAhead(z)
	text, put := Buffered(ahead)
	return text, func() { put(); ahead.stop() }, nil
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
