// Proof tests calibrate.c, and the machine that internal/calibrate makes from its output, on known
// clusters: platforms of SimGrid's SMPI.
//
//	go -C internal/evidence run ./proof -others        # networks of seven kinds, and drawn ones
//	go -C internal/evidence run ./proof -others -only "fat tree"
//	go -C internal/evidence run ./proof -random 200    # programs in C and in Starlark
//	go -C internal/evidence run ./proof -beside        # messages that move beside computations
//	go -C internal/evidence run ./proof -changed       # collectives on faster networks, by whatif
//
// It needs smpicc and smpirun (Debian: simgrid, libsimgrid-dev). On each platform it runs
// calibrate, and predicts what the fit never saw: fans, collectives whose algorithms are prescribed
// to SMPI, and programs from their traces.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	only := flag.String("only", "", "platforms whose names contain this `text`")
	other := flag.Bool("others", false, "judge fans, forced collectives and programs on networks "+
		"of seven kinds, and drawn ones")
	changed := flag.Bool("changed", false, "judge whatif on changed networks, measured in "+
		changedDir+" or, with -dir, in a folder; measures those that it lacks")
	random := flag.Int("random", 0, "run this `number` of random programs by SMPI and in Starlark")
	seed := flag.Uint64("seed", 1, "of the first one")
	beside := flag.Bool("beside", false, "judge programs whose messages move beside computations; "+
		"their rows go into "+besideTable)
	verbose := flag.Bool("v", false, "print each collective and program")
	keep := flag.String("dir", "", "judge the measurements of -changed in this `folder`")
	flag.Parse()
	if *keep == "" && *changed {
		*keep = changedDir
	}
	dir, err := *keep, os.MkdirAll(*keep, 0o777)
	if dir == "" {
		if dir, err = os.MkdirTemp("", "proof"); err == nil {
			defer os.RemoveAll(dir)
		}
	}
	if err == nil {
		details := io.Discard
		if *verbose {
			details = os.Stdout
		}
		switch ctx := context.Background(); {
		case *changed:
			err = runChanged(ctx, dir, *only, os.Stdout, details)
		case *beside:
			err = runBeside(ctx, dir, *only, os.Stdout)
		case *random > 0:
			err = runRandom(ctx, dir, *seed, *random, os.Stdout, details)
		case *other:
			err = runKinds(ctx, dir, *only, os.Stdout, details, append(others, drawn...))
		default:
			err = errors.New("say what to judge, as in -others; -help lists it")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(1)
	}
}
