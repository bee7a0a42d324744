package lex

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	// Control sequences of ECMA-48: "\x1b[1;32m" of colours, "\x1b[0K" of erased lines.
	ansi = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])`)
	// as cat -v and some logs show them
	caret = regexp.MustCompile(`\^\[\[[0-9;]*m`)
	// mpirun --tag-output writes [1,0]<stdout>: before each line, newer versions
	// without the colon; loggers write a time.
	rankTag   = regexp.MustCompile(`^\[\d+,\d+\]<std(out|err|diag)>:? ?`)
	timeStamp = regexp.MustCompile(
		`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?\]?:?[ \t]+`)
	// of ts, and of syslog with the host and the program
	monthStamp = regexp.MustCompile(
		`^[A-Z][a-z][a-z] [ 0-3]\d \d\d:\d\d:\d\d([.,]\d+)? (?:\S+ [\w./-]+\[\d+\]: )?`)
	clockStamp = regexp.MustCompile(`^\[?\d\d:\d\d:\d\d([.,]\d+)?\]?:?[ \t]+`)
)

// Clean returns a line without colours, rank tags, timestamps and surrounding white space. A row of
// plain numbers takes only a few comparisons.
func Clean(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return line
	}
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = bytes.TrimSpace(ansi.ReplaceAll(line, nil))
	}
	if len(line) > 0 && line[0] > '9' && bytes.IndexByte(line, '^') >= 0 { // no row of numbers
		line = bytes.TrimSpace(caret.ReplaceAll(line, nil))
	}
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 { // a progress bar, overwritten
		line = bytes.TrimSpace(line[i+1:])
	}
	// Tags come before timestamps: mpirun puts its tag in front of what a logger has written.
	if len(line) > 0 && line[0] == '[' {
		line = bytes.TrimSpace(line[len(rankTag.Find(line)):])
	}
	// One or two bytes exclude most lines before an expression runs.
	if len(line) > 16 && line[3] == ' ' && line[9] == ':' {
		line = bytes.TrimSpace(line[len(monthStamp.Find(line)):])
	}
	if len(line) > 9 && (line[2] == ':' && line[5] == ':' || line[0] == '[' && line[3] == ':') {
		line = bytes.TrimSpace(line[len(clockStamp.Find(line)):])
	}
	if len(line) > 20 && (line[0] == '[' || line[4] == '-' || line[5] == '-') {
		line = bytes.TrimSpace(line[len(timeStamp.Find(line)):])
	}
	return line
}

// Unlabelled returns a line without the leading rank that srun -l ("0: …") and mpiexec -l
// ("[0] …") print. Other lines begin so, too, so a caller tries both forms.
func Unlabelled(line []byte) []byte {
	end := ": "
	from, bracket := bytes.CutPrefix(line, []byte("["))
	if bracket {
		end = "] "
	}
	digits := 0
	for digits < len(from) && from[digits] >= '0' && from[digits] <= '9' {
		digits++
	}
	rest, ok := bytes.CutPrefix(from[digits:], []byte(end))
	if !ok || digits == 0 {
		return line
	}
	return bytes.TrimSpace(rest)
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
