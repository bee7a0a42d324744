// Halfpeak predicts what a message costs.
//
// It holds analytical models of message-passing systems, fits them to the output
// of benchmarks, and draws their curves.
//
//	$ halfpeak predict clip --size 64KiB --packet 4096
//	$ halfpeak packet clip/user-buffer --size 64KiB
//	$ halfpeak plot clip hp-lam -o bandwidth.png
//	$ halfpeak fit netpipe.out --save my.toml
//	$ halfpeak reproduce
//
// "halfpeak help COMMAND" describes each command.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := checkLimits(); err != nil {
		fmt.Fprintln(os.Stderr, "halfpeak:", err)
		os.Exit(1)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
