// Halfpeak predicts what a message costs.
//
// It holds analytical models of message-passing systems, fits them to the output of
// benchmarks, and draws their curves.
//
//	$ halfpeak predict clip --size 64KiB --packet 4096
//	$ halfpeak packet clip/user-buffer --size 64KiB
//	$ halfpeak plot clip hp-lam -o bandwidth.png
//	$ halfpeak fit np.out --save my.toml
//	$ halfpeak reproduce
//
// "halfpeak help COMMAND" describes each command.
//
// # How the program is built
//
// A command declares flags, makes one call of a package below reports, and prints the
// answer. No theory and no statistics are here, and only here flags have names: a
// package that refuses a field of its question says which (usage.Fields), and run
// adds the flag.
//
// root.go has the way of every command: flags, the checks that all commands share,
// errors and exit status. help.go takes the text of a command from docs/commands.md,
// so that there is one. flags.go has flags that several commands declare, output.go
// the destinations and formats, terminal.go widths, colours and bars of progress.
// Each other file has a command, or a few of one subject.
//
// Rules of all commands: what flags alone can tell is checked before anything is read
// or computed, since that may take minutes. An output file is written beside its
// target and renamed, so that an error leaves what was there. An error is one line
// with the rule, the value and the way out, on stderr. The exit status is 2 for a
// mistake on the command line and 1 for all other errors. The same input gives the
// same output to the byte; only measurements and bars of progress depend on time.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/memory"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// main is as short as can be, so that tests call run and need no process.
func main() {
	if err := checkLimits(); err != nil {
		fmt.Fprintln(os.Stderr, "halfpeak:", err)
		os.Exit(1)
	}
	memory.Watch(func(err error) { endNow(err, 1) })
	handleSignals()
	var stdout io.Writer = os.Stdout
	if outputClosed() {
		stdout = closedOutput{}
	}
	os.Exit(run(os.Args[1:], os.Stdin, stdout, os.Stderr))
}

// grace is the time that a command has to print what is complete after a signal.
const grace = 2 * time.Second

// handleSignals takes interrupts, the end of the terminal, and the signal with which batch
// systems end a job. The exit status is 128 and the number of the signal. The first ends the
// contexts of [interruptible], whose commands print what is complete. Without any, after [grace],
// or at a second signal, the process ends at once and leaves no part of a file: no step of a
// program's interpreter can be ended from outside, and one may take minutes.
func handleSignals() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for {
			var s os.Signal
			select {
			case err := <-atLimit:
				endNow(err, 1)
			case s = <-signals:
			}
			status := 130
			if number, ok := s.(syscall.Signal); ok {
				status = 128 + int(number)
			}
			if !endHeeding(status) {
				endNow(usage.ErrInterrupted, status)
			}
			time.AfterFunc(grace, func() { endNow(usage.ErrInterrupted, status) })
		}
	}()
}

// endNow ends the process with an error, and leaves no part of a file.
func endNow(err error, status int) {
	erase := ""
	if _, terminal := terminalFile(os.Stderr); terminal {
		erase = eraseLine // a bar may be there
	}
	fmt.Fprintf(os.Stderr, "%shalfpeak: %v\n", erase, err)
	atomicfile.DiscardAll()
	os.Exit(status)
}
