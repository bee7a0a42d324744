package benchfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// A block is a run of lines with one pattern of numbers and words: the rows of a table. Lines of
// other patterns may stand between them.
type block struct {
	pattern string
	rows    [][]token
	texts   []string // the rows as they stand
	lines   []int    // their numbers
	above   []string // the lines before the first row, plain
	words   []int    // places of words
	labels  []string // of the places before the columns, if the header names them
	before  []token  // the last row of the block before; nil without one
	ofPairs bool     // a row is a run of lines with a name and a value
	inWords bool     // words that differ are read as the number in them
	// Some numbers have a comma before three digits, and others of four digits have none.
	commas, noCommas bool
}

// maxRows is the number of rows that a table is recognised by; all further ones only have to follow
// their pattern.
const maxRows = 2000

// takes reports whether a row goes on with the block. A longer row is one with a remark behind it.
func (b *block) takes(pattern string, row []token) bool {
	if b.pattern == pattern {
		return len(b.rows) < 2 || b.hasWords(row)
	}
	n := len(b.pattern)
	return strings.HasPrefix(pattern, b.pattern) && pattern[n] == 'w' &&
		strings.Count(b.pattern, "n") > 2
}

// hasWords reports whether a row has half or more of the words that the first two rows share.
func (b *block) hasWords(row []token) bool {
	shared, same := 0, 0
	for _, i := range b.words {
		if text := b.rows[0][i].text; text == b.rows[1][i].text {
			shared++
			if row[i].text == text {
				same++
			}
		}
	}
	return 2*same >= shared
}

func (b *block) setPattern(pattern string) {
	b.pattern, b.words = pattern, nil
	for i, c := range pattern {
		if c == 'w' {
			b.words = append(b.words, i)
		}
	}
}

// join reads groups of three digits behind a blank as one number, "1 024", if all rows then have
// the given pattern, or any one for "". It reports whether they do.
func (b *block) join(pattern string) bool {
	rows, texts := make([][]token, len(b.rows)), make([]string, len(b.rows))
	for i, text := range b.texts {
		texts[i] = withoutThousands(spacedThousands, text, '.')
		rows[i] = tokensOf(texts[i])
		if pattern == "" {
			pattern = patternOf(rows[i])
		}
		if patternOf(rows[i]) != pattern {
			return false
		}
	}
	b.rows, b.texts = rows, texts
	b.setPattern(pattern)
	return true
}

// hasLeadingZeros reports whether a number is written as 024: it goes on with the one before.
func (b *block) hasLeadingZeros() bool {
	for _, row := range b.rows {
		for i, t := range row {
			if i > 0 && row[i-1].number && len(t.text) == 3 && t.text[0] == '0' && t.number &&
				t.quantum == 1 && t.unit == "" {
				return true
			}
		}
	}
	return false
}

// noteCommas looks at the commas of a row as it stands.
func (b *block) noteCommas(raw string) {
	b.commas = b.commas || strings.Contains(raw, ",") && commaNumber().MatchString(raw)
	b.noCommas = b.noCommas || len(b.rows) < maxRows && plainThousands().MatchString(raw)
}

func (b *block) add(row []token, text string, line int) {
	b.rows = append(b.rows, row[:len(b.pattern)])
	b.texts = append(b.texts, text)
	b.lines = append(b.lines, line)
}

// A column is a place of the rows that has a number or a word in each of them.
type column struct {
	at      int // token of a row
	name    string
	number  bool
	fixed   bool // each row has the same text
	texts   []string
	values  []float64 // in the unit of a cell, if cells have units; NaN for a missing number
	halves  []float64 // half of the last digit
	dim     dimension // of the units in the cells
	units   []unit
	guesses []guess
	// inWord is set if the number is a part of a word, between so many bytes before and behind it:
	// "PingPong/1024-8". heading is then the name of the column of words.
	inWord         bool
	before, behind int
	heading        string
}

