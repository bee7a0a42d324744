package whatif

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// landmarkRows lists n½, the size that reaches 90 % of r∞, and where protocols should
// switch: the sizes that a user looks for in a curve. Intervals are given where
// parameters have them; otherwise the range of a switch is where both sides are
// within 5 %, since there the choice does not matter.
func landmarkRows(d Design, sampling Sampling, units quantity.UnitChoice) (reports.Rows, error) {
	var all []landmark
	var notes []string
	// A landmark without an interval is no error.
	sampled := func(l *landmark, in quantity.Interval, err error) error {
		if err == nil {
			l.Low, l.High, l.Meaning = quantity.Bytes(math.Round(in.Low)),
				quantity.Bytes(math.Round(in.High)), "95 % interval"
		}
		if errors.Is(err, ErrExact) {
			return nil
		}
		return err
	}
	peak := d.Layer.Peak()
	for _, of := range []struct {
		part float64
		name string
	}{{0.5, "n½: half of r∞"}, {0.9, "90 % of r∞"}} {
		l := landmark{Name: of.name}
		var ok bool
		if l.Size, ok = model.SizeFor(d.Layer.Model, of.part); !ok || !peak.Known {
			notes = append(notes, l.Name+": none, "+peak.Text(units)+".")
			continue
		}
		in, err := d.sizeInterval(of.part, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	// A threshold without a crossing still has a row: the size in use, and a note
	// that says which side is faster.
	for i, t := range d.Thresholds() {
		l := landmark{Name: t.Below + " | " + t.Above, InUse: t.InUse}
		if !t.Crosses {
			all = append(all, l)
			notes = append(notes,
				fmt.Sprintf("%s: %s is faster than %s at no size; at %s, %s is the faster one.",
					l.Name, t.Above, t.Below, t.InUse, t.Better))
			continue
		}
		l.Size, l.Low, l.High, l.Meaning = t.Suggested.Size, t.Suggested.Low, t.Suggested.High,
			"where the two are within 5 %"
		in, _, err := d.thresholdInterval(i, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	size := func(n quantity.Bytes) any { return reports.OrAbsent(n, n > 0) }
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(landmark) any { return d.Platform.Name }),
		reports.Col("layer", "", func(landmark) any { return d.Layer.Name }),
		reports.Col("landmark", "landmark", func(l landmark) any { return l.Name }),
		reports.Col("size_bytes", "size", func(l landmark) any { return size(l.Size) }),
		reports.Col("low_bytes", "from", func(l landmark) any {
			return reports.OrAbsent(l.Low, l.Meaning != "")
		}),
		reports.Col("high_bytes", "to", func(l landmark) any {
			return reports.OrAbsent(l.High, l.Meaning != "")
		}),
		reports.Col("in_use_bytes", "in use", func(l landmark) any { return size(l.InUse) }),
		reports.Col("meaning", "range",
			func(l landmark) any { return reports.OrNil(l.Meaning) }).Ranked(1),
	)
	rows.Notes = notes
	return rows, nil
}

// A landmark is a row of landmarkRows.
type landmark struct {
	Name      string
	Size      quantity.Bytes // 0: none
	Low, High quantity.Bytes // of an interval; 0: none
	InUse     quantity.Bytes // of a threshold
	Meaning   string         // of the interval
}
