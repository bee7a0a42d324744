// Coverage measures how well the curves in folders of benchmark files are predicted: it holds sizes
// back, predicts them from the others, and compares.
//
//	go run ./tools/forecast/coverage [-leave-one-out] [-machines] [-operations] FOLDER…
//
// The frozen calibration predicts; with -leave-one-out, a calibration made from the same folders
// without the predicted machine does. A curve belongs to the machine that the first folder below
// FOLDER names; a file that is in no folder below, or in one named like a benchmark (osu, imb),
// belongs to the one that FOLDER/INDEX.tsv gives it, or is a machine of its own. Curves are
// latencies; with -operations gaps of streams and operations.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/tools/forecast/holdout"
)

func main() {
	leave := flag.Bool("leave-one-out", false, "calibrate by the other machines of the folders")
	machines := flag.Bool("machines", false, "a row for each machine")
	operations := flag.Bool("operations", false, "gaps and operations instead of latencies")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: coverage [-leave-one-out] [-machines] [-operations] FOLDER…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*leave, *machines, *operations, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(leave, machines, operations bool, folders []string) error {
	curves, err := holdout.Load(folders...)
	if err != nil {
		return err
	}
	if len(curves) == 0 {
		return fmt.Errorf("no curve of 12 sizes or more in %q; name folders of benchmark output", folders)
	}
	use, frozen, kind := holdout.Latency, forecast.Latencies, benchfile.OneWay
	if operations {
		use, frozen, kind = holdout.Operation, forecast.Operations, benchfile.Operation
	}
	curves = append(curves, holdout.Planted(kind, holdout.PlantedCurves, 1)...)
	of := func(string) *forecast.Calibration { return frozen }
	if leave {
		of = holdout.LeaveOneOut(curves, use)
	}
	return holdout.Report(os.Stdout, curves, use, of, machines)
}
