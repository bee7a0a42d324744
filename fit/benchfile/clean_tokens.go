package benchfile

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A token is a number or a word of a line, with its place there. A number may have a unit, which
// stands at its end or behind a blank: "4KiB", "12 KB".
type token struct {
	text     string
	from, to int // bytes of the line
	number   bool
	value    float64 // NaN for a number that is not printed, as n/a
	quantum  float64 // the last printed digit
	half     float64 // half of it; 0 of a whole number that is not rounded
	unit     string
	listed   bool // a bare number with a colon, which a rank, a thread or a size may be
}

// missingNumbers stand where a number belongs.
var missingNumbers = set("n/a", "na", "-", "nan", "-nan", "inf", "-inf", "—", "n.a.")

// thousandsNumber matches a number with commas, apostrophes or narrow blanks between thousands,
// which stands between blanks or bars.
var thousandsNumber = lex.NewPattern(
	"(^|[\\s|*])(\\d{1,3}(?:,\\d{3}|['\u2019\u00a0\u2009\u202f]\\d{3})+(?:\\.\\d+)?)" +
		`([\s|*]|$)`)

// spacedThousands matches a number with plain blanks between thousands, which stands between wider
// gaps: "1 048 576   94.2". Three columns may be printed so, too; see [recogniser.joined].
var spacedThousands = lex.NewPattern(
	`(^ *|\s\s|\|\s?)([1-9]\d{0,2}(?: \d{3})+)(\s\s|\s?\||\s*$)`)

// pointedThousands matches a number with points between thousands, between semicolons, where a
// comma is that of decimals: "1.024;2,49".
var pointedThousands = lex.NewPattern(`(^\s*|;\s*)(\d{1,3}(?:\.\d{3})+(?:,\d+)?)(\s*;|\s*$)`)

// commaNumber matches a number that may have a decimal comma or one between thousands, 1,220, and
// plainThousands one of four digits or more without a comma.
var (
	commaNumber    = lex.NewPattern(`(?:^|[\s|])\d{1,3},\d{3}(?:[\s|]|$)`)
	plainThousands = lex.NewPattern(`(?:^|[\s|])\d{4,}(?:[\s|]|$)`)
)

// deviation matches what stands behind a mean: "1.79 ± 0.05".
var deviation = lex.NewPattern(`\s*(?:±|\+/-|\+-)\s*\d[\d.]*%?`)

var colours = lex.NewPattern("\x1b\\[[0-9;]*m")

// plainLine returns a line whose numbers and words stand between separators alone: without colours,
// tags of ranks, bold, and commas between thousands. Columns keep their places.
func plainLine(line string) string {
	line = strings.TrimRight(line, "\r\n")
	blank := func(text string) string { return strings.Repeat(" ", len(text)) }
	if strings.IndexByte(line, 0x1b) >= 0 {
		line = colours().ReplaceAllStringFunc(line, blank)
	}
	if strings.HasPrefix(line, "[") {
		line = lex.RankTag().ReplaceAllStringFunc(line, blank)
	}
	if mayHaveThousands(line) && strings.ContainsAny(strings.TrimSpace(line), " |\t") {
		line = withoutThousands(thousandsNumber, line, '.')
	}
	if strings.Contains(line, ";") && strings.Contains(line, ",") {
		line = withoutThousands(pointedThousands, line, ',')
	}
	line = noBreakSpaces.Replace(line)
	if strings.Contains(line, "**") {
		line = strings.ReplaceAll(line, "**", "  ")
	}
	line = strings.ReplaceAll(line, "`", " ") // of Markdown
	if strings.Contains(line, "±") || strings.Contains(line, "+/-") ||
		strings.Contains(line, "+-") {
		line = deviation().ReplaceAllStringFunc(line, blank)
	}
	text := strings.TrimSpace(line)
	if len(text) > 2 && text[0] == '{' && (text[1] == '"' || text[1] == '\'') &&
		strings.HasSuffix(text, "}") {
		line = strings.NewReplacer("{", " ", "}", " ", `"`, " ", "'", " ", ":", " ").Replace(line)
	}
	return line
}

// mayHaveThousands reports cheaply whether a line has one of the separators of thousands.
func mayHaveThousands(line string) bool {
	for i := range len(line) {
		if c := line[i]; i > 0 && (c == ',' || c == '\'' || c == 0xc2 || c == 0xe2) {
			return true
		}
	}
	return false
}

// withoutThousands returns a line without what stands between the thousands of the numbers that a
// pattern matches. point is that of decimals.
func withoutThousands(number lex.Pattern, line string, point byte) string {
	text := []byte(line)
	// Neighbours share a separator, so each pass finds every second number.
	for range 2 {
		for _, m := range number().FindAllSubmatchIndex(text, -1) {
			number := text[m[4]:m[5]]
			bare := make([]byte, 0, len(number))
			for _, c := range number {
				if c >= '0' && c <= '9' || c == point {
					bare = append(bare, c)
				}
			}
			blanks := copy(number, bytes.Repeat([]byte(" "), len(number)-len(bare)))
			copy(number[blanks:], bare)
		}
	}
	return string(text)
}

var noBreakSpaces = strings.NewReplacer("\u00a0", "  ", "\u2009", "   ", "\u202f", "   ")

// separatorsOf returns the characters between the cells of a line: semicolons alone, commas alone
// if there are as many as blanks, or else blanks, bars and commas.
func separatorsOf(line string) string {
	commas := strings.Count(line, ",")
	switch {
	case strings.Contains(line, ";") && !strings.Contains(line, "; "):
		return ";"
	case commas > 0 && commas >= len(strings.Fields(line))-1 && !strings.ContainsAny(line, "|\t") &&
		!strings.Contains(line, ", "):
		return ","
	}
	return " \t|,;\r"
}

// tokensOf divides a plain line into its cells, and behind "=".
func tokensOf(line string) (all []token) {
	separators := separatorsOf(line)
	isCSV := strings.ContainsAny(line, ",;")
	for at := 0; at < len(line); {
		if strings.IndexByte(separators, line[at]) >= 0 || line[at] == ' ' {
			at++
			continue
		}
		end := at
		if closing := strings.IndexByte(line[at+1:], '"'); isCSV && line[at] == '"' && closing > 0 {
			end += closing + 2
		} else {
			for end < len(line) && strings.IndexByte(separators, line[end]) < 0 {
				if end++; line[end-1] == '=' {
					break
				}
			}
		}
		t := trimmedToken(line, at, end, separators == ";")
		at = end
		// "12 KB" is one number; "12,us" are two cells.
		if last := len(all) - 1; last >= 0 && isUnitBehind(all[last], t, line) {
			all[last].unit, all[last].to = t.text, t.to
			continue
		}
		all = append(all, t)
	}
	if n := len(all); n > 0 && !all[0].number && all[n-1].number && all[n-1].unit == "" {
		all = namesBefore(all, line)
	}
	if isListed(all) {
		size := &all[0]
		size.text, size.to = strings.TrimSuffix(size.text, ":"), size.to-1
		size.parse(false)
		size.listed = true
	}
	return all
}

// namesBefore returns the tokens of a line whose numbers stand behind their names, "sz 4096 ops/s
// 454376 gbps 14.9": what may be the unit of a rate is then the name of the next number.
func namesBefore(all []token, line string) (apart []token) {
	for _, t := range all {
		d, _ := unitsOf(t.unit)
		if at := t.to - len(t.unit); (d == rates || d == messages) && line[at-1] == ' ' {
			name := token{text: t.unit, from: at, to: t.to, value: math.NaN()}
			t.unit, t.to = "", t.from+len(t.text)
			apart = append(apart, t, name)
			continue
		}
		apart = append(apart, t)
	}
	return apart
}

// isListed reports whether a line is a size without a unit and its time or rate: "128: ~1 MB/s"
// stands before "1K: 8 MB/s".
func isListed(all []token) bool {
	if len(all) != 2 || all[0].number || !all[1].number || !listedSize().MatchString(all[0].text) {
		return false
	}
	d, _ := unitsOf(all[1].unit)
	return d == times || d == rates
}

var listedSize = lex.NewPattern(`^\d+:$`)

// fieldsOf divides a line at blanks into its cells.
func fieldsOf(line []byte) (all []token) {
	for field := range bytes.FieldsSeq(line) {
		t := token{text: string(field), value: math.NaN()}
		t.parse(false)
		all = append(all, t)
	}
	return all
}

// isUnitBehind reports whether word t is the unit of the number before it.
func isUnitBehind(number, t token, line string) bool {
	if !number.number || number.unit != "" || math.IsNaN(number.value) || t.number ||
		strings.ContainsAny(line[number.to:t.from], ",;|\t") {
		return false
	}
	d, _ := unitsOf(t.text)
	return d != noDimension
}

