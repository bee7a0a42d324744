package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// SensitivityRows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func SensitivityRows(d whatif.Design, names []string, sizes []quantity.Bytes, units quantity.UnitChoice) (reports.Rows, error) {
	type sensitivity struct {
		whatif.Sensitivity
		of   whatif.Quantity
		size quantity.Bytes
		now  float64
	}
	var all []sensitivity
	for _, n := range sizes {
		for _, name := range names {
			q, err := d.Quantity(name, n)
			if err != nil {
				return reports.Rows{}, err
			}
			found, err := d.Sensitivities(q, TornadoPart)
			if err != nil {
				return reports.Rows{}, err
			}
			for _, s := range found {
				all = append(all, sensitivity{s, q, n, q.Of(d.Layer.Model)})
			}
		}
	}
	text := func(s sensitivity, v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return units.Print(quantity.Value{Num: v, Dim: s.of.Dim()})
	}
	parameter := func(s sensitivity) (scale float64, unit string) { return whatif.Unit(s.Param.Value.Dim) }
	asked := func(s sensitivity) (scale float64, unit string) { return whatif.Unit(s.of.Dim()) }
	size := "size"
	if !sized(d, names) {
		size = ""
	}
	return tableOf(all,
		col("platform", "", func(sensitivity) any { return d.Platform.Name }),
		col("layer", "", func(sensitivity) any { return d.Layer.Name }),
		col("size_bytes", size, func(s sensitivity) any { return s.size }).ranked(1),
		col("quantity", "quantity", func(s sensitivity) any { return s.of.Name }).ranked(4),
		col("parameter", "parameter", func(s sensitivity) any { return s.Param.Path }),
		col("", "as it is", func(s sensitivity) any { return whatif.Format(s.Param.Value) }).ranked(2),
		col("value", "", func(s sensitivity) any { scale, _ := parameter(s); return s.Param.Value.Num * scale }),
		col("unit", "", func(s sensitivity) any { _, unit := parameter(s); return unit }),
		col("percent_per_percent", "change per percent", func(s sensitivity) any { return s.PerPercent }).texted(percentText("%+.2f %%")),
		col("", "10 % smaller", func(s sensitivity) any { return text(s, s.Low) }).ranked(3),
		col("", "10 % larger", func(s sensitivity) any { return text(s, s.High) }).ranked(3),
		col("quantity_now", "", func(s sensitivity) any { scale, _ := asked(s); return s.now * scale }),
		col("quantity_smaller", "", func(s sensitivity) any { scale, _ := asked(s); return s.Low * scale }),
		col("quantity_larger", "", func(s sensitivity) any { scale, _ := asked(s); return s.High * scale }),
		col("quantity_unit", "", func(s sensitivity) any { _, unit := asked(s); return unit }),
	), nil
}

// leastListed is the share below which an owner has no row, in percent.
const leastListed = 0.05

// OwnerRows lists which stage or parameter owns how much of the one-way time and of the gap of
// messages of these sizes.
func OwnerRows(d whatif.Design, sizes []quantity.Bytes) (reports.Rows, error) {
	type owned struct {
		whatif.Share
		size        quantity.Bytes
		oneWay, gap float64 // percent
	}
	var all []owned
	for _, n := range sizes {
		owners, err := d.Owners(n)
		if err != nil {
			return reports.Rows{}, err
		}
		for _, s := range owners {
			o := owned{s, n, 100 * float64(s.OneWay/d.Layer.Model.OneWay(n)), 100 * float64(s.Gap/d.Layer.Model.Gap(n))}
			if math.Abs(o.oneWay) >= leastListed || math.Abs(o.gap) >= leastListed {
				all = append(all, o)
			}
		}
	}
	rows := tableOf(all,
		col("platform", "", func(owned) any { return d.Platform.Name }),
		col("layer", "", func(owned) any { return d.Layer.Name }),
		col("size_bytes", "size", func(o owned) any { return o.size }),
		col("owner", "owner", func(o owned) any { return o.Owner }),
		col("one_way_us", "of one way", func(o owned) any { return o.OneWay }),
		col("one_way_percent", "part", func(o owned) any { return o.oneWay }).texted(reports.PercentShare),
		col("gap_us", "of gap", func(o owned) any { return o.Gap }),
		col("gap_percent", "part", func(o owned) any { return o.gap }).texted(reports.PercentShare),
	)
	if slices.ContainsFunc(sizes, func(n quantity.Bytes) bool { return model.PacketSize(d.Layer.Model, n) < n }) {
		rows.Notes = []string{"Packets wait for the slowest stage, which owns that time; made faster, it leaves the rest to the next slowest."}
	}
	return rows, nil
}

// A Landmark is a size that people ask for.
type Landmark struct {
	Name      string
	Size      quantity.Bytes // 0: there is none
	Low, High quantity.Bytes // of an interval; 0: none
	InUse     quantity.Bytes // of a threshold
	Meaning   string         // of the interval
}

// LandmarkRows lists n½, the size that reaches 90 % of r∞, and where protocols should switch.
func LandmarkRows(d whatif.Design, sampling whatif.Sampling, units quantity.UnitChoice) (reports.Rows, error) {
	var all []Landmark
	var notes []string
	sampled := func(l *Landmark, in whatif.Interval, err error) error {
		if err == nil {
			l.Low, l.High, l.Meaning = quantity.Bytes(math.Round(in.Low)), quantity.Bytes(math.Round(in.High)), "95 % interval"
		}
		if errors.Is(err, whatif.ErrExact) {
			return nil
		}
		return err
	}
	peak, err := PeakOf(d)
	if err != nil {
		return reports.Rows{}, err
	}
	for _, part := range []float64{0.5, 0.9} {
		l := Landmark{Name: "n½: half of r∞"}
		if part != 0.5 {
			l.Name = fmt.Sprintf("%.0f %% of r∞", 100*part)
		}
		var ok bool
		if l.Size, ok = whatif.SizeFor(d.Layer.Model, part); !ok || !peak.Known {
			notes = append(notes, l.Name+": none, "+peak.Text(units)+".")
			continue
		}
		in, err := d.SizeInterval(part, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	for i, t := range d.Thresholds() {
		l := Landmark{Name: t.Below + " | " + t.Above, InUse: t.InUse}
		if !t.Crosses {
			all = append(all, l)
			notes = append(notes, fmt.Sprintf("%s: by their costs %s nowhere overtakes %s; at %s the faster one is %s.", l.Name, t.Above, t.Below, t.InUse, t.Better))
			continue
		}
		l.Size, l.Low, l.High, l.Meaning = t.Suggested.Size, t.Suggested.Low, t.Suggested.High, "where the two are within 5 %"
		in, _, err := d.ThresholdInterval(i, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	size := func(n quantity.Bytes) any { return orAbsent(n, n > 0) }
	rows := tableOf(all,
		col("platform", "", func(Landmark) any { return d.Platform.Name }),
		col("layer", "", func(Landmark) any { return d.Layer.Name }),
		col("landmark", "landmark", func(l Landmark) any { return l.Name }),
		col("size_bytes", "size", func(l Landmark) any { return size(l.Size) }),
		col("low_bytes", "from", func(l Landmark) any { return orAbsent(l.Low, l.Meaning != "") }),
		col("high_bytes", "to", func(l Landmark) any { return orAbsent(l.High, l.Meaning != "") }),
		col("in_use_bytes", "in use", func(l Landmark) any { return size(l.InUse) }),
		col("meaning", "from and to are", func(l Landmark) any { return orNil(l.Meaning) }).ranked(1),
	)
	rows.Notes = notes
	return rows, nil
}
