// Package terminal detects the width and colours of a terminal, fits help to it, removes escape
// sequences, and draws a progress bar.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/halfpeak/halfpeak/reports"
)

// A Terminal describes standard output. It is detected once, at the start; the zero value is not a
// terminal.
type Terminal struct {
	Width  int  // of standard output, in letters; 0: not a terminal
	Color  bool // standard output takes colours, and the reader wants them
	Errors bool // standard error takes colours, and the reader wants them
}

// New detects the terminal of the two outputs, NO_COLOR (no-color.org) and TERM.
func New(stdout, stderr io.Writer) (t Terminal) {
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if f, ok := terminalFile(stdout); ok {
		t.Color = wanted
		if t.Width, _, _ = term.GetSize(int(f.Fd())); t.Width < 20 {
			t.Width = 80
		}
	}
	_, ok := terminalFile(stderr)
	t.Errors = ok && wanted
	return t
}

// terminalFile returns the file behind w, and whether that is a terminal.
func terminalFile(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

type key struct{}

// Context returns a context that carries the terminal.
func (t Terminal) Context() context.Context { return context.WithValue(context.Background(), key{}, t) }

// Of returns the terminal of the context, or the zero value.
func Of(ctx context.Context) Terminal {
	if ctx == nil {
		return Terminal{}
	}
	t, _ := ctx.Value(key{}).(Terminal)
	return t
}

// HelpWidth returns the width of help: 80 letters, or those of a narrower terminal.
func (t Terminal) HelpWidth() int {
	if t.Width > 0 {
		return min(80, t.Width)
	}
	return 80
}

// Help wraps a help text at 80 letters, or at the width of a narrower terminal. The lines of a
// paragraph are joined first, and the meanings of flags form one column.
func (t Terminal) Help(text string) string {
	width := t.HelpWidth()
	lines := strings.Split(paragraphs(text), "\n")
	examples := false
	for i, line := range lines {
		if examples = line == "Examples:" || examples && line != ""; examples {
			lines[i] = continued(line, width)
		}
	}
	return reports.Fold(strings.Join(lines, "\n"), width)
}

// continued breaks an example before flags, or else before an argument, with backslashes, so that a
// shell reads its lines as one command.
func continued(command string, width int) string {
	var lines []string
	for utf8.RuneCountInString(command) > width {
		end := strings.LastIndex(command[:width-1], " -")
		if end < len("    -") {
			end = strings.LastIndex(command[:width-1], " ")
		}
		if end < len("    -") || strings.Count(command[:end], "'")%2 == 1 {
			break
		}
		lines = append(lines, command[:end]+" \\")
		command = "   " + command[end:]
	}
	return strings.Join(append(lines, command), "\n")
}

// Alarm returns the text in red if standard error takes colours.
func (t Terminal) Alarm(text string) string {
	if !t.Errors {
		return text
	}
	return "\x1b[1;31m" + text + "\x1b[0m"
}

// paragraphs joins the lines of each paragraph of a help text, and of each meaning in a list, and
// aligns the meanings of flags in one column. Other indented lines, and tables, stay as they are.
func paragraphs(text string) string {
	const column = 26
	plain := func(line string) bool {
		return line != "" && line[0] != ' ' && !strings.Contains(line, "  ") && !strings.HasPrefix(line, "─")
	}
	lines := []string{}
	joined := false // the last line is of a paragraph, and was broken
	for line := range strings.SplitSeq(text, "\n") {
		flag := strings.TrimLeft(line, " ")
		if n := len(lines); len(line)-len(flag) > 8 && flag != "" && strings.HasPrefix(lines[n-1], "  ") {
			lines[n-1] += " " + flag
			continue
		}
		if strings.HasPrefix(flag, "-") && flag != line {
			name, meaning, _ := strings.Cut(flag, "  ")
			name = strings.Repeat(" ", len(line)-len(flag)) + name
			if n := utf8.RuneCountInString(name); n > column-2 {
				lines = append(lines, name)
				name = ""
			}
			pad := strings.Repeat(" ", column-utf8.RuneCountInString(name))
			line = name + pad + strings.TrimLeft(meaning, " ")
		}
		if joined && plain(line) {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		joined = plain(line) && utf8.RuneCountInString(line) > 50
	}
	return strings.Join(lines, "\n")
}

// A Quiet writer shows control characters in a visible form, since file names and other external
// text may contain escape sequences.
type Quiet struct{ io.Writer }

func (q Quiet) Write(p []byte) (int, error) {
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
	if _, err := io.WriteString(q.Writer, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// patience is the time before a progress bar appears.
const patience = 500 * time.Millisecond

// Progress returns a function that shows a count of things ("rows") and their rate in a bar, if w
// is a terminal and the work takes longer than a moment; a negative count ends it. If things is
// empty, the bar shows the completed share.
func Progress(w io.Writer, total int64, things string) func(n int64) {
	if q, ok := w.(Quiet); ok {
		w = q.Writer // the bar is ours, and moves the cursor
	}
	if _, ok := terminalFile(w); !ok {
		return func(int64) {}
	}
	options := []progressbar.Option{progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish()}
	if things == "" {
		options = append(options, progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	} else {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(things))
	}
	var bar *progressbar.ProgressBar
	begun, waiting := time.Now(), int64(0)
	return func(n int64) { // errors of a bar do not matter
		waiting += n
		switch {
		case n < 0 && bar != nil:
			_ = bar.Clear()
		case n < 0 || bar == nil && time.Since(begun) < patience:
		default:
			if bar == nil {
				bar = progressbar.NewOptions64(total, options...)
			}
			_ = bar.Add64(waiting)
			waiting = 0
		}
	}
}

// Counter returns a progress bar that appears at the first call of bar, with the number of
// completed things and the total. If that number decreases, a new round has begun, and gets a new
// bar.
func Counter(w io.Writer, things string) (bar func(done, total int64), end func()) {
	var add func(int64)
	shown := int64(0)
	end = func() {
		if add != nil {
			add(-1)
		}
		add, shown = nil, 0
	}
	bar = func(done, total int64) {
		if done < shown {
			end()
		}
		if add == nil {
			add = Progress(w, total, things)
		}
		add(done - shown)
		shown = done
	}
	return bar, end
}

// Reading returns a function that shows a bar of the bytes read from a large file, if w is a
// terminal.
func Reading(w io.Writer) func(path string) (read func(int64), done func()) {
	const large = 20 << 20
	return func(path string) (func(int64), func()) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() < large {
			return nil, func() {}
		}
		bar, last := Progress(w, info.Size(), "bytes"), int64(0)
		return func(n int64) { bar(n - last); last = n }, func() { bar(-1) }
	}
}

// A Sink is the standard output. It keeps its first error and discards all later output.
type Sink struct {
	w   io.Writer
	Err error
}

// NewSink returns the sink of an output.
func NewSink(w io.Writer) *Sink { return &Sink{w: w} }

func (s *Sink) Write(p []byte) (int, error) {
	if s.Err != nil {
		return len(p), nil
	}
	n, err := s.w.Write(p)
	if err != nil {
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		s.Err = fmt.Errorf("cannot write the output: %w", err)
	}
	return n, s.Err
}
