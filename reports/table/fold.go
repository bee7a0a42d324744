package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// OneLine makes text from outside safe to print on one line: it replaces control characters and
// characters without a width, such as those that change the direction of writing, by spaces.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) {
			return ' '
		}
		return c
	}, s)
}

// isControl reports whether a terminal or a page could obey c rather than show it. Cf, format
// characters, has those that turn the direction of writing: a name of a file could use them to show
// another name.
func isControl(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible spells control characters as JSON escapes them (\u001b), but for line breaks and tabs.
// Bytes that are not UTF-8 become \ufffd.
func Visible(s string) string {
	commands := func(c rune) bool { return isControl(c) && c != '\n' && c != '\t' }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, commands) {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		if invalid := c == utf8.RuneError && size == 1; !invalid && !commands(c) {
			b.WriteRune(c)
			continue
		}
		for _, half := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&b, `\u%04x`, half)
		}
	}
	return b.String()
}

// escapeMarkdown escapes what Markdown would format, except bars, which matter in
// tables only and are escaped there.
func escapeMarkdown(s string) string {
	var b strings.Builder
	runes := []rune(OneLine(s))
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, c := range runes {
		// An underscore within a word is text in CommonMark, so names such as one_way_us stay
		// legible.
		if strings.ContainsRune("\\`*<[", c) || c == '_' && !(inWord(i-1) && inWord(i+1)) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// displayWidth returns the number of terminal columns that s takes. It does not depend on the
// locale.
func displayWidth(s string) (columns int) {
	for _, c := range s {
		columns += terminalWidth.RuneWidth(c)
	}
	return columns
}

// terminalWidth counts letters of ambiguous width, such as µ and β, as one column. The default of
// the package would ask the locale and count two in Japanese or Chinese ones.
var terminalWidth = &runewidth.Condition{}

// Fold breaks the lines of a text between words so that none is wider than width letters; a longer
// word gets its own line. The rest of a line is aligned with its first word or, if two or more
// spaces separate a flag from its meaning, with the meaning.
func Fold(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if displayWidth(line) > width {
			lines[i] = foldLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// foldLine breaks one line. A description is aligned only if it begins in the left half: further
// right, it would be a column of one word a line.
func foldLine(line string, width int) string {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	first := indent // column of the text
	if at := strings.LastIndex(rest, "  "); at >= 0 {
		if at += 2 + indent; displayWidth(line[:at]) <= width/2 {
			rest, first = line[at:], displayWidth(line[:at])
		}
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(line, rest))
	column := first
	for k, word := range strings.Fields(rest) {
		n := displayWidth(word)
		switch {
		case k == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", first))
			column = first
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
