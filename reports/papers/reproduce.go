// Package papers compares the models with the numbers that papers print ([Question.Ask]).
//
// A number that made the model is an input and is never counted as a prediction; nor is a number
// from the same curve or table (see [papers.Class]).
package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Reproduction lists numbers of papers with the models' values, if a model covers
// them, in the order of the papers' files. Every printed number is in it, also those
// without a model, so that a reader can see that none was left out because it was
// missed.
type Reproduction []result

// A result is a number of a paper with the model's value.
type result = papers.Result

// A Question asks for every number of the papers that a model covers, and for the remaining ones
// with their reasons.
type Question struct {
	Of string // a paper, or one of its places, as in "CLIP table 5.1"; empty: all
}

// Ask computes the numbers. It is an error if the paper has none there.
func (q Question) Ask(_ context.Context) (Reproduction, error) {
	of := q.Of
	all, err := papers.Reproduce()
	if err != nil || of == "" {
		return all, err
	}
	paper, place := "", ""
	for _, name := range papers.Names() {
		if len(of) >= len(name) && strings.EqualFold(of[:len(name)], name) &&
			(of[len(name):] == "" || of[len(name)] == ' ') {
			paper, place = name, strings.ToLower(strings.TrimSpace(of[len(name):]))
		}
	}
	if paper == "" {
		return nil, usage.Error{Err: fmt.Errorf("no paper %q; choose from %s", of,
			strings.Join(papers.Names(), ", "))}
	}
	var places []string
	r := slices.DeleteFunc(all, func(r result) bool {
		if r.Paper != paper {
			return true
		}
		if first, _, _ := strings.Cut(r.Place, ","); !slices.Contains(places, first) {
			places = append(places, first)
		}
		_, after, found := strings.Cut(strings.ToLower(r.Place)+" ", place)
		longer := place != "" && after != "" && after[0] >= '0' && after[0] <= '9' // 5.1 of 5.10
		return !found || longer
	})
	if len(r) == 0 {
		return nil, usage.Error{Err: fmt.Errorf("no numbers of %s at %q; it has %s", paper, place,
			strings.Join(places, ", "))}
	}
	return r, nil
}

// own is the source of the numbers that this project measured. Its stages and whole messages come
// from the same launches, while a paper's predicted numbers come from elsewhere, so they are
// summed up apart.
const own = "Today"

// papers returns the numbers of papers: all but the project's own, unless there are no others.
func (r Reproduction) papers() Reproduction {
	of := r.filter(func(one result) bool { return one.Paper != own })
	if len(of) == 0 {
		return r
	}
	return of
}

