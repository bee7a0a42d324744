package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// grace is the time that a command has to print what is complete after a signal.
const grace = 2 * time.Second

// handleSignals takes interrupts, the end of the terminal, and the signal with which batch systems
// end a job. The exit status is 128 and the number of the signal. The first one ends the contexts of
// [interruptible], whose commands print what is complete. Without any, after [grace], or at a second
// signal, the process ends at once and leaves no part of a file: no step of a program's interpreter
// can be ended from outside, and one may take minutes.
func handleSignals() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for s := range signals {
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

// heeding has the ends of the contexts of commands that print what is complete after a signal, and
// the exit status of the first signal.
var heeding struct {
	sync.Mutex
	ends   []*context.CancelFunc
	status int
}

// endHeeding notes a signal, ends the contexts, and reports whether there was one.
func endHeeding(status int) bool {
	heeding.Lock()
	defer heeding.Unlock()
	heeding.status = cmp.Or(heeding.status, status)
	ends := heeding.ends
	heeding.ends = nil
	for _, end := range ends {
		(*end)()
	}
	return len(ends) > 0
}

// signalled returns the exit status of the first signal, 0 if there was none.
func signalled() int {
	heeding.Lock()
	defer heeding.Unlock()
	return heeding.status
}

// interruptible returns a context that a signal ends, for commands that then print what is
// complete; all others end at once. The caller must call the function that is returned.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(parent)
	heeding.Lock()
	defer heeding.Unlock()
	heeding.ends = append(heeding.ends, &end)
	return ctx, func() {
		end()
		heeding.Lock()
		defer heeding.Unlock()
		heeding.ends = slices.DeleteFunc(heeding.ends, func(e *context.CancelFunc) bool {
			return e == &end
		})
	}
}

// interrupted returns err, or in its place usage.ErrInterrupted if an interrupt has ended the
// context: the user knows why it ended, whatever error the cancelled computation returned.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return usage.ErrInterrupted
	}
	return err
}

// declareTimeLimit declares --time-limit, for commands that run programs of strangers.
func declareTimeLimit(cmd *cobra.Command) {
	var limit time.Duration
	cmd.Flags().DurationVar(&limit, "time-limit", 0,
		"stop after this `time`, as in 10s or 5m, in place of the limit of a program's steps")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if limit < 0 {
			return usagef("--time-limit %v: give a time above 0, as in 10s", limit)
		}
		if limit == 0 {
			return run(cmd, args)
		}
		// The process ends at the limit, whatever it is at. The deadline tells the interpreter that
		// there is one, and is later, so that it does not end the run with another error.
		ctx, end := context.WithTimeout(cmd.Context(), limit+time.Minute)
		defer end()
		cmd.SetContext(ctx)
		stop := time.AfterFunc(limit, func() {
			endNow(fmt.Errorf("stopped after %v, its time limit (--time-limit)", limit), 1)
		})
		defer stop.Stop()
		return run(cmd, args)
	}
}
