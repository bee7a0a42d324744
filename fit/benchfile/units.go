package benchfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A dimension is what the numbers of a column count. Message rates are a dimension of their own:
// only with sizes do they become rates.
type dimension uint8

const (
	noDimension dimension = iota
	sizes                 // bytes
	times                 // µs
	rates                 // bytes/µs
	messages              // messages/µs
)

// A unit is one reading of a printed unit: the factor that makes a number bytes, µs, bytes/µs or
// messages/µs. Doubt is how unlikely that reading is beside the others of the same text, as a
// logarithm: MB is 10⁶ bytes or 2²⁰.
type unit struct {
	factor, doubt float64
}

// A guess is one reading of a column: its dimension, the factor to the base unit, and a score, the
// logarithm of how likely name and unit make it.
type guess struct {
	dim           dimension
	factor, score float64
	printed       bool // name or cells have a unit of the dimension
}

// timeUnits are the units of times in µs, in lower case.
var timeUnits = map[string]float64{
	"ns": 1e-3, "nsec": 1e-3, "nsecs": 1e-3, "nanosec": 1e-3, "nanoseconds": 1e-3,
	"us": 1, "usec": 1, "usecs": 1, "µs": 1, "μs": 1, "microsec": 1, "microsecond": 1,
	"microseconds": 1,
	"usec/xfer":    1,                                          // fabtests
	"ns/op":        1e-3, "us/op": 1, "µs/op": 1, "ms/op": 1e3, // Go, JMH
	"ms": 1e3, "msec": 1e3, "msecs": 1e3, "milliseconds": 1e3,
	"s": 1e6, "sec": 1e6, "secs": 1e6, "seconds": 1e6,
}

var (
	sizeUnit = lex.NewPattern(`^([kmgt]?)(i?)(b|by|byte|bytes)?$`)
	rateUnit = lex.NewPattern(
		`^([kmgt]?)(i?)(b|bit|bits|byte|bytes)(?:/|p|_|\^)?_?(s|sec|second|ps)$`)
	messageUnit = lex.NewPattern(
		`^([kmgt]?)(?:msgs?|messages|pps|ops|xfers?|trans|p)(?:/|_|p)?(?:s|sec|second|xfer)?$`)
)

// power returns the exponent of a prefix of units: 0 for none, 1 for k.
func power(prefix string) float64 {
	if prefix == "" {
		return 0
	}
	return float64(strings.Index("kmgt", prefix) + 1)
}

// unitsOf returns the dimension of a printed unit, and its readings, the likeliest first.
func unitsOf(text string) (dimension, []unit) {
	name := strings.ToLower(strings.TrimSpace(text))
	name = strings.NewReplacer(" per ", "/", "10^6", "m").Replace(name)
	if len(name) == 0 || len(name) > 16 || name == "bits" { // which would be a bit a second
		return noDimension, nil
	}
	if us, ok := timeUnits[name]; ok {
		return times, []unit{{us, 0}}
	}
	if m := sizeUnit().FindStringSubmatch(name); m != nil && m[1]+m[3] != "" {
		return sizes, sizeReadings(power(m[1]), m[2] != "" || m[3] == "")
	}
	if m := rateUnit().FindStringSubmatch(name); m != nil {
		return rates, rateReadings(m, strings.TrimSpace(text))
	}
	if m := messageUnit().FindStringSubmatch(name); m != nil && len(name) > 1 {
		return messages, []unit{{math.Pow(1e3, power(m[1])) / 1e6, 0}}
	}
	return noDimension, nil
}

// sizeReadings returns the readings of a unit of sizes. A K alone is 1,024 bytes, as sizes of
// messages are powers of two; a KB mostly is.
func sizeReadings(power float64, binary bool) []unit {
	all := []unit{{math.Pow(1024, power), 0}}
	if !binary && power > 0 {
		all = append(all, unit{math.Pow(1000, power), 0.5})
	}
	return all
}

// rateReadings returns the readings of a unit of rates: MB/s may be of 2²⁰ bytes, and a small b of
// bits.
func rateReadings(m []string, text string) []unit {
	p, binary, word := power(m[1]), m[2] != "", m[3]
	perBit := strings.HasPrefix(word, "bit") ||
		word == "b" && !strings.Contains(text, "B") && !isLower(text)
	bits := 1.
	if perBit && !binary || strings.HasPrefix(word, "bit") {
		bits = 8
	}
	ten, two := math.Pow(1000, p)/1e6, math.Pow(1024, p)/1e6
	switch {
	case binary:
		return []unit{{two / bits, 0}}
	case word == "b" && isLower(text) && strings.HasSuffix(text, "bps"):
		return []unit{{ten / 8, 0}, {ten, 1}}
	// In lower case alone, mb/s may be anything.
	case word == "b" && isLower(text):
		return []unit{{ten, 0}, {two, 0.7}, {ten / 8, 1}}
	case p > 0:
		return []unit{{ten / bits, 0}, {two / bits, 0.7}}
	}
	return []unit{{ten / bits, 0}}
}

