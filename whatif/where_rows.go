package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// SensitivityRows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func SensitivityRows(d Design, quantities []Quantity, sizes []quantity.Bytes, units quantity.UnitChoice) (reports.Rows, error) {
	type sensitivity struct {
		Sensitivity
		of   Quantity
		size quantity.Bytes
		now  float64
	}
	var all []sensitivity
	for _, n := range sizes {
		for _, q := range quantities {
			found, err := d.Sensitivities(q.At(n), TornadoPart)
			if err != nil {
				return reports.Rows{}, err
			}
			for _, s := range found {
				all = append(all, sensitivity{s, q.At(n), n, q.At(n).Of(d.Layer.Model)})
			}
		}
	}
	text := func(s sensitivity, v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return units.Print(quantity.Value{Num: v, Dim: s.of.Dim()})
	}
	parameter := func(s sensitivity) unit { return unitOf(s.Param.Value.Dim) }
	asked := func(s sensitivity) unit { return unitOf(s.of.Dim()) }
	return reports.TableOf(all,
		reports.Col("platform", "", func(sensitivity) any { return d.Platform.Name }),
		reports.Col("layer", "", func(sensitivity) any { return d.Layer.Name }),
		reports.Col("size_bytes", reports.HeadIf(sized(quantities), "size"), func(s sensitivity) any { return s.size }).Ranked(1),
		reports.Col("quantity", "quantity", func(s sensitivity) any { return s.of.Name }).Ranked(4),
		reports.Col("parameter", "parameter", func(s sensitivity) any { return s.Param.Path }),
		reports.Col("", "current", func(s sensitivity) any { return Format(s.Param.Value) }).Ranked(2),
		reports.Col("value", "", func(s sensitivity) any { return s.Param.Value.Num * parameter(s).scale }),
		reports.Col("unit", "", func(s sensitivity) any { return parameter(s).name }),
		reports.Col("percent_per_percent", "change per percent", func(s sensitivity) any { return s.PerPercent }).Texted(reports.PercentText("%+.2f %%")),
		reports.Col("", "10 % smaller", func(s sensitivity) any { return text(s, s.Low) }).Ranked(3),
		reports.Col("", "10 % larger", func(s sensitivity) any { return text(s, s.High) }).Ranked(3),
		reports.Col("quantity_now", "", func(s sensitivity) any { return s.now * asked(s).scale }),
		reports.Col("quantity_smaller", "", func(s sensitivity) any { return s.Low * asked(s).scale }),
		reports.Col("quantity_larger", "", func(s sensitivity) any { return s.High * asked(s).scale }),
		reports.Col("quantity_unit", "", func(s sensitivity) any { return asked(s).name }),
	), nil
}

// leastListed is the share below which an owner has no row, in percent.
const leastListed = 0.05

// OwnerRows lists which stage or parameter owns how much of the one-way time and of the gap of
// messages of these sizes.
func OwnerRows(d Design, sizes []quantity.Bytes) (reports.Rows, error) {
	type owned struct {
		Share
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
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(owned) any { return d.Platform.Name }),
		reports.Col("layer", "", func(owned) any { return d.Layer.Name }),
		reports.Col("size_bytes", "size", func(o owned) any { return o.size }),
		reports.Col("owner", "component", func(o owned) any { return o.Owner }),
		reports.Col("one_way_us", "of one way", func(o owned) any { return o.OneWay }),
		reports.Col("one_way_percent", "share", func(o owned) any { return o.oneWay }).Texted(reports.PercentShare),
		reports.Col("gap_us", "of gap", func(o owned) any { return o.Gap }),
		reports.Col("gap_percent", "share", func(o owned) any { return o.gap }).Texted(reports.PercentShare),
	)
	if slices.ContainsFunc(sizes, func(n quantity.Bytes) bool { return model.PacketSize(d.Layer.Model, n) < n }) {
		rows.Notes = []string{"Packets wait for the slowest stage, and this time counts as that of the stage. If it becomes faster, they wait for the next slowest."}
	}
	if model.LinesOf(d.Layer.Model) != d.Layer.Model {
		rows.Notes = append(rows.Notes, "The times are those of the measured curve, the shares those of the fitted lines.")
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
func LandmarkRows(d Design, sampling Sampling, units quantity.UnitChoice) (reports.Rows, error) {
	var all []Landmark
	var notes []string
	sampled := func(l *Landmark, in Interval, err error) error {
		if err == nil {
			l.Low, l.High, l.Meaning = quantity.Bytes(math.Round(in.Low)), quantity.Bytes(math.Round(in.High)), "95 % interval"
		}
		if errors.Is(err, ErrExact) {
			return nil
		}
		return err
	}
	peak := PeakOf(d)
	for _, part := range []float64{0.5, 0.9} {
		l := Landmark{Name: map[float64]string{0.5: "n½: half of r∞", 0.9: "90 % of r∞"}[part]}
		var ok bool
		if l.Size, ok = SizeFor(d.Layer.Model, part); !ok || !peak.Known {
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
			notes = append(notes, fmt.Sprintf("%s: %s is faster than %s at no size; at %s, %s is the faster one.", l.Name, t.Above, t.Below, t.InUse, t.Better))
			continue
		}
		l.Size, l.Low, l.High, l.Meaning = t.Suggested.Size, t.Suggested.Low, t.Suggested.High, "where the two are within 5 %"
		in, _, err := d.ThresholdInterval(i, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	size := func(n quantity.Bytes) any { return reports.OrAbsent(n, n > 0) }
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(Landmark) any { return d.Platform.Name }),
		reports.Col("layer", "", func(Landmark) any { return d.Layer.Name }),
		reports.Col("landmark", "landmark", func(l Landmark) any { return l.Name }),
		reports.Col("size_bytes", "size", func(l Landmark) any { return size(l.Size) }),
		reports.Col("low_bytes", "from", func(l Landmark) any { return reports.OrAbsent(l.Low, l.Meaning != "") }),
		reports.Col("high_bytes", "to", func(l Landmark) any { return reports.OrAbsent(l.High, l.Meaning != "") }),
		reports.Col("in_use_bytes", "in use", func(l Landmark) any { return size(l.InUse) }),
		reports.Col("meaning", "range", func(l Landmark) any { return reports.OrNil(l.Meaning) }).Ranked(1),
	)
	rows.Notes = notes
	return rows, nil
}
