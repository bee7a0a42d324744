package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/reports"
)

// A Reading is the entries of a fleet: of now and, if asked for, of before.
type Reading struct {
	Now, Before []Entry
	// Interrupted gives the progress of an interrupted reading; otherwise it is empty.
	Interrupted string
}

// Load reads the files that roots name, and of before if it is not empty. If ctx ends the reading,
// Load returns the entries read so far. Errors are of the options and the roots.
func Load(ctx context.Context, roots []string, before string, o Options, r Reader) (Reading, error) {
	var in Reading
	var seen Seen
	var err error
	in.Now, seen, err = Read(ctx, roots, o, r)
	if err == nil && before != "" {
		in.Before, seen, err = Read(ctx, []string{before}, o, r)
		if err != nil {
			in.Before = nil // part of it would be compared with the whole
		}
	}
	if errors.Is(err, context.Canceled) {
		in.Interrupted = fmt.Sprintf("interrupted: %d of %d files read", seen.Done, seen.Files)
		if before != "" && seen.Done < seen.Files {
			in.Interrupted += ", and nothing compared"
		}
		err = nil
	}
	return in, err
}

// Analyse compares the curves of a reading.
func Analyse(in Reading, o Options) (*Answer, error) {
	f, err := report(in.Now, in.Before, o)
	switch {
	case in.Interrupted != "":
		f.Broken = errors.New(in.Interrupted)
	case f.FaultsBefore > 0:
		f.Broken = fmt.Errorf("%s of now and %d of before could not be read to the end", plural(f.Faults, "file"), f.FaultsBefore)
	case f.Faults > 0:
		f.Broken = fmt.Errorf("%s could not be read to the end", plural(f.Faults, "file"))
	}
	if err != nil {
		if len(f.Skipped) > 0 {
			err = fmt.Errorf("%w; %s", err, f.Skipped[0].Reason)
		}
		if f.Broken != nil {
			err = fmt.Errorf("%w (%w)", err, f.Broken)
		}
		return nil, err
	}
	f.note()
	return f, nil
}

// mostNamed is the number of files that are named one by one.
const mostNamed = 10

// note writes the notes.
func (f *Answer) note() {
	say := func(format string, args ...any) { f.Notes = append(f.Notes, fmt.Sprintf(format, args...)) }
	what := fmt.Sprintf("%s in %s of like curves, from %s", plural(f.Curves, "curve"), plural(len(f.Parts), "group"), plural(f.Files, "file"))
	if f.Nodes > 0 {
		what += " and " + plural(f.Nodes, "node")
	} else {
		what += "; the nodes have no names: give a pattern of file names, or the columns that have them"
	}
	say("%s.", what)
	if f.Degrees > 0 {
		say("%s at a false discovery rate of %.3g %%; the noise has tails like those of Student's t with %.1f degrees of freedom.", plural(f.Tests, "test"), 100*f.FDR, f.Degrees)
	}
	noted := map[string]bool{}
	for _, x := range f.ReportedFindings() {
		if who := x.Who(); len(x.Apart) > 0 && !noted[who] {
			noted[who] = true
			say("%s has usual times with %s, in %s: together they may be in another part of the network rather than slow; give the groups of nodes to find out.", who, strings.Join(x.Apart, " and "), x.Group)
		}
	}
	if x := f.Next; x != nil && x.Q < 0.5 && x.Effect >= f.MinEffect {
		say("Next, but not significant (q = %.2g): %s, %s of %s in %s; measure again.", x.Q, x.Who(), reports.PercentChange(x.Effect), quantityWord(x.Quantity), x.Group)
	}
	if f.Small > 0 {
		say("%d more findings are below the minimum effect of %.3g %%.", f.Small, 100*f.MinEffect)
	}
	f.noteDoubts(say)
	if f.Compared && f.OnlyNow+f.OnlyBefore > 0 {
		say("Without a partner to compare with: %s now, %s before.", plural(f.OnlyNow, "curve"), plural(f.OnlyBefore, "curve"))
	}
	named := 0
	for _, fault := range []bool{true, false} { // files that could not be read come first
		what := map[bool]string{true: "Not read to the end", false: "Skipped"}[fault]
		for _, l := range f.Skipped {
			if l.Fault != fault {
				continue
			}
			if named++; named <= mostNamed {
				say("%s: %s.", what, strings.TrimSuffix(l.Reason, "."))
			}
		}
	}
	if named > mostNamed {
		say("Skipped: %d more files or outputs; the list of skipped files names all.", named-mostNamed)
	}
}

// noteDoubts writes each doubt once, with its groups.
func (f *Answer) noteDoubts(say func(format string, args ...any)) {
	groups := map[string][]string{}
	for _, p := range f.Parts {
		groups[p.Doubt] = append(groups[p.Doubt], p.String())
	}
	said := map[string]bool{"": true}
	for _, p := range f.Parts {
		in, again := groups[p.Doubt], said[p.Doubt]
		said[p.Doubt] = true
		switch {
		case again:
		case len(in) == len(f.Parts) && len(in) > 1:
			say("In all groups, %s.", p.Doubt)
		case len(in) > 2:
			say("In %d groups (%s, …), %s.", len(in), in[0], p.Doubt)
		default:
			for _, g := range in {
				say("%s: %s.", g, p.Doubt)
			}
		}
	}
}
