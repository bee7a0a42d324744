package schedule

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
)

// Read reads a schedule in GOAL's text form or its binary form, told apart by
// their first bytes; either may be compressed by gzip. It streams: the memory it
// takes is the schedule's.
//
// Errors begin with name and the place: line and column in bytes from 1 in a
// text, the offset in bytes from 0 in a binary. In a compressed file these count
// what is inside.
func Read(r io.Reader, name string) (*Schedule, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, _ := b.Peek(8)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
		head, _ = b.Peek(8)
	}
	if len(head) == 8 {
		switch binary.LittleEndian.Uint64(head) {
		case magic:
			return readBinary(b, name)
		case magicConsumed:
			return nil, fmt.Errorf("%s:0: this binary schedule was used up by a simulator that counts in the file (LogGOPSim --save-mem); convert the text again", name)
		}
	}
	return readText(b, name)
}
