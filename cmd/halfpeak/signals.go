package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/usage"
)

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
// context: the user knows why it ended, whatever error the cancelled computation returned, unless
// that says what is left.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, usage.ErrInterrupted) {
		return usage.ErrInterrupted
	}
	return err
}

// atLimit takes the error of --time-limit, which ends the process.
var atLimit = make(chan error, 1)

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
			atLimit <- fmt.Errorf("stopped after %v, its time limit (--time-limit)", limit)
		})
		defer stop.Stop()
		return run(cmd, args)
	}
}
