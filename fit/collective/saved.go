package collective

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A platform file saves measurements, not parameters: a fit is made again when it is asked for, so
// that a newer version of the method applies to older files.

// DataOf returns the measurements of a table of a platform file; their Name is that of the table.
// The table's algorithm must be in the registry, unless it is named as the library calls it.
func DataOf(t platforms.MeasuredCollective) (Data, error) {
	d := Data{Collective: t.Collective, Name: t.Name, Foreign: t.LibraryAlgorithm,
		Statistic: Statistic(t.Statistic)}
	if t.Algorithm != "" {
		e, err := engine.Find(t.Collective, t.Algorithm)
		if err != nil {
			return d, err
		}
		d.Algorithm = e.Name
	}
	for i, ranks := range t.Ranks {
		for j, size := range t.Sizes {
			if !(t.Times[i][j] > 0) {
				continue // not measured
			}
			p := Point{Ranks: ranks, Size: size, Time: t.Times[i][j], Count: 1}
			if t.PerNode != nil {
				p.PerNode = t.PerNode[i]
			}
			if t.Runs != nil && t.Deviations != nil {
				p.Count = max(1, t.Runs[i][j])
				p.Deviation = float64(t.Deviations[i][j] / p.Time)
			}
			d.Points = append(d.Points, p)
		}
	}
	return d, nil
}

// notMeasured stands in a line of a table for a size that was not measured on these ranks.
const notMeasured = "-"

// Table returns the measurements as a table of a platform file, which [DataOf] reads. There must be
// one point for each call, as a [Result] has them.
func (d Data) Table(name, source string) platforms.CollectiveTable {
	sizes := stats.Ascending(list.Map(d.Points, func(p Point) quantity.Bytes { return p.Size }))
	exact := func(n quantity.Bytes) string { return fmt.Sprintf("%.12gB", float64(n)) }
	t := platforms.CollectiveTable{
		Name: name, Collective: d.Collective, Algorithm: d.Algorithm,
		LibraryAlgorithm: d.Foreign, Statistic: string(d.Statistic),
		Sizes: list.Map(sizes, exact), Source: source,
	}
	repeated := false
	for _, at := range d.placements() {
		// One line of the table: a word for each size.
		took := slices.Repeat([]string{notMeasured}, len(sizes))
		count, deviation := slices.Clone(took), slices.Clone(took)
		for _, p := range d.Points {
			if p.placement() != at {
				continue
			}
			i, _ := slices.BinarySearch(sizes, p.Size)
			took[i] = platforms.ExactMicros(p.Time)
			if p.Count > 1 && p.Deviation > 0 {
				repeated = true
				count[i] = strconv.FormatInt(p.Count, 10)
				deviation[i] = platforms.ExactMicros(quantity.Micros(p.Deviation) * p.Time)
			}
		}
		t.Ranks = append(t.Ranks, strconv.Itoa(at.Ranks))
		t.RanksPerNode = append(t.RanksPerNode, strconv.Itoa(at.PerNode))
		t.Times = append(t.Times, strings.Join(took, " "))
		t.Runs = append(t.Runs, strings.Join(count, " "))
		t.Deviations = append(t.Deviations, strings.Join(deviation, " "))
	}
	if d.perNode() == 0 {
		t.RanksPerNode = nil // not known
	}
	if !repeated {
		t.Runs, t.Deviations = nil, nil
	}
	return t
}
