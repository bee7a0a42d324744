package fits

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// jointly reports whether collectives need a joint fit over numbers of ranks, instead
// of a curve over sizes for each table. It is needed if one collective was measured
// on several numbers of ranks: only then the data say how its time grows with the
// ranks, which is what a user of such files asks. It is also needed if the options
// name a collective or an algorithm, which curves have no use for.
func jointly(sources []benchmarks.Source, o fit.MeasuredOptions) bool {
	// The first number of ranks of each series. A second, different one decides, so
	// the set of all of them is not kept.
	ranks := map[string]int{}
	for _, s := range sources {
		c := s.Table.Collective
		// Some benchmarks print nodes and no ranks; PerNode supplies the rest.
		if c.Ranks == 0 {
			c.Ranks = c.Nodes * o.PerNode
		}
		// A collective alone is a wish only for tables with a number of ranks.
		// Without one it may just complete a table that does not name its collective.
		asked := o.Algorithm != "" || o.Collective != "" && c.Ranks > 0
		if s.Table.Kind == benchfile.Collective && asked {
			return true
		}
		// A table without ranks cannot differ from another one, unless the user gives
		// a number for each.
		if s.Table.Kind != benchfile.Collective || c.Ranks == 0 && len(o.Ranks) < 2 {
			continue
		}
		// Two benchmarks of a collective are two series: they time it in different
		// ways.
		of, name := s.Series()
		key := of + " " + name
		if before, seen := ranks[key]; c.Ranks == 0 || seen && before != c.Ranks {
			return true
		}
		ranks[key] = c.Ranks
	}
	return false
}

// whyNotJointly returns notes on what keeps files of collectives from a joint fit. A
// user who passed them by mistake without --measured-ranks would otherwise only see
// curves, and not learn that more was possible.
func whyNotJointly(sources []benchmarks.Source, o fit.MeasuredOptions) (notes []string) {
	ranks, unsaid := 0, 0
	for _, s := range sources {
		switch c := s.Table.Collective; {
		case s.Table.Kind != benchfile.Collective:
		case c.Ranks == 0 && c.Nodes*o.PerNode == 0:
			unsaid++
		default:
			ranks = c.Ranks
		}
	}
	// A single table without ranks gets no note: most likely its user wants a curve.
	switch {
	case unsaid > 1 && len(o.Ranks) == 1:
		notes = append(notes,
			fmt.Sprintf("%d tables of collectives do not give their numbers of ranks, so that %d "+
				"is used for all; with a number for each they are fitted jointly",
				unsaid, o.Ranks[0]))
	case unsaid > 1:
		notes = append(notes,
			fmt.Sprintf("%d tables of collectives do not give their numbers of ranks; with these "+
				"they are fitted jointly", unsaid))
	}
	if ranks > 0 && unsaid == 0 {
		notes = append(notes,
			fmt.Sprintf("a collective on %d ranks only: one number of ranks identifies neither "+
				"its algorithm nor the times on other numbers; add files of other numbers",
				ranks))
	}
	return notes
}

// beside fits the collectives of the files jointly, and the other tables each by itself: a folder
// of one machine's outputs has both. The other curves are not printed, since a table has one kind
// of row, but saved and drawn.
func (f *Fitted) beside(o fit.Options) error {
	var joint, others []benchmarks.Source
	for _, s := range f.sources {
		if s.Table.Kind == benchfile.Collective {
			joint = append(joint, s)
		} else {
			others = append(others, s)
		}
	}
	if err := f.collectives(joint, o.Measured); err != nil || len(others) == 0 {
		return err
	}
	var notes []string
	// That no line goes through them is no error beside the collectives, but a note.
	f.Curves, _, notes, _ = fitCurves(others, o)
	if len(f.Curves) == 0 {
		notes = []string{fmt.Sprintf("skipped %d tables that measure no collective", len(others))}
	} else {
		names := layerNames(f.Curves)
		if n := len(names) - fewNames; n > 1 {
			names = append(names[:fewNames], fmt.Sprintf("and %d more", n))
		}
		f.Notes = append(f.Notes, fmt.Sprintf("%d tables measure no collective: they are saved "+
			"as layers (%s); the model piecewise prints their lines", len(f.Curves),
			strings.Join(names, ", ")))
	}
	f.Notes = append(f.Notes, notes...)
	return nil
}

// fewNames is the number of layers that a note names: a file of runs has one for each.
const fewNames = 3

// collectives fits each series by itself. One bad series must not hide the others: it
// is left out with a note, and it is an error only if none remains. The first error
// is returned then, because the notes of a failed fit are not printed.
func (f *Fitted) collectives(sources []benchmarks.Source, o fit.MeasuredOptions) error {
	all, notes, err := benchmarks.SeriesOf(sources, o)
	if err != nil && len(all) == 0 {
		return err
	} else if err != nil {
		f.Broken, f.LeftOut = cmp.Or(f.Broken, err), append(f.LeftOut, "left out: "+err.Error())
	}
	f.Notes = notes
	if len(all) == 0 {
		err := errors.New("no table is one of a collective; " +
			"name the collective of a CSV file, such as bcast")
		return usage.Fields(err, "model", "collective")
	}
	var first error
	for _, s := range all {
		r, err := fitted.Fit(s)
		if err != nil {
			first = cmp.Or(first, err)
			f.Notes = append(f.Notes, s.Label()+": left out: "+err.Error())
			continue
		}
		f.Collectives = append(f.Collectives, r)
	}
	if len(f.Collectives) == 0 {
		return first
	}
	return nil
}

// NodesText words [fitted.Parameters.Nodes]: 0 if the placement is not known, 1 for
// data within a node, 2 for data that span nodes, whose α differs.
var NodesText = []string{"", "one", "several"}
