package benchfile

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

func isBracketed(text string) bool {
	return strings.ContainsAny(text[:1], "([") && strings.ContainsAny(text[len(text)-1:], ")]")
}

// headerNames splits a header into the names of its columns: at two or more blanks, and where
// copying has collapsed the blanks, behind units and words that are complete names.
func headerNames(line []byte) (names []string) {
	text := strings.TrimLeft(string(line), " ")
	text = strings.TrimPrefix(text, "# ")
	for _, part := range wide().Split(strings.TrimSpace(text), -1) {
		// A word joins the name before it until that is complete: "Avg" and "Latency(us)" are one
		// name, "Size" is another.
		begins := true
		for word := range strings.FieldsSeq(part) {
			if len(names) > 0 && (!begins && word[0] != '#' || isBracketed(word)) {
				word = names[len(names)-1] + " " + word
				names = names[:len(names)-1]
			}
			names = append(names, word)
			begins = completeName().MatchString(word)
		}
	}
	if len(names) > 0 {
		names[0] = strings.TrimPrefix(names[0], "# ")
	}
	return names
}

// completeName matches the end of a name that no further word belongs to.
var completeName = lex.NewPattern(
	`(?i)([)\]]|/s|/sec|size|iterations|repetitions|validation|bytes|defects)$`)

// validName matches the columns that say whether the results of an operation were right.
var validName = lex.NewPattern(`(?i)^[#n]?wrong$|^defects$|^correct(ness)?$|validation$`)

// wide splits a header at two or more blanks, or a tab.
var wide = lex.NewPattern(`\s{2,}|\t`)

// Names of columns only confirm what their values do.
var (
	sizeName = lex.NewPattern(`(?i)^#?\s*(msg|message|msg_|buffer|block|data|transfer|blk)?` +
		`[\s_]*(size|bytes|length|len|nbytes)\b|(msg|blk|buf)_?si?z|#bytes|\bsi?ze?\b|_bytes$|` +
		`^bytes|^n$`)
	timeName = lex.NewPattern(`(?i)(^|[^u])time|cpu.+time|lat|usec|\bt\b|\bt_|tavg|tmin|tmax|` +
		`rtt|delay|overhead|p50|p99|comm|microsec|median|^min\b|^max\b|^avg\b|one.?way|` +
		`round.?trip|duration|average|mean`)
	rateName    = lex.NewPattern(`(?i)bw|band|tput|throughput|bytes/s|b/s|speed|bit`)
	messageName = lex.NewPattern(`(?i)msg.?rate|messages/s|message rate|xfers/s|mpps|mr$|trans`)
	elementName = lex.NewPattern(`(?i)^elem|elements|^count|\bnum_?el|\bnelem`)
	// Columns that are neither sizes nor what was measured.
	otherName = lex.NewPattern(`(?i)(^|[^/])iter|rep|#sent|#ack|sample|rank|proc|node|root|wrong|` +
		`error|count|nchan|batch|thread|pid|total|overlap|util|compute|stdev|sigma|retr|n_ctx|` +
		`gpus|\bport\b|\bline\b|start|\bdate\b|elapsed|qps|std|\bcv|` +
		`step|epoch|loss|seq|\bttl\b|token|\brows?\b`)
	// What a time or a rate is for does not make it a count.
	perCall = lex.NewPattern(`(?i)\bper[ _-]?(iter|rep|sample|step)[a-z]*`)
	// A communicator and a cluster have sizes, too.
	noSizeName = lex.NewPattern(`(?i)rate|bw|band|/s|window|batch|lat|time|\bcomm([ _]|\b)|world|` +
		`team|cluster|group|pool`)
)

func (d dimension) isNamed(name string) bool {
	switch d {
	case sizes:
		return sizeName().MatchString(name) && !noSizeName().MatchString(name)
	case times:
		return timeName().MatchString(name) && !rateName().MatchString(name) &&
			!messageName().MatchString(name)
	case rates:
		return rateName().MatchString(name)
	}
	return messageName().MatchString(name)
}

// statistics orders the names of statistics of one quantity: the first that a table has stands for
// it.
var statistics = []struct {
	name string
	is   lex.Pattern
}{
	{"average", lex.NewPattern(`(?i)avg|average|mean|\bave\b`)},
	{"typical", lex.NewPattern(`(?i)typical`)},
	{"median", lex.NewPattern(`(?i)median|p50|50[._]0+(%ile|_percentile)|\bmed\b`)},
	{"overall", lex.NewPattern(`(?i)overall`)},
	{"time", lex.NewPattern(`(?i)^time$`)},
	{"min", lex.NewPattern(`(?i)min`)},
	{"max", lex.NewPattern(`(?i)max|peak`)},
	{"tail", lex.NewPattern(`(?i)p\d+|(\d+(st|nd|rd|th)? *)?(%ile|tail|percentile)`)},
}

// What is left of a name says what was measured: "send" of "send_avg_us".
var statisticNoise = lex.NewPattern(`(?i)[\W_]+|lat(ency)?|tail|(micro|milli|nano)seconds?|` +
	`µ?u?sec|micro|seconds?|time`)
var statisticUnits = lex.NewPattern(`^(us|ms|ns|t|s)+$|\b(us|ms|ns|s)$`)

// otherStatistic is the place of a name without a statistic, behind averages.
const otherStatistic = 1.5

// statisticOf returns the place of a column's statistic in statistics, and the quantity that the
// rest of the name says.
func statisticOf(name string) (rank float64, quantity string) {
	low := strings.ToLower(name)
	rank = otherStatistic
	for i, s := range statistics {
		if s.is().MatchString(low) {
			rank, low = float64(i), s.is().ReplaceAllString(low, "")
			break
		}
	}
	words := strings.FieldsFunc(low, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	var rest []string
	for _, w := range words {
		w = statisticNoise().ReplaceAllString(w, "")
		if w != "" && !statisticUnits().MatchString(w) {
			rest = append(rest, w)
		}
	}
	return rank, strings.Join(rest, "_")
}
