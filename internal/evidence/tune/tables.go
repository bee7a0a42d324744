package main

import (
	"fmt"
	"io"
	"math"
)

// printTables prints the tables of docs/tune.md.
func printTables(w io.Writer, of []setting, all [][]result) {
	fmt.Fprintln(w, "| machine | 5 % of the points | 10 % | 25 % | the library's choice | "+
		"constants |\n|---|---|---|---|---|---|")
	var mean [len(shares)][2]float64
	for j, q := range questions {
		fmt.Fprintf(w, "| %s, %s |", q.machine, q.name)
		r, setting, part := all[0][j], 0, 1.
		if len(of) >= constants {
			setting, part = chosen(all, q.machine)
			r = all[setting][j]
		}
		for k := range shares {
			fmt.Fprintf(w, " %.1f (%.1f) |", 100*r.real[k], 100*part*r.stated[k])
			mean[k][0] += r.real[k] / float64(len(questions))
			mean[k][1] += part * r.stated[k] / float64(len(questions))
		}
		fmt.Fprintf(w, " %s | %s, Real × %.2f |\n", percent(r.own, "–"), of[setting].name, part)
	}
	fmt.Fprint(w, "| mean |")
	for _, m := range mean {
		fmt.Fprintf(w, " %.1f (%.1f) |", 100*m[0], 100*m[1])
	}
	fmt.Fprintln(w, " | | |\n\n| times in their intervals | 5 % | 10 % | 25 % |\n|---|---|---|---|")
	for j, q := range questions {
		fmt.Fprintf(w, "| %s, %s |", q.machine, q.name)
		for _, inside := range all[0][j].inside {
			fmt.Fprintf(w, " %s |", percent(inside, "–"))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "\n| | 5 % | 10 % | 25 % |\n|---|---|---|---|")
	for i, c := range of {
		fmt.Fprintf(w, "| %s |", c.name)
		for k := range shares {
			real, stated := means(all[i], k, "")
			fmt.Fprintf(w, " %s (%s) |", percent(real, "–"), percent(stated, "–"))
		}
		fmt.Fprintln(w)
	}
}

// percent prints a share in percent, or none if it is not a number.
func percent(share float64, none string) string {
	if math.IsNaN(share) {
		return none
	}
	return fmt.Sprintf("%.1f", 100*share)
}

// means returns the mean losses of a setting at a share, real and stated, over the questions of all
// machines but one.
func means(all []result, share int, without string) (real, stated float64) {
	n := 0.0
	for j, r := range all {
		if questions[j].machine != without {
			real, stated, n = real+r.real[share], stated+r.stated[share], n+1
		}
	}
	return real / n, stated / n
}

// chosen returns the setting of constants with the least loss on the machines but one, over that of
// the first setting, in the mean over shares, and the factor that makes its stated losses real
// there.
func chosen(all [][]result, without string) (best int, part float64) {
	least := math.Inf(1)
	for i := range constants {
		loss, factor := 0.0, 0.0
		for k := range shares {
			first, _ := means(all[0], k, without)
			real, stated := means(all[i], k, without)
			loss += real / first
			factor += math.Log(real/stated) / float64(len(shares))
		}
		if loss < least {
			best, part, least = i, math.Exp(factor), loss
		}
	}
	return best, part
}
