package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// tornadoPart is by how much a tornado changes each parameter.
const tornadoPart = 0.1

// oneSize is the default of questions about one size.
func (o *whatifOptions) oneSize(cmd *cobra.Command) {
	if !cmd.Flags().Changed("size") {
		o.sizes = newSizes("64KiB")
	}
}

// runSensitivity prints what a percent of each parameter changes, and draws what ten do.
func (o *whatifOptions) runSensitivity(cmd *cobra.Command, d whatif.Design) error {
	o.oneSize(cmd)
	names := o.of
	if len(names) == 0 {
		names = []string{"one_way"}
	}
	perPercent := func(v any) string { return minus(fmt.Sprintf("%+.2f %%", v)) }
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform"}, {Key: "layer"}, {Key: "size_bytes", Head: "size"}, {Key: "quantity", Head: "quantity"}, {Key: "parameter", Head: "parameter"}, {Head: "as it is"},
		{Key: "value"}, {Key: "unit"}, {Key: "percent_per_percent", Head: "change per percent", Text: perPercent},
		{Head: "10 % smaller"}, {Head: "10 % larger"}, {Key: "quantity_now"}, {Key: "quantity_smaller"}, {Key: "quantity_larger"}, {Key: "quantity_unit"},
	}}
	var picture reports.Picture
	for _, n := range o.sizes.sizes {
		for _, name := range names {
			q, err := whatif.NewQuantity(name, n)
			if err != nil {
				return err
			}
			all, err := d.Sensitivities(q, tornadoPart)
			if err != nil {
				return err
			}
			if picture == nil {
				picture = tornado(d, q, all)
			}
			now := q.Of(d.Layer.Model)
			text := func(v float64) any {
				if math.IsNaN(v) {
					return nil
				}
				return whatif.Format(quantity.Value{Num: v, Dim: q.Dim()})
			}
			for _, s := range all {
				scale, unit := whatif.Unit(s.Param.Value.Dim)
				qScale, qUnit := whatif.Unit(q.Dim())
				rows.Data = append(rows.Data, []any{d.Platform.Name, d.Layer.Name, n, name, s.Param.Path, whatif.Format(s.Param.Value),
					s.Param.Value.Num * scale, unit, s.PerPercent, text(s.Low), text(s.High), now * qScale, s.Low * qScale, s.High * qScale, qUnit})
			}
		}
	}
	if o.plot != "" && (len(o.sizes.sizes) > 1 || len(names) > 1) {
		return usagef("a tornado shows one quantity of one size; give one --size and one --of")
	}
	return o.write(cmd, rows, picture)
}

func tornado(d whatif.Design, q whatif.Quantity, all []whatif.Sensitivity) reports.Picture {
	now := q.Of(d.Layer.Model)
	t := reports.Tornado{Title: d.Layer.Ref() + ": " + q.Title(), X: reports.Axis{Label: q.Head()}, Base: now,
		BaseLabel: whatif.Format(quantity.Value{Num: now, Dim: q.Dim()}), Less: "parameter 10 % smaller", More: "parameter 10 % larger"}
	all = slices.Clone(all)
	width := func(s whatif.Sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Low, s.High} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b whatif.Sensitivity) int { return compareFloats(width(b), width(a)) })
	for _, s := range all {
		if width(s) > 1e-9*now {
			t.Bars = append(t.Bars, reports.Bar{Name: s.Param.Short() + " " + whatif.Format(s.Param.Value), Low: s.Low, High: s.High})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Parameters that change nothing here: %d.", still))
	}
	return t
}

// runWhere prints and draws which stage or parameter owns how much of the time.
func (o *whatifOptions) runWhere(cmd *cobra.Command, d whatif.Design) error {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform"}, {Key: "layer"}, {Key: "size_bytes", Head: "size"}, {Key: "owner", Head: "owner"},
		{Key: "one_way_us", Head: "of one way"}, {Key: "one_way_percent", Head: "part", Text: wholePercent},
		{Key: "gap_us", Head: "of gap"}, {Key: "gap_percent", Head: "part", Text: wholePercent},
	}}
	for _, n := range o.sizes.sizes {
		owners, err := d.Owners(n)
		if err != nil {
			return err
		}
		for _, s := range owners {
			oneWay, gap := 100*float64(s.OneWay/d.Layer.Model.OneWay(n)), 100*float64(s.Gap/d.Layer.Model.Gap(n))
			if math.Abs(oneWay) >= 0.05 || math.Abs(gap) >= 0.05 {
				rows.Data = append(rows.Data, []any{d.Platform.Name, d.Layer.Name, n, s.Owner, s.OneWay, oneWay, s.Gap, gap})
			}
		}
	}
	if slices.ContainsFunc(o.sizes.sizes, func(n quantity.Bytes) bool { return model.PacketSize(d.Layer.Model, n) < n }) {
		rows.Notes = append(rows.Notes, "Packets wait for the slowest stage, which owns that time; made faster, it leaves the rest to the next slowest.")
	}
	var picture reports.Picture
	if o.plot != "" {
		var err error
		if picture, err = o.wherePicture(cmd, d); err != nil {
			return err
		}
	}
	return o.write(cmd, rows, picture)
}

