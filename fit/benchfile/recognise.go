package benchfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A recogniser reads tables that no format knows, by what their columns do: a rate is size over
// time, a message rate is its inverse, sizes are a ladder. It sees the lines that no format takes,
// as long as no format has read a row:
//
//	clean      clean_tokens.go: a line without colours, bold, commas between thousands
//	block      rows of one pattern of numbers and words, and the header above them
//	identities which column is what, in which unit
//	series     which columns are read
//	record     the samples; titles.go says what the numbers of a benchmark measure
//
// Names of columns only confirm. A table is read if the best reading leads the next one by a
// margin; else the refusal names both as commands.
type recogniser struct {
	above  []string // the last lines, plain
	open   *block   // the rows so far, until they are recognised
	record *record  // the table that reads on, whose first rows were recognised; nil if none
	after  int      // the number of lines above that belong to earlier tables
	usage  usage
	blocks int // number of recognised and refused blocks
	// The open block was refused after maxRows: its further rows are not looked at.
	idle  bool
	comma int // the first line with a number such as 3,57 among blanks or semicolons
	pairs pairLines

	records []*record
	refused *refusal // the first, or the likeliest
}

// A refusal is a block that is not read, and why.
type refusal struct {
	block   *block
	columns []*column
	named   bool // by a header
	why     string
	ways    []way // the likeliest readings
}

// isLikelier reports whether a refused block looks more like a table than another one.
func (no *refusal) isLikelier(o *refusal) bool {
	if no.block.ofPairs != o.block.ofPairs { // settings of a program have names and values, too
		return o.block.ofPairs
	}
	if (len(no.ways) > 0) != (len(o.ways) > 0) {
		return len(no.ways) > 0
	}
	if alone := len(o.block.rows) == 1; alone != (len(no.block.rows) == 1) {
		return alone
	}
	return no.named && !o.named
}

const (
	// A header, with its title and what a benchmark prints about its run.
	maxAbove = 40
	// Blocks of a log without tables; then nothing more is expected of it.
	maxBlocks = 1 << 10
)

// look looks at a line. taken is set if a format has taken it: then it is no row, but may be the
// title of one.
func (x *recogniser) look(p *parser, raw []byte, taken bool) {
	if p.usage.sizes > 0 || x.blocks > maxBlocks {
		x.open, x.record = nil, nil
		if taken {
			x.above = x.above[:0]
		} else if len(raw) <= maxHeader {
			x.remember(string(raw))
		}
		return
	}
	if len(raw) > maxHeader || x.idle && mayBeRow(raw) {
		return
	}
	line := plainLine(string(raw))
	x.comma = cmp.Or(x.comma, x.commaIn(p, line, taken))
	p.explain(line)
	isRow := !taken && p.why == "" && mayBeRow([]byte(line)) && !isComment(line) &&
		!isCommand(line)
	if isRow {
		if row := tokensOf(line); strings.Count(patternOf(row), "n") >= 2 {
			x.endPairs(p)
			x.row(p, row, line, p.file.Lines)
			x.open.noteCommas(string(raw))
			return
		}
	}
	if pair := pairIn(line); pair != nil && !taken && p.why == "" {
		if x.pairs.has(pair) {
			x.endPairs(p)
		}
		x.pairs.add(pair, line, p.file.Lines)
		return
	}
	// Behind values, a size is theirs or that of the next ones.
	isBehind := x.pairs.names != nil && !x.pairs.headed
	if strings.TrimSpace(line) != "" {
		x.endPairs(p)
	}
	if x.open != nil && (x.idle || isHeading(line) && !x.open.ofPairs) || taken {
		x.close(p)
	}
	if size := headingIn(line); size != nil && !isBehind && !taken && p.why == "" {
		x.pairs.add(size, line, p.file.Lines)
		x.pairs.headed = true
		return
	}
	x.remember(line)
}

// endPairs makes the pairs so far a row, if two of them are numbers. They may say what the next
// table is, too.
func (x *recogniser) endPairs(p *parser) {
	f := x.pairs
	x.pairs = pairLines{}
	if f.numbers >= 2 && !x.idle {
		if x.open != nil && !x.open.ofPairs {
			x.close(p)
		}
		line := strings.Join(f.texts, ", ")
		x.row(p, tokensOf(line), line, f.line)
		x.open.ofPairs = true
	}
	for _, line := range f.lines {
		x.remember(line)
	}
}

// remember keeps a line that may name the columns of the next table, or what it measures.
func (x *recogniser) remember(line string) {
	if x.above = append(x.above, line); len(x.above) > 2*maxAbove {
		x.after = max(0, x.after-(len(x.above)-maxAbove))
		x.above = slices.Clone(x.above[len(x.above)-maxAbove:])
	}
}

