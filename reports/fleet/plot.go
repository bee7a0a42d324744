package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// maxMapColumns is the largest number of columns of a map: in a picture of 800 pixels a cell is
// then about four pixels wide. With more nodes, a cell shows the slowest pair of several.
const maxMapColumns = 160

// Figure returns the heat map of the group with the largest finding or, without
// findings, of the first group: a map without findings shows that the fleet is even.
// It is an error if no group is one of pairs, or if nothing differs from before.
func (f *Answer) Figure() (table.Picture, error) {
	for _, x := range f.reported() {
		if m, ok := f.mapOf(x.Group, x.Quantity); ok {
			return m, nil
		}
	}
	white := false
	for i := range f.groups {
		for k := len(f.groups[i].Spreads) - 1; k >= 0; k-- { // τ before latency
			m, ok := f.mapOf(f.groups[i].Group, f.groups[i].Spreads[k].Quantity)
			if ok && (!f.Compared || differs(m)) {
				return m, nil
			}
			white = white || ok
		}
	}
	if white {
		return nil, usage.Fields(errors.New("no pair of nodes differs from before, so that a map "+
			"would be white: are the measurements the same?"), "plot", "against")
	}
	err := errors.New("the map shows nodes against nodes, and no curve is between two nodes; " +
		"a pattern of file names can give them")
	return nil, usage.Fields(err, "plot", "name")
}

// differs reports whether a map has a cell that is not 0 but for rounding.
func differs(m table.HeatMap) bool {
	return slices.ContainsFunc(m.Z, func(row []float64) bool {
		return slices.ContainsFunc(row, func(percent float64) bool {
			return math.Abs(percent) > 1e-9
		})
	})
}

// part returns the part of a group, and its distribution of a quantity; nil if there is none.
func (f *Answer) spreadOf(g Group, q Quantity) (*groupSummary, *spread) {
	for i := range f.groups {
		if f.groups[i].Group != g {
			continue
		}
		for k := range f.groups[i].Spreads {
			if f.groups[i].Spreads[k].Quantity == q {
				return &f.groups[i], &f.groups[i].Spreads[k]
			}
		}
	}
	return nil, nil
}

// mapOf returns the heat map of a group; false if its curves are not of pairs, or
// were not fitted.
func (f *Answer) mapOf(g Group, q Quantity) (h table.HeatMap, ok bool) {
	_, s := f.spreadOf(g, q)
	if s == nil || s.model == nil || s.model.fit == nil || len(s.model.names) < 2 {
		return h, false
	}
	m, order := s.model, s.model.order()
	each := (len(order) + maxMapColumns - 1) / maxMapColumns
	h = table.HeatMap{
		Title: "Pairs of nodes, " + quantityWord(q) + ": " + g.title(),
		Value: table.Axis{Label: "slower than typical (%)"},
		Z:     m.cells(order, each), Changes: true,
	}
	if f.Compared {
		h.Value.Label = "slower than before (%)"
	}
	for i := range h.Z {
		h.XS, h.Names = append(h.XS, float64(i)), append(h.Names, m.names[order[i*each]])
	}
	// A map of nodes against nodes has the same names on both axes.
	h.YS = h.XS
	note := "Nodes whose pairs differ alike stand side by side."
	if len(order) > maxOrderedNodes {
		note = fmt.Sprintf("The nodes are in the order of their names, "+
			"since there are more than %d.", maxOrderedNodes)
	}
	if m.blocks != nil {
		note = "Nodes of a block stand side by side; in a block, those whose pairs differ alike."
	}
	if each > 1 {
		note += fmt.Sprintf(" A cell is of %d nodes by %d, the slowest pair of them.", each, each)
	}
	h.Notes = []string{note}
	h.Marks = f.mapMarks(g, q, m.names, order, each)
	return h, true
}

// maxMarks is the largest number of findings that a map names: the table has all of them.
const maxMarks = 8

// mapMarks marks the findings of a group: a pair at its cell, and a node on the diagonal, where its
// row and column cross. Order has the places of the nodes, of which a cell shows each.
func (f *Answer) mapMarks(g Group, q Quantity, names []string, order []int,
	each int) (marks []table.Mark) {
	at := map[string]float64{}
	for i, k := range order {
		at[names[k]] = float64(i / each)
	}
	for _, x := range f.reported() {
		if x.Group != g || x.Quantity != q || len(x.Nodes) == 0 || len(x.Across) > 0 {
			continue
		}
		column, known := at[x.Nodes[0]]
		row, too := at[x.Nodes[len(x.Nodes)-1]]
		if known && too && len(marks) < maxMarks {
			marks = append(marks, table.Mark{Kind: table.AtPoint, X: column, Y: row,
				Label: strings.Join(x.Nodes, "–") + " " + table.PercentChange(x.Effect.Value)})
		}
	}
	return marks
}

