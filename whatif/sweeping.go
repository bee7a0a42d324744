//go:build !js

package whatif

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// MaxTableRows is the maximum number of rows of a sweep's table.
const MaxTableRows = 10_000

// DefaultSize is the message size of a sweep that was given none.
const DefaultSize = "64KiB"

// DefaultNames returns the quantities of a sweep that was given none.
func DefaultNames() []string { return []string{"one_way", "gap", "bandwidth"} }

// A Sweeping writes the rows of a sweep, and collects what its picture shows.
type Sweeping struct {
	*Sweep
	Progress func(rows int64) // called with each number of rows that are done; may be nil
	picture  *sweepPicture
}

// Draw makes the sweep collect a picture of the quantity whose index in its names is shown. It is
// an error if the numbers of ranges and sizes have no picture.
func (s *Sweeping) Draw(shown int) (err error) {
	s.picture, err = newSweepPicture(s.Sweep, shown)
	return err
}

// Picture returns the picture that was collected, nil if none was asked for.
func (s *Sweeping) Picture() reports.Picture {
	switch {
	case s.picture == nil:
		return nil
	case s.picture.grid != nil:
		return s.picture.heatMap()
	}
	return s.picture.figure()
}

// drive runs a sweep from a row on.
func (s *Sweeping) drive(ctx context.Context, sweep *Sweep, first int64, encode Encoder, each func(*Block) error) error {
	return sweep.Run(ctx, first, encode, func(b *Block) error {
		if each != nil {
			if err := each(b); err != nil {
				return err
			}
		}
		if s.picture != nil {
			if err := s.picture.add(b); err != nil {
				return err
			}
		}
		if s.Progress != nil {
			s.Progress(int64(b.Rows))
		}
		return nil
	})
}

// Run collects the picture alone.
func (s *Sweeping) Run(ctx context.Context) error {
	return interrupted(s.drive(ctx, s.Sweep, 0, nil, nil))
}

// Table returns the rows, at most [MaxTableRows].
func (s *Sweeping) Table(ctx context.Context) (reports.Rows, error) {
	rows := reports.Rows{}
	if s.Sweep.Rows() > MaxTableRows {
		return rows, usage.Fields(fmt.Errorf("a table has at most 10,000 rows (got %.0f); write them to a file of CSV, JSON Lines or Parquet", s.Sweep.Rows()), "output", "format")
	}
	for i, key := range s.Keys() {
		c := reports.Column{Key: key, Head: key}
		switch {
		case i < len(s.Ranges):
			c.Head = s.Ranges[i].Title()
		case i == len(s.Ranges):
			if c.Head = ""; sized(s.Design, s.Names) {
				c.Head = "size"
			}
			c.Text = func(v any) string { return quantity.Bytes(v.(float64)).String() }
		default:
			q, err := s.Design.Quantity(s.Names[i-len(s.Ranges)-1], 1)
			if err != nil {
				return rows, err
			}
			c.Head = q.Head()
		}
		rows.Columns = append(rows.Columns, c)
	}
	err := s.drive(ctx, s.Sweep, 0, nil, func(b *Block) error {
		for i := 0; i < len(b.Values); i += len(rows.Columns) {
			row := make([]any, len(rows.Columns))
			for k := range row {
				row[k] = b.Values[i+k]
			}
			rows.Data = append(rows.Data, row)
		}
		return nil
	})
	for j := range rows.Columns {
		values := list.Map(rows.Data, func(row []any) float64 { return row[j].(float64) })
		scale := quantity.NewScale(quantity.DimNone, nil, 3, values...)
		if rows.Columns[j].Text == nil {
			rows.Columns[j].Text = func(v any) string { return scale.Number(v.(float64)) }
		}
	}
	return rows, interrupted(err)
}