// optionWord matches an option of a command line.
var optionWord = lex.NewPattern(`\s--?[a-zA-Z][\w-]*(?:[\s=]|$)`)

// isCommand reports whether a line of numbers is a command line: it has options, which "-nan" is
// not.
func isCommand(line string) bool {
	if !strings.Contains(line, " -") {
		return false
	}
	options := 0
	for _, o := range optionWord().FindAllString(line, -1) {
		if text := strings.Trim(o, " \t-="); text != "nan" && text != "inf" {
			options++
		}
	}
	return options > 1
}

// decimalComma matches a row such as "1024   3,57" or "1024;3,57".
var decimalComma = lex.NewPattern(`^\s*[0-9]+([ \t;]+[0-9]+,[0-9]+)+\s*$`)

// commaIn returns the number of a line that has numbers with decimal commas; 0 if it has none.
func (x *recogniser) commaIn(p *parser, line string, taken bool) int {
	if !taken && decimalComma().MatchString(line) {
		return p.file.Lines
	}
	return 0
}

// explain keeps why a line that looks like a row is none of the format that it stands in.
func (p *parser) explain(line string) {
	if p.stopped != nil || p.why == "" {
		return
	}
	row := tokensOf(line)
	if n := strings.Count(patternOf(row), "n"); n >= 2 && 2*n >= len(row) {
		text := lex.Short([]byte(strings.Join(strings.Fields(line), " ")))
		p.stopped = p.errorf(p.file.Lines, "%q is not read as a row: %s", text, p.why)
	}
}

// isHeading reports whether a line that is no row may name the columns of other rows.
func isHeading(line string) bool {
	if isComment(line) || strings.HasPrefix(strings.TrimSpace(line), "=====") ||
		promptLine().MatchString(line) || callAlone().MatchString(line) {
		return true
	}
	return len(headerWord().FindAllString(line, 2)) == 2 && !pairWithNumber().MatchString(line)
}

// pairWithNumber matches a setting such as "Iterations: 1000".
var pairWithNumber = lex.NewPattern(`[:=]\s*\d`)

// row adds a row to the open block, or begins another one.
func (x *recogniser) row(p *parser, row []token, line string, at int) {
	pattern := patternOf(row)
	b := x.open
	if b != nil && !b.takes(pattern, row) && x.record == nil {
		if whole := withoutThousands(spacedThousands, line, '.'); whole != line {
			joined := tokensOf(whole)
			if to := patternOf(joined); to == b.pattern || b.join(to) {
				row, line, pattern = joined, whole, to
			}
		}
	}
	if b != nil && b.takes(pattern, row) {
		if x.record != nil {
			x.record.add(p, row, at)
			return
		}
		b.add(row, line, at)
		if len(b.rows) == maxRows {
			x.record = x.recognise(p, b)
			x.idle = x.record == nil
		}
		return
	}
	x.close(p)
	n := &block{above: slices.Clone(x.above)}
	if b != nil {
		n.before = b.rows[len(b.rows)-1]
	}
	n.setPattern(pattern)
	n.add(row, line, at)
	x.open = n
}

// close recognises the open block, if it has not been.
func (x *recogniser) close(p *parser) {
	x.endPairs(p)
	b := x.open
	if b == nil {
		return
	}
	r := x.record
	if x.open = nil; len(b.rows) < maxRows {
		r = x.recognise(p, b)
	}
	// A setting of two numbers, such as "Warmup: 200; Iterations: 100", has no title of its own.
	if r != nil || len(b.rows) > 1 {
		x.after = len(x.above)
	}
	x.record, x.idle = nil, false
}

// recognise reads a block; nil if it is refused.
func (x *recogniser) recognise(p *parser, b *block) *record {
	x.blocks++
	if b.hasLeadingZeros() {
		b.join("")
	}
	near := b.above[min(x.after, len(b.above)):]
	r, no := p.recognise(b, near, &x.usage)
	if no != nil && len(b.words) > 0 && len(b.rows) > 2 {
		b.inWords = true
		if again, still := p.recognise(b, near, &x.usage); still == nil {
			r, no = again, nil
		}
		b.inWords = false
	}
	if no != nil {
		if !no.looksLikeRows() || b.ofPairs && len(no.ways) == 0 {
			return nil
		}
		if x.refused == nil || no.isLikelier(x.refused) {
			x.refused = no
		}
		return nil
	}
	for i, row := range b.rows {
		r.add(p, row, b.lines[i])
	}
	x.records = append(x.records, r)
	return r
}

