package schedule

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// Read reads a schedule in GOAL's text or binary form, which it recognizes by the first bytes;
// either may be gzipped. It streams, so its memory is about that of the schedule. It is least if r
// is a regular file or has a method Size() int64, as [bytes.Reader] has.
//
// Errors begin with the name and the place: line and column in bytes from 1 in a text, the offset
// in bytes from 0 in a binary, both in the decompressed data.
func Read(r io.Reader, name string) (s *Schedule, err error) {
	defer func() {
		// Below a million operations a collection would take longer than the memory is worth.
		if s != nil && len(s.ops) > 1<<20 {
			runtime.GC() // the buffers of reading are as large as the schedule
		}
	}()
	in := &counted{Reader: r}
	b := bufio.NewReaderSize(in, 1<<16)
	in.ahead = b
	// A file of fewer bytes is a text, whose reader says what is missing. An error comes again
	// when the text is read.
	head, _ := b.Peek(8)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := lex.Unzip(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
		head, _ = b.Peek(8)
	}
	if len(head) == 8 {
		switch binary.LittleEndian.Uint64(head) {
		case magic:
			return readBinary(b, name, in.fraction())
		// LogGOPSim --save-mem maps the file and counts dependencies down in it.
		case magicConsumed:
			return nil,
				fmt.Errorf("%s:0: a simulator has used this binary schedule up, since it "+
					"counts in the file (LogGOPSim --save-mem); convert the text again", name)
		}
	}
	return readText(b, name, in.fraction())
}

// counted counts the bytes that come from the file, compressed or not: the part that has been
// read estimates the length of the schedule, see grown.
type counted struct {
	io.Reader
	n     int64
	ahead *bufio.Reader // holds bytes that were read and not yet used
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// fraction returns a function that returns the fraction of the bytes used so far; nil if the total
// is unknown.
func (c *counted) fraction() func() float64 {
	size := int64(0)
	switch r := c.Reader.(type) {
	case interface{ Size() int64 }:
		size = r.Size()
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	if size <= 0 {
		return nil
	}
	return func() float64 { return float64(max(c.n-int64(c.ahead.Buffered()), 1)) / float64(size) }
}
