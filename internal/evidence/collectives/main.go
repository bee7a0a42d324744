// Collectives measures how far predictions of collectives can be trusted: it leaves numbers of
// nodes and sizes out of published measurements, fits the rest, and predicts what was left out. It
// does the same with simulated clusters. docs/accuracy.md sums them up.
//
//	go -C internal/evidence run ./collectives
//	go -C internal/evidence run ./collectives -only beyond
//	go -C internal/evidence run ./collectives -only latencies ../../../shared/data
//
// "latencies" reads the published files themselves, which are not part of the repository.
package main

import (
	"flag"
	"io"
	"log"
	"os"
	"slices"
	"strings"
)

// tables has the tables by name, in the order of the page.
var tables = []struct {
	name  string
	write func(w io.Writer, all []series)
}{
	{"questions", each(func(r *report, w io.Writer) {
		r.print(w)
		r.printCalibration(w)
	}, (*report).beyond, (*report).between)},
	{"beyond", each((*report).printFar, (*report).far)},
	{"simulated", func(w io.Writer, _ []series) {
		r := newReport()
		r.simulated()
		r.printFar(w)
	}},
	{"jobs", func(w io.Writer, _ []series) {
		r := newReport()
		r.jobs(clusters)
		r.printFar(w)
	}},
	{"ahead", ahead},
	{"alone", alone},
	{"sizes", each((*report).printFar, (*report).larger)},
	{"thinned", each((*report).printThinned, (*report).thin)},
	{"latencies", func(w io.Writer, all []series) {
		if err := latencies(w, flag.Arg(0), all); err != nil {
			log.Print(err)
		}
	}},
	{"choices", choices},
	{"laws", laws},
}

// each returns the function that writes a report of questions about each series.
func each(
	print func(r *report, w io.Writer), questions ...func(r *report, s series),
) func(io.Writer, []series) {
	return func(w io.Writer, all []series) {
		r := newReport()
		for _, s := range all {
			for _, ask := range questions {
				ask(r, s)
			}
		}
		print(r, w)
	}
}

func main() {
	log.SetFlags(0)
	var names []string
	for _, t := range tables {
		names = append(names, t.name)
	}
	only := flag.String("only", "", "one table: "+strings.Join(names, ", "))
	flag.Parse()
	if *only != "" && !slices.Contains(names, *only) {
		log.Fatalf("no table %q; choose from %s", *only, strings.Join(names, ", "))
	}
	all, err := published()
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tables {
		if *only == "" || *only == t.name {
			t.write(os.Stdout, all)
		}
	}
}
