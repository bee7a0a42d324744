package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

const (
	manyRows  = 1e9    // more are written only when forced
	tableRows = 10_000 // more are no table for eyes
	mapCells  = 250    // of a heat map, in each direction
	lineDots  = 1000   // of a line
)

// runVary makes the rows of a sweep and its picture.
func (o *whatifOptions) runVary(cmd *cobra.Command, d whatif.Design) error {
	s, err := o.sweep(cmd, d)
	if err != nil {
		return err
	}
	picture, err := o.newSweepPicture(s)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	format := o.tableFormat()
	switch {
	case o.plot != "" && o.path == "" && o.format.value == "":
		err = o.drive(ctx, cmd, s, 0, nil, picture.add)
	case format == "csv" || format == "jsonl" || format == "parquet":
		err = o.stream(ctx, cmd, s, format, picture.add)
	default:
		err = o.table(ctx, cmd, s, picture.add)
	}
	if err != nil {
		return err
	}
	return o.draw(picture.figure())
}

func (o *whatifOptions) sweep(cmd *cobra.Command, d whatif.Design) (*whatif.Sweep, error) {
	s := &whatif.Sweep{Design: d, Sizes: o.sizes.sizes, Names: o.of}
	if !cmd.Flags().Changed("size") {
		s.Sizes = []quantity.Bytes{64 * quantity.KiB}
	}
	if len(s.Names) == 0 {
		s.Names = []string{"one_way", "gap", "bandwidth"}
	}
	for _, text := range o.vary {
		r, err := d.ParseRange(text)
		if err != nil {
			return nil, fmt.Errorf("--vary %w", err)
		}
		s.Ranges = append(s.Ranges, r)
	}
	switch rows := s.Rows(); {
	case rows > manyRows && !filesOf(cmd).Force:
		return nil, fmt.Errorf("this makes %.3g rows, some %s; take fewer steps, or give --force", rows, quantity.Bytes(math.Ceil(rows*60/(1<<30))*(1<<30)))
	case rows > math.MaxInt64/2:
		return nil, fmt.Errorf("this makes %.3g rows, which cannot be counted; take fewer steps", rows)
	}
	return s, nil
}

// drive runs the sweep with a progress bar on a terminal.
func (o *whatifOptions) drive(ctx context.Context, cmd *cobra.Command, s *whatif.Sweep, first int64, encode whatif.Encoder, each ...func(*whatif.Block) error) error {
	bar := terminal.Progress(cmd.ErrOrStderr(), int64(s.Rows()), first, "rows")
	err := s.Run(ctx, first, encode, func(b *whatif.Block) error {
		for _, f := range each {
			if err := f(b); err != nil {
				return err
			}
		}
		bar(int64(b.Rows))
		return nil
	})
	bar(-1)
	return err
}

// stream writes the rows as they come.
func (o *whatifOptions) stream(ctx context.Context, cmd *cobra.Command, s *whatif.Sweep, format string, each func(*whatif.Block) error) error {
	if o.path == "" || !isFile(o.path) {
		w := cmd.OutOrStdout()
		if o.path != "" {
			f, err := os.OpenFile(o.path, os.O_WRONLY, 0)
			if err != nil {
				return reports.FileError(o.path, err)
			}
			defer f.Close()
			w = toFile{f, o.path}
		}
		return o.streamTo(ctx, cmd, s, format, w, each)
	}
	header, encode, err := reports.NewRowEncoder(format, s.Keys())
	if err != nil && format != "parquet" {
		return err
	}
	head := header
	if encode != nil {
		head = encode(slices.Clone(header), make([]float64, len(s.Keys())))
	}
	file, err := filesOf(cmd).OpenPartial(o.path, sweepID(s, format), head, filesOf(cmd).Force || format == "parquet")
	if err != nil {
		return err
	}
	if file.Rows() > 0 {
		cmd.PrintErrf("%s: going on after %d of %.0f rows\n", o.path, file.Rows(), s.Rows())
		first := file.Rows()
		if err := o.drive(ctx, cmd, s.Until(first), 0, nil, each); err != nil { // for the picture
			return errors.Join(err, file.Close())
		}
	}
	if format == "parquet" {
		if err := o.streamTo(ctx, cmd, s, format, file.File(), each); err != nil {
			return errors.Join(err, file.Discard())
		}
		return file.Finish()
	}
	if file.Rows() == 0 {
		err = file.Write(header, 0)
	}
	saved := time.Now()
	if err == nil {
		err = o.drive(ctx, cmd, s, file.Rows(), whatif.Encoder(encode), func(b *whatif.Block) error {
			if err := file.Write(b.Text, b.Rows); err != nil {
				return err
			}
			if time.Since(saved) < time.Second {
				return nil
			}
			saved = time.Now()
			return file.Save()
		}, each)
	}
	if err == nil {
		return file.Finish()
	}
	if closing := file.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return fmt.Errorf("%w: %d of %.0f rows are whole in %s.partial; the same command again goes on from there", err, file.Rows(), s.Rows(), o.path)
}

