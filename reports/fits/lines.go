package fits

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Lines are curves of time against size, one for each table.
type Lines struct {
	Curves []Curve
	units  quantity.UnitChoice // of notes
	// joint are the fits of collectives that nccl-tests measured on one number of ranks; nil
	// without any. A platform has them beside the curves, and answers about these ranks.
	joint *Collectives
	pairs string // says that the tables are of pairs of nodes, which are no layers
}

// Sizes are tables of one size, through which no line goes.
type Sizes struct {
	Lines  // without curves
	Tables []Summary
}

// linesOf returns the curves of the tables as they are saved.
func linesOf(curves []Curve, sources []benchmarks.Source, units quantity.UnitChoice) Lines {
	return Lines{curves, units, ofOnePlace(sources), ofPairs(sources)}
}

// ofOnePlace returns the joint fits of collectives that nccl-tests measured on one number of ranks;
// nil if there are none.
func ofOnePlace(sources []benchmarks.Source) *Collectives {
	logs := slices.DeleteFunc(slices.Clone(sources), func(s benchmarks.Source) bool {
		return !ofNCCLTests(s) || s.Table.Collective.Ranks < 2
	})
	if len(logs) == 0 {
		return nil
	}
	joint, _, _, err := collectives(logs, fit.MeasuredOptions{})
	if err != nil {
		return nil
	}
	return joint
}

// ofPairs names the command that finds slow nodes, if columns of the tables name pairs of nodes.
func ofPairs(sources []benchmarks.Source) string {
	pairs, file := 0, ""
	for _, s := range sources {
		if slices.ContainsFunc(s.Table.Labels, func(l benchfile.Label) bool {
			return namesNode(l.Column)
		}) {
			pairs, file = pairs+1, cmp.Or(file, s.File.Name)
		}
	}
	if pairs < 2 {
		return ""
	}
	return fmt.Sprintf("%d tables of pairs of nodes; slow ones are found by halfpeak fleet %s",
		pairs, usage.ShellLine(file))
}

// Made has a layer for each curve that can be one, and the collectives of logs.
func (l *Lines) Made() (d platforms.Platform, remarks string, err error) {
	if l.pairs != "" {
		return d, "", usage.Fields(fmt.Errorf("%s; as runs of one measurement they are a platform",
			l.pairs), "save", "runs")
	}
	if l.joint != nil {
		d, _, _ = l.joint.Made()
	}
	remarks = addCurves(&d, l.Curves)
	if len(d.Layers) == 0 && len(d.Collectives) == 0 {
		return d, "", fmt.Errorf("nothing to save: none of the curves can be a layer%s",
			strings.ReplaceAll(remarks, "\n", "; "))
	}
	return d, remarks, nil
}

// A segment is a row: one line of a curve.
type segment struct {
	Curve
	*fit.Segment
	table  string
	number int
}

// segmentsOf returns the rows of curves, whose tables have these names.
func segmentsOf(curves []Curve, names []string) (all []segment) {
	for k, c := range curves {
		for i := range c.Segments {
			all = append(all, segment{c, &c.Segments[i], names[k], i + 1})
		}
	}
	return all
}

// hasHalf reports whether the line of the segment holds at its n½: it is the only one, or n½ is
// among its sizes.
func (s segment) hasHalf() bool {
	return len(s.Curve.Segments) == 1 || s.From <= s.NHalf() && s.NHalf() <= s.To
}
