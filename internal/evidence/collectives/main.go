// Collectives measures how well predictions of collectives hold: it holds out numbers of nodes of
// published measurements and predicts them. A Markdown table has the errors, and the coverage and
// width of intervals, by machine and kind of question. docs/accuracy.md has its output.
//
//	go run ./internal/evidence/collectives ../shared/data [before.csv] # tables
//	go run ./internal/evidence/collectives -csv ../shared/data > before.csv
//
// With -csv it prints the numbers alone. If a file of these numbers is the second argument of a
// later version, that version prints them beside its own numbers.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

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
	r.print(os.Stdout, before)
	between(os.Stdout, all)
	choices(os.Stdout, all)
	r = &report{by: map[string]*tally{}}
	for _, s := range all {
		r.robust(s)
	}
	r.printRobust(os.Stdout)
}
