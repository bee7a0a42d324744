package lex

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
		_, err := io.Copy(io.Discard, Waiting(ctx, r))
		stop()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Text is read before it is asked for, errors come behind it, and nothing is read after the stop.
func TestReadAhead(t *testing.T) {
	reads := make(chan int, 100)
	count := 0
	a, stop := readAhead(ReaderFunc(func(into []byte) (int, error) {
		count++
		reads <- count
		return len(into), nil
	}))
	<-reads
	if n, err := a.Read(make([]byte, 1<<20)); n == 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	<-reads // nobody has asked for it
	stop()
	before := count
	if n, err := a.Read(make([]byte, 1)); n != 0 || err == nil || count != before {
		t.Errorf("%d bytes, %v, %d reads, %d when it stopped", n, err, count, before)
	}
	failing, stop := readAhead(ReaderFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
	defer stop()
	if _, err := failing.Read(make([]byte, 1)); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

// A small file cannot keep a reader busy for long; one that shrinks as logs do is read.
func TestUnzip(t *testing.T) {
	for _, c := range []struct {
		bytes, most int64
		want        error
	}{
		{1 << 20, 1 << 20, nil},
		{1<<20 + 1, 1 << 20, ErrUnzipped}, // zeros: a thousandth
		{1 << 20, 1 << 10, ErrUnzipped},
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(make([]byte, c.bytes)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := unzip(bufio.NewReader(&packed), c.most)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, text); !errors.Is(err, c.want) {
			t.Errorf("%d bytes, at most %d: %v", c.bytes, c.most, err)
		}
	}
}