// columns returns the columns of the block with their names. named is false if no header with as
// many names was found.
func (b *block) columns() (all []*column, named bool) {
	lead := b.leading()
	for i := lead; i < len(b.pattern); i++ {
		c := &column{at: i, number: b.pattern[i] == 'n', fixed: true}
		for _, row := range b.rows {
			c.texts = append(c.texts, row[i].text)
			c.fixed = c.fixed && row[i].text == b.rows[0][i].text
		}
		if b.inWords && !c.number && !c.fixed {
			c.findInWords()
		}
		if c.number {
			c.read(b.rows)
		}
		all = append(all, c)
	}
	inline := b.inlineNames(all)
	if !b.ofPairs { // which name their values themselves
		named = b.nameByHeader(all, lead)
	}
	for _, c := range all {
		// "Latency: 3.5": the word before the number names it more surely than a line above. A
		// label of the line may be such a word, too.
		before := ""
		if c.at > lead || c.at > 0 && !named {
			before = b.rows[0][c.at-1].text
		}
		word := inline[c.at]
		if word != "" && (c.name == "" || strings.HasSuffix(before, ":") ||
			strings.HasSuffix(before, "=")) {
			c.name = word
		}
		if c.name = strings.TrimSpace(c.name); c.inWord {
			c.heading, c.name = c.name, strings.Trim(b.rows[0][c.at].text[:c.before], "-_/=:[(")
		}
	}
	return all, named
}

// findInWords makes the column one of numbers if its words differ in one number alone.
func (c *column) findInWords() {
	first := c.texts[0]
	before, behind := len(first), len(first)
	for _, text := range c.texts[1:] {
		before, behind = min(before, len(text)), min(behind, len(text))
		for i := range before {
			if text[i] != first[i] {
				before = i
				break
			}
		}
		for i := range behind {
			if text[len(text)-1-i] != first[len(first)-1-i] {
				behind = i
				break
			}
		}
	}
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' || c == '.' }
	for before > 0 && isDigit(first[before-1]) {
		before--
	}
	// A unit belongs to the number: "4KiB".
	for behind > 0 {
		if c := first[len(first)-behind]; !isDigit(c) && !hasLetters(string(c)) {
			break
		}
		behind--
	}
	c.before, c.behind = before, behind
	least, most := math.Inf(1), 0.
	for _, text := range c.texts {
		t := c.numberIn(token{text: text})
		isPower := func(log float64) bool { return log == math.Trunc(log) }
		// Other numbers may count runs.
		if !t.number || t.unit == "" && !isPower(math.Log2(t.value)) &&
			!isPower(math.Log10(t.value)) {
			return
		}
		d, _ := unitsOf(t.unit)
		v := t.value * cellFactor(t, d)
		least, most = min(least, v), max(most, v)
	}
	c.inWord = least >= 1 && most >= 16*least
	c.number = c.inWord
}

// tokenOf returns the token of a column in a row, or the number in it.
func (c *column) tokenOf(row []token) token {
	if c.inWord {
		return c.numberIn(row[c.at])
	}
	return row[c.at]
}

func (c *column) numberIn(t token) token {
	if t.value = math.NaN(); c.before+c.behind < len(t.text) {
		t.text = t.text[c.before : len(t.text)-c.behind]
		t.parse(false)
	}
	return t
}

// read reads the numbers of a column. If cells have units, of one dimension, the numbers are in
// its base unit.
func (c *column) read(rows [][]token) {
	own := ""
	uniform := true
	for _, row := range rows {
		t := c.tokenOf(row)
		if t.unit != "" {
			d, _ := unitsOf(t.unit)
			if c.dim != noDimension && c.dim != d {
				c.dim, own, uniform = noDimension, "", false
				break
			}
			uniform = uniform && (own == "" || own == t.unit)
			c.dim, own = d, t.unit
		}
	}
	// A size without a unit is in bytes; a time without one is no time.
	if c.dim != sizes && slices.ContainsFunc(rows, func(row []token) bool {
		return row[c.at].unit == "" && !math.IsNaN(row[c.at].value)
	}) {
		c.dim, own = noDimension, ""
	}
	for _, row := range rows {
		t := c.tokenOf(row)
		factor := cellFactor(t, c.dim)
		c.values = append(c.values, t.value*factor)
		c.halves = append(c.halves, t.half*factor)
	}
	c.units = []unit{{1, 0}}
	// A unit that all cells share may be read in each of its ways.
	if _, readings := unitsOf(own); uniform && len(readings) > 1 {
		c.units = nil
		for _, u := range readings {
			c.units = append(c.units, unit{u.factor / readings[0].factor, u.doubt})
		}
	}
}

