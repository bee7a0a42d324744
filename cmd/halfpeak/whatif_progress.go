package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// A simulationBar shows the progress of simulations.
type simulationBar struct {
	stderr io.Writer
	bar    func(int64)
}

// simulated shows that one more simulation has ended.
func (b *simulationBar) simulated() { b.bar(1) }

// sampled returns a function that shows one more sample. Their number is known, so that this bar,
// which replaces the one of simulations, tells how long the answer will take; of several rows, each
// has a bar.
func (b *simulationBar) sampled() func(total int) {
	var show func(int64)
	n := 0
	return func(total int) {
		if show == nil {
			b.bar(-1)
			show = progress(b.stderr, int64(total), "samples")
			b.bar = func(n int64) {
				if n < 0 {
					show(n)
				}
			}
		}
		show(1)
		if n++; n == total {
			show(-1)
			show, n = nil, 0
			b.bar = func(int64) {}
		}
	}
}

// searching returns a function that shows how far the search for a target is and, at a terminal,
// each solution when it is found, and the bar of its simulations.
func (b *simulationBar) searching() (watch func(string, bool), bar func(int64)) {
	var at atomic.Pointer[string]
	at.Store(new(string))
	var found string
	begun := time.Now()
	bar = progressIn(b.stderr, func(done int64, since time.Duration) string {
		return *at.Load() + progressLine(done, 0, "simulations", since)
	})
	return func(text string, solved bool) {
		if !solved {
			text += ", "
			at.Store(&text)
			return
		}
		found += eraseLine + text + "\n"
		if w, ok := barWriter(b.stderr); ok && time.Since(begun) >= patience {
			fmt.Fprint(w, found)
			found = ""
		}
	}, bar
}