// trimmedToken returns the token of a part of a line, without quotes and parentheses around it.
func trimmedToken(line string, from, to int, decimalComma bool) token {
	for to-from > 1 && (line[to-1] == ' ' || line[to-1] == '\r') {
		to--
	}
	for to-from > 1 && (line[from] == '"' || line[from] == '(' &&
		!strings.ContainsAny(line[from:to-1], ")")) {
		from++
	}
	for to-from > 1 && (line[to-1] == ')' || line[to-1] == '"') &&
		strings.IndexByte(line[from:to], '(') < 0 {
		to--
	}
	// "[1.77 µs 1.79 µs 1.81 µs]"; "[0]" is a label.
	if cut := strings.Trim(line[from:to], "[],"); decimalNumber().MatchString(cut) &&
		strings.Count(line[from:to], "[")+strings.Count(line[from:to], "]") == 1 {
		from += strings.Index(line[from:to], cut)
		to = from + len(cut)
	}
	t := token{text: line[from:to], from: from, to: to, value: math.NaN()}
	t.parse(decimalComma)
	return t
}

var fortranNumber = lex.NewPattern(`^[+-]?\d*\.\d+D[+-]\d+$`)

var decimalNumber = lex.NewPattern(`^\d+\.\d+`)

// parse reads the token as a number with or without a unit, if it is one.
func (t *token) parse(decimalComma bool) {
	if len(t.text) <= 4 && missingNumbers[strings.ToLower(t.text)] {
		t.number = true
		return
	}
	text := strings.TrimPrefix(t.text, "~") // "~2.5 GB/s"
	if text == "" {
		return
	}
	if v, ok := wholeNumber(text); ok {
		t.number, t.value, t.quantum = true, v, 1
		return
	}
	if fortranNumber().MatchString(text) {
		text = strings.Replace(text, "D", "E", 1)
	}
	c := text[0]
	if len(text) > 32 || (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' {
		return
	}
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') && text[end-1] != '.' {
		end--
	}
	v, ok := lex.Parse([]byte(text[:end]))
	if !ok && decimalComma {
		v, ok = lex.ParseDecimal([]byte(text[:end]))
	}
	if !ok {
		return
	}
	if end < len(text) {
		unit := strings.TrimSuffix(text[end:], ":") // "8B: avg 1.6us"
		if d, _ := unitsOf(unit); d == noDimension {
			return
		}
		t.unit = unit
	}
	t.number, t.value, t.quantum = true, v.Value, v.Quantum()
	// Counts of bytes are exact; large numbers that a program prints without decimals are rounded.
	if v.Exp != 0 || math.Abs(v.Value) >= 1e5 {
		t.half = t.quantum / 2
	}
}

// wholeNumber parses a size in another notation than decimals: 0x400, 2^10, 2**10.
func wholeNumber(text string) (v float64, ok bool) {
	if len(text) < 3 || text[0] != '0' && text[0] != '2' {
		return 0, false
	}
	for _, of := range [...]struct {
		before string
		base   int
	}{{"0x", 16}, {"0X", 16}, {"2^", 10}, {"2**", 10}} {
		digits, is := strings.CutPrefix(text, of.before)
		if !is {
			continue
		}
		n, err := strconv.ParseUint(digits, of.base, 52)
		if err != nil || of.base == 10 && n > 52 {
			return 0, false
		}
		if v = float64(n); of.base == 10 {
			v = math.Exp2(v)
		}
		return v, true
	}
	return 0, false
}

// trailingDecimals returns the number of decimals of the number at the end of a line; 0 if it has
// none, or if the line does not end in a number.
func trailingDecimals(line []byte) int {
	for i := len(line) - 1; i >= 0; i-- {
		switch c := line[i]; {
		case c >= '0' && c <= '9':
		case c == '.':
			return len(line) - 1 - i
		default:
			return 0
		}
	}
	return 0
}

// patternOf returns the kinds of a line's tokens: n for a number, w for a word.
func patternOf(all []token) string {
	kinds := make([]byte, len(all))
	for i, t := range all {
		kinds[i] = 'w'
		if t.number {
			kinds[i] = 'n'
		}
	}
	return string(kinds)
}

// isComment reports whether a line is a comment, perhaps behind a label.
func isComment(line string) bool {
	text := strings.TrimLeft(line, " \t")
	if i := strings.IndexByte(text, '#'); i > 0 {
		before := text[:i]
		label := strings.TrimRight(before, " \t\\")
		isWord := label == before && !strings.HasSuffix(label, ":") && label != `\`
		if isWord || strings.ContainsAny(label, " \t|,") {
			return false
		}
		text = text[i:]
	}
	return strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#>") ||
		strings.HasPrefix(text, "//")
}

// mayBeRow reports cheaply whether a line has two fields that may be numbers.
func mayBeRow(line []byte) bool {
	n, before := 0, true
	for _, c := range line {
		if before && (c >= '0' && c <= '9' || c == '.') {
			if n++; n == 2 {
				return true
			}
		}
		before = strings.IndexByte(" \t|,;=(*\"-:~", c) >= 0
	}
	return bytes.Contains(line, []byte("n/a")) && n == 1
}
