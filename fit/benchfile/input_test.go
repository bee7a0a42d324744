package benchfile

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

// What is done ends reading: of a pipe that gives nothing, and of a device that never ends.
func TestReadingEnds(t *testing.T) {
	silent, _ := io.Pipe()
	for name, r := range map[string]io.Reader{"pipe": silent, "device": endless{}} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, err := io.Copy(io.Discard, &waiting{ctx: ctx, r: r})
		stop()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOutputsOfDevice(t *testing.T) {
	unread := (*Error)(nil)
	err := Outputs("/dev/zero", Options{Context: t.Context()}, func(_ *File, err error) error { return err })
	if !errors.As(err, &unread) || unread.Msg != "a binary file; wanted is the text that a benchmark printed" {
		t.Errorf("/dev/zero: %v", err)
	}
}
