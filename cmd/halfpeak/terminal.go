package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/halfpeak/halfpeak/reports"
)

// A terminal is what there is to know about where a person reads. It is read once, in run; its
// zero value is no terminal.
type terminal struct {
	width  int  // of standard output, in letters; 0: it is no terminal
	color  bool // standard output takes colours, and the reader wants them
	errors bool // so does standard error
}

func newTerminal(stdout, stderr io.Writer) (t terminal) {
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if f, ok := isTerminal(stdout); ok {
		t.color = wanted
		if t.width, _, _ = term.GetSize(int(f.Fd())); t.width < 20 {
			t.width = 80
		}
	}
	_, ok := isTerminal(stderr)
	t.errors = ok && wanted
	return t
}

func isTerminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

type terminalKey struct{}

func (t terminal) context() context.Context {
	return context.WithValue(context.Background(), terminalKey{}, t)
}

// terminalOf is the terminal that a command writes to.
func terminalOf(cmd *cobra.Command) terminal {
	if ctx := cmd.Context(); ctx != nil {
		t, _ := ctx.Value(terminalKey{}).(terminal)
		return t
	}
	return terminal{}
}

// helpWidth is the width of help, which is the same everywhere but on a narrower terminal.
func (t terminal) helpWidth() int {
	if t.width == 0 {
		return 80
	}
	return min(80, t.width)
}

// wrapHelp makes the help of all commands fit the terminal. A topic, which is a command that does
// nothing, is its text alone.
func wrapHelp(root *cobra.Command, t terminal) {
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := root.OutOrStdout()
		var text strings.Builder
		if cmd.Runnable() || cmd.HasSubCommands() {
			cmd.SetOut(&text)
			usual(cmd, args)
			cmd.SetOut(out)
		} else {
			text.WriteString(cmd.Long + "\n")
		}
		fmt.Fprint(out, reports.Fold(paragraphs(text.String()), t.helpWidth()))
	})
}

// paragraphs joins the lines of each paragraph that the source of a help text broke, and brings
// what flags mean to one column. What else is indented, or has columns, stands as it is.
func paragraphs(text string) string {
	const column = 26
	plain := func(line string) bool {
		return line != "" && line[0] != ' ' && !strings.Contains(line, "  ") && !strings.HasPrefix(line, "─")
	}
	lines := []string{}
	joined := false // the last line is of a paragraph, and was broken
	for line := range strings.SplitSeq(text, "\n") {
		if flag := strings.TrimLeft(line, " "); strings.HasPrefix(flag, "-") && flag != line {
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

// A quiet writer shows what would move a terminal instead of doing it: file names and other text
// from outside may hold escape sequences.
type quiet struct{ io.Writer }

func (q quiet) Write(p []byte) (int, error) {
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
