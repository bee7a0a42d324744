package benchfile

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

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
	{"tail", lex.NewPattern(`(?i)p\d+|%ile|tail|percentile`)},
}

// What is left of a name says what was measured: "send" of "send_avg_us".
var statisticNoise = lex.NewPattern(`(?i)[\W_]+|lat(ency)?|tail|µ?u?sec|micro|seconds?|time`)
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