// Unexplained returns an error that lists the stated numbers that are not reproduced
// and have no note with a reason. The command reproduce exits with it, so that a
// script notices a change of a formula that loses a number.
func (r Reproduction) Unexplained() error {
	var ids []string
	for _, one := range r {
		// A measured number may be missed; a computed one must come out again, or have a reason.
		if one.Role == papers.Stated && !one.Met && one.Note == "" {
			ids = append(ids,
				fmt.Sprintf("%s (printed %s, ours %.6g)", one.ID, one.Printed, one.Computed))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("stated numbers that are not reproduced, without a reason: %s",
		strings.Join(ids, ", "))
}

// An Accuracy sums up the errors of the models' values. A printed bound ("over 250
// MB/s") is kept or not; an error against it would count a good model as wrong, and
// so bounds are counted apart.
type Accuracy struct {
	Numbers int // all of them
	// Errors are the relative errors without sign, ascending. A bound that is crossed counts by its
	// distance, so that a model which misses "over 250" by far is seen. A bound that is kept has
	// no error.
	Errors     []float64
	Bounds     int
	BoundsKept int
}

// median returns the median relative error, 0.07 for 7 %; NaN without errors.
func (a Accuracy) median() float64 { return stats.Quantile(a.Errors, 0.5) }

// worst returns the largest relative error; NaN without errors.
func (a Accuracy) worst() float64 { return stats.Quantile(a.Errors, 1) }

// within counts the errors of at most that fraction.
func (a Accuracy) within(part float64) int {
	// The next number above part makes the bound inclusive: the search finds the first error at or
	// above it.
	n, _ := slices.BinarySearch(a.Errors, math.Nextafter(part, 2))
	return n
}

func (r Reproduction) filter(keep func(result) bool) Reproduction {
	return slices.DeleteFunc(slices.Clone(r), func(one result) bool { return !keep(one) })
}

// Of returns the accuracy of the measured numbers of a class. The class predicted is
// the one that tests the models. Numbers in words, without a value, have no error and
// only count.
func (r Reproduction) Of(class papers.Class) Accuracy {
	all := r.filter(func(one result) bool { return one.Class == class })
	a := Accuracy{Numbers: len(all)}
	for _, r := range all {
		switch {
		case r.Bound() && r.Met:
			a.BoundsKept++
		case !math.IsNaN(r.Error):
			a.Errors = append(a.Errors, math.Abs(r.Error))
		}
		if r.Bound() {
			a.Bounds++
		}
	}
	slices.Sort(a.Errors)
	return a
}

func (r Reproduction) count(role papers.Role) int {
	return len(r.filter(func(one result) bool { return one.Role == role }))
}

// stated counts the stated numbers, and those of them that are met. Computed numbers
// of a paper have no error bar but rounding, so they are met or not.
func (r Reproduction) stated() (met, all int) {
	stated := r.filter(func(one result) bool { return one.Role == papers.Stated })
	return len(stated.filter(func(one result) bool { return one.Met })), len(stated)
}

// Sentence describes the accuracy of the predictions; it is empty without any. The
// worst error stands beside the median: a median alone would hide it.
func (a Accuracy) Sentence() string {
	if a.Numbers == 0 {
		return ""
	}
	text := "One number was predicted from parameters measured elsewhere"
	if a.Numbers > 1 {
		text = fmt.Sprintf("%d numbers were predicted from parameters measured elsewhere",
			a.Numbers)
	}
	if len(a.Errors) > 0 {
		text += fmt.Sprintf(": median error %.1f %%, worst %.1f %%, %d of %d within 10 %%",
			100*a.median(), 100*a.worst(), a.within(0.1), len(a.Errors))
	}
	if a.Bounds > 0 {
		text += fmt.Sprintf("; %d of %d printed bounds kept", a.BoundsKept, a.Bounds)
	}
	return text + "."
}

// unscoredCounts counts the measured numbers that are not predictions; empty without
// any. The first class is predicted.
func (r Reproduction) unscoredCounts() string {
	var counts []string
	for _, class := range papers.Classes[1:] {
		if n := r.Of(class).Numbers; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(counts, ", ")
}

// misses returns the predicted numbers with the largest errors, at most the given
// number. Errors up to 10 % are no misses.
func (r Reproduction) misses(most int) Reproduction {
	all := r.filter(func(one result) bool {
		return one.Class == papers.Predicted && math.Abs(one.Error) > 0.1
	})
	slices.SortStableFunc(all, func(a, b result) int {
		return cmp.Compare(math.Abs(b.Error), math.Abs(a.Error))
	})
	return all[:min(most, len(all))]
}

// remark returns the note of a number that is not met, or off by more than papers.WorthANote;
// otherwise "". Other notes explain the derivation, which programs get and people
// would have to skip.
func remark(r result) string {
	if !r.Met || math.Abs(r.Error) > papers.WorthANote {
		return r.Note
	}
	return ""
}

// covered reports whether a model computes the number.
func covered(r result) bool { return r.Role != papers.None }

func (r Reproduction) inputs() int    { return r.count(papers.Input) }
func (r Reproduction) measured() int  { return r.count(papers.Measured) }
func (r Reproduction) uncovered() int { return r.count(papers.None) }

// predicted returns the accuracy of the predictions.
func (r Reproduction) predicted() Accuracy { return r.Of(papers.Predicted) }

// sources returns the names of the papers.
func sources() []string { return papers.Names() }

// byClass returns the numbers sorted by role and then by class, so that the predictions stand
// together.
func (r Reproduction) byClass() Reproduction {
	sorted := slices.Clone(r)
	slices.SortStableFunc(sorted, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role),
			slices.Index(papers.Classes, a.Class)-slices.Index(papers.Classes, b.Class))
	})
	return sorted
}
