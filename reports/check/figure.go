package check

import (
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the bandwidth of the one-way times of the program latency: model,
// engine, CLIP's bound, and measurements of the papers. The engine's points should
// lie on the line of the model.
func (v *Validation) Figure() (table.Picture, error) {
	f := table.Figure{
		X: table.Axis{Label: "message size", Log: true, Bytes: true},
		Y: table.Axis{Label: "bandwidth", Dim: quantity.DimRate, Log: true},
	}
	add := func(name string, kind table.SeriesKind, x, y, low, high float64) {
		i := slices.IndexFunc(f.Series, func(s table.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, table.Series{Name: name, Kind: kind})
		}
		s := &f.Series[i]
		s.X, s.Y = append(s.X, x), append(s.Y, y)
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	var drawn []validated
	var refs []string
	for _, r := range v.Results {
		// Other programs measure intervals or round trips, which have no place on this axis.
		if r.Program != "latency" || r.Quantity != "one way" {
			continue
		}
		if drawn = append(drawn, r); !slices.Contains(refs, r.Platform+"/"+r.Layer) {
			refs = append(refs, r.Platform+"/"+r.Layer)
		}
	}
	f.Title = strings.Join(refs, ", ") + ": bandwidth, model and engine"
	for _, r := range drawn {
		n, ref, none := float64(r.Size), r.Platform+"/"+r.Layer+": ", math.NaN()
		if len(refs) == 1 { // the title has it
			ref = ""
		}
		add(ref+"model", table.Line, n, n/r.Model, none, none)
		add(ref+"engine", table.Points, n, n/r.Engine, none, none)
		if !math.IsNaN(r.PaperBound) {
			add(ref+"the paper's bound", table.Line, n, n/r.PaperBound, none, none)
		}
		// A bound is no point of a curve. The longest time is the lower end of the
		// bandwidth.
		if m := r.Measured; !math.IsNaN(m.Value) && r.timeRelation() == "" {
			add(ref+"measured", table.Points, n, n/m.Value, n/m.High, n/max(0, m.Low))
		}
	}
	return f, nil
}
