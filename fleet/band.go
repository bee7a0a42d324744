package fleet

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Line is β in µs and τ in µs/B.
type Line struct{ Beta, Tau float64 }

// Time returns β + nτ in µs.
func (l Line) Time(n quantity.Bytes) float64 { return l.Beta + l.Tau*float64(n) }

// Lines returns the lines of the pairs, nodes or curves of the part, each of the medians of its
// measurements: of all, or of those of a finding. With one size there are none.
func (p *Part) Lines(of *Finding) (lines []Line) {
	beta := map[string]float64{}
	for _, s := range p.Spreads {
		if s.Quantity == Beta {
			for _, u := range s.units {
				beta[u.key] = u.median()
			}
		}
	}
	for _, s := range p.Spreads {
		if s.Quantity != Tau {
			continue
		}
		for _, u := range s.units {
			if of == nil || of.covers(u) {
				lines = append(lines, Line{beta[u.key], u.median()})
			}
		}
	}
	return lines
}

// covers reports whether a unit belongs to the finding: the pair, the curve, or a pair of the node.
func (f *Finding) covers(u unit) bool {
	if len(f.Nodes) == 0 {
		return u.key == f.Name
	}
	return !slices.ContainsFunc(f.Nodes, func(n string) bool { return !slices.Contains(u.nodes, n) })
}