// Stream writes the rows to w as they come, in one of [reports.StreamFormats].
func (s *Sweeping) Stream(ctx context.Context, w io.Writer, format string) error {
	if format == "parquet" {
		file := reports.NewParquet(w, s.Keys(), "size_bytes")
		err := s.drive(ctx, s.Sweep, 0, nil, func(b *Block) error { return file.Write(b.Values) })
		if err == nil {
			err = file.Close()
		}
		return interrupted(err)
	}
	header, encode, err := reports.NewRowEncoder(format, s.Keys())
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	return interrupted(s.drive(ctx, s.Sweep, 0, Encoder(encode), func(b *Block) error {
		_, err := w.Write(b.Text)
		return err
	}))
}

// Volume is about how large a file of the rows is, at 60 bytes each, in whole GiB.
func (s *Sweeping) Volume() quantity.Bytes {
	return max(1, quantity.Bytes(math.Round(s.Rows()*60/(1<<30)))) * (1 << 30)
}

// File writes the rows to a file as they are computed. An interrupted file of CSV or JSON Lines is
// resumed: resumed is called with its number of rows. Parquet starts anew.
func (s *Sweeping) File(ctx context.Context, files atomicfile.Files, path, format string, resumed func(rows int64)) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe, a device
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return atomicfile.FileError(path, err)
		}
		return errors.Join(s.Stream(ctx, toFile{f, path}, format), f.Close())
	}
	header, encode, err := reports.NewRowEncoder(format, s.Keys())
	if err != nil && format != "parquet" {
		return err
	}
	head := header
	if encode != nil {
		head = encode(slices.Clone(header), make([]float64, len(s.Keys())))
	}
	file, err := files.OpenPartial(path, sweepID(s.Sweep, format), head, files.Force || format == "parquet")
	if err != nil {
		return err
	}
	if format == "parquet" {
		if err := s.Stream(ctx, toFile{file.File(), path}, format); err != nil {
			return errors.Join(err, file.Discard())
		}
		return file.Finish()
	}
	if done := file.Rows(); done > 0 {
		resumed(done)
		if err := s.drive(ctx, s.Until(done), 0, nil, nil); err != nil { // for the picture
			return errors.Join(interrupted(err), file.Close())
		}
	} else if err := file.Write(header, 0); err != nil {
		return errors.Join(err, file.Close())
	}
	saved := time.Now()
	err = s.drive(ctx, s.Sweep, file.Rows(), Encoder(encode), func(b *Block) error {
		if err := file.Write(b.Text, b.Rows); err != nil {
			return err
		}
		if time.Since(saved) < time.Second {
			return nil
		}
		saved = time.Now()
		return file.Save()
	})
	if err == nil {
		return file.Finish()
	}
	if file.Rows() == 0 {
		return errors.Join(interrupted(err), file.Discard())
	}
	if closing := file.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return fmt.Errorf("%w: %d of %.0f rows are complete in %q; repeat the command to continue", err, file.Rows(), s.Sweep.Rows(), file.Part())
}

// toFile adds the path to errors of writing.
type toFile struct {
	io.Writer
	path string
}

func (f toFile) Write(text []byte) (int, error) {
	n, err := f.Writer.Write(text)
	if err != nil {
		err = atomicfile.FileError(f.path, err)
	}
	return n, err
}

func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written")
	}
	return err
}

// sweepID returns a text that differs between sweeps with different rows.
func sweepID(s *Sweep, format string) string {
	h := sha256.New()
	fmt.Fprintln(h, format, s.Keys(), s.Sizes, s.Design.Layer.Ref())
	for _, r := range s.Ranges {
		fmt.Fprintln(h, r.Param.Path, r.From, r.To, r.Steps, r.Log)
	}
	for _, p := range s.Design.Platform.Params() {
		fmt.Fprintln(h, p.Path, p.Text, p.Value)
	}
	for _, name := range s.Names { // of a measure, the file may be another
		if q, err := s.Design.Quantity(name, s.Sizes[0]); err == nil && finishes(q.Name) {
			fmt.Fprintln(h, q.Of(s.Design.Layer.Model))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
