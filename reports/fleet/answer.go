package fleet

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Finding is a node, a pair or a curve compared with the fleet.
type Finding struct {
	// Nodes is one for a node, and two for a pair. A curve that nothing names has a Path instead.
	Nodes []string
	Path  string
	Group Group
	Quantity
	// Pair is set for a pair, beyond what its nodes explain.
	Pair bool
	// Role is "sender" or "receiver" for a node that is slow in that direction.
	Role string
	// Across is set if a link is slow and no node: all pairs of a node of Across and one of Nodes
	// are slower, and pairs within Across or within Nodes are not. Blocks are the names of both
	// sides.
	Across []string
	Blocks []string
	// Values is the number of curves behind it.
	Values int
	// Effect is the relative difference from the fleet's value: 0.1 is 10 % slower. In a comparison
	// with before it is the change of the quantity, less the fleet's change. Its
	// interval: of the reported effects at most FDR lie beyond either end, on average (Benjamini
	// and Yekutieli 2005); if TwoSided, beyond both.
	Effect quantity.Interval
	// First and Last are the effects at the smallest and the largest size; NaN if unknown. If Wrong
	// is set, they describe the finding and Effect does not, since the line through all sizes
	// misses one of them by half.
	First, Last float64
	Wrong       bool
	// P is the p-value, Q the q-value (Benjamini and Hochberg 1995).
	P, Q float64
	// Apart are other nodes that stand out but have usual times with this one: together they may be
	// in another part of the network rather than slow.
	Apart []string
	// Reported is set if Q is at most FDR and the effect at least MinEffect.
	Reported bool
}

// subject returns what was found: the node, the pair "a b", the two sides of a link,
// or the path. It is also the key by which findings of several groups are combined.
func (f *Finding) subject() string {
	switch {
	case len(f.Nodes) == 0:
		return f.Path
	case f.Blocks != nil:
		return strings.Join(f.Blocks, " to ")
	}
	return strings.Join(f.Nodes, " ")
}

// A spread is the distribution of a quantity over the pairs, nodes or curves of a group, each by
// the median of its measurements.
type spread struct {
	Quantity
	Units     int
	Quantiles [7]float64 // minimum, 5, 25, 50, 75, 95 %, maximum
	// Scatter is the robust standard deviation over the median. Residual is the same beyond the
	// effects of nodes: the noise with which a pair is compared.
	Scatter, Residual float64
	// Shift is the relative change of the fleet since before, with its 95 % interval, if Compared.
	Shift    quantity.Interval
	Compared bool
	model    *model
	units    []unit // now
}

// A groupSummary is what was measured in one group. It keeps the models, from which
// maps and curves are drawn later.
type groupSummary struct {
	Group
	Curves, Units int
	Names         []string // of the nodes
	Spreads       []spread
	// Doubt gives the effects that the group is too small to identify, if any.
	Doubt string
}

// An Answer is the findings in a fleet's curves. It has tables, a map and a page.
type Answer struct {
	Options
	Files, Curves int
	Nodes         int // by their names
	groups        []groupSummary
	// Findings are the reported findings, the largest effect first; with Options.All, all other
	// tests follow.
	Findings []Finding
	// Small is the number of findings with an effect below Options.MinEffect.
	Small int
	Tests int
	// Next has the smallest p-value of the tests that chance explains, to be measured again. Nil if
	// every test is a finding.
	Next *Finding
	// Degrees is the number of degrees of freedom of the Student's t that has the tails of the
	// residuals, for the quantity with the heaviest tails.
	Degrees float64
	// Skipped lists the files and outputs that were not used, or only in part.
	skipped []skippedFile
	// OnlyNow and OnlyBefore are the curves that have no partner in a comparison.
	Compared            bool
	OnlyNow, OnlyBefore int
	remarks             table.Rows // the input, the tests and the doubts; without rows
	pattern             string     // that may name the nodes in the names of files
	guessed             bool       // the nodes are those that pattern gives
	// Broken is an error if some files could not be read; the answer covers the rest.
	Broken error
}

// Reported is the number of findings that are reported.
func (f *Answer) Reported() int { return len(f.reported()) }

// reported returns the findings that are reported. They stand first, whatever else [Options.All]
// keeps.
func (f *Answer) reported() []Finding {
	if i := slices.IndexFunc(f.Findings, func(x Finding) bool { return !x.Reported }); i >= 0 {
		return f.Findings[:i]
	}
	return f.Findings
}

// lines returns the line of each pair, node or curve of the part that is asked for, by
// the medians of their measurements. With one size there are no lines. A unit without β
// has the line τ·n: the sizes are then so large that β does not show.
func (p *groupSummary) lines(asked func(unit) bool) (lines []line) {
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
			if asked(u) {
				lines = append(lines, line{beta[u.key], u.median()})
			}
		}
	}
	return lines
}

// covers reports whether a unit belongs to the finding: the pair, the curve, a pair of the node, or
// a pair across the link. Pairs inside a side of a link do not, even if the side is two nodes.
func (f *Finding) covers(u unit) bool {
	if len(f.Nodes) == 0 {
		return u.key == f.Path
	}
	if f.Across != nil {
		inside := func(side []string) bool {
			return slices.ContainsFunc(u.nodes, func(n string) bool {
				return slices.Contains(side, n)
			})
		}
		return inside(f.Nodes) && inside(f.Across)
	}
	for _, name := range f.Nodes {
		if !slices.Contains(u.nodes, name) {
			return false
		}
	}
	return true
}