// minOthers is the number of lines without a finding from which these are the band that findings
// are drawn over.
const minOthers = 3

// curves draws the lines of a group's findings over the band of the others, as bandwidth in percent
// of their median at each size: a node that is 8 % slow cannot be seen in MB/s over decades of
// sizes. Three slow nodes of ten are in more than half of the pairs, so the median of all pairs
// would be a slow one, and the findings would lie inside the band.
func (f *Answer) curves(g Group) (fig table.Figure, ok bool) {
	p, _ := f.spreadOf(g, Tau)
	if p == nil || g.Last <= g.First {
		return fig, false
	}
	// At equal factors, since the axis is logarithmic.
	const points = 60
	found := slices.DeleteFunc(slices.Clone(f.reported()), func(x Finding) bool {
		return x.Group != g
	})
	all, whose := p.lines(func(u unit) bool {
		return !slices.ContainsFunc(found, func(x Finding) bool { return x.covers(u) })
	}), "others"
	if len(all) < minOthers {
		all, whose = p.lines(func(unit) bool { return true }), "fleet"
	}
	fig = table.Figure{
		Title: g.title(),
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "bandwidth (% of the median of the " + whose + ")"},
	}
	sizes := make([]float64, points)
	for i := range sizes {
		sizes[i] = float64(g.First) * math.Pow(float64(g.Last/g.First), float64(i)/(points-1))
	}
	band := table.Series{Name: "90 % of the " + whose, Kind: table.Band, X: sizes}
	middle := table.Series{Name: "90 % of the " + whose, Kind: table.Line, X: sizes}
	at := func(lines []line, n float64) []float64 {
		rates := list.Map(lines, func(l line) float64 { return n / l.time(quantity.Bytes(n)) })
		slices.Sort(rates)
		return rates
	}
	middles := make([]float64, points)
	for i, n := range sizes {
		r := at(all, n)
		middles[i] = stats.Quantile(r, 0.5)
		band.Y = append(band.Y, 100)
		band.Low = append(band.Low, 100*stats.Quantile(r, 0.05)/middles[i])
		band.High = append(band.High, 100*stats.Quantile(r, 0.95)/middles[i])
	}
	middle.Y = band.Y
	fig.Series = append(fig.Series, band, middle)
	shown := map[string]bool{}
	for _, x := range found {
		// More lines over one band would hide each other; the table of findings has them all.
		if shown[x.subject()] || len(shown) == 5 {
			continue
		}
		shown[x.subject()] = true
		// A finding of a group without lines, as of one size, has nothing to draw.
		lines := p.lines(x.covers)
		if len(lines) == 0 {
			continue
		}
		s := table.Series{Name: x.subject(), Kind: table.Line, X: sizes}
		for i, n := range sizes {
			s.Y = append(s.Y, 100*stats.Quantile(at(lines, n), 0.5)/middles[i])
		}
		fig.Series = append(fig.Series, s)
	}
	low, high := 100.0, 100.0
	for _, s := range fig.Series {
		all := slices.Concat(s.Y, s.Low, s.High)
		low, high = min(low, slices.Min(all)), max(high, slices.Max(all))
	}
	// Whole steps of 5 %, at least 1 % beyond the data: curves that touch the frame are hard to
	// read.
	fig.Y.Min, fig.Y.Max = 5*math.Floor(low/5-0.2), 5*math.Ceil(high/5+0.2)
	fig.Notes = []string{"The lines are fits; that of a node or a link is the median of its pairs."}
	return fig, len(shown) > 0
}

// maxSlowestPairs bounds the pairs under a map, which a reader looks through by eye.
const maxSlowestPairs = 20

