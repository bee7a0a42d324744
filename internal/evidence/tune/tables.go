package main

import (
	"fmt"
	"io"
	"math"

	scores "github.com/halfpeak/halfpeak/internal/evidence/judge"
)

// halves are those of the machines.
var halves = []scores.Half{scores.Choose, scores.Report}

// printTables prints the tables of docs/tune.md: losses, with those that are stated in brackets.
func printTables(w io.Writer, of []setting, all [][]result) {
	fmt.Fprintln(w, "| machine | 5 % of the points | 10 % | 25 % | the library's choice |\n"+
		"|---|---|---|---|---|")
	for j, q := range questions {
		fmt.Fprintf(w, "| %s, %s |", q.machine, q.name)
		for k := range shares {
			fmt.Fprintf(w, " %.1f (%.1f) |", 100*all[0][j].real[k], 100*all[0][j].stated[k])
		}
		fmt.Fprintf(w, " %s |\n", percent(all[0][j].own, "–"))
	}
	fmt.Fprintln(w, "\n| times in their intervals | 5 % | 10 % | 25 % |\n|---|---|---|---|")
	for j, q := range questions {
		fmt.Fprintf(w, "| %s, %s |", q.machine, q.name)
		for _, inside := range all[0][j].inside {
			fmt.Fprintf(w, " %s |", percent(inside, "–"))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "\n| machines | setting | 5 % | 10 % | 25 % |\n|---|---|---|---|---|")
	for _, half := range halves {
		for i, c := range of {
			fmt.Fprintf(w, "| %s | %s |", half, c.name)
			for k := range shares {
				real, stated := means(all[i], k, half)
				fmt.Fprintf(w, " %s (%s) |", percent(real, "–"), percent(stated, "–"))
			}
			fmt.Fprintln(w)
		}
	}
}

// percent prints a share in percent, or none if it is not a number.
func percent(share float64, none string) string {
	if math.IsNaN(share) {
		return none
	}
	return fmt.Sprintf("%.1f", 100*share)
}

// means returns the mean losses of a setting at a share, real and stated, over the questions of the
// machines of a half.
func means(all []result, share int, half scores.Half) (real, stated float64) {
	n := 0.0
	for j, r := range all {
		if scores.HalfOf(questions[j].machine) == half {
			real, stated, n = real+r.real[share], stated+r.stated[share], n+1
		}
	}
	return real / n, stated / n
}
