// Collectives measures how far predictions of collectives can be trusted: it leaves numbers of
// nodes and sizes out of published measurements, fits the rest, and predicts what was left out. It
// does the same with simulated clusters. docs/accuracy.md sums them up.
//
//	go -C internal/evidence run ./collectives
//	go -C internal/evidence run ./collectives -only questions
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

// tables has the tables by name.
var tables = []struct {
	name  string
	write func(w io.Writer, all []series) error
}{
	{"questions", table},
	{"latencies", func(w io.Writer, all []series) error {
		return latencies(w, flag.Arg(0), all)
	}},
	{"laws", laws},
	{"models", models},
	{"known", known},
	{"worst", worst},
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
			if err := t.write(os.Stdout, all); err != nil {
				log.Fatal(err)
			}
		}
	}
}
