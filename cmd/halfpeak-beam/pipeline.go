package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A question is the arguments of the command. Workers get it as JSON and read its files, the
// platform and the schedules, themselves: a trace may have gigabytes, too many for a pipeline.
type question struct {
	Platform                       string
	Set, Sweep, Quantity, Schedule []string
	Collective                     string // as in "allreduce/ring"
	Ranks                          []int  // of the collective
	Sizes                          []quantity.Bytes
	Format                         string // csv or jsonl
}

// sweep returns the sweep that "halfpeak whatif" computes for the same arguments.
func (q question) sweep(ctx context.Context) (*whatif.Sweep, error) {
	on, err := halfpeak.Open(q.Platform)
	if err != nil {
		return nil, err
	}
	var calls halfpeak.Collectives
	calls.Choose(q.Collective)
	calls.Ranks, calls.Sizes = q.Ranks, q.Sizes
	var call halfpeak.Call = calls
	if q.Collective == "" {
		if call, err = halfpeak.Read(ctx, q.Schedule, program.Reading{}, on); err != nil {
			return nil, err
		}
	}
	study, err := on.Study(ctx, call)
	if err != nil {
		return nil, err
	}
	d := study.Design
	var quantities []whatif.Quantity
	if len(q.Quantity) > 0 {
		if quantities, err = d.Quantities(q.Quantity...); err != nil {
			return nil, fmt.Errorf("--quantity: %w", err)
		}
	}
	if d, err = d.Set(q.Set...); err != nil {
		return nil, fmt.Errorf("--set %w", err)
	}
	asked := whatif.SweepQuestion{Case: whatif.Case{After: d, Quantities: quantities,
		Sizes: q.Sizes}}
	for _, text := range q.Sweep {
		r, err := d.ParseRange(text)
		if err != nil {
			return nil, fmt.Errorf("--sweep %w", err)
		}
		asked.Ranges = append(asked.Ranges, r)
	}
	s, err := asked.Sweep()
	if err != nil {
		err = fmt.Errorf("--sweep %w", err)
	}
	return s, err
}

// A piece is consecutive rows of the sweep, which one worker computes.
type piece struct {
	First, Count int64
	Text         []byte // the rows as they are in the file; empty until they are computed
}

// maxPieces limits the pieces, because their list is part of the job, which Dataflow limits to
// 10 MB. A thousand workers still get ten pieces each, so that none waits long for the last one.
const maxPieces = 10_000

// divide returns the pieces of a sweep.
func divide(rows int64) (pieces []piece) {
	count := (rows + maxPieces - 1) / maxPieces
	for first := int64(0); first < rows; first += count {
		pieces = append(pieces, piece{First: first, Count: min(count, rows-first)})
	}
	return pieces
}

// compute computes pieces. All have the key 0, so that one worker writes them.
type compute struct {
	Question question
	evaluate func(b *whatif.Block, first, count int64)
}

// Setup prepares the sweep, once for many pieces: reading a trace takes longer than a point.
func (c *compute) Setup() error {
	s, err := c.Question.sweep(context.Background()) // Beam ends the context of Setup after it
	if err != nil {
		return err
	}
	_, encode, err := table.NewRowEncoder(c.Question.Format, s.Keys())
	c.evaluate = s.Evaluator(encode)
	return err
}

func (c *compute) ProcessElement(p piece) (int, piece) {
	var b whatif.Block
	c.evaluate(&b, p.First, p.Count)
	p.Text = b.Text
	return 0, p
}

// write writes the file, in the order of the rows.
type write struct {
	Path   string
	Header []byte
}

func (w *write) ProcessElement(ctx context.Context, _ int, next func(*piece) bool) error {
	var pieces []piece
	for p := (piece{}); next(&p); p = (piece{}) {
		pieces = append(pieces, p)
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.First, b.First) })
	text := w.Header
	row := int64(0)
	for _, p := range pieces {
		if p.First != row { // a runner must deliver each piece once; a wrong file would look right
			return fmt.Errorf("row %d is missing or came twice: rows from %d follow", row, p.First)
		}
		text = append(text, p.Text...)
		row += p.Count
	}
	fs, err := filesystem.New(ctx, w.Path)
	if err != nil {
		return err
	}
	defer fs.Close()
	// Written beside and renamed, so that a worker that dies leaves no file that looks complete.
	partial := w.Path + ".partial"
	if err := filesystem.Write(ctx, fs, partial, text); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, partial, w.Path)
}

func init() {
	register.DoFn1x2[piece, int, piece](&compute{})
	register.DoFn3x1[context.Context, int, func(*piece) bool, error](&write{})
	register.Iter1[piece]()
}
