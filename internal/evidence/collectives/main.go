// Collectives measures how far predictions of collectives can be trusted: it leaves numbers of
// nodes and sizes out of published measurements, fits the rest, and predicts what was left out. Its
// tables are in docs/validation/fits.md.
//
//	go run ./internal/evidence/collectives ../shared/data
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	all, err := published(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	r := newReport()
	for _, s := range all {
		r.beyond(s)
		r.between(s)
	}
	r.print(os.Stdout)
	r.printCalibration(os.Stdout)
	r = newReport()
	for _, s := range all {
		r.thin(s)
	}
	r.printThinned(os.Stdout)
	choices(os.Stdout, all)
}
