package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress returns what counts things ("rows") in a bar, with their rate, if w is a
// terminal; a count below zero ends it.
func newProgress(w io.Writer, total, done int64, things string) func(n int64) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int64) {}
	}
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(things), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	_ = bar.Add64(done) // only a bar: what it cannot show does not matter
	return func(rows int64) {
		if rows < 0 {
			_ = bar.Clear()
			return
		}
		_ = bar.Add64(rows)
	}
}