// toFile tells what is wrong with the file at path.
type toFile struct {
	io.Writer
	path string
}

func (f toFile) Write(text []byte) (int, error) {
	n, err := f.Writer.Write(text)
	if err != nil {
		err = reports.FileError(f.path, err)
	}
	return n, err
}

// streamTo writes the rows to what is no file of its own.
func (o *whatifOptions) streamTo(ctx context.Context, cmd *cobra.Command, s *whatif.Sweep, format string, w io.Writer, each func(*whatif.Block) error) error {
	if format == "parquet" {
		file := reports.NewParquet(w, s.Keys())
		err := o.drive(ctx, cmd, s, 0, nil, func(b *whatif.Block) error { return file.Write(b.Values) }, each)
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
	return interrupted(o.drive(ctx, cmd, s, 0, whatif.Encoder(encode), func(b *whatif.Block) error {
		_, err := w.Write(b.Text)
		return err
	}, each))
}

func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing whole was written")
	}
	return err
}

// isFile reports whether the path is, or can become, a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// sweepID tells sweeps apart that would write different rows.
func sweepID(s *whatif.Sweep, format string) string {
	h := sha256.New()
	fmt.Fprintln(h, format, s.Keys(), s.Sizes, s.Design.Layer.Ref())
	for _, r := range s.Ranges {
		fmt.Fprintln(h, r.Param.Path, r.From, r.To, r.Steps, r.Log)
	}
	for _, p := range s.Design.Platform.Params() {
		fmt.Fprintln(h, p.Path, p.Text, p.Value)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// table prints a sweep of few rows.
func (o *whatifOptions) table(ctx context.Context, cmd *cobra.Command, s *whatif.Sweep, each func(*whatif.Block) error) error {
	if s.Rows() > tableRows {
		return usagef("%.0f rows are no table; give -o FILE.csv, .jsonl or .parquet, or --format csv", s.Rows())
	}
	rows := reports.Rows{}
	for i, key := range s.Keys() {
		c := reports.Column{Key: key, Head: key}
		switch {
		case i < len(s.Ranges):
			c.Head = s.Ranges[i].Title()
		case i == len(s.Ranges):
			c.Head, c.Text = "size", func(v any) string { return quantity.Bytes(v.(float64)).String() }
		default:
			q, err := whatif.NewQuantity(s.Names[i-len(s.Ranges)-1], 1)
			if err != nil {
				return err
			}
			c.Head = q.Head()
		}
		rows.Columns = append(rows.Columns, c)
	}
	err := o.drive(ctx, cmd, s, 0, nil, func(b *whatif.Block) error {
		for i := 0; i < len(b.Values); i += len(rows.Columns) {
			row := make([]any, len(rows.Columns))
			for k := range row {
				row[k] = b.Values[i+k]
			}
			rows.Data = append(rows.Data, row)
		}
		return nil
	}, each)
	if err != nil {
		return interrupted(err)
	}
	out := output{format: reports.Format(o.tableFormat()), path: o.path}
	return out.write(cmd, rows)
}

// A sweepPicture collects what a figure of a sweep shows.
type sweepPicture struct {
	sweep    *whatif.Sweep
	quantity whatif.Quantity
	column   int
	grid     *whatif.Grid
	lines    []reports.Series
}

// newSweepPicture shows the first quantity that was asked for, else bandwidth.
func (o *whatifOptions) newSweepPicture(s *whatif.Sweep) (*sweepPicture, error) {
	p := &sweepPicture{sweep: s}
	if o.plot == "" {
		return p, nil
	}
	shown := 0
	if len(o.of) == 0 {
		shown = len(s.Names) - 1
	}
	var err error
	if p.quantity, err = whatif.NewQuantity(s.Names[shown], s.Sizes[0]); err != nil {
		return nil, err
	}
	p.column = len(s.Ranges) + 1 + shown
	switch {
	case len(s.Ranges) == 1:
		for _, n := range s.Sizes {
			p.lines = append(p.lines, reports.Series{Name: n.String(), Kind: reports.Line})
		}
	case len(s.Ranges) == 2 && len(s.Sizes) == 1:
		p.grid = whatif.NewGrid(s, shown, 0, mapCells)
	case len(s.Ranges) == 2:
		return nil, usagef("a heat map shows one size; give one --size")
	default:
		return nil, usagef("--plot draws one parameter as a line and two as a heat map, not %d", len(s.Ranges))
	}
	return p, nil
}

func (p *sweepPicture) add(b *whatif.Block) error {
	if p.grid != nil {
		p.grid.Add(b)
	}
	if p.lines == nil {
		return nil
	}
	width, sizes, steps := len(b.Values)/b.Rows, int64(len(p.lines)), int64(p.sweep.Ranges[0].Steps)
	every := (steps + lineDots - 1) / lineDots
	for i := range b.Rows {
		row := b.First + int64(i)
		if at := row / sizes; at%every == 0 || at == steps-1 {
			line := &p.lines[row%sizes]
			line.X, line.Y = append(line.X, b.Values[i*width]), append(line.Y, b.Values[i*width+p.column])
		}
	}
	return nil
}

// figure is what was collected, nil if no figure was asked for.
func (p *sweepPicture) figure() reports.Picture {
	d := p.sweep.Design
	axis := func(r whatif.Range) reports.Axis {
		a := reports.Axis{Label: r.Title(), Bytes: r.Param.Value.Dim == quantity.DimSize}
		if r.Log {
			a.Scale = reports.Log
		}
		return a
	}
	switch {
	case p.grid != nil:
		p.grid.Finish()
		x, y := p.sweep.Ranges[0], p.sweep.Ranges[1]
		return reports.HeatMap{
			Title: fmt.Sprintf("%s: %s", d.Layer.Ref(), p.quantity.Title()),
			X:     axis(x), Y: axis(y), XS: p.grid.X, YS: p.grid.Y, Z: p.grid.Z, Label: p.quantity.Title(),
			Marks: []reports.Mark{{Kind: reports.AtPoint, X: x.Shown(x.Param.Value.Num), Y: y.Shown(y.Param.Value.Num),
				Label: "as it is: " + whatif.Format(quantity.Value{Num: p.quantity.Of(d.Layer.Model), Dim: p.quantity.Dim()})}},
		}
	case p.lines != nil:
		r := p.sweep.Ranges[0]
		f := reports.Figure{Title: d.Layer.Ref(), X: axis(r), Y: reports.Axis{Label: p.quantity.Head()}, Series: p.lines}
		if now := r.Param.Value.Num; now > 0 {
			f.Marks = []reports.Mark{{Kind: reports.AtX, X: r.Shown(now), Label: "as it is: " + whatif.Format(r.Param.Value)}}
		}
		f.X.Min, f.X.Max = r.Shown(r.From), r.Shown(r.To)
		return f
	}
	return nil
}
