package fleet

import (
	"fmt"
	"slices"
	"strings"

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
	to := func(notes *[]string) func(format string, args ...any) {
		return func(format string, args ...any) {
			*notes = append(*notes, fmt.Sprintf(format, args...))
		}
	}
	say, doubt := to(&f.remarks.Notes), to(&f.remarks.Doubts)
	if f.guessed {
		doubt("The nodes are those that the pattern %q of file names gives; give another pattern "+
			"if that is wrong.", f.pattern)
	}
	var others []skippedFile
	for _, s := range f.skipped {
		if s.unmatched {
			others = append(others, s)
		}
	}
	if len(others) > 0 {
		doubt("Not tested: %s with another name than the pattern %q, the first because %s.",
			quantity.Plural(len(others), "file"), f.Name, others[0].reason)
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
	say("%s.", what)
	if f.Degrees > 0 {
		say("%s at a false discovery rate of %.3g %%; the noise has tails like those of "+
			"Student's t with %.1f degrees of freedom.",
			quantity.Plural(f.Tests, "test"), 100*f.FDR, f.Degrees)
	}
	for _, names := range f.apart() {
		last := len(names) - 1
		doubt("%s and %s have usual times with each other: they may be in another part of the "+
			"network; name groups of nodes in a file of places to find out.",
			strings.Join(names[:last], ", "), names[last])
	}
	// Above q = 0.5 the candidate is more likely chance than not, and not worth a
	// night of measuring.
	if x := f.Next; x != nil && x.Q < 0.5 && x.Effect.Value >= f.MinEffect {
		next := to(&f.remarks.Next)
		next("Next, but not significant (q = %.2g): %s, %s of %s in %s; measure again.",
			x.Q, x.subject(), table.PercentChange(x.Effect.Value), quantityWord(x.Quantity),
			x.Group)
	}
	if f.Small > 0 {
		are := "findings are"
		if f.Small == 1 {
			are = "finding is"
		}
		say("%d more %s below the minimum effect of %.3g %%.", f.Small, are, 100*f.MinEffect)
	}
	f.noteDoubts(doubt)
	if f.Compared && f.OnlyNow+f.OnlyBefore > 0 {
		doubt("Without a partner to compare with: %s now, %s before.",
			quantity.Plural(f.OnlyNow, "curve"), quantity.Plural(f.OnlyBefore, "curve"))
	}
	f.noteSkipped(doubt)
}

// noteSkipped names the files that were not used, or only in part: first those that
// could not be read, which may hold a slow node, then those that are not outputs of a
// benchmark.
func (f *Answer) noteSkipped(say func(format string, args ...any)) {
	named := 0
	for _, fault := range []bool{true, false} { // files that could not be read come first
		what := map[bool]string{true: "Not read to the end", false: "Skipped"}[fault]
		for _, l := range f.skipped {
			if l.fault != fault {
				continue
			}
			if named++; named <= maxNamedFiles {
				say("%s: %s.", what, strings.TrimSuffix(l.reason, "."))
			}
		}
	}
	if named > maxNamedFiles {
		say("Skipped: %d more files or outputs; the list of skipped files names all.",
			named-maxNamedFiles)
	}
}

// noteDoubts writes each doubt once, with its groups.
func (f *Answer) noteDoubts(say func(format string, args ...any)) {
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
			say("In all groups, %s.", p.Doubt)
		// A line for each group would fill the screen with the same sentence.
		case len(in) > 2:
			say("In %d groups (%s, …), %s.", len(in), in[0], p.Doubt)
		default:
			for _, g := range in {
				say("%s: %s.", g, p.Doubt)
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
