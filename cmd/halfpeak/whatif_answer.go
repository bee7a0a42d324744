package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/study/simulations"
	"github.com/halfpeak/halfpeak/whatif"
)

// answer answers the question of the flags, about the platform after --set.
func (o *whatifOptions) answer(cmd *cobra.Command) error {
	base, err := whatif.Find(o.platform)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	in, err := simulations.ReadInput(ctx, mpitrace.Defaults, o.schedule...)
	o.collective.Sizes, o.finish = o.sizesOr("64KiB"), []string{whatif.Finish}
	o.scheduled = func(d whatif.Design) (_ whatif.Design, err error) {
		if o.collective.Collective == "" {
			return simulations.Scheduled(ctx, d, in)
		}
		d, o.finish, err = collectives.Finishes(ctx, d, o.collective)
		return d, err
	}
	if err == nil {
		base, err = o.scheduled(base)
	}
	if err := interrupted(ctx, err); err != nil {
		return err
	}
	if _, err := base.Quantities(o.of...); err != nil {
		return usagef("--quantity %w", err)
	}
	d, err := base.Set(o.set...)
	if err != nil {
		return fmt.Errorf("--set %w", err)
	}
	encode := func() ([]byte, error) { return d.Encode(atomicfile.Imprint + " whatif.") }
	if err := savePlatform(filesOf(cmd), o.save, encode); err != nil {
		return err
	}
	if len(o.vary) > 0 {
		return o.runVary(ctx, cmd, d)
	}
	rows, picture, err := o.table(ctx, base, d)
	if err == nil && picture != nil {
		err = o.draw(cmd, picture)
	}
	if err = interrupted(ctx, err); err != nil {
		return err
	}
	return o.out.write(cmd, rows)
}

// table returns the answer as a table, and a function that draws its picture, if it has one.
func (o *whatifOptions) table(ctx context.Context, base, d whatif.Design) (rows reports.Rows, picture func() (reports.Picture, error), err error) {
	units := o.out.units
	switch {
	case o.target != "":
		return o.reach(ctx, d)
	case o.sensitivity:
		sizes, quantities := o.sizesOr("64KiB"), o.quantities(d, "one_way")
		rows, err = whatif.SensitivityRows(d, quantities, sizes, units)
		picture = func() (reports.Picture, error) { return whatif.Tornado(d, quantities[0].At(sizes[0])) }
	case o.where:
		rows, err = whatif.OwnerRows(d, o.sizes)
		picture = func() (reports.Picture, error) {
			return whatif.Shares(d, whatif.Cost(o.ofOr("one_way")[0]), o.curveSizes("1..1MiB/16"))
		}
	case o.landmarks:
		rows, err = whatif.LandmarkRows(d, o.sampling(ctx), units)
	case o.uncertainty:
		return o.uncertain(ctx, base, d)
	case o.finishes():
		rows = whatif.ContrastedTimes(base, d, o.quantities(d))
	default:
		var c *whatif.Contrast
		if c, err = whatif.Contrasted(base, d, o.sizes); err == nil {
			rows = c.Rows(units)
		}
	}
	return rows, picture, err
}

// curveSizes are the sizes that were given if they make a curve, or others.
func (o *whatifOptions) curveSizes(others string) []quantity.Bytes {
	if o.sized && len(o.sizes) > 1 {
		return o.sizes
	}
	return parsedSizes(others)
}

// reach finds the values that reach a target: of one parameter, the curve of two, or of each in
// turn.
func (o *whatifOptions) reach(ctx context.Context, d whatif.Design) (rows reports.Rows, picture func() (reports.Picture, error), err error) {
	t, err := d.ParseTarget(o.target)
	if err != nil {
		return rows, nil, fmt.Errorf("--target %w", err)
	}
	var by []whatif.Range
	for _, text := range o.by {
		var r whatif.Range
		if strings.Contains(text, "=") {
			r, err = d.ParseRange(text)
		} else {
			r.Steps = whatif.DefaultSteps
			r.Param, err = d.Platform.Find(d.Layer.Name, text)
		}
		if err != nil {
			return rows, nil, fmt.Errorf("--solve-for %w", err)
		}
		by = append(by, r)
	}
	if len(by) != 2 {
		s, err := whatif.Reach(d, t, by...)
		if err != nil {
			return rows, nil, err
		}
		return s.Rows(o.out.units), nil, nil
	}
	if by[0].Param.Path == by[1].Param.Path {
		return rows, nil, usagef("--solve-for %s twice; a curve is over two parameters", by[0].Param.Path)
	}
	c := whatif.NewTargetCurve(d, t, by[0], by[1])
	return c.Rows(), func() (reports.Picture, error) { return c.Picture(ctx) }, nil
}

