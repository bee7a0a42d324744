package check

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/internal/reports/predict"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// fixed prints a time in a name of a series or mark, which CSV and JSON have too.
func fixed(t quantity.Micros) string {
	return quantity.Value{Num: float64(t), Dim: quantity.DimTime}.Fixed()
}

// A paperFigure is a figure of a paper, drawn from the models: data and not code says
// which (data/figures.toml), so that a platform's figures need no Go.
type paperFigure struct {
	Name string // a file's name without its extension
	reports.Picture
}

// PaperFigures draws the figures of the papers that package papers lists. An error
// names the figure.
func PaperFigures() ([]paperFigure, error) {
	listed, err := papers.Figures()
	if err != nil {
		return nil, err
	}
	var all []paperFigure
	for _, f := range listed {
		picture, err := draw(f)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		all = append(all, paperFigure{f.Name, picture})
	}
	return all, nil
}

func draw(f papers.Figure) (reports.Picture, error) {
	sizes, err := quantity.ParseSizes(f.Sizes)
	if err != nil {
		return nil, err
	}
	var designs []halfpeak.Design
	for _, ref := range f.Platforms {
		d, err := halfpeak.Open(ref)
		if err != nil {
			return nil, err
		}
		// Some figures show packets that are not the platform's.
		if d, err = d.Recut(f.Packet); err != nil {
			return nil, err
		}
		designs = append(designs, d)
	}
	switch f.Kind {
	case "timeline":
		t, err := predict.Timeline(designs[0], sizes[0])
		t.Title = f.Title
		return t, err
	case "signature":
		s, err := Signature(designs...)
		s.Title = f.Title
		return s, err
	}
	c, err := predict.Curves(predict.CurveKind(f.Kind), sizes, designs...)
	c.Title = f.Title
	return c, err
}

// Signature draws the LogP signatures that the engine runs, as HP-LAM's figure 4.1: a
// line for each Δ, with the parameters that a fit reads off these lines. The layer's
// own parameters are not drawn: the figure shows that they come back. The layers must
// say what occupies both processors.
func Signature(designs ...halfpeak.Design) (reports.Figure, error) {
	f := reports.Figure{
		X:     reports.Axis{Label: "messages", Log: true, Twos: true},
		Y:     reports.Axis{Label: "average interval", Dim: quantity.DimTime},
		Notes: []string{"Requests issued by a simulated node, a computation of Δ after each."},
	}
	names := list.Map(designs, func(d halfpeak.Design) string { return d.Layer.Ref() })
	f.Title = strings.Join(names, ", ") + ": LogP signature"
	bursting, err := programs.Find("signature", programs.Simulated)
	if err != nil {
		return f, err
	}
	for _, d := range designs {
		// A signature is of gaps and overheads, which one-way times do not show.
		if err := d.Layer.GapError(); err != nil {
			return f, err
		}
		r, err := newRun(&Validation{}, ValidateOptions{}, d.Design)
		if err != nil {
			return f, err
		}
		// Shares of the longest interval, as in the paper's figure: below the gap,
		// about it and above.
		bursts, rtt := r.bursts(bursting, []quantity.Micros{0, 0.25, 0.5, 1, 1.5, 2})
		if r.err != nil {
			return f, fmt.Errorf("%s: %w", d.Layer.Ref(), r.err)
		}
		name := func(delta quantity.Micros) string {
			return d.Layer.Ref() + ": Δ = " + fixed(delta)
		}
		lines := signatureSeries(bursts, reports.Line, name)
		f.Series = append(f.Series, lines...)
		found, err := fit.LogP(&benchfile.Table{Kind: benchfile.Interval, Bursts: bursts}, rtt)
		if err != nil {
			continue // the signature is drawn although LogP does not describe it
		}
		// Lines are in the order of Δ: the first has Δ = 0, the last the longest.
		first, last := lines[0], lines[len(lines)-1]
		mark := func(s reports.Series, i int, label string, of quantity.Micros) {
			f.Marks = append(f.Marks, reports.Mark{
				Kind: reports.AtPoint, X: s.X[i], Y: s.Y[i], Series: s.Name,
				Label: label + " = " + fixed(of),
			})
		}
		mark(first, 0, "o_s", found.Value.SendOverhead)
		// If the overheads hide the gap, only an upper limit of g is known.
		if found.Low.GapTime > 0 {
			mark(first, len(first.X)-1, "g", found.Value.GapTime)
		} else {
			mark(first, len(first.X)-1, "g ≤ o_s + o_r", found.High.GapTime)
		}
		mark(last, len(last.X)-1, "Δ + o_s + o_r, so o_r", found.Value.ReceiveOverhead)
		f.Notes = append(f.Notes,
			fmt.Sprintf("%s: L = RTT/2 − o_s − o_r = %v, with the round trip of %v.",
				d.Layer.Ref(), found.Value.Latency, rtt))
	}
	return f, nil
}
