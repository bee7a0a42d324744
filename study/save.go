package study

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// LineTables are the tables of a layer that a fit found: one line, or a switch between layers
// that are lines, named after it. The errors are those of [fit.Result.Layer].
func LineTables(name, source string, r *fit.Result) ([]platforms.Table, error) {
	layer, err := r.Layer()
	if err != nil {
		return nil, err
	}
	linear := func(name, source string, s fit.Segment) platforms.Table {
		t := platforms.Table{Kind: "layer", Name: name}
		t.Set("model", "linear")
		t.Set("beta", micros(s.Beta.Value)+plusMinus(float64(s.Beta.Low), float64(s.Beta.High), "us"))
		t.Set("tau", perKiB(s.Tau.Value)+plusMinus(float64(s.Tau.Low.Times(quantity.KiB)), float64(s.Tau.High.Times(quantity.KiB)), "us/KiB"))
		t.Set("source", source)
		return t
	}
	lines, several := layer.(*model.Switch)
	if !several {
		return []platforms.Table{linear(name, source, r.Segments[0])}, nil
	}
	var branches [][]platforms.Key
	var parts []platforms.Table
	for k, b := range lines.Branches {
		part := fmt.Sprintf("%s-%d", name, k+1)
		branch := []platforms.Key{{Name: "layer", Value: part}}
		if k < len(lines.Branches)-1 {
			branch = append(branch, platforms.Key{Name: "up_to", Value: fmt.Sprintf("%.0fB", float64(b.UpTo))})
		}
		branches = append(branches, branch)
		parts = append(parts, linear(part, fmt.Sprintf("sizes from %s to %s", r.Segments[k].From, r.Segments[k].To), r.Segments[k]))
	}
	t := platforms.Table{Kind: "layer", Name: name}
	t.Set("model", "switch")
	t.Set("branches", branches)
	t.Set("source", source)
	return append([]platforms.Table{t}, parts...), nil
}

// micros and perKiB print 12 significant digits, as everything that programs read.
func micros(t quantity.Micros) string { return fmt.Sprintf("%.12gus", float64(t)) }

func perKiB(t quantity.MicrosPerByte) string {
	return fmt.Sprintf("%.12gus/KiB", float64(t.Times(quantity.KiB)))
}

// plusMinus is the interval of a value in a platform file, which is even about it: half of its
// width on either side. Empty where there is none.
func plusMinus(low, high float64, unit string) string {
	half := (high - low) / 2
	if !(half > 0 && half < 1e300) {
		return ""
	}
	return fmt.Sprintf(" ± %.3g%s", half, unit)
}
