// Proof tests calibrate.c, and the machine that internal/calibrate makes from its output, on known
// clusters: platforms of SimGrid's SMPI.
//
//	go -C internal/evidence run ./proof -others        # networks of seven kinds
//	go -C internal/evidence run ./proof -others -only "fat tree"
//	go -C internal/evidence run ./proof -drawn 1127    # of each kind one, drawn from a seed
//	go -C internal/evidence run ./proof -mpi openmpi   # two ranks on this computer; or mpich
//	go -C internal/evidence run ./proof -random 200    # programs in C and in Starlark
//	go -C internal/evidence run ./proof -beside        # messages that move beside computations
//	go -C internal/evidence run ./proof -changed       # collectives on faster networks, by whatif
//
// It needs smpicc and smpirun (Debian: simgrid, libsimgrid-dev). On each platform it runs
// calibrate, and predicts what the fit never saw: fans, collectives whose algorithms are prescribed
// to SMPI, and programs from their traces. With -mpi it runs calibrate on this computer, and
// predicts sizes that the fit did not use, and programs from their traces. It prints the load of
// the computer.
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
	library := flag.String("mpi", "",
		"measure this computer with mpicc.`LIBRARY` and mpirun.LIBRARY instead")
	minutes := flag.String("minutes", "0.1", "of each calibrate, with -mpi")
	rounds := flag.Int("rounds", 12, "launches of calibrate and of the programs, "+
		"with -mpi")
	other := flag.Bool("others", false, "judge fans, forced collectives and programs on networks "+
		"of seven kinds")
	changed := flag.Bool("changed", false, "judge whatif on changed networks, measured in "+
		changedDir+" or, with -dir, in a folder; measures those that it lacks")
	drawn := flag.Uint64("drawn", 0, "the same on a network of each kind, drawn from this `seed`")
	random := flag.Int("random", 0, "run this `number` of random programs by SMPI and in Starlark")
	seed := flag.Uint64("seed", 1, "of the first one")
	beside := flag.Bool("beside", false, "judge programs whose messages move beside computations; "+
		"their rows go into "+besideTable)
	verbose := flag.Bool("v", false, "print each collective, program and launch")
	keep := flag.String("dir", "", "keep the measurements of -mpi in this `folder`, or "+
		"judge those that it has")
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
			err = runKinds(ctx, dir, *only, os.Stdout, details, others)
		case *drawn != 0:
			err = runKinds(ctx, dir, *only, os.Stdout, details, draw(*drawn))
		case *library != "":
			var h *host
			if h, err = newHost(ctx, dir, *library, details); err == nil {
				err = h.judge(ctx, *minutes, *rounds)
				fmt.Print(&h.report)
			}
		default:
			err = errors.New("say what to judge, as in -others; -help lists it")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(1)
	}
}
