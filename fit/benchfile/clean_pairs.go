package benchfile

import (
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
	numbers      int
	line         int // of the first
}

// namedValue matches "message_size: 4096", "- time = 95.3 us" and "'bw': 11 GB/s,".
var namedValue = lex.NewPattern(
	`^\s*(?:-\s+)?["']?([A-Za-z][\w ()\[\]/%.-]{0,40}?)["']?\s*[:=]\s*` +
		`["']?([^\s"',;{}\[\]]+(?: [A-Za-zµ/]+)?)["']?\s*[,;]?\s*$`)

// maxPairs is the number of values that a benchmark says of one size at most, maxPairLine the
// length of one in bytes.
const (
	maxPairs    = 64
	maxPairLine = 128
)

// pair takes a line of a name and a value, and reports whether it is one.
func (x *recogniser) pair(p *parser, line string) bool {
	if len(line) > maxPairLine || !strings.ContainsAny(line, ":=") {
		return false
	}
	m := namedValue().FindStringSubmatch(line)
	if m == nil || isComment(line) || promptLine().MatchString(line) {
		return false
	}
	f := &x.pairs
	for _, name := range f.names {
		if name == m[1] {
			x.endPairs(p)
			break
		}
	}
	if len(f.names) == maxPairs {
		return false
	}
	if f.names == nil {
		f.line = p.file.Lines
	}
	f.names = append(f.names, m[1])
	value := tokensOf(m[2])
	if len(value) == 1 && value[0].number {
		f.numbers++
	} else {
		m[2] = strings.ReplaceAll(m[2], " ", "_")
	}
	f.texts = append(f.texts, m[1]+"="+m[2])
	return true
}

// endPairs makes the pairs so far a row, if two of them are numbers, or else lines above a table.
func (x *recogniser) endPairs(p *parser) {
	f := x.pairs
	x.pairs = pairLines{}
	if f.numbers < 2 {
		for _, text := range f.texts {
			x.remember(text)
		}
		return
	}
	if x.open != nil && !x.open.ofPairs {
		x.close(p)
	}
	line := strings.Join(f.texts, ", ")
	x.row(p, tokensOf(line), line, f.line)
	x.open.ofPairs = true
}

// isOfMessages reports whether the names of sizes and times say that they are those of messages.
func (r *reading) isOfMessages() bool {
	if !messageSize().MatchString(r.size.name) {
		return false
	}
	for c, g := range r.values {
		if g.dim == times && g.printed && latencyName().MatchString(c.name) {
			return true
		}
	}
	return false
}

var (
	messageSize = lex.NewPattern(`(?i)msg|message|payload|transfer`)
	latencyName = lex.NewPattern(`(?i)lat|rtt|one.?way|round.?trip|ping`)
)
