package benchfile

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// pairLines are lines of a name and a value that follow each other, and are one row together:
//
//	message_size: 4096
//	avg_latency_us: 3.21   →  message_size=4096, avg_latency_us=3.21
//
// A name that comes again, and a line of another kind, begin the next row.
type pairLines struct {
	names, texts []string
	lines        []string // as they stand
	numbers      int
	line         int  // of the first
	headed       bool // the first is a heading with the size
}

// namedValue matches "message_size: 4096", "- time = 95.3 us" and "'bw': 11 GB/s,".
var namedValue = lex.NewPattern(
	`^\s*(?:-\s+)?["']?([A-Za-z][\w ()\[\]/%.-]{0,40}?)["']?\s*[:=]\s*` +
		`["']?([^\s"',;{}\[\]]+)(?: \[?([A-Za-zµ/]+)\]?)?["']?\s*[,;]?\s*$`)

// maxPairs is the number of values that a benchmark says of one size at most, maxPairLine the
// length of one in bytes.
const (
	maxPairs    = 64
	maxPairLine = 128
)

// pairIn returns the name and the value that a line consists of; nil if it is another line.
func pairIn(line string) []string {
	if len(line) > maxPairLine || !strings.ContainsAny(line, ":=") || isComment(line) ||
		promptLine().MatchString(line) {
		return nil
	}
	return namedValue().FindStringSubmatch(line)
}

// sizeHeading matches a line that ends in the size of the values under it: "Running size 1024",
// "=== msg size: 4 KiB ===".
var sizeHeading = lex.NewPattern(`(?i)^\W*(?:[a-z]+\W+){0,4}?(size|bytes)\W{1,3}` +
	`(\d+) ?([kmg]?i?b|[kmg]|bytes)?\W*$`)

// headingIn returns the size that a heading has, as a name and a value; nil if it is another line.
func headingIn(line string) []string {
	if len(line) > maxPairLine {
		return nil
	}
	return sizeHeading().FindStringSubmatch(line)
}

// has reports whether a pair cannot be one more of the same row.
func (f *pairLines) has(pair []string) bool {
	return len(f.names) == maxPairs || slices.Contains(f.names, pair[1])
}

// add adds the pair of a line.
func (f *pairLines) add(pair []string, line string, at int) {
	if f.names == nil {
		f.line = at
	}
	f.names = append(f.names, pair[1])
	value := strings.TrimSpace(pair[2] + " " + pair[3])
	if all := tokensOf(value); len(all) == 1 && all[0].number {
		f.numbers++
	} else {
		value = strings.ReplaceAll(value, " ", "_")
	}
	f.texts, f.lines = append(f.texts, pair[1]+"="+value), append(f.lines, line)
}

var promptLine = lex.NewPattern(`^\s*(\S*[$>]|\$) `)