// slowest returns the pairs of a group with the largest effects, whether or not they
// stand out. The effects hold those of the nodes, as the cells of the map above them
// do.
func (f *Answer) slowest(g Group, q Quantity) table.Rows {
	_, s := f.spreadOf(g, q)
	m := s.model
	effect := func(l link) float64 { return m.effect(l.y - m.fit.mu) }
	slowestFirst := func(x, y link) int { // then by name, in whose order the nodes are numbered
		return cmp.Or(
			cmp.Compare(effect(y), effect(x)), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	}
	links := slices.SortedFunc(slices.Values(m.links), slowestFirst)
	return table.TableOf(links[:min(len(links), maxSlowestPairs)],
		table.Col("node_a", "node", func(l link) any { return m.names[l.a] }),
		table.Col("node_b", "node", func(l link) any { return m.names[l.b] }),
		table.Col("slower_percent", "slower than typical", func(l link) any {
			return 100 * effect(l)
		}).Texted(table.PercentText("%+.1f %%")))
}

// maxDrawnGroups bounds the groups that a page draws, which has a table of all groups as well.
const maxDrawnGroups = 4

// Document returns a page to send: the findings, their place in the fleet, and its
// distribution. It draws the groups with findings or, without findings, one, so that
// the reader sees what was compared.
func (f *Answer) Document() table.Document {
	title := fmt.Sprintf("A fleet of %s", quantity.Plural(f.Nodes, "node"))
	if f.Nodes == 0 {
		title = fmt.Sprintf("A fleet of %s", quantity.Plural(f.Curves, "curve"))
	}
	if f.Compared {
		title += ": what changed"
	}
	doc := table.Document{Title: title, Lead: []string{f.summary()}}
	if f.Broken != nil {
		doc.Lead = append(doc.Lead, "This report is incomplete: "+f.Broken.Error()+".")
	}
	if len(f.reported()) > 0 {
		worst := table.Table{Rows: f.worstRows()}
		doc.Sections = append(doc.Sections,
			table.Section{Title: "Findings", Blocks: []table.Block{worst}})
	}
	var drawn []Group
	where := table.Section{Title: "Node by node"}
	draw := func(g Group, q Quantity) {
		if len(drawn) == maxDrawnGroups || slices.Contains(drawn, g) {
			return
		}
		m, ok := f.mapOf(g, q)
		if !ok {
			return
		}
		drawn = append(drawn, g)
		where.Blocks = append(where.Blocks,
			table.Drawing{Title: m.Title, Picture: m, Numbers: f.slowest(g, q)})
		if c, ok := f.curves(g); ok {
			where.Blocks = append(where.Blocks,
				table.Drawing{Title: "Findings over the usual band", Picture: c})
		}
	}
	for _, x := range f.reported() {
		draw(x.Group, x.Quantity)
	}
	for _, p := range f.groups {
		if len(drawn) == 0 && len(p.Spreads) > 0 {
			draw(p.Group, p.Spreads[len(p.Spreads)-1].Quantity)
		}
	}
	if where.Blocks != nil {
		doc.Sections = append(doc.Sections, where)
	}
	groups := table.Table{Rows: f.groupRows()}
	// Remarks have a section of their own.
	groups.Rows.Notes = nil
	notes := table.Section{Title: "Input and tests"}
	for _, n := range f.remarks.Remarks() {
		notes.Blocks = append(notes.Blocks, table.Paragraph(n))
	}
	doc.Sections = append(doc.Sections,
		table.Section{Title: "The fleet, group by group", Blocks: []table.Block{groups}}, notes)
	return doc
}

// summary returns the first paragraph of the page: how much stands out, and the worst of it.
func (f *Answer) summary() string {
	worst := f.worst()
	if len(worst) == 0 {
		return f.nothingFound()
	}
	var kinds []string
	count := map[string]int{}
	for _, x := range worst {
		kind := kindOfFinding(x.Finding)
		if count[kind]++; count[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = quantity.Plural(count[kind], strings.TrimSuffix(kind, "s"))
	}
	x, verb := slices.MaxFunc(worst, func(a, b worstFinding) int {
		return cmp.Compare(math.Abs(a.Effect.Value), math.Abs(b.Effect.Value))
	}), "stand out"
	if len(worst) == 1 {
		verb = "stands out"
	}
	effect := table.PercentChange(x.Effect.Value) + " of " + quantityWord(x.Quantity)
	return fmt.Sprintf("%s %s. The largest is %s: %s in %d of %d groups, most in %s.",
		strings.Join(kinds, ", "), verb, x.subject(), effect,
		x.groups, f.groupsOf(x.Finding), x.Group)
}
