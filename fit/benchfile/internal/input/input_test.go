package input

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// What is done ends reading: of a pipe that gives nothing, and of a device that never ends.
func TestReadingEnds(t *testing.T) {
	silent, _ := io.Pipe()
	for name, r := range map[string]io.Reader{"pipe": silent, "device": endless{}} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, err := io.Copy(io.Discard, &Waiting{Ctx: ctx, R: r})
		stop()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Pieces are read while nobody asks for them, and none once reading has stopped.
func TestReadAhead(t *testing.T) {
	reads := make(chan int, 100)
	count := 0
	a := readAhead(ReaderFunc(func(into []byte) (int, error) {
		count++
		reads <- count
		return len(into), nil
	}))
	for range 3 {
		<-reads
	}
	if n, err := a.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	a.stop()
	before := count
	if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil { // the rest of the first piece
		t.Errorf("%d bytes, %v", n, err)
	}
	if count != before || count > 100 {
		t.Errorf("%d reads, %d when it stopped", count, before)
	}
	failing := readAhead(ReaderFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
	if _, err := failing.Read(make([]byte, 1)); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }
