package benchfile

import (
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
