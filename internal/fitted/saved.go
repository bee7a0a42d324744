package fitted

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A platform file saves measurements, not parameters: a fit is made again when it is asked for, so
// that a newer version of the method applies to older files.

// DataOf returns the measurements of a table of a platform file; their Name is that of the table.
func DataOf(t platforms.MeasuredCollective) Data {
	d := Data{Of: t.Of, Name: t.Name, Foreign: t.LibraryAlgorithm,
		Statistic: Statistic(t.Statistic), Groups: t.Groups}
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
	return d
}

// Measured returns the measurements as a platform file has them, from which [DataOf] reads them.
// There must be one point for each call, as a [Result] has them.
func (d Data) Measured(name, source string) platforms.MeasuredCollective {
	sizes := stats.Ascending(list.Map(d.Points, func(p Point) quantity.Bytes { return p.Size }))
	c := platforms.MeasuredCollective{
		Name: name, Of: d.Of,
		LibraryAlgorithm: d.Foreign, Statistic: string(d.Statistic), Groups: d.Groups,
		Sizes: sizes, Source: source,
	}
	repeated := false
	for _, at := range d.placements() {
		took, deviation := make([]quantity.Micros, len(sizes)), make([]quantity.Micros, len(sizes))
		count := make([]int64, len(sizes))
		for _, p := range d.Points {
			if p.placement() != at {
				continue
			}
			i, _ := slices.BinarySearch(sizes, p.Size)
			took[i] = p.Time
			if p.Count > 1 && p.Deviation > 0 {
				repeated = true
				count[i], deviation[i] = p.Count, quantity.Micros(p.Deviation)*p.Time
			}
		}
		c.Ranks, c.PerNode = append(c.Ranks, at.Ranks), append(c.PerNode, at.PerNode)
		c.Times, c.Runs = append(c.Times, took), append(c.Runs, count)
		c.Deviations = append(c.Deviations, deviation)
	}
	if d.perNode() == 0 {
		c.PerNode = nil // not known
	}
	if !repeated {
		c.Runs, c.Deviations = nil, nil
	}
	return c
}
