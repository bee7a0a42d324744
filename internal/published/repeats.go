package published

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// A Repeated is one benchmark on an unchanged system.
type Repeated struct {
	Machine, Name string
	// Runs are in jobs of their own, at most [maxRuns].
	Runs []*benchfile.Table
}

// maxRuns is the largest number of runs that are taken of a benchmark: more are no other machine.
const maxRuns = 6

// runName matches the part of a name that distinguishes the runs of one measurement.
var runName = regexp.MustCompile(`run_\d+|iter-\d+(-\d+)?|-\d+\.out| \(\d+\)$`)

// Repeats returns the published benchmarks of at least two runs, in the order of the files.
func Repeats() (all []*Repeated, err error) {
	curves, err := Curves()
	of := map[string]*Repeated{}
	for _, c := range curves {
		if len(c.Samples) < 6 || c.Kind == benchfile.Interval {
			continue
		}
		name := runName.ReplaceAllString(c.File, "") + ", " +
			runName.ReplaceAllString(c.Title, "") + fmt.Sprint(c.Kind, c.Collective, c.Series)
		r := of[name]
		if r == nil {
			r = &Repeated{Machine: strings.Split(c.File, "/")[1], Name: name}
			of[name], all = r, append(all, r)
		}
		if len(r.Runs) < maxRuns {
			r.Runs = append(r.Runs, &c.Table)
		}
	}
	return slices.DeleteFunc(all, func(r *Repeated) bool { return len(r.Runs) < 2 }), err
}