// cellFactor returns what makes a cell's number one of the dimension's base unit.
func cellFactor(t token, d dimension) float64 {
	if t.unit != "" && d != noDimension {
		if got, readings := unitsOf(t.unit); got == d {
			return readings[0].factor
		}
	}
	return 1
}

// leadingLabel matches what loggers and launchers put before a row.
var leadingLabel = lex.NewPattern(`^[\[\d:.,<>a-zA-Z\]()/TZ_-]*[\]:>)]+$|` +
	`^\d{4}-\d\d-\d\d|^\d\d:\d\d`)

// leading returns the number of tokens before the columns: labels of ranks and hosts, and stamps.
func (b *block) leading() int {
	n := 0
	for n < len(b.pattern) && b.pattern[n] == 'w' {
		first := b.rows[0][n]
		fixed := true
		for _, row := range b.rows {
			fixed = fixed && row[n].text == first.text
		}
		// In CSV, a word is a value.
		end := first.to
		if text := b.texts[0]; end < len(text) && text[end] == ',' ||
			!fixed && (b.inWords || !leadingLabel().MatchString(first.text)) {
			break
		}
		n++
	}
	return n
}

// inlineNames returns the words that stand before numbers and are the same in each row, by the
// place of the number: "Bandwidth (GB/s): 3".
func (b *block) inlineNames(all []*column) map[int]string {
	names := map[int]string{}
	var words []string
	number, row := -1, b.rows[0]
	// "2003 us total, 2.0 us average": words up to a comma belong to the number before them, unless
	// commas alone separate cells.
	isProse := len(separatorsOf(b.texts[0])) > 1 && strings.Contains(b.texts[0], ",")
	joinBehind := func() {
		if isProse && number >= 0 && words != nil {
			names[number] += " " + strings.Join(words, " ")
			words = nil
		}
		number = -1
	}
	for i := range b.pattern {
		if i > 0 && strings.Contains(b.texts[0][row[i-1].to:row[i].from], ",") {
			joinBehind()
		}
		j := slices.IndexFunc(all, func(c *column) bool { return c.at == i })
		switch {
		case b.pattern[i] == 'n':
			names[i] = strings.Trim(strings.Join(lastPair(words), " "), " :=")
			words, number = nil, i
		case j < 0 && leadingLabel().MatchString(row[i].text) &&
			(!hasLetters(row[i].text) || row[i].text[0] == '['):
		case j < 0 || all[j].fixed:
			words = append(words, row[i].text)
		}
	}
	joinBehind()
	return names
}

// lastPair returns the name of the last of some pairs: "Ranks:" of "Comm: WORLD Ranks:".
func lastPair(words []string) []string {
	for i := len(words) - 3; i >= 0; i-- {
		if strings.HasSuffix(words[i], ":") || strings.HasSuffix(words[i], "=") {
			return words[i+2:]
		}
	}
	return words
}

