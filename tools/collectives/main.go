// Collectives measures how well predictions of collectives hold: it holds out numbers of
// nodes of published measurements, predicts them, and prints errors and the coverage and width of
// intervals, by machine and kind of question, as a Markdown table. docs/accuracy.md has its output.
//
//	go run ./tools/collectives ../shared/data [before.csv] # tables
//	go run ./tools/collectives -csv ../shared/data > before.csv
//
// With -csv it prints the numbers alone; given as the second argument, those of an earlier version
// stand beside the new ones.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A tally collects the answers to one kind of question.
type tally struct {
	errors, widths []float64 // |predicted/measured − 1|; high/low
	scaled         []float64 // |log(measured/predicted)| over that half width of the interval
	inside, none   int       // measured times in their intervals; times without one
}

func (t *tally) add(predict model, p fitted.Point) {
	v, low, high := predict(p)
	if math.IsNaN(v) {
		return
	}
	m := float64(p.Time)
	t.errors = append(t.errors, math.Abs(v/m-1))
	if math.IsNaN(low) || math.IsInf(high, 0) {
		t.none++
		return
	}
	t.widths = append(t.widths, high/low)
	t.scaled = append(t.scaled, max(math.Log(m/v)/math.Log(high/v), math.Log(m/v)/math.Log(low/v)))
	if low <= m && m <= high {
		t.inside++
	}
}

// cells returns the numbers of a row: times, median and 90th percentile of errors in percent,
// intervals that hold in percent, median width as a factor, and times without an interval.
func (t *tally) cells() []string {
	percent := func(v float64) string { return fmt.Sprintf("%.3g", 100*v) }
	cells := []string{fmt.Sprint(len(t.errors)), percent(stats.QuantileOf(t.errors, 0.5)), percent(stats.QuantileOf(t.errors, 0.9)), "–", "–", fmt.Sprint(t.none)}
	if len(t.widths) > 0 {
		cells[3], cells[4] = percent(float64(t.inside)/float64(len(t.widths))), fmt.Sprintf("%.3g", stats.QuantileOf(t.widths, 0.5))
	}
	return cells
}

// A report has the tallies by question, in order.
type report struct {
	order []string
	by    map[string]*tally
}

// key returns the key of a question about a series.
func (s series) key(question string) string {
	kind := "the library's choice"
	if s.algorithm != "" {
		kind = "algorithm known"
	} else if s.forced != "" {
		kind = "algorithm forced, not known here"
	}
	name := s.name
	if i := strings.Index(name, ", NCCL"); i >= 0 { // several versions and types are one machine
		name = name[:i]
	}
	return strings.Join([]string{s.machine, name, s.collective, kind, question}, "|")
}

// ask fits the points that are not out, and adds the others to the tallies of keys.
func (r *report) ask(s series, out func(p fitted.Point) bool, keys func(p fitted.Point) []string) {
	predict, err := fit(s.sub(func(p fitted.Point) bool { return !out(p) }))
	if err != nil {
		return // one number of nodes, or none
	}
	for _, p := range s.points {
		if out(p) {
			for _, key := range keys(p) {
				if r.by[key] == nil {
					r.order, r.by[key] = append(r.order, key), &tally{}
				}
				r.by[key].add(predict, p)
			}
		}
	}
}

// beyond asks for 2, 4 and 8 times the largest number of nodes in a fit, for fits that end at each.
func (r *report) beyond(s series) {
	counts := s.counts()
	if s.machine == "ORFEO" { // within the first node of 128 cores, by doublings
		counts = []int{6, 14, 30, 62, 126}
	}
	for i, last := range counts {
		if i == 0 || s.machine == "ORFEO" && i == 1 {
			continue
		}
		fits := s.sub(func(p fitted.Point) bool { return nodes(p) <= last || slices.Contains(counts, nodes(p)) })
		r.ask(fits, func(p fitted.Point) bool { return nodes(p) > last }, func(p fitted.Point) (all []string) {
			octaves := math.Log2(float64(nodes(p)) / float64(last))
			if factor := int(math.Exp2(math.Round(octaves))); factor >= 2 && factor <= 8 {
				all = append(all, s.key(fmt.Sprintf("×%d beyond", factor)))
				if last == 16 {
					all = append(all, s.key(fmt.Sprintf("×%d beyond 16", factor)))
				}
			}
			return all
		})
	}
}

