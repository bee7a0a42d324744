package shard

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// A File is a part that is being written, with its records as rows.
type File struct {
	*atomicfile.Partial
	encoder Encoder
}

// OpenFile begins a part, or continues an interrupted one.
func OpenFile(files atomicfile.Files, path string, h Header) (*File, error) {
	p := &File{}
	head, err := Head(h)
	if err != nil {
		return nil, err
	}
	if p.Partial, err = files.OpenPartial(path, fmt.Sprintf("part %x", head), head, false); err != nil {
		return nil, err
	}
	if p.Rows() == 0 {
		if _, err := p.Partial.Write(head); err != nil {
			return nil, p.Partial.End(err, nil)
		}
	}
	p.encoder.Records = p.Rows()
	return p, nil
}

// Kept returns the records in the part at path, whole or cut off, if it has the header h. It ends
// at the first damage.
func Kept(path string, h Header) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var its Header
		for record, err := range records(path, &its) {
			if err != nil || !bytes.Equal(its.Asked, h.Asked) || its.Shard != h.Shard || !yield(record) {
				return
			}
		}
	}
}

// Write adds a record.
func (p *File) Write(record []byte) error {
	text, err := p.encoder.Append(nil, record)
	if err == nil {
		err = p.WriteRows(text, 1)
	}
	return err
}

// End finishes the part or, after an error, leaves it for the same command to continue; whole
// describes the number of records.
func (p *File) End(err error, whole func(records int64) string) error {
	if err == nil {
		_, err = p.Partial.Write(p.encoder.End(nil))
	}
	return p.Partial.End(err, whole)
}