// looksLikeRows reports whether at least half of what differs between the rows are numbers: of one
// row, at least half of all.
func (no *refusal) looksLikeRows() bool {
	numbers, words := 0, 0
	for _, c := range no.columns {
		switch {
		case c.number:
			numbers++
		case !c.fixed || len(no.block.rows) == 1:
			words++
		}
	}
	return numbers >= 2 && (numbers >= words || no.block.ofPairs)
}

// Bounds of the scores, which are logarithms of odds.
const (
	minSize = 2.2 // of a column of sizes alone: a ladder with a name, or with powers of two
	margin  = 0.8 // by which the best reading must lead
)

// recognise returns the record of a block, or why it is refused. near are the lines above it that
// no other table has claimed.
func (p *parser) recognise(b *block, near []string, u *usage) (*record, *refusal) {
	all, named := b.columns()
	no := &refusal{block: b, columns: all, named: named}
	if len(all) < 2 || !no.looksLikeRows() {
		return nil, no
	}
	near = slices.Concat(near, b.texts[:1])
	if !named {
		named = nameByTitle(all, near)
	}
	title := unknownTitle
	lacksUnit := func(c *column) bool {
		return c.number && c.dim == noDimension && times.isNamed(c.name)
	}
	if slices.ContainsFunc(all, lacksUnit) {
		title, _ = titleOf("", slices.Concat(near, columnNames(all)))
	}
	for _, c := range all {
		if c.number {
			c.guess(title.unit)
		}
	}
	guessByHeading(all, near)
	p.force(b, all)
	found := readings(all)
	if len(found) == 0 {
		no.why = noUnit
		if no.hasUnit() {
			no.why = "no column behaves as sizes do"
		}
		return nil, no
	}
	top := found[0]
	var question []*series
	if no.why = p.doubt(b, found, named); no.why == "" {
		r := &record{block: b, size: top.size, factor: top.sizes.factor, usage: u,
			named: named, exact: top.exact()}
		_, known := titleOf("", slices.Concat(near, columnNames(all)))
		if !known && !top.anchored() {
			no.why = noUnit
		} else if no.why = r.decide(p, all, top, near); no.why == "" {
			return r, nil
		}
		question = r.series
	}
	no.ways = waysOf(b, found, question)
	return nil, no
}

// nameByTitle names the columns of numbers as the benchmark that the lines name prints them, and
// reports whether it prints as many.
func nameByTitle(all []*column, near []string) bool {
	title, _ := titleOf("", near)
	names := strings.Split(title.columns, ",")
	var numbers []*column
	for _, c := range all {
		if c.number {
			numbers = append(numbers, c)
		}
	}
	if len(names) != len(numbers) {
		return false
	}
	for i, c := range numbers {
		c.name = names[i]
	}
	return true
}

const noUnit = "no column has a unit of times or rates"

// hasUnit reports whether a column has a unit of times or rates.
func (no *refusal) hasUnit() bool { return slices.ContainsFunc(no.columns, (*column).hasUnit) }

// hasUnit reports whether a column's name or cells have a unit of times or rates.
func (c *column) hasUnit() bool {
	return slices.ContainsFunc(c.guesses, func(g guess) bool { return g.printed && isValue(g) })
}

// isValue reports whether a column is one of times or rates.
func isValue(g guess) bool { return g.dim == times || g.dim == rates }

