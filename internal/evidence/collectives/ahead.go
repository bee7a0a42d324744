package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// earlier has the scores of the method that had closed forms and a chooser of its own, on the same
// questions, in the columns of [judge.WriteCSV].
//
//go:embed testdata/ahead-earlier.csv
var earlier string

// ahead asks fits to two, three and four neighbouring numbers of nodes for the calls on two, four
// and eight times as many. It writes CSV: the scores by distance and machine, and the means over
// machines, with the columns of the earlier method in front.
func ahead(w io.Writer, all []series) {
	var answers []judge.Answer
	for _, s := range all {
		counts := s.counts()
		if s.machine == "ORFEO" {
			counts = []int{6, 14, 30, 62, 126} // in the first node, by doublings
		}
		for k := 2; k <= 4; k++ {
			for first := 0; first+k < len(counts); first++ {
				window, later := counts[first:first+k], counts[first+k:]
				in := func(all []int) func(fitted.Point) bool {
					return func(p fitted.Point) bool { return slices.Contains(all, nodes(p)) }
				}
				kept, asked := s.sub(in(window)), s.sub(in(later))
				answers = append(answers, answersOf(kept, asked, window[k-1])...)
			}
		}
	}
	for k, kind := range kinds {
		random := rand.New(rand.NewPCG(47, uint64(k)))
		for range clusters / 2 {
			c := newCluster(kind, random)
			for counts := 2; counts <= 4; counts++ {
				var on []int
				for i := range counts {
					on = append(on, c.first<<i)
				}
				last := on[counts-1]
				kept := c.campaign(on, 1, random)
				kept.machine = "simulated " + kind
				asked := c.campaign([]int{2 * last, 4 * last, 8 * last}, 1, random)
				answers = append(answers, answersOf(kept, asked, last)...)
			}
		}
	}
	var scores []judge.Score
	for _, distance := range []string{"×2", "×4", "×8"} {
		var asked []judge.Answer
		for _, a := range answers {
			if a.Question == distance {
				asked = append(asked, a)
			}
		}
		machines := judge.ByMachine(asked)
		for i := range machines {
			machines[i].Name = distance + ", " + machines[i].Name
		}
		scores = append(append(scores, machines...), judge.Mean(distance+", mean", machines))
	}
	if err := writeBeside(w, earlier, scores); err != nil {
		fmt.Fprintln(w, err)
	}
}

// answersOf fits the calls of kept, the largest of which are on last nodes, and asks for others.
func answersOf(kept, asked series, last int) (all []judge.Answer) {
	predict, err := fit(kept)
	if err != nil {
		return nil
	}
	for _, p := range asked.points {
		octaves := math.Round(math.Log2(float64(nodes(p)) / float64(last)))
		if octaves < 1 || octaves > 3 {
			continue
		}
		v, low, high := predict(p)
		all = append(all, judge.Answer{Machine: kept.machine,
			Question: fmt.Sprintf("×%.0f", math.Exp2(octaves)), Measured: float64(p.Time),
			Interval: quantity.Interval{Value: v, Low: low, High: high}})
	}
	return all
}

// writeBeside writes scores behind those of before, which has the same rows.
func writeBeside(w io.Writer, before string, scores []judge.Score) error {
	rows, err := csv.NewReader(strings.NewReader(before)).ReadAll()
	if err != nil {
		return err
	}
	old := map[string][]string{}
	for _, row := range rows {
		old[row[0]] = row
	}
	var text strings.Builder
	if err := judge.WriteCSV(&text, scores); err != nil {
		return err
	}
	now, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	const shared = 3 // name, machines, answers
	for _, row := range now {
		was := old[row[0]]
		if was == nil {
			was = make([]string, len(row))
		}
		line := slices.Clone(row[:shared])
		for i := shared; i < len(row); i++ {
			name := was[i]
			if row[0] == "name" {
				name = "earlier_" + row[i]
			}
			line = append(line, name, row[i])
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
