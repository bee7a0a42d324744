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

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// MaxTableRows is the maximum number of rows of a sweep's table.
const MaxTableRows = 10_000

// Table returns the rows, at most [MaxTableRows].
func (s *Sweep) Table(ctx context.Context) (reports.Rows, error) {
	rows := reports.Rows{}
	if s.Rows() > MaxTableRows {
		return rows, usage.Fields(fmt.Errorf("a table has at most 10,000 rows (got %.0f); write them to a file of CSV or JSON Lines", s.Rows()), "output", "format")
	}
	size := reports.HeadIf(sized(s.Quantities), "size")
	heads := slices.Concat(list.Map(s.Ranges, Range.Title), []string{size}, list.Map(s.Quantities, func(q Quantity) string { return q.of.Head() }))
	for i, key := range s.Keys() {
		rows.Columns = append(rows.Columns, reports.Column{Key: key, Head: heads[i]})
	}
	err := s.Run(ctx, 0, nil, func(b *Block) error {
		for row := range slices.Chunk(b.Values, len(rows.Columns)) {
			rows.Data = append(rows.Data, list.Map(row, func(v float64) any { return v }))
		}
		return nil
	})
	for j := range rows.Columns {
		values := list.Map(rows.Data, func(row []any) float64 { return row[j].(float64) })
		scale := quantity.NewScale(quantity.DimNone, nil, 3, values...)
		rows.Columns[j].Text = func(v any) string { return scale.Number(v.(float64)) }
	}
	rows.Columns[len(s.Ranges)].Text = func(v any) string { return quantity.Bytes(v.(float64)).String() }
	return rows, interrupted(err)
}

// Stream writes the rows to w as they come, in one of [reports.StreamFormats].
func (s *Sweep) Stream(ctx context.Context, w io.Writer, format string) error {
	header, encode, err := reports.NewRowEncoder(format, s.Keys())
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	return interrupted(s.Run(ctx, 0, Encoder(encode), func(b *Block) error {
		_, err := w.Write(b.Text)
		return err
	}))
}

// Volume estimates the size of a file of the rows, at 60 bytes each, in whole GiB.
func (s *Sweep) Volume() quantity.Bytes {
	return max(1, quantity.Bytes(math.Round(s.Rows()*60/(1<<30)))) * (1 << 30)
}

// File writes the rows to a file as they are computed. An interrupted file is resumed: resumed is
// called with its number of rows.
func (s *Sweep) File(ctx context.Context, files atomicfile.Files, path, format string, resumed func(rows int64)) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe, a device
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return atomicfile.FileError(path, err)
		}
		err = s.Stream(ctx, f, format)
		if failed := (*os.PathError)(nil); errors.As(err, &failed) {
			err = atomicfile.FileError(path, err)
		}
		return errors.Join(err, f.Close())
	}
	header, encode, err := reports.NewRowEncoder(format, s.Keys())
	if err != nil {
		return err
	}
	head := encode(slices.Clone(header), make([]float64, len(s.Keys())))
	file, err := files.OpenPartial(path, s.id(format), head, false)
	if err != nil {
		return err
	}
	done := file.Rows()
	if done > 0 {
		resumed(done)
		err = s.Until(done).Run(ctx, 0, nil, nil) // for the picture
	} else {
		_, err = file.Write(header)
	}
	if err == nil {
		err = s.Run(ctx, done, Encoder(encode), func(b *Block) error { return file.WriteRows(b.Text, b.Rows) })
	}
	return file.End(err, func(rows int64) string { return fmt.Sprintf("%d of %.0f rows are complete", rows, s.Rows()) })
}

func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written")
	}
	return err
}

// id returns a text that differs between sweeps with different rows.
func (s *Sweep) id(format string) string {
	h := sha256.New()
	fmt.Fprintln(h, format, s.Keys(), s.Sizes, s.Design.Layer.Ref())
	for _, r := range s.Ranges {
		fmt.Fprintln(h, r.Param.Path, r.From, r.To, r.Steps, r.Log)
	}
	for _, p := range s.Design.Platform.Params() {
		fmt.Fprintln(h, p.Path, p.Text, p.Value)
	}
	for _, q := range s.Quantities {
		if q.simulated() { // perhaps another file
			fmt.Fprintln(h, q.Of(s.Design.Layer.Model))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
