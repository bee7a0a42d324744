package benchfile

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"os"
	"sync"
)

type reader func([]byte) (int, error)

func (r reader) Read(into []byte) (int, error) { return r(into) }

// openUnless opens a file. If waits is set, opening may block, as for a pipe without a writer; then
// openUnless gives up when ctx is done.
func openUnless(ctx context.Context, name string, waits bool) (*os.File, error) {
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

// waiting reads from a source that may never deliver, such as a pipe, a terminal or a device.
// Reading ends when ctx is done.
type waiting struct {
	ctx context.Context
	r   io.Reader
}

func (w *waiting) Read(into []byte) (int, error) {
	var n int // n, err and the text belong to the read, which may end long after ctx
	var err error
	text, done := make([]byte, len(into)), make(chan struct{})
	go func() {
		n, err = w.r.Read(text)
		close(done)
	}()
	select {
	case <-done:
		return copy(into, text[:n]), err
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
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
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}

func buffered(r io.Reader) (in *bufio.Reader, done func()) {
	if in, ok := r.(*bufio.Reader); ok && in.Size() >= maxLine {
		return in, func() {}
	}
	in = readers.Get().(*bufio.Reader)
	in.Reset(r)
	return in, func() { in.Reset(nil); readers.Put(in) }
}

// gunzip returns the text of a gzipped file, or in itself. The caller must call done when the text
// is read.
func gunzip(in *bufio.Reader, name string) (text *bufio.Reader, done func(), err error) {
	if head, _ := in.Peek(2); string(head) != "\x1f\x8b" {
		return in, func() {}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, &Error{File: name, Msg: "broken gzip file: " + plain(err.Error())}
	}
	ahead := readAhead(z)
	text, put := buffered(ahead)
	return text, func() { put(); ahead.stop() }, nil
}