// rest asks for every second number of nodes, for the top quarter, and for the second node.
func (r *report) rest(s series) {
	counts := s.counts()
	at := func(p fitted.Point) int { return slices.Index(counts, nodes(p)) }
	one := func(question string) func(fitted.Point) []string {
		return func(fitted.Point) []string { return []string{s.key(question)} }
	}
	if len(counts) >= 5 {
		r.ask(s, func(p fitted.Point) bool { return at(p)%2 == 1 && at(p) < len(counts)-1 }, one("every second left out"))
	}
	if s.machine == "ORFEO" {
		r.ask(s, func(p fitted.Point) bool { return 4*at(p) >= 3*len(counts) }, one("top quarter left out"))
		r.ask(s, func(p fitted.Point) bool { return p.Ranks > 128 }, one("second node left out"))
	}
}

func main() {
	log.SetFlags(0)
	asCSV := flag.Bool("csv", false, "print the numbers alone")
	flag.Parse()
	all, err := published(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	r := &report{by: map[string]*tally{}}
	for _, s := range all {
		r.beyond(s)
		r.rest(s)
	}
	if *asCSV {
		for _, key := range r.order {
			fmt.Println(key + "|" + strings.Join(r.by[key].cells(), "|"))
		}
		return
	}
	before := map[string][]string{}
	if flag.NArg() > 1 {
		text, err := os.ReadFile(flag.Arg(1))
		if err != nil {
			log.Fatal(err)
		}
		for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
			cells := strings.Split(line, "|")
			before[strings.Join(cells[:5], "|")] = cells[5:]
		}
	}
	r.print(before)
	between(os.Stdout, all)
	choices(os.Stdout, all)
	r = &report{by: map[string]*tally{}}
	for _, s := range all {
		r.robust(s)
	}
	r.printRobust(os.Stdout)
}

// print writes the table, and how the frozen calibration does for each machine that it leaves out.
func (r *report) print(before map[string][]string) {
	fmt.Println("| machine | measured | question | times | median error, 90th perc. | before | intervals right | width | before |\n|---|---|---|---|---|---|---|---|---|")
	for _, key := range r.order {
		k, c := strings.Split(key, "|"), r.by[key].cells()
		b := before[key]
		if b == nil {
			b = []string{"", "–", "–", "–", "–", ""}
		}
		fmt.Printf("| %s | %s, %s, %s | %s | %s | %s, %s %% | %s, %s %% | %s %% | %s × | %s %%, %s × |\n", k[0], k[1], k[2], k[3], k[4], c[0], c[1], c[2], b[1], b[2], c[3], c[4], b[3], b[4])
	}
	scaled := map[string][]float64{}
	var machines []string
	for _, key := range r.order {
		if machine := strings.Split(key, "|")[0]; strings.HasSuffix(key, "beyond") && len(r.by[key].scaled) > 0 {
			if scaled[machine] == nil {
				machines = append(machines, machine)
			}
			scaled[machine] = append(scaled[machine], r.by[key].scaled...)
		}
	}
	fmt.Println("\n| machine left out | width factor from the others | its intervals right with that factor |\n|---|---|---|")
	for _, left := range machines {
		scale := scaleFor(scaled, left)
		fmt.Printf("| %s | %.2f | %.0f %% |\n", left, scale, 100*holds(scaled[left], scale))
	}
	fmt.Printf("| none | %.2f | |\n", scaleFor(scaled, ""))
}

// holds returns the part of the scaled errors that are at most a scale.
func holds(scaled []float64, scale float64) (part float64) {
	for _, z := range scaled {
		if z <= scale {
			part += 1 / float64(len(scaled))
		}
	}
	return part
}

// scaleFor returns the factor of all intervals beyond by which 95 % of them hold, in the mean over
// the machines but one.
func scaleFor(scaled map[string][]float64, left string) float64 {
	low, high := 0.0, 16.0
	for range 40 {
		middle := (low + high) / 2
		var parts []float64
		for machine, z := range scaled {
			if machine != left {
				parts = append(parts, holds(z, middle))
			}
		}
		sum := 0.0
		for _, p := range parts {
			sum += p
		}
		if sum < 0.95*float64(len(parts)) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
