package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/halfpeak/halfpeak/reports/table"
)

// A terminal describes standard output. It is detected once, at the start; the zero
// value is not a terminal. It travels in the context, so that tests can set one.
type terminal struct {
	Width    int  // of standard output, in letters; 0: not a terminal
	Height   int  // of standard output, in lines; 0: any height fits
	Messages int  // width of standard error; 0: not a terminal
	Color    bool // standard output takes colours, and the reader wants them
	Errors   bool // standard error takes colours, and the reader wants them
}

// detectTerminal detects the terminal of the two outputs, NO_COLOR (no-color.org) and TERM.
func detectTerminal(stdout, stderr io.Writer) (t terminal) {
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	t.Width, t.Height = sizeOf(stdout)
	t.Messages, _ = sizeOf(stderr)
	t.Color, t.Errors = wanted && t.Width > 0, wanted && t.Messages > 0
	return t
}

// sizeOf returns the size of the terminal behind w; 0, 0: it is none.
func sizeOf(w io.Writer) (width, height int) {
	f, ok := terminalFile(w)
	if !ok {
		return 0, 0
	}
	// Some terminals, as in editors and CI, report a size of 0. 80 × 24 is the size that programs
	// of text have assumed since the terminals of the seventies.
	width, height, _ = term.GetSize(int(f.Fd()))
	if width < 20 {
		width = 80
	}
	if height < 10 {
		height = 24
	}
	return width, height
}

// terminalFile returns the file behind w, and whether that is a terminal.
func terminalFile(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// key is the key of the terminal in a context; its own type keeps it apart from all
// others.
type key struct{}

// withContext returns a context that carries the terminal.
func (t terminal) withContext() context.Context {
	return context.WithValue(context.Background(), key{}, t)
}

// terminalOf returns the terminal of the context, or the zero value.
func terminalOf(ctx context.Context) terminal {
	if ctx == nil {
		return terminal{}
	}
	t, _ := ctx.Value(key{}).(terminal)
	return t
}

// alarm returns the text in red if standard error takes colours.
func (t terminal) alarm(text string) string {
	if !t.Errors {
		return text
	}
	return "\x1b[1;31m" + text + "\x1b[0m"
}

// A quiet writer shows control characters in a visible form, since file names and
// other external text may contain escape sequences. Line breaks and tabs are our own
// form of messages. Lines wider than a terminal are wrapped between words.
type quiet struct {
	io.Writer
	width int      // 0: lines of any width
	waits *waiting // ends with the first line
}

func (q quiet) Write(p []byte) (int, error) {
	q.waits.stop()
	var b strings.Builder
	for text := p; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unicode.IsPrint(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		text = text[n:]
	}
	shown := b.String()
	if q.width > 0 {
		shown = table.Fold(shown, q.width)
	}
	// The count is that of the input: a caller must not think that bytes were lost.
	if _, err := io.WriteString(q.Writer, shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A bar of progress appears after patience, so that short work does not flicker, and
// is drawn anew at most every refresh, so that drawing takes no time from the work.
const (
	patience = 500 * time.Millisecond
	refresh  = 100 * time.Millisecond
)

// progress returns a function that shows a count of things ("rows") and their rate in
// a line, if w is a terminal and the work takes longer than a moment; a negative
// count ends it. It may be called by several goroutines. If things is empty, the line
// shows the completed share. In a file, a log would fill with bars.
func progress(w io.Writer, total int64, things string) func(n int64) {
	return progressIn(w, func(done int64, since time.Duration) string {
		return progressLine(done, total, things, since)
	})
}

// progressIn is progress with a line of one's own.
func progressIn(w io.Writer, line func(done int64, since time.Duration) string) func(n int64) {
	w, ok := barWriter(w)
	if !ok {
		return func(int64) {}
	}
	var mutex sync.Mutex
	var drawn time.Time
	begun, done := time.Now(), int64(0)
	return func(n int64) {
		mutex.Lock()
		defer mutex.Unlock()
		now := time.Now()
		if n < 0 {
			// The line is erased, so that the table begins where the command did.
			if !drawn.IsZero() {
				fmt.Fprint(w, eraseLine)
			}
			return
		}
		done += n
		if now.Sub(begun) >= patience && now.Sub(drawn) >= refresh {
			drawn = now
			fmt.Fprint(w, eraseLine+line(done, now.Sub(begun)))
		}
	}
}

// barWriter returns the terminal behind w, for lines of ours that move its cursor, if it is one.
func barWriter(w io.Writer) (io.Writer, bool) {
	var waits *waiting
	if q, ok := w.(quiet); ok {
		w, waits = q.Writer, q.waits
	}
	_, ok := terminalFile(w)
	return &sink{w: w, waits: waits}, ok
}

// progressLine returns "42 %, 8192 of 19504 rows, 1200 rows/s"; the share needs a total.
func progressLine(done, total int64, things string, since time.Duration) string {
	var parts []string
	if total > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", 100*done/total))
	}
	if things != "" {
		count := fmt.Sprint(done)
		if total > 0 {
			count += fmt.Sprintf(" of %d", total)
		}
		rate := float64(done) / since.Seconds()
		parts = append(parts, count+" "+things, fmt.Sprintf("%.0f %s/s", rate, things))
	}
	return strings.Join(parts, ", ")
}

// counter returns a progress bar that appears at the first call of bar, with the
// number of completed things and the total: a simulation knows its total only after
// reading. If the number decreases or the total changes, a new round has begun, and gets a new bar.
func counter(w io.Writer, things string) (bar func(done, total int64), end func()) {
	var add func(int64)
	shown, of := int64(0), int64(0)
	end = func() {
		if add != nil {
			add(-1)
		}
		add, shown = nil, 0
	}
	bar = func(done, total int64) {
		if done < shown || total != of {
			end()
		}
		if add == nil {
			add, of = progress(w, total, things), total
		}
		add(done - shown)
		shown = done
	}
	return bar, end
}

// readingBar returns a function that shows a bar of the bytes read from a large file,
// if w is a terminal. Files below 20 MiB are read within patience; of a pipe, the
// size is not known.
func readingBar(w io.Writer) func(path string) (read func(int64), done func()) {
	const large = 20 << 20
	return func(path string) (func(int64), func()) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() < large {
			return nil, func() {}
		}
		bar, last := progress(w, info.Size(), "bytes"), int64(0)
		return func(n int64) { bar(n - last); last = n }, func() { bar(-1) }
	}
}

// A sink is the standard output. It keeps its first error and discards all later
// output: most code that prints does not look at errors, and run reports this one.
type sink struct {
	w     io.Writer
	err   error
	waits *waiting // ends with the first output
}

func (s *sink) Write(p []byte) (int, error) {
	s.waits.stop()
	if s.err != nil {
		return len(p), nil
	}
	n, err := s.w.Write(p)
	if err != nil {
		// "write /dev/stdout: no space left" names a file that the user did not.
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		s.err = fmt.Errorf("cannot write the output: %w", err)
	}
	return n, s.err
}

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
