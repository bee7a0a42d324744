package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// maxNamedFiles bounds the skipped files that the notes name one by one. A folder may hold
// thousands of files of other kinds; skippedRows has them all.
const maxNamedFiles = 10

// note writes the notes: the input, the tests, what to measure again, the doubts, and
// the files that were not used. They come in the order in which a reader doubts:
// whether all was read, what was tested, what may be missing.
func (f *Answer) note() {
	if f.guessed {
		f.remarks.Add(remark.GuessedNodes(f.pattern))
	}
	var others []skippedFile
	for _, s := range f.skipped {
		if s.unmatched {
			others = append(others, s)
		}
	}
	if len(others) > 0 {
		f.remarks.Add(remark.OtherNames(len(others), f.Name, others[0].reason))
	}
	what := fmt.Sprintf("%s in %s of like curves, from %s",
		quantity.Plural(f.Curves, "curve"), quantity.Plural(len(f.groups), "group"),
		quantity.Plural(f.Files, "file"))
	if f.Nodes > 0 {
		what += " and " + quantity.Plural(f.Nodes, "node")
	} else {
		what += "; the names of the nodes are not known: give a pattern of file names, "
		if f.pattern != "" {
			what += fmt.Sprintf("here perhaps %q, ", f.pattern)
		}
		what += "or the columns with the names"
	}
	f.remarks.Add(remark.Input(what))
	if f.Degrees > 0 {
		f.remarks.Add(remark.Tests(f.Tests, f.FDR, f.Degrees))
	}
	for _, names := range f.apart() {
		f.remarks.Add(remark.AnotherPart(names))
	}
	// Above q = 0.5 the candidate is more likely chance than not, and not worth a
	// night of measuring.
	if x := f.Next; x != nil && x.Q < 0.5 && x.Effect.Value >= f.MinEffect {
		f.remarks.Add(remark.MeasureAgain(x.Q, x.subject(),
			table.PercentChange(x.Effect.Value), quantityWord(x.Quantity), x.Group.String()))
	}
	if f.Small > 0 {
		f.remarks.Add(remark.SmallFindings(f.Small, f.MinEffect))
	}
	f.noteDoubts()
	if f.Compared && f.OnlyNow+f.OnlyBefore > 0 {
		f.remarks.Add(remark.NoPartners(f.OnlyNow, f.OnlyBefore))
	}
	f.noteSkipped()
}

// noteSkipped names the files that were not used, or only in part: first those that
// could not be read, which may hold a slow node, then those that are not outputs of a
// benchmark.
func (f *Answer) noteSkipped() {
	named := 0
	for _, fault := range []bool{true, false} { // files that could not be read come first
		note := remark.NotAFile
		if fault {
			note = remark.NotReadToEnd
		}
		for _, l := range f.skipped {
			if l.fault != fault {
				continue
			}
			if named++; named <= maxNamedFiles {
				f.remarks.Add(note(strings.TrimSuffix(l.reason, ".")))
			}
		}
	}
	if named > maxNamedFiles {
		f.remarks.Add(remark.MoreSkipped(named - maxNamedFiles))
	}
}

// noteDoubts writes each doubt once, with its groups.
func (f *Answer) noteDoubts() {
	groups := map[string][]string{}
	for _, p := range f.groups {
		groups[p.Doubt] = append(groups[p.Doubt], p.String())
	}
	said := map[string]bool{"": true}
	for _, p := range f.groups {
		in, again := groups[p.Doubt], said[p.Doubt]
		said[p.Doubt] = true
		switch {
		case again:
		case len(in) == len(f.groups) && len(in) > 1:
			f.remarks.Add(remark.InGroups("In all groups, ", p.Doubt))
		// A line for each group would fill the screen with the same sentence.
		case len(in) > 2:
			f.remarks.Add(remark.InGroups(
				fmt.Sprintf("In %d groups (%s, …), ", len(in), in[0]), p.Doubt))
		default:
			for _, g := range in {
				f.remarks.Add(remark.InGroups(g+": ", p.Doubt))
			}
		}
	}
}

// apart returns the sets of nodes that stand out and have usual times with each other. Those with a
// node in common are one set.
func (f *Answer) apart() (sets [][]string) {
	for _, x := range f.reported() {
		if len(x.Apart) == 0 {
			continue
		}
		set := append([]string{x.subject()}, x.Apart...)
		sets = slices.DeleteFunc(sets, func(other []string) bool {
			common := slices.ContainsFunc(other, func(name string) bool {
				return slices.Contains(set, name)
			})
			if common {
				set = append(set, other...)
			}
			return common
		})
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	return sets
}