// doubt returns why the best reading of a block is not read; "" if it is.
func (p *parser) doubt(b *block, found []reading, named bool) string {
	top := found[0]
	values := 0
	for _, g := range top.values {
		if isValue(g) {
			values++
		}
	}
	forced := p.opt.X != "" || p.opt.Y != ""
	switch {
	case slices.ContainsFunc(b.above, intervalHeader().MatchString):
		return "the bytes of an interval are no size of a message"
	case b.commas && b.noCommas:
		return "a comma, as in 1,220, may be that of decimals or of thousands"
	case values == 0:
		return noUnit
	case forced:
		return ""
	case isListOfNumbers(b, top.size):
		return "the numbers before the colons have no unit"
	case top.own < minSize:
		return "no column behaves as sizes do"
	case top.size.dim == noDimension && top.unknown() > 0.5:
		return fmt.Sprintf("the numbers of %s are no whole bytes", top.size.label(b))
	case !varying(top.size.values) && !sizes.isNamed(top.size.name):
		return "one size alone, and its column is not named as one"
	case !varying(top.size.values) && len(b.rows) > 1 && len(top.ids) == 0:
		return "all rows have one size"
	case len(b.rows) < 3 && top.size.name == "" && top.size.dim == noDimension && len(top.ids) == 0:
		return "fewer than three rows, and their sizes have no name"
	case len(b.rows) == 1 && !named && len(top.ids) == 0 && !(b.ofPairs && top.isOfMessages()):
		return "one row without a header"
	}
	for _, o := range found[1:] {
		same := o.size == top.size && o.sizes.same(top.sizes)
		// Units of 1000 and 1024 that stay open are a note.
		close := o.size == top.size && o.sizes.factor/top.sizes.factor > 0.9 &&
			o.sizes.factor/top.sizes.factor < 1.12
		// The values of one or two rows do not show which of several named sizes is meant.
		few := o.size != top.size && len(b.rows) < 3 && o.sizes.score >= 3 && len(top.ids) == 0
		if !same && !close && (few || top.score-o.score < margin) {
			return fmt.Sprintf("%s and %s may each be the sizes",
				top.size.label(b), o.size.label(b))
		}
	}
	return ""
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

// intervalHeader matches the header of iperf's text.
var intervalHeader = lex.NewPattern(`\bInterval\s+Transfer\b`)

// isListOfNumbers reports whether a column is of bare numbers before colons: they may be ranks.
func isListOfNumbers(b *block, c *column) bool {
	return c.dim == noDimension && !slices.ContainsFunc(b.rows, func(row []token) bool {
		return !row[c.at].listed
	})
}

// force restricts the columns to what options give: a name or a number, with or without a unit.
func (p *parser) force(b *block, all []*column) {
	if p.opt.X == "" && p.opt.Y == "" {
		return
	}
	for i, option := range []string{p.opt.X, p.opt.Y} {
		name, text := columnAndUnit(option)
		for _, c := range all {
			is := name != "" && c.number && (c.name == name || fmt.Sprint(b.fieldOf(c)) == name)
			c.force(i == 0, is, name != "", text)
		}
	}
}

// force keeps the guesses of a column that an option allows.
func (c *column) force(isSize, is, given bool, unitText string) {
	var kept []guess
	for _, g := range c.guesses {
		if (g.dim == sizes) == isSize && given || is && (g.dim == sizes) != isSize {
			continue
		}
		kept = append(kept, g)
	}
	if is {
		d, factor := times, 1.
		if u, ok := optionUnit(unitText); ok {
			d, factor = dimensionOf(u)
		} else if isSize {
			d = sizes
		}
		if c.dim != noDimension {
			factor = 1
		}
		kept = []guess{{d, factor, 9, true}}
	}
	c.guesses = kept
}

// A way is one pair of columns that may be sizes and times or rates, as options give it, with what
// the last row is then.
type way struct {
	x, y       string // "1:B", "5:us"
	size, time float64
}

// appendWay adds the way to read two columns, unless its last row has no time that a network may
// have.
func (b *block) appendWay(ways []way, size *column, as guess, value *column, is guess) []way {
	last := len(b.rows) - 1
	w := way{
		x:    strconv.Itoa(b.fieldOf(size)) + ":" + unitText(as),
		y:    strconv.Itoa(b.fieldOf(value)) + ":" + unitText(is),
		size: size.values[last] * as.factor, time: value.values[last] * is.factor,
	}
	if is.dim == rates {
		w.time = w.size / w.time
	}
	if !goodTime(w.time) || math.Log10(w.time) < fastest {
		return ways
	}
	return append(ways, w)
}

// holds reports whether a file that was read by the options of the way has what the way says: a
// field of the reader of CSV may be another number than that of the column.
func (w way) holds(f *File) bool {
	for _, s := range f.Tables[0].Samples {
		if math.Abs(float64(s.Size)-w.size) < 1 {
			return w.time >= 0.98*float64(s.Min) && w.time <= 1.02*float64(s.Max)
		}
	}
	return false
}

// waysOf returns the likeliest readings as options, those of the columns in question first.
func waysOf(b *block, found []reading, question []*series) (ways []way) {
	add := func(r *reading, c *column) {
		ways = b.appendWay(ways, r.size, r.sizes, c, r.values[c])
	}
	for _, s := range question {
		add(&found[0], s.value)
	}
	for i := range found {
		// Rows, tokens and ranks are no bytes.
		if !found[i].sizes.printed && otherName().MatchString(found[i].size.name) {
			continue
		}
		if columns := found[i].inOrder(); len(columns) > 0 {
			add(&found[i], columns[0])
		}
	}
	return ways
}

// inOrder returns the columns of times and rates, the likeliest first.
func (r *reading) inOrder() (columns []*column) {
	for _, d := range []dimension{times, rates} {
		for _, id := range r.ids {
			for _, c := range []*column{id.a, id.b} {
				if g := r.values[c]; g.dim == d && !slices.Contains(columns, c) {
					columns = append(columns, c)
				}
			}
		}
		for _, c := range r.columns {
			if g, ok := r.values[c]; ok && g.dim == d && !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	return columns
}
