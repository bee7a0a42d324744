package benchfile

import (
	"context"
	"errors"
	"testing"
)

func TestOutputsOfDevice(t *testing.T) {
	unread := (*Error)(nil)
	err := Outputs("/dev/zero", Options{Context: t.Context()}, func(_ *File, err error) error { return err })
	if !errors.As(err, &unread) || unread.Msg != "a binary file; wanted is the text that a benchmark printed" {
		t.Errorf("/dev/zero: %v", err)
	}
}

// An interrupt also ends the work on a file that was read to its end.
func TestInterruptedEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := reader{parser: parser{file: &File{}, tableLimit: 1, opt: Options{Context: ctx}}}
	p.begin(Table{}).add(row{size: 1, time: 1}, 1)
	cancel()
	if f, err := p.finish(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}
}