func hasLetters(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// A cell is a part of a header line, with its place.
type headerCell struct {
	text     string
	from, to int
}

// maxHeaderCell is the longest name of a column in bytes, maxNameWords in words: longer text is a
// sentence.
const (
	maxHeaderCell = 60
	maxNameWords  = 6
)

func (c headerCell) isSentence() bool {
	return len(c.text) > maxHeaderCell || len(strings.Fields(c.text)) > maxNameWords
}

// headerWord matches words that headers of benchmarks have.
var headerWord = lex.NewPattern(`(?i)size|bytes|lat|time|usec|bandw|algbw|busbw|elements|` +
	`mb/s|gb/s|t_avg|iterations|count`)

// splits returns the ways to divide a header line into names: at the separators that the first row
// has, at two or more blanks, and at each blank.
func splits(line, row string) (all [][]headerCell) {
	text := strings.TrimLeft(line, " ")
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	if begins("# ") || begins(`\# `) || begins("#\t") {
		i := strings.IndexByte(line, '#')
		line = strings.Repeat(" ", i+1) + line[i+1:]
	}
	for _, d := range []string{"|", "\t", ",", ";"} {
		if !strings.Contains(line, d) || d != "|" && d != "\t" && !strings.Contains(row, d) {
			continue
		}
		var cells []headerCell
		at := 0
		for part := range strings.SplitSeq(line, d) {
			cells = append(cells, headerCell{strings.Trim(part, " `\"\r"), at, at + len(part)})
			at += len(part) + 1
		}
		if d == "|" && cells[0].text == "" {
			cells = cells[1:]
		}
		for d == "|" && len(cells) > 0 && cells[len(cells)-1].text == "" {
			cells = cells[:len(cells)-1]
		}
		all = append(all, cells)
	}
	return append(all, completeNames(line), splitAt(wideGap, strings.ReplaceAll(line, "\t", "  ")),
		splitWords(line))
}

// completeNames divides a line behind units and words that end a name; see headerNames.
func completeNames(line string) (cells []headerCell) {
	at := 0
	for _, name := range headerNames([]byte(line)) {
		word, _, _ := strings.Cut(name, " ")
		i := strings.Index(line[at:], word)
		if i < 0 {
			return nil
		}
		from := at + i
		at = min(len(line), from+len(name))
		cells = append(cells, headerCell{name, from, at})
	}
	return cells
}

var wideGap = lex.NewPattern(`[^\s|]+(?: [^\s|]+)*`)

func splitAt(e lex.Pattern, line string) (cells []headerCell) {
	for _, m := range e().FindAllStringIndex(line, -1) {
		cells = append(cells, headerCell{line[m[0]:m[1]], m[0], m[1]})
	}
	return cells
}

var oneWord = lex.NewPattern(`[^\s|]+`)

// splitWords divides a line at each blank; a unit in brackets belongs to the word before it.
func splitWords(line string) (cells []headerCell) {
	for _, c := range splitAt(oneWord, line) {
		if last := len(cells) - 1; last >= 0 && isBracketed(c.text) && !strings.ContainsAny(
			cells[last].text[len(cells[last].text)-1:], ")]") {
			cells[last].text += " " + c.text
			cells[last].to = c.to
			continue
		}
		cells = append(cells, c)
	}
	return cells
}

// maxHeaderLines is the number of lines above a table that may name its columns: places, names and
// units.
const maxHeaderLines = 3

// noHeader matches lines that stand between a header and its rows, and name nothing.
var noHeader = lex.NewPattern(`^\s*\\?#?\s*(Datatype|OSU|Overall =)`)

// headerLines returns the lines above the block that may be its header, the nearest first.
func (b *block) headerLines(lead int) (lines []string) {
	label := ""
	if lead > 0 {
		row := b.rows[0]
		label = b.texts[0][row[0].from:row[lead-1].to]
	}
	for i := len(b.above) - 1; i >= 0 && len(lines) < maxHeaderLines; i-- {
		line := b.above[i]
		text := strings.TrimSpace(line)
		if text == "" || strings.Trim(text, "|+:=_- ") == "" || !hasLetters(text) {
			if len(lines) > 0 && text == "" {
				break
			}
			continue
		}
		if label != "" && strings.HasPrefix(text, label) {
			line = strings.Replace(line, label, strings.Repeat(" ", len(label)), 1)
		}
		all := tokensOf(line)
		numbers := strings.Count(patternOf(all), "n")
		if numbers > max(1, len(all)/2) {
			break
		}
		if noHeader().MatchString(line) || callAlone().MatchString(line) {
			continue
		}
		if len(lines) > 0 && strings.Contains(lines[0], "|") != strings.Contains(line, "|") ||
			promptLine().MatchString(line) && !strings.Contains(line, "#") {
			break
		}
		if len(lines) > 0 && !strings.Contains(line, "|") &&
			(!headerWord().MatchString(line) && !strings.Contains(line, "-place") ||
				pairOfRemark().MatchString(line)) {
			break
		}
		lines = append(lines, line)
		if !strings.Contains(line, "|") && sizeName().MatchString(line) && !isUnitLine(line) &&
			(timeName().MatchString(line) || rateName().MatchString(line)) {
			break
		}
	}
	return lines
}

// pairOfRemark matches a line such as "Message size: 8".
var pairOfRemark = lex.NewPattern(`\w\s*:\s`)

// nameByHeader names the columns by the lines above the block. It reports whether one of these has
// as many names as there are columns.
func (b *block) nameByHeader(all []*column, lead int) (named bool) {
	lines := b.headerLines(lead)
	for k, line := range lines {
		unitLine := isUnitLine(line) && len(lines) > k+1
		byPlace := unitLine && !b.hasSeparators(line)
		ways := splits(line, b.texts[0])
		if cells, to := b.fitting(ways, all, line, named, byPlace); cells != nil {
			if k > 1 && !named && headerWord().MatchString(lines[0]) {
				continue
			}
			for _, way := range ways {
				if n := len(way) - len(cells); n == lead && n > 0 && way[n] == cells[0] {
					b.labels = strings.Fields(strings.Join(cellTexts(way[:n]), " "))
				}
			}
			for i, c := range to {
				c.name = strings.TrimSpace(cells[i].text + " " + c.name)
			}
			named = named || !unitLine
			continue
		}
		if named || strings.Contains(line, "|") || headerWord().MatchString(line) ||
			isUnitLine(line) || isStatisticLine(line) {
			b.nameByPlace(ways, all, line, k)
		}
	}
	return named
}

func cellTexts(cells []headerCell) []string {
	return list.Map(cells, func(c headerCell) string { return c.text })
}

// isUnitLine reports whether all words of a line are in brackets, "(B) (us)", or units between
// commas, "bytes,us".
func isUnitLine(line string) bool {
	isGap := func(r rune) bool { return strings.ContainsRune(" #,;\r", r) }
	words := strings.FieldsFunc(line, isGap)
	isCSV := strings.ContainsAny(line, ",;")
	for _, w := range words {
		if d, _ := unitsOf(w); !isBracketed(w) && !(isCSV && d != noDimension) {
			return false
		}
	}
	return len(words) > 0 && !strings.Contains(line, "\t")
}

// isStatisticLine reports whether all words of a line are statistics: "avg min max".
func isStatisticLine(line string) bool {
	words := strings.Fields(line)
	for _, w := range words {
		if rank, quantity := statisticOf(w); rank == otherStatistic || quantity != "" {
			return false
		}
	}
	return len(words) > 1
}

// fitting returns the division of a header line that has a name for each column, or for each column
// of numbers, and these columns; nil if none has.
func (b *block) fitting(ways [][]headerCell, all []*column, line string, named, unitLine bool,
) (cells []headerCell, to []*column) {
	if unitLine {
		return nil, nil
	}
	var numbers []*column
	for _, c := range all {
		if c.number {
			numbers = append(numbers, c)
		}
	}
	best := math.Inf(1)
	consider := func(way []headerCell, columns []*column, more float64) {
		if slices.ContainsFunc(way, headerCell.isSentence) {
			return
		}
		off := more
		if !b.hasSeparators(line) {
			for i, c := range columns {
				from, end := b.span(c)
				off += min(math.Abs(float64(way[i].to-end)), math.Abs(float64(way[i].from-from)))
			}
		}
		if off < best {
			best, cells, to = off, way, columns
		}
	}
	isCSV := strings.Contains(b.texts[0], ",")
	lead := all[0].at
	mayLeaveEmpty := !isCSV && headerWord().MatchString(line)
	for i, way := range ways {
		switch n := len(way); {
		// Only if blanks divide a header in no other way: see splits.
		case n == len(all) && i == len(ways)-3:
			consider(way, all, 1e6)
		// Blanks alone divide a sentence, too.
		case n == len(all) && i == len(ways)-1 && !mayName(line):
		case n == len(all):
			consider(way, all, 0)
		// The labels before the rows have names, too.
		case lead > 0 && n == len(all)+lead && len(b.rows) > 1 && headerWord().MatchString(line):
			consider(way[lead:], all, 0.5)
		// A header may name columns that the rows leave empty. Blanks alone divide names of two
		// words, too.
		case i == len(ways)-1 && n > len(all) && n <= len(all)+4 && mayLeaveEmpty &&
			sizeName().MatchString(way[0].text):
			consider(way[:len(all)], all, 2e6)
		case i != len(ways)-3 && n > len(all) && n <= len(all)+4 && mayLeaveEmpty &&
			sizeName().MatchString(way[0].text):
			consider(way[:len(all)], all, 1)
		}
	}
	if cells == nil && !named {
		for _, way := range ways {
			if n := len(numbers); len(way) == n && n < len(all) && headerWord().MatchString(line) &&
				!b.isOverWords(way, numbers, all, line) {
				consider(way, numbers, 0)
			}
		}
	}
	return cells, to
}

// hasSeparators reports whether other characters than blanks divide a header line: places mean
// nothing there.
func (b *block) hasSeparators(line string) bool {
	return strings.ContainsAny(line, "|,\t") ||
		strings.Contains(line, ";") && strings.Contains(b.texts[0], ";")
}

// isOverWords reports whether a name of a header line stands over a column of words, and not over
// the column of numbers whose name it would be.
func (b *block) isOverWords(way []headerCell, numbers, all []*column, line string) bool {
	if b.hasSeparators(line) {
		return false
	}
	overlaps := func(h headerCell, c *column) bool {
		from, to := b.span(c)
		return h.from < to && from < h.to
	}
	for i, h := range way {
		isWord := func(c *column) bool { return !c.number && !c.fixed && overlaps(h, c) }
		if !overlaps(h, numbers[i]) && slices.ContainsFunc(all, isWord) {
			return true
		}
	}
	return false
}

// mayName reports whether a line of words may be a header: it has a word or a unit that headers
// have, or begins as a comment.
func mayName(line string) bool {
	return headerWord().MatchString(line) || strings.ContainsAny(line, "([|\t,;") || isComment(line)
}

// span returns the bytes of the lines that the values of a column take.
func (b *block) span(c *column) (from, to int) {
	from = math.MaxInt
	for _, row := range b.rows {
		from, to = min(from, row[c.at].from), max(to, row[c.at].to)
	}
	return from, to
}

// nameByPlace names each column by the part of a header line that stands above it.
func (b *block) nameByPlace(ways [][]headerCell, all []*column, line string, k int) {
	bars := strings.Contains(line, "|")
	cells := ways[len(ways)-2]
	if bars {
		cells = ways[0]
	} else if len(cells) < 2 {
		cells = ways[len(ways)-1]
	}
	if len(cells) < 2 || len(cells) > 2*len(all) ||
		slices.ContainsFunc(cells, headerCell.isSentence) {
		return
	}
	for _, c := range all {
		from, to := b.span(c)
		best, overlap, edge := "", math.MinInt, math.MinInt
		for _, h := range cells {
			o, e := min(to, h.to)-max(from, h.from), -max(h.to-to, to-h.to)
			if o > overlap || o == overlap && e > edge {
				best, overlap, edge = h.text, o, e
			}
		}
		// A heading over a group of columns reaches to those beside it.
		isGroup := k > 0 && !bars && len(cells) < len(all)
		if isGroup && overlap <= 0 && !strings.Contains(c.name, "(") {
			overlap = 1
		}
		if overlap > 0 || !bars && edge > -3 {
			c.name = strings.TrimSpace(best + " " + c.name)
		}
	}
}

// fieldOf returns the number, from 1, of the field that a column is in for the reader of CSV.
func (b *block) fieldOf(c *column) int {
	text, at := b.texts[0], b.rows[0][c.at].from
	for _, comma := range separators {
		n := 1
		if comma == ' ' {
			return len(strings.Fields(text[:at])) + 1
		}
		if strings.IndexByte(text, comma) < 0 {
			continue
		}
		lead := len(text) - len(strings.TrimLeft(text, " |"))
		n += strings.Count(text[min(lead, at):at], string(comma))
		return n
	}
	return 0
}

// shortRow returns the first row for a message.
func (b *block) shortRow() string {
	return lex.Short([]byte(strings.Join(strings.Fields(b.texts[0]), " ")))
}

// label returns a column's name for messages, or its number.
func (c *column) label(b *block) string {
	if c.name == "" {
		return fmt.Sprintf("column %d", b.fieldOf(c))
	}
	return strconv.Quote(lex.Short([]byte(c.name)))
}
