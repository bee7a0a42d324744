package benchfile

import (
	"context"
	"errors"
	"io"
	"strings"
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

// Lines of numbers without a table end in an error after a bounded number of them: a compressed
// file of 100 KB may have hundreds of millions.
func TestNumbersWithoutTableEnd(t *testing.T) {
	for _, line := range []string{"7 xx 5.3 yy 9\n12 zz 5\n"} {
		lines := 0
		text := readerOf(func(p []byte) (int, error) {
			n := len(line) * max(1, min(len(p)/len(line), 1000))
			lines += strings.Count(line, "\n") * n / len(line)
			if lines > 4*maxNumbers {
				return 0, io.EOF
			}
			return copy(p, strings.Repeat(line, n/len(line))), nil
		})
		_, err := Read(text, "x", Options{})
		if err == nil || !strings.Contains(err.Error(), "no table in") || lines > 2*maxNumbers {
			t.Errorf("%q: %v after %d lines", line, err, lines)
		}
	}
}

// A readerOf is a function that reads.
type readerOf func(p []byte) (int, error)

func (f readerOf) Read(p []byte) (int, error) { return f(p) }
