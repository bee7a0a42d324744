// Proof judges calibrate.c and the machine that fit/contention makes of its output by clusters
// that are known: platforms of SimGrid's SMPI.
//
//	go run ./tools/proof           # all platforms, some minutes
//	go run ./tools/proof -only "fat tree"
//
// It needs smpicc and smpirun (Debian: simgrid, libsimgrid-dev). On each platform it runs
// calibrate, compares the machine's latency, bandwidth and taper with the platform's, and predicts
// collectives whose algorithms SMPI is told.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	only := flag.String("only", "", "platforms whose names contain this `text`")
	verbose := flag.Bool("v", false, "print each collective")
	flag.Parse()
	dir, err := os.MkdirTemp("", "proof")
	if err == nil {
		defer os.RemoveAll(dir)
		err = run(context.Background(), dir, *only, *verbose)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, only string, verbose bool) error {
	program, err := compile(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("| platform | ranks | latency | bandwidth | taper | forced collectives: median | worst |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, p := range platforms {
		if !strings.Contains(p.name, only) {
			continue
		}
		r, err := judge(ctx, dir, program, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("| %s | %d × %d | %+.1f %% | %+.1f %% | %s | %.0f %% | %s |\n", p.name, p.nodes, p.perNode, r.latency, r.bandwidth, r.taper, r.median(), r.worst())
		for _, c := range r.collectives {
			if verbose {
				fmt.Printf("    %s %s %.0f B: measured %.2f, predicted %.2f µs (%+.0f %%)\n", c.name, c.algorithm, float64(c.bytes), float64(c.measured), float64(c.predicted), 100*(float64(c.predicted/c.measured)-1))
			}
		}
	}
	return nil
}
