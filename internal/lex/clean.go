package lex

import (
	"bytes"
	"strings"
)

var (
	// Control sequences of ECMA-48: "\x1b[1;32m" of colours, "\x1b[0K" of erased lines.
	ansi        = NewPattern(`\x1b(\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])`)
	bold        = NewPattern(`\*\*([^*]+)\*\*`) // of Markdown
	overwritten = NewPattern(`(?s)^.*\r`)       // a progress bar
	// as cat -v and some logs show them
	caret = NewPattern(`\^\[\[[0-9;]*m`)
	// mpirun --tag-output writes [1,0]<stdout>: before each line, newer versions
	// without the colon; loggers write a time.
	RankTag   = NewPattern(`^\[\d+,\d+\]<std(out|err|diag)>:? ?`)
	timeStamp = NewPattern(
		`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?\]?:?[ \t]+`)
	// of ts, and of syslog with the host and the program
	monthStamp = NewPattern(
		`^[A-Z][a-z][a-z] [ 0-3]\d \d\d:\d\d:\d\d([.,]\d+)? (?:\S+ [\w./-]+\[\d+\]: )?`)
	clockStamp = NewPattern(`^\[?\d\d:\d\d:\d\d([.,]\d+)?\]?:?[ \t]+`)
)

// Blanks of other widths than a plain one: no-break spaces of web pages, and zero-width ones.
var spaces = strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u2009", " ",
	"\u3000", " ", "\u200b", "", "\ufeff", "")

var escaped = NewPattern(`\\([#>|*_\[\]()-])`)

// marks are what Clean takes off a line, in this order: tags come before timestamps, since mpirun
// puts its tag in front of what a logger has written. worth excludes most lines before the
// expression runs, by a byte or two of a line that is longer than said.
var marks = []struct {
	longer  int
	worth   func(line []byte) bool
	pattern Pattern
	left    []byte // what remains of a match
}{
	// Where a web page shows "#" as it is, its source has a backslash before it.
	{0, func(l []byte) bool { return l[0] == '\\' }, escaped, []byte("$1")},
	{0, func(l []byte) bool { return bytes.IndexByte(l, 0x1b) >= 0 }, ansi, nil},
	{1, func(l []byte) bool { return bytes.Contains(l, []byte("**")) }, bold, []byte("$1")},
	// no row of numbers
	{0, func(l []byte) bool { return l[0] > '9' && bytes.IndexByte(l, '^') >= 0 }, caret, nil},
	{0, func(l []byte) bool { return bytes.IndexByte(l, '\r') >= 0 }, overwritten, nil},
	{0, func(l []byte) bool { return l[0] == '[' }, RankTag, nil},
	{16, func(l []byte) bool { return l[3] == ' ' && l[9] == ':' }, monthStamp, nil},
	{9, func(l []byte) bool {
		return l[2] == ':' && l[5] == ':' || l[0] == '[' && l[3] == ':'
	}, clockStamp, nil},
	{20, func(l []byte) bool { return l[0] == '[' || l[4] == '-' || l[5] == '-' }, timeStamp, nil},
}

// Clean returns a line without colours, rank tags, timestamps and surrounding white space, and with
// plain blanks. A row of plain numbers takes only a few comparisons.
func Clean(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return line
	}
	// The first bytes of all of them in UTF-8.
	if bytes.IndexByte(line, 0xc2) >= 0 || bytes.IndexByte(line, 0xe2) >= 0 ||
		bytes.IndexByte(line, 0xe3) >= 0 || line[0] == 0xef {
		line = bytes.TrimSpace([]byte(spaces.Replace(string(line))))
	}
	if len(line) == 0 {
		return line
	}
	for _, m := range marks {
		if len(line) > m.longer && m.worth(line) {
			line = bytes.TrimSpace(m.pattern().ReplaceAll(line, m.left))
		}
	}
	return line
}

// maxLabel is the longest label in bytes: names of hosts, pods and files with their folders.
const maxLabel = 128

// Labelled divides a line into the label that a launcher, a logger, a pager or a letter has put
// before it, and the rest; rest is nil if the line has none:
//
//	0: …   [0] …   [rank0]: …   node01: …   (node01) …   node01| …   [stdout] …   INFO: …   > …
//	stdout F …   - root - INFO - …   a.log:# …
//
// Other lines begin so, too: a caller takes a line for labelled only after a reader has accepted
// its rest.
func Labelled(line []byte) (label, rest []byte) {
	if len(line) < 2 {
		return nil, nil
	}
	at := -1 // where the rest begins
	switch c := line[0]; {
	case c == '>' || c == '-' && line[1] == ' ':
		label, at = line[:1], 1
	case c == '[' || c == '(':
		label, at = bracketed(line)
	case isNameByte(c):
		label, at = named(line)
	}
	if at < 0 {
		return nil, nil
	}
	// Behind the label may stand what Clean takes off a whole line: a time, an escaped "#".
	rest = Clean(line[at:])
	if len(rest) == 0 {
		return nil, nil
	}
	return label, rest
}