// uncertain predicts with intervals, beside the design after --set or beside another platform.
func (o *whatifOptions) uncertain(ctx context.Context, before, after whatif.Design) (rows reports.Rows, picture func() (reports.Picture, error), err error) {
	designs := []whatif.NamedDesign{{Name: "as it is", Design: before}}
	switch {
	case o.against != "":
		other, err := whatif.Find(o.against)
		if err == nil {
			other, err = o.scheduled(other)
		}
		if err != nil {
			return rows, nil, fmt.Errorf("--against: %w", err)
		}
		designs = []whatif.NamedDesign{{Name: other.Layer.Ref(), Design: other}, {Name: after.Layer.Ref(), Design: after}}
	case len(o.set) > 0:
		designs = append(designs, whatif.NamedDesign{Name: "with --set", Design: after})
	}
	u, err := whatif.Uncertain(designs, o.ofOr("one_way", "bandwidth"), o.sizes, o.sampling(ctx))
	if err != nil {
		return rows, nil, err
	}
	return u.Rows(), func() (reports.Picture, error) {
		return whatif.Bands(designs, o.ofOr("bandwidth")[0], o.curveSizes("1..1MiB/8"), o.sampling(ctx))
	}, nil
}

// manyRows is the number of rows beyond which more are written only when forced.
const manyRows = 1e9

// runVary makes the rows of a sweep and its picture.
func (o *whatifOptions) runVary(ctx context.Context, cmd *cobra.Command, d whatif.Design) error {
	s := whatif.Sweep{Design: d, Sizes: o.sizesOr("64KiB"), Quantities: o.quantities(d, "one_way", "gap", "bandwidth")}
	for _, text := range o.vary {
		r, err := d.ParseRange(text)
		if err != nil {
			return fmt.Errorf("--sweep %w", err)
		}
		s.Ranges = append(s.Ranges, r)
	}
	shown := 0
	if len(o.of) == 0 && !o.finishes() {
		shown = len(s.Quantities) - 1 // bandwidth
	}
	pictureOnly, stream := o.plot != "" && o.out.path == "" && o.out.format.value == "", o.stream()
	switch rows := s.Rows(); {
	case rows > 1<<62:
		return fmt.Errorf("the result has %.3g rows, which is too many; take fewer steps", rows)
	case rows > manyRows && !filesOf(cmd).Force:
		return fmt.Errorf("the result has %.3g rows, about %s; take fewer steps, or give --force", rows, s.Volume())
	case !pictureOnly && stream == "" && rows > whatif.MaxTableRows:
		return usagef("a table cannot have %.0f rows; give -o FILE.csv, .jsonl or .parquet, or --format csv", rows)
	}
	var picture func() reports.Picture
	var err error
	if o.plot != "" {
		if picture, err = s.Draw(shown); err != nil {
			return usage.Error{Err: err}
		}
	}
	progress := terminal.Progress(cmd.ErrOrStderr(), int64(s.Rows()), "rows")
	s.Watch = append(s.Watch, func(b *whatif.Block) { progress(int64(b.Rows)) })
	var rows reports.Rows
	resumed := func(rows int64) { cmd.PrintErrf("%s: continuing after %d of %.0f rows\n", o.out.path, rows, s.Rows()) }
	switch {
	case pictureOnly:
		err = interrupted(ctx, s.Run(ctx, 0, nil, nil))
	case stream != "" && o.out.path == "":
		err = s.Stream(ctx, cmd.OutOrStdout(), stream)
	case stream != "":
		err = s.File(ctx, filesOf(cmd), o.out.path, stream, resumed)
	default:
		rows, err = s.Table(ctx)
	}
	progress(-1)
	if err == nil && !pictureOnly && stream == "" {
		err = o.out.write(cmd, rows)
	}
	if err != nil {
		return err
	}
	return o.draw(cmd, func() (reports.Picture, error) { return picture(), nil })
}

// sizesOr are the sizes that were given, or others.
func (o *whatifOptions) sizesOr(others string) []quantity.Bytes {
	if o.sized {
		return o.sizes
	}
	return parsedSizes(others)
}

// finishes reports whether the finish of a program is asked for.
func (o *whatifOptions) finishes() bool { return len(o.schedule) > 0 || o.collective.Collective != "" }

// ofOr are the quantities that were given, or others; of a schedule its finish.
func (o *whatifOptions) ofOr(others ...string) []string {
	switch {
	case len(o.of) > 0:
		return o.of
	case o.finishes():
		return o.finish
	}
	return others
}

// quantities returns the quantities that ofOr names; answer has checked the names.
func (o *whatifOptions) quantities(d whatif.Design, others ...string) []whatif.Quantity {
	all, _ := d.Quantities(o.ofOr(others...)...)
	return all
}
