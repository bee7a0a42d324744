//go:build linux

// Pipelines judges the predictions of packets from stages alone. With --engine N it prints
// the rows of N launches of halfpeak's engine over shared memory, in the form of pipeline.c. With
// files of such rows it prints tables for docs/pipelines.md, and with --plot the picture.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/halfpeak/halfpeak/internal/engine/live"
)

func main() {
	// The engine starts this program again as its second process, so that both have the same code.
	if len(os.Args) > 1 && os.Args[1] == "node" {
		exit(live.Child(live.Shm, os.Stdin, os.Stdout, true))
		return
	}
	launches := flag.Int("engine", 0, "measure this many launches of the engine")
	plot := flag.String("plot", "", "draw the picture of the first pipeline into this file")
	size := flag.Int("size", 1<<20, "bytes of the message of the picture")
	now := flag.Int("default", 32<<10, "packet that the picture marks as the default")
	flag.Parse()
	if *launches > 0 {
		exit(measureEngine(os.Stdout, *launches))
		return
	}
	exit(judge(os.Stdout, flag.Args(), picture{*plot, *size, *now}))
}

// exit ends the program with an error on one line; nil lets it end by itself.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pipelines:", err)
		os.Exit(1)
	}
}
