package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure returns the picture of the ranks, or of the scaling.
func (a Answer) Figure() (table.Picture, error) {
	if a.Scaling == nil {
		return a.drawn, nil
	}
	return scalingFigure(a.Scaling)
}

// scalingFigure draws the finish against the number of ranks, of each machine and set of
// parameters. If there is one, it also draws the parts of the finish, the finish without any cost
// of more ranks (ideal), and where messages begin to take most of the time.
func scalingFigure(s *Scaling) (table.Picture, error) {
	type row = Scaled
	f := table.Figure{Title: s.Name, X: table.Axis{Label: "ranks", Log: true, Twos: true},
		Y: table.Axis{Label: "time", Dim: quantity.DimTime, Log: true}}
	rows := slices.Clone(s.Rows)
	slices.SortStableFunc(rows, func(a, b row) int { return a.Ranks - b.Ranks })
	if len(rows) == 0 || rows[0].Ranks == rows[len(rows)-1].Ranks {
		return nil, errors.New("a picture of scaling needs at least two numbers of ranks")
	}
	var machines []string
	for _, r := range s.Rows { // in the order of the question
		if !slices.Contains(machines, r.Machine) {
			machines = append(machines, r.Machine)
		}
	}
	f.Title += " on " + strings.Join(machines, ", ")
	add := func(name string, r row, t quantity.Micros) {
		i := slices.IndexFunc(f.Series, func(x table.Series) bool { return x.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, table.Series{Name: name, Kind: table.Line})
		}
		if t > 0 { // else the logarithm has no place for it
			f.Series[i].X = append(f.Series[i].X, float64(r.Ranks))
			f.Series[i].Y = append(f.Series[i].Y, float64(t))
		}
	}
	several := differ(s, func(r row) string { return r.Machine + " " + r.Params })
	var efficiencies []string
	for _, r := range rows {
		if several {
			add(strings.TrimSpace(r.Machine+" "+r.Params), r, r.Finish)
			continue
		}
		add("finish", r, r.Finish)
		add("ideal", r, r.Finish*quantity.Micros(r.Efficiency))
		add("computes", r, r.Computing)
		if r.Unit != "" {
			add("communication shown", r, r.Shown)
			add("bubbles", r, r.Bubbles)
		} else {
			add("overheads", r, r.Messages)
			add("waits", r, r.Waiting)
		}
		if ratio(r.Efficiency) != nil {
			efficiencies = append(efficiencies,
				fmt.Sprintf("%.3g %% on %d", 100*r.Efficiency, r.Ranks))
		}
	}
	for _, line := range slices.Clone(f.Series) {
		line.Kind = table.Points // what was computed: the line between them is a guess
		f.Series = append(f.Series, line)
	}
	if len(efficiencies) > 0 {
		f.Notes = []string{"Efficiency: " + strings.Join(efficiencies, ", ") + " ranks."}
		for _, k := range s.Knees {
			f.Marks = append(f.Marks, table.Mark{Kind: table.AtX, X: float64(k.Ranks),
				Label: "messages take half"})
		}
	}
	return f, nil
}
