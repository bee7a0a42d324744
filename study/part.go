package study

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

// A partFile is a part that is being written, with its records as rows.
type partFile struct {
	*reports.Partial
	encoder shard.Encoder
	saved   time.Time
}

// saveEvery is how often what was written is saved for a process that is killed; tests save each
// record.
var saveEvery = time.Second

// openPart begins a part, or goes on with one that was interrupted.
func openPart(files reports.Files, path string, h shard.Header) (*partFile, error) {
	p := &partFile{saved: time.Now()}
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

// records hands over the records that are there of a part that was interrupted.
func (p *partFile) records(each func(record []byte) error) error {
	file, err := os.Open(p.Part())
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := shard.NewReader(bufio.NewReader(file))
	for err == nil {
		var record []byte
		if record, err = r.Next(); err == nil {
			err = each(record)
		}
	}
	if errors.Is(err, shard.ErrTruncated) {
		return nil
	}
	return err
}

// Write adds a record of so many units of work.
func (p *partFile) Write(record []byte, units int) error {
	text, err := p.encoder.Append(nil, record, units)
	if err == nil {
		err = p.Partial.Write(text, units)
	}
	if err == nil && time.Since(p.saved) >= saveEvery {
		p.saved = time.Now()
		err = p.Save()
	}
	return err
}

// end finishes the part, or leaves it for the same command to go on; whole says how much there is.
func (p *partFile) end(err error, whole func(units int64) string) error {
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