func wholePercent(v any) string { return fmt.Sprintf("%.0f %%", v) }

func (o *whatifOptions) wherePicture(cmd *cobra.Command, d whatif.Design) (reports.Picture, error) {
	gap := len(o.of) > 0 && o.of[0] == "gap"
	if len(o.of) > 1 || len(o.of) == 1 && !gap && o.of[0] != "one_way" {
		return nil, usagef("--where divides the one-way time or the gap: give --of one_way or --of gap")
	}
	sizes := o.sizes
	if !cmd.Flags().Changed("size") || len(sizes.sizes) < 2 {
		sizes = newSizes("1..1MiB/16")
	}
	lo, hi := slices.Min(sizes.sizes), slices.Max(sizes.sizes)
	boundaries := model.Boundaries(d.Layer.Model, lo, hi)
	a := reports.Areas{Title: d.Layer.Ref() + ": where the one-way time goes", X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y: reports.Axis{Label: "part of the one-way time (%)", Max: 100}}
	if gap {
		a.Title, a.Y.Label = d.Layer.Ref()+": what keeps the next message waiting", "part of the gap (%)"
	}
	for i, n := range withBoundaries(sizes.sizes, boundaries) {
		owners, err := d.Owners(n)
		if err != nil {
			return nil, err
		}
		a.XS = append(a.XS, float64(n))
		for k, s := range owners {
			if i == 0 {
				a.Parts = append(a.Parts, reports.Part{Name: s.Owner})
			}
			of := float64(s.OneWay / d.Layer.Model.OneWay(n))
			if gap {
				of = float64(s.Gap / d.Layer.Model.Gap(n))
			}
			a.Parts[k].Y = append(a.Parts[k].Y, 100*max(of, 0))
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p reports.Part) bool { return slices.Max(p.Y) < 0.5 })
	for _, n := range boundaries {
		a.Marks = append(a.Marks, reports.Mark{Kind: reports.AtX, X: float64(n), Label: model.Regime(d.Layer.Model, n) + " up to " + n.String()})
	}
	return a, nil
}

// runLandmarks prints the sizes that people ask for.
func (o *whatifOptions) runLandmarks(cmd *cobra.Command, d whatif.Design) error {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform"}, {Key: "layer"}, {Key: "landmark", Head: "landmark"}, {Key: "size_bytes", Head: "size"},
		{Key: "low_bytes", Head: "from"}, {Key: "high_bytes", Head: "to"}, {Key: "in_use_bytes", Head: "in use"}, {Key: "meaning", Head: "from and to are"},
	}}
	add := func(landmark string, cells ...any) {
		rows.Data = append(rows.Data, append([]any{d.Platform.Name, d.Layer.Name, landmark}, cells...))
	}
	l := d.Layer.Model
	for _, part := range []float64{0.5, 0.9} {
		name := "n½: half of r∞"
		if part != 0.5 {
			name = fmt.Sprintf("%.0f %% of r∞", 100*part)
		}
		n, ok := whatif.SizeFor(l, part)
		if !ok {
			rows.Notes = append(rows.Notes, name+": none, "+asymptotes(l)+".")
			continue
		}
		low, high, meaning := any(nil), any(nil), any(nil)
		in, err := d.SizeInterval(part, o.sampling())
		switch {
		case err == nil:
			low, high, meaning = quantity.Bytes(math.Round(in.Low)), quantity.Bytes(math.Round(in.High)), "95 % interval"
		case !isExact(err):
			return err
		}
		add(name, n, low, high, nil, meaning)
	}
	for i, t := range d.Thresholds() {
		name := t.Below + " | " + t.Above
		if !t.Crosses {
			add(name, nil, nil, nil, t.InUse, nil)
			rows.Notes = append(rows.Notes, fmt.Sprintf("%s: by their costs %s nowhere overtakes %s; at %s the faster one is %s.", name, t.Above, t.Below, t.InUse, t.Better))
			continue
		}
		low, high, meaning := t.Suggested.Low, t.Suggested.High, "where the two are within 5 %"
		in, _, err := d.ThresholdInterval(i, o.sampling())
		switch {
		case err == nil:
			low, high, meaning = quantity.Bytes(math.Round(in.Low)), quantity.Bytes(math.Round(in.High)), "95 % interval"
		case !isExact(err):
			return err
		}
		add(name, t.Suggested.Size, low, high, t.InUse, meaning)
	}
	return o.write(cmd, rows, nil)
}
