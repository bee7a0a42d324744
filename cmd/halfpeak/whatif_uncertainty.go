package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// samplingFlags say how intervals of parameters are carried over.
type samplingFlags struct {
	samples int
	seed    uint64
	assume  float64
}

func (s *samplingFlags) declare(f *pflag.FlagSet) {
	f.IntVar(&s.samples, "samples", 10000, "Monte Carlo samples")
	f.Uint64Var(&s.seed, "seed", 1, "of the samples")
	f.Float64Var(&s.assume, "assume", 0, "half of the 95 % interval, in `percent`, of a time or rate that has none")
}

func (s *samplingFlags) check() error {
	switch {
	case s.samples < 1 || s.samples > 1e8:
		return usagef("--samples %d; give a number from 1 to 100000000", s.samples)
	case !(s.assume >= 0 && s.assume < 1000):
		return usagef("--assume %v; give a percentage from 0 on", s.assume)
	}
	return nil
}

func (s *samplingFlags) sampling() whatif.Sampling {
	return whatif.Sampling{Samples: s.samples, Seed: s.seed, Assumed: s.assume / 100}
}

func isExact(err error) bool { return errors.Is(err, whatif.ErrExact) }

// runUncertainty prints predictions with intervals, and beside what --set made of the
// design, or another platform, how likely it is the faster one.
func (o *whatifOptions) runUncertainty(cmd *cobra.Command, before, after whatif.Design) error {
	designs := []whatif.Design{before}
	names := []string{"as it is"}
	switch {
	case o.against != "":
		other, err := whatif.Find(o.against)
		if err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		before = other
		designs, names = []whatif.Design{other, after}, []string{other.Layer.Ref(), after.Layer.Ref()}
	case len(o.set) > 0:
		designs, names = append(designs, after), append(names, "with --set")
	}
	shown := o.of
	if len(shown) == 0 {
		shown = []string{"one_way", "bandwidth"}
	}
	rows := reports.Rows{Columns: []reports.Column{{Key: "platform"}, {Key: "layer"}, {Key: "design"}, {Key: "size_bytes", Head: "size"}}}
	if len(designs) > 1 {
		rows.Columns[2].Head = "design"
	}
	for _, name := range shown {
		q, err := whatif.NewQuantity(name, 1)
		if err != nil {
			return err
		}
		rows.Columns = append(rows.Columns, reports.Column{Head: q.Head() + ", 95 % interval"},
			reports.Column{Key: q.Key()}, reports.Column{Key: q.KeyOf("low")}, reports.Column{Key: q.KeyOf("high")})
	}
	if len(designs) > 1 {
		rows.Columns = append(rows.Columns, reports.Column{Key: "probability_faster", Head: "is the faster one with", Text: func(v any) string { return whatif.FormatProbability(v.(float64)) }})
	}
	sizes := o.sizes.sizes
	intervals := make([][][]whatif.Interval, len(designs))
	exact := 0
	for k, d := range designs {
		for i, name := range shown {
			in, err := d.Predict(name, sizes, o.sampling())
			if isExact(err) && i == 0 {
				exact++
			} else if err != nil && !isExact(err) {
				return err
			}
			intervals[k] = append(intervals[k], in)
		}
	}
	if exact == len(designs) {
		return fmt.Errorf("%s: %w with --assume PERCENT", after.Layer.Ref(), whatif.ErrExact)
	}
	var faster []float64
	if len(designs) > 1 {
		var err error
		if faster, err = whatif.Faster(after, before, sizes, o.sampling()); err != nil {
			return err
		}
	}
	for i, n := range sizes {
		for k, d := range designs {
			row := []any{d.Platform.Name, d.Layer.Name, names[k], n}
			for _, in := range intervals[k] {
				row = append(row, interval(in[i].Value, in[i].Low, in[i].High), in[i].Value, in[i].Low, in[i].High)
			}
			if len(designs) > 1 {
				p := any(nil)
				if k == 1 {
					p = faster[i]
				}
				row = append(row, p)
			}
			rows.Data = append(rows.Data, row)
		}
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("%d samples, seed %d; parameters vary independently of each other.", o.samples, o.seed))
	for _, c := range after.Changes {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To))
	}
	var picture reports.Picture
	if o.plot != "" {
		var err error
		if picture, err = o.bands(cmd, designs, names); err != nil {
			return err
		}
	}
	return o.write(cmd, rows, picture)
}

// bands draws the intervals of a quantity over sizes.
func (o *whatifOptions) bands(cmd *cobra.Command, designs []whatif.Design, names []string) (reports.Picture, error) {
	name := "bandwidth"
	if len(o.of) > 0 {
		name = o.of[0]
	}
	q, err := whatif.NewQuantity(name, 1)
	if err != nil {
		return nil, err
	}
	sizes := o.sizes
	if !cmd.Flags().Changed("size") || len(sizes.sizes) < 2 {
		sizes = newSizes("1..1MiB/8")
	}
	f := reports.Figure{Title: designs[len(designs)-1].Layer.Ref() + ": " + q.Head() + " with 95 % intervals",
		X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true}, Y: reports.Axis{Label: q.Head(), Scale: reports.Log}}
	if q.Dim() == quantity.DimRate { // where lines level off, a linear scale shows the bands
		f.Y.Scale = reports.Linear
	}
	for k, d := range designs {
		s := reports.Series{Name: names[k], Kind: reports.Line}
		in, err := d.Predict(name, sizes.sizes, o.sampling())
		if err != nil && !isExact(err) {
			return nil, err
		}
		for i, n := range sizes.sizes {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, in[i].Value)
			s.Low, s.High = append(s.Low, in[i].Low), append(s.High, in[i].High)
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}
