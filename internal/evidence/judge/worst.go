package judge

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// outside is how far the measurement is beyond the interval, as a logarithm; 0 inside, and without
// an interval, which promises nothing.
func (a Answer) outside() float64 {
	if !a.Given() {
		return 0
	}
	return max(0, math.Log(a.Low/a.Measured), math.Log(a.Measured/a.High))
}

// WriteWorst writes as CSV the answers that are farthest outside of their intervals, of each
// machine and question the worst.
func WriteWorst(w io.Writer, all []Answer) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Answer) int {
		return cmp.Compare(b.outside(), a.outside())
	})
	if _, err := fmt.Fprintln(w, "question,machine,case,measured_us,predicted_us,low_us,high_us,"+
		"outside"); err != nil {
		return err
	}
	seen := map[[2]string]bool{}
	for _, a := range all {
		key := [2]string{a.Question, a.Machine}
		if a.outside() == 0 || seen[key] {
			continue
		}
		seen[key] = true
		_, err := fmt.Fprintf(w, "%q,%q,%q,%.4g,%.4g,%.4g,%.4g,%.3g\n", a.Question, a.Machine,
			a.Case, a.Measured, a.Value, a.Low, a.High, math.Exp(a.outside()))
		if err != nil {
			return err
		}
	}
	return nil
}