// bracketed returns the label in the brackets at the beginning of a line; at is −1 if it is none.
func bracketed(line []byte) (label []byte, at int) {
	end := bytes.IndexAny(line[1:min(len(line), maxLabel)], "[]()")
	if end < 1 || line[end+1] != ']' && line[end+1] != ')' {
		return nil, -1
	}
	label, at = line[1:end+1], end+2
	if at < len(line) && line[at] == ':' {
		return label, at + 1
	}
	if at < len(line) && bytes.IndexByte([]byte(" \t[(#"), line[at]) < 0 {
		return nil, -1
	}
	return label, at
}

// named returns the name at the beginning of a line that ends it as a label; at is −1 otherwise.
func named(line []byte) (label []byte, at int) {
	end := 0
	for end < min(len(line), maxLabel) && isNameByte(line[end]) {
		end++
	}
	label, rest := line[:end], line[end:]
	bare := bytes.TrimLeft(rest, " ")
	switch {
	case len(bare) < 2:
		return nil, -1
	// grep prints the name of a file without a blank behind the colon.
	case rest[0] == ':' && (bytes.IndexByte([]byte(" \t#["), rest[1]) >= 0 ||
		bytes.ContainsAny(label, "./") && !isDigit(label[0]) && rest[1] != '/'):
		return label, end + 1
	case bare[0] == '|' && bare[1] == ' ':
		return label, len(line) - len(bare) + 1
	case bytes.HasPrefix(rest, []byte(" - ")) && !isDigit(label[0]):
		return label, end + 3
	case levels[strings.ToLower(string(label))] && rest[0] == ' ':
		// CRI writes an F for a full line behind the stream, and a P for a part of one.
		if c := bare[0]; (c == 'F' || c == 'P') && bare[1] == ' ' && label[0] == 's' {
			return label, len(line) - len(bare) + 1
		}
		return label, end
	}
	return nil, -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameByte reports whether a name of a host, a pod, a file or a rank may have the byte.
func isNameByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '.' || c == '-' || c == '_' || c == '/' || c == '@'
}

// levels are the words that loggers put before lines, and the streams that a line comes from.
var levels = map[string]bool{
	"info": true, "warn": true, "warning": true, "error": true, "debug": true, "trace": true,
	"notice": true, "stdout": true, "stderr": true, "out": true, "err": true, "root": true,
}

// rankLabel matches the labels of one program's ranks.
var rankLabel = NewPattern(`^(?:rank|proc|task|default|worker|r|p)?[-_ ]?\d+$`)

// Source returns the name of the host or file whose output a label marks; "" if it marks a rank, a
// stream, a time or a level, whose lines belong to one output.
func Source(label []byte) string {
	name := string(label)
	if strings.Count(name, ".") == 3 { // an address
		return name
	}
	if len(name) < 2 || isDigit(name[0]) || strings.ContainsAny(name, " :,=") ||
		levels[strings.ToLower(name)] || rankLabel().MatchString(strings.ToLower(name)) {
		return ""
	}
	return name
}

// Fields splits a line at white space into at most len(into) fields, and returns their
// number; it is len(into)+1 if the line has more. It allocates nothing, unlike bytes.Fields.
func Fields(line []byte, into [][]byte) (n int) {
	// Blanks and tabs alone: bytes that Unicode counts as space stand inside of names.
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if n == len(into) {
			return n + 1
		}
		into[n] = line[start:i]
		n++
	}
	return n
}

// Stacked returns the names of columns whose words are stacked in several lines, as netperf
// prints them. A column ends where all lines are blank:
//
//	Local   Remote  Elapsed
//	CPU     CPU     Time      →  "Local CPU", "Remote CPU", "Elapsed Time"
func Stacked(lines []string) (names []string) {
	var inked []bool // by place: a line is not blank there
	for _, l := range lines {
		inked = append(inked, make([]bool, max(0, len(l)-len(inked)))...)
		for at := range len(l) {
			inked[at] = inked[at] || l[at] != ' '
		}
	}
	// Runs of places with and without ink alternate; each run with ink is a column.
	for from, to := 0, 0; from < len(inked); from = to {
		for to < len(inked) && inked[to] == inked[from] {
			to++
		}
		if !inked[from] {
			continue
		}
		var words []string
		for _, l := range lines {
			if from < len(l) {
				words = append(words, strings.Fields(l[from:min(to, len(l))])...)
			}
		}
		names = append(names, strings.Join(words, " "))
	}
	return names
}