func isLower(text string) bool { return strings.ToLower(text) == text }

var (
	unitInBrackets = lex.NewPattern(`[(\[]([^()\[\]]+)[)\]]`)
	unitBehindWord = lex.NewPattern(`,\s*([A-Za-zµ/]+)(?:\s|$)`)
	unitWithSlash  = lex.NewPattern(`[A-Za-zµ]+/[A-Za-z]+`)
	nameWords      = lex.NewPattern(`[_\s.-]+`)
)

// unitOfName returns the unit that the name of a column has: in brackets, behind a comma, with a
// slash, or as its last words.
func unitOfName(name string) (dimension, []unit) {
	texts := []string{name}
	if len(nameWords().Split(strings.TrimSpace(name), -1)) == 1 && !strings.Contains(name, "/") {
		texts = nil // a word alone; see lastWords
	}
	brackets := unitInBrackets().FindAllStringSubmatch(name, -1)
	for i := len(brackets) - 1; i >= 0; i-- {
		texts = append(texts, strings.TrimPrefix(strings.TrimSpace(brackets[i][1]), "in "))
	}
	for _, m := range unitBehindWord().FindAllStringSubmatch(name, -1) {
		texts = append(texts, m[1])
	}
	texts = append(texts, unitWithSlash().FindAllString(name, -1)...)
	if i := strings.IndexAny(name, "(["); i >= 0 {
		name = name[:i]
	}
	texts = append(texts, lastWords(strings.TrimSpace(name))...)
	for _, text := range texts {
		if d, units := unitsOf(text); d != noDimension {
			return d, units
		}
	}
	return noDimension, nil
}

// lastWords returns the texts at the end of a name that may be its unit, the longest first: "gb/s"
// of "bw_gb_s", "us" of "latency_us". A name of one word is a unit only if it can be nothing else.
func lastWords(name string) (texts []string) {
	words := nameWords().Split(strings.ReplaceAll(name, "#", ""), -1)
	n := len(words)
	for k := min(3, n); k >= 2; k-- {
		texts = append(texts, strings.Join(words[n-k:], "/"))
	}
	last := words[n-1]
	switch {
	case n > 1 && strings.EqualFold(words[n-2], "per"): // "trans per sec"
	case n == 1 && !unitWords[strings.ToLower(last)]:
	case len(last) > 1 || n > 1 && isTimeWord[strings.ToLower(words[n-2])]:
		texts = append(texts, last)
	}
	return texts
}

var (
	unitWords  = set("bytes", "usec", "mbps", "gbps", "nsec", "msec", "ns", "us", "µs", "ms")
	isTimeWord = set("time", "lat", "latency", "t", "duration")
)

// unitTexts are the units of commands and notes.
var unitTexts = map[dimension]map[float64]string{
	sizes: {1: "B", 1 << 10: "KiB", 1 << 20: "MiB", 1 << 30: "GiB"},
	times: {1e-3: "ns", 1: "us", 1e3: "ms", 1e6: "s"},
	rates: {1: "MB/s", 1e3: "GB/s", (1 << 20) / 1e6: "MiB/s", (1 << 30) / 1e6: "GiB/s",
		1. / 8: "Mbit/s", 1e3 / 8: "Gbit/s", 1e-6: "B/s"},
}

// unitText returns the unit of a reading, as an option takes it.
func unitText(g guess) string {
	for factor, text := range unitTexts[g.dim] {
		if math.Abs(g.factor/factor-1) < 1e-9 {
			return text
		}
	}
	base := map[dimension]string{sizes: "B", times: "us", rates: "MB/s"}
	return fmt.Sprintf("%g%s", g.factor, base[g.dim])
}

// dimensionOf returns the dimension and the factor of a unit that an option gives.
func dimensionOf(u quantity.Value) (dimension, float64) {
	switch u.Dim {
	case quantity.DimSize:
		return sizes, u.Num
	case quantity.DimRate:
		return rates, u.Num
	}
	return times, u.Num
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
