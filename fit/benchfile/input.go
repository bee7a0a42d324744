package benchfile

import (
	"context"
	"io"
	"os"
)

type reader func([]byte) (int, error)

func (r reader) Read(into []byte) (int, error) { return r(into) }

// openUnless opens a file. Of one that may have nobody to write it, it does not wait longer than ctx.
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

// waiting reads what may never come: from a pipe, a terminal, a device. It ends when ctx is done.
type waiting struct {
	ctx context.Context
	r   io.Reader
}

func (w *waiting) Read(into []byte) (int, error) {
	var n int // these and the text are the reading's, which may end long after ctx
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
