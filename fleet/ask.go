package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/reports"
)

// A Reading is what was read of the files of a fleet: now, and before if that was asked for.
type Reading struct {
	Now, Before []Entry
	// Interrupted says how far a reading came that was interrupted; else it is empty.
	Interrupted string
}

// Load reads the files that roots name, and of before if it is not empty. An interruption
// through ctx leaves what was read until then. Errors are of the options and the roots.
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

// A Result is what the curves of a fleet say, with its tables, its picture and its page.
type Result struct {
	*Answer
	Notes []string // doubts
	// Broken is an error if not all could be read; what is here may be shown all the same.
	Broken error
}

// Analyse compares what was read.
func Analyse(in Reading, o Options) (*Result, error) {
	a, err := Report(in.Now, in.Before, o)
	f := &Result{Answer: a}
	switch {
	case in.Interrupted != "":
		f.Broken = errors.New(in.Interrupted)
	case a.FaultsBefore > 0:
		f.Broken = fmt.Errorf("%s of now and %d of before could not be read to the end", plural(a.Faults, "file"), a.FaultsBefore)
	case a.Faults > 0:
		f.Broken = fmt.Errorf("%s could not be read to the end", plural(a.Faults, "file"))
	}
	if err != nil {
		if len(a.Skipped) > 0 {
			err = fmt.Errorf("%w; %s", err, a.Skipped[0].Reason)
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

// note puts the doubts into words.
func (f *Result) note() {
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
	told := map[string]bool{}
	for _, x := range f.ReportedFindings() {
		if len(x.Apart) > 0 && !told[x.Who()] {
			told[x.Who()] = true
			say("%s is as fast as others with %s, in %s: they may be in another part of the network rather than slow.", x.Who(), strings.Join(x.Apart, " and "), x.Group)
		}
	}
	if x := f.Next; x != nil && x.Q < 0.5 && x.Effect >= f.MinEffect {
		say("Next, and not beyond chance (q = %.2g): %s, %s of %s in %s; measure again.", x.Q, x.Who(), reports.PercentChange(x.Effect), quantityWord(x.Quantity), x.Group)
	}
	if f.Small > 0 {
		say("%d more findings are below the minimum effect of %.3g %%.", f.Small, 100*f.MinEffect)
	}
	doubts := map[string][]string{}
	var order []string
	for _, p := range f.Parts {
		if p.Doubt == "" {
			continue
		}
		if doubts[p.Doubt] == nil {
			order = append(order, p.Doubt)
		}
		doubts[p.Doubt] = append(doubts[p.Doubt], p.String())
	}
	for _, d := range order {
		if of := doubts[d]; len(of) == len(f.Parts) && len(of) > 1 {
			say("In all groups, %s.", d)
		} else if len(of) > 2 {
			say("In %d groups (%s, …), %s.", len(of), of[0], d)
		} else {
			for _, g := range of {
				say("%s: %s.", g, d)
			}
		}
	}
	if f.Compared && f.OnlyNow+f.OnlyBefore > 0 {
		say("No partner to compare: %s now, %s before.", plural(f.OnlyNow, "curve"), plural(f.OnlyBefore, "curve"))
	}
	left := slices.Clone(f.Skipped)
	slices.SortStableFunc(left, func(a, b Skipped) int { // what could not be read first
		switch {
		case a.Fault == b.Fault:
			return 0
		case a.Fault:
			return -1
		}
		return 1
	})
	for i, l := range left {
		if i == mostNamed {
			say("Skipped: %d more files or outputs; the list of skipped files names all.", len(left)-i)
			break
		}
		if l.Fault {
			say("Not read to the end: %s.", strings.TrimSuffix(l.Reason, "."))
			continue
		}
		say("Skipped out: %s.", strings.TrimSuffix(l.Reason, "."))
	}
}
