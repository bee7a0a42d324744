package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// signatureSeries returns the intervals of a signature against the number of
// messages, one series for each Δ. Bursts of one Δ stand together in the table, so a
// new name begins a series.
func signatureSeries(
	bursts []benchfile.Burst, kind table.SeriesKind, name func(delta quantity.Micros) string,
) []table.Series {
	var all []table.Series
	for _, b := range bursts {
		of := name(b.Delta)
		if k := len(all); k == 0 || all[k-1].Name != of {
			all = append(all, table.Series{Name: of, Kind: kind})
		}
		s := &all[len(all)-1]
		s.X, s.Y = append(s.X, float64(b.Messages)), append(s.Y, float64(b.Interval))
	}
	return all
}

// A SignatureQuestion asks for the LogP signatures that the engine runs, as HP-LAM's figure 4.1: a
// line for each Δ, with the parameters that a fit reads off these lines. The layer's own parameters
// are not drawn: the figure shows that they come back. The layers must say what occupies both
// processors.
type SignatureQuestion struct {
	On    []platforms.Design // each is one layer
	Title string             // empty: the names of the layers
}

func (q SignatureQuestion) Ask(context.Context) (d table.Drawn, err error) {
	f, err := signature(q.On)
	f.Title = cmp.Or(q.Title, f.Title)
	return table.Drawn{Picture: f}, err
}

func signature(designs []platforms.Design) (table.Figure, error) {
	f := table.Figure{
		X:     table.Axis{Label: "messages", Log: true, Twos: true},
		Y:     table.Axis{Label: "average interval", Dim: quantity.DimTime},
		Notes: []string{"Requests issued by a simulated node, a computation of Δ after each."},
	}
	names := list.Map(designs, func(d platforms.Design) string { return d.Layer.Ref() })
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
		r, err := newRun(&Validation{}, EngineQuestion{}, d)
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
			if len(designs) == 1 { // the title has it
				return "Δ = " + fixed(delta)
			}
			return d.Layer.Ref() + ": Δ = " + fixed(delta)
		}
		lines := signatureSeries(bursts, table.Line, name)
		if len(designs) == 1 {
			f.Series = append(f.Series, lines...)
		} else { // more lines than colours could not be told apart
			f.Series = append(f.Series, lines[0], lines[len(lines)-1])
		}
		found, err := fit.LogP(&benchfile.Table{Kind: benchfile.Interval, Bursts: bursts}, rtt)
		if err != nil {
			continue // the signature is drawn although LogP does not describe it
		}
		// Lines are in the order of Δ: the first has Δ = 0, the last the longest.
		first, last := lines[0], lines[len(lines)-1]
		mark := func(s table.Series, i int, label string, of quantity.Micros) {
			f.Marks = append(f.Marks, table.Mark{
				Kind: table.AtPoint, X: s.X[i], Y: s.Y[i], Series: s.Name,
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

// fixed prints a time in a name of a series or mark, which CSV and JSON have too.
func fixed(t quantity.Micros) string {
	return quantity.Value{Num: float64(t), Dim: quantity.DimTime}.Fixed()
}
