package shard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// A File is a part that is being written, with its records as rows.
type File struct {
	*atomicfile.Partial
	encoder Encoder
	saved   time.Time
}

// SaveEvery is how often what was written is saved for a process that is killed; tests save each
// record.
var SaveEvery = time.Second

// OpenFile begins a part, or goes on with one that was interrupted.
func OpenFile(files atomicfile.Files, path string, h Header) (*File, error) {
	p := &File{saved: time.Now()}
	head, err := p.encoder.Head(h)
	if err != nil {
		return nil, err
	}
	if p.Partial, err = files.OpenPartial(path, fmt.Sprintf("part %x", head), head, files.Force); err != nil {
		return nil, err
	}
	if p.Rows() == 0 {
		if err := p.Partial.Write(head, 0); err != nil {
			return nil, errors.Join(err, p.Discard())
		}
	}
	p.encoder.Resume(p.Rows())
	return p, nil
}

// Records hands over the records that are there of a part that was interrupted.
func (p *File) Records(each func(record []byte) error) error {
	file, err := os.Open(p.Part())
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := NewReader(bufio.NewReader(file))
	for err == nil {
		var record []byte
		if record, err = r.Next(); err == nil {
			err = each(record)
		}
	}
	if errors.Is(err, ErrTruncated) {
		return nil
	}
	return err
}

// Write adds a record of the given number of work units.
func (p *File) Write(record []byte, units int) error {
	text, err := p.encoder.Append(nil, record, units)
	if err == nil {
		err = p.Partial.Write(text, units)
	}
	if err == nil && time.Since(p.saved) >= SaveEvery {
		p.saved = time.Now()
		err = p.Save()
	}
	return err
}

// End finishes the part, or leaves it for the same command to go on; whole says how much there is.
func (p *File) End(err error, whole func(units int64) string) error {
	if err == nil {
		err = p.Partial.Write(p.encoder.End(nil), 0)
	}
	if err == nil {
		return p.Finish()
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if p.Rows() == 0 {
		return errors.Join(err, p.Discard())
	}
	if closing := p.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	return fmt.Errorf("%w: %s in %q; the same command again goes on from there", err, whole(p.Rows()), p.Part())
}
