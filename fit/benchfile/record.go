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

// A record turns the rows of a recognised block into samples.
type record struct {
	block  *block
	size   *column
	factor float64    // of the sizes
	ids    []identity // of the columns
	keys   []*column  // whose values make tables
	series []*series
	valid  *column // of a validation
	order  []*builder
	usage  *usage
	rows   int  // number of rows so far
	named  bool // by a header
	exact  bool // the sizes are whole numbers of bytes as they are printed: 0.10 MB
	rising bool // sizes rise within a run: a smaller one begins the next
	run    int
	last   float64  // size
	notes  []string // how the table was read, since no format decides it
}

// decide sets what is read of each row. It returns why that is not decided; the series are then
// those in question.
func (r *record) decide(p *parser, all []*column, top reading, near []string) (why string) {
	title, known := titleOf("", slices.Concat(near, columnNames(all)))
	if r.series, why = chooseSeries(all, top, title); why != "" {
		return why
	}
	r.keys, r.ids = keyColumns(all, top), top.ids
	r.rising = len(r.keys) == 0 && risesInRuns(top.bytes)
	r.valid = validation(all)
	for _, s := range r.series {
		if why := p.measured(r, s, all, title, known, near); why != "" {
			return why
		}
	}
	r.notes = []string{r.note(top)}
	if names := r.leftOut(top); names != nil {
		text := fmt.Sprintf("line %d: not read: %s", r.block.lines[0], strings.Join(names, ", "))
		if known { // the benchmark has one time of a message, and others of its parts
			r.notes = append(r.notes, text)
		} else {
			r.series[0].table.warn(text)
		}
	}
	for _, s := range r.series {
		if s.as.dim == times && s.table.Kind != Collective && !title.several {
			s.checkRates(r.block, top)
		}
	}
	return ""
}

// leftOut returns the names of the columns of times that no series has, but for tails and the other
// statistics of its quantity, and for times that it has in another unit.
func (r *record) leftOut(top reading) (names []string) {
	for _, c := range top.columns {
		g, ok := top.values[c]
		if !ok || g.dim != times || !g.printed {
			continue
		}
		o := &series{value: c, as: g}
		o.statistic, o.quantity = statisticOf(placeWord().ReplaceAllString(c.name, ""))
		if !slices.ContainsFunc(r.series, func(s *series) bool { return s.covers(o) }) {
			names = append(names, c.label(r.block))
		}
	}
	return names
}

// covers reports whether a column of times says nothing that the series does not have.
func (s *series) covers(o *series) bool {
	if s.value == o.value {
		return true
	}
	if s.as.dim != times || s.quantity != o.quantity {
		return false
	}
	isOther := o.statistic != otherStatistic && o.statistic != s.statistic
	return isOther || s.as.factor != o.as.factor && s.equals(o)
}

// checkRates warns of a rate beside the times that is not size over time: it may be one of several
// streams, or the times those of a part.
func (s *series) checkRates(b *block, top reading) {
	for _, c := range top.columns {
		g, ok := top.values[c]
		isTied := slices.ContainsFunc(top.ids, func(id identity) bool {
			return id.a == c || id.b == c
		})
		if rank, _ := statisticOf(c.name); !ok || g.dim != rates || !g.printed || isTied ||
			busName().MatchString(c.name) || rank > otherStatistic {
			continue
		}
		q := top.ratio(s.value, c, times, rates) * s.as.factor * g.factor
		if q > 0 && !math.IsInf(q, 0) && (q < 0.8 || q > 1.25) {
			s.table.warn(fmt.Sprintf("%s is read, and %s is %.2g times size over it: which of the "+
				"two is meant?", s.value.label(b), c.label(b), q))
		}
	}
}

// validation returns the column that says whether the results were right; nil if there is none.
func validation(all []*column) *column {
	i := slices.IndexFunc(all, func(c *column) bool { return validName().MatchString(c.name) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// measured sets what the times of a series are: the title of the benchmark says it, or the name of
// the column. It returns what has to be known, and is not.
func (p *parser) measured(r *record, s *series, all []*column, title titleRow, known bool,
	near []string) (why string) {
	t := &s.table
	t.Format = title.format
	base := parseColumn([]byte(s.value.name)).base
	isRate := s.as.dim == rates
	t.Kind = kindOf(base, isRate)
	said := r.block.texts[0]
	if r.block.ofPairs { // it has a count of round trips, too
		said = s.value.name
	}
	switch {
	case !known && !isRate && roundTrip().MatchString(said):
		t.Kind = RoundTrip
	case known && isRate:
		t.Kind = title.rate
	case known:
		t.Kind = title.kind
	}
	op, isCollective := operationOf(all, near)
	if isCollective && (!known || title.names) || title.collective || p.opt.Collective != "" {
		t.Kind = Collective
	} else if t.Kind == Collective {
		t.Kind = Operation
	}
	if isRate && t.Kind == Gap {
		s.share = t.divide(max(1, title.directions), title.pairsIn(near))
	}
	if t.Kind == Collective {
		if op.Name == "barrier" {
			return "a barrier has no sizes"
		}
		op.Name = cmp.Or(op.Name, fromFileName(p.file.Name).Name, p.opt.Collective)
		at := p.placeOf()
		op.Ranks, op.PerNode, op.Nodes = at.Ranks, at.PerNode, at.Nodes
		op.Algorithm = p.algorithmOf(op.Name)
		for _, c := range all {
			op.placeBy(c)
		}
		op.place()
		bus := busOf(all, s.place)
		if bus.contradicts(op.Name) { // prose above a table may name another collective
			op.Name = ""
		}
		bus.ranks(&op)
		t.Collective, t.Series = op, s.place
	}
	if isRate && busName().MatchString(s.value.name) {
		if why := s.fromBus(all, op); why != "" {
			return why
		}
	}
	t.Title = strings.TrimSpace(cmp.Or(op.Name, title.format) + " " + s.place)
	// Columns that the user names are those of a CSV.
	if p.opt.X != "" || p.opt.Y != "" {
		t.Format, t.Title = "csv", ""
	}
	if isRate {
		t.Warnings = append(t.Warnings, "the times are size over "+s.value.label(r.block))
	}
	return ""
}

// roundTrip matches the words of a row whose times are those of round trips.
var roundTrip = lex.NewPattern(`(?i)\bround.?trip|\brtt\b`)

func columnNames(all []*column) []string {
	var names []string
	for _, c := range all {
		if !c.inWord { // "PingPong/1024" is no title
			names = append(names, c.name)
		}
	}
	return []string{strings.Join(names, "  ")}
}

// maxBefore is the number of rows of one size that a number before the sizes may tell apart.
const maxBefore = 16

// keyColumns returns the columns that make the rows of one size different: type, redop, pairs.
func keyColumns(all []*column, top reading) (keys []*column) {
	if !repeats(top.bytes, nil) {
		return nil
	}
	for _, c := range all {
		_, isValue := top.values[c]
		if c == top.size || isValue || c.fixed || parseColumn([]byte(c.name)).isRepeat() {
			continue
		}
		distinct := map[string]bool{}
		for _, text := range c.texts {
			distinct[text] = true
		}
		// What differs from row to row is measured, unless it stands before the sizes.
		isPlace := parseColumn([]byte(c.name)).meaning().isPlacement()
		if n := len(distinct); n > max(2, len(top.bytes)/2) && !isPlace &&
			(c.at > top.size.at || n > maxBefore) {
			continue
		}
		if fewer(top.bytes, keys, c) {
			keys = append(keys, c)
		}
	}
	return keys
}

// risesInRuns reports whether sizes rise, and begin again at least once: each run is a table.
func risesInRuns(bytes []float64) bool {
	falls, equal := 0, 0
	for i := range len(bytes) - 1 {
		switch {
		case bytes[i+1] < bytes[i]:
			falls++
		case bytes[i+1] == bytes[i]:
			equal++
		}
	}
	return falls > 0 && equal == 0 && 4*falls < len(bytes)
}

// repeats reports whether a size comes twice among rows with equal keys.
func repeats(bytes []float64, keys []*column) bool { return distinctRows(bytes, keys) < len(bytes) }

// fewer reports whether a further key leaves fewer rows of the same size.
func fewer(bytes []float64, keys []*column, c *column) bool {
	return distinctRows(bytes, append(slices.Clip(keys), c)) > distinctRows(bytes, keys)
}

func distinctRows(bytes []float64, keys []*column) int {
	seen := map[string]bool{}
	for i, n := range bytes {
		key := fmt.Sprint(n)
		for _, c := range keys {
			key += "\x00" + c.texts[i]
		}
		seen[key] = true
	}
	return len(seen)
}

// add adds a row.
func (r *record) add(p *parser, tokens []token, line int) {
	r.rows++
	size, half := r.size.cell(tokens)
	size, half = size*r.factor, half*r.factor
	if r.rising && size < r.last {
		r.run++
	}
	r.last = size
	rounded := false
	if half > 0.5 && !r.exact { // of a byte: 1.1MB
		size, rounded = r.wholeSize(tokens, size, half)
	}
	rounded = rounded || half <= 0.5 && !isWholeNumber(size)
	size = math.Round(size)
	key := r.keyOf(tokens)
	for _, s := range r.series {
		if s.open == nil || s.key != key {
			s.key, s.open = key, r.builder(p, s, key, tokens, line)
		}
		if rounded {
			s.open.countAt(roundedSize, line)
			continue
		}
		if r.valid != nil && failed([]byte(tokens[r.valid.at].text)) {
			s.open.countAt(invalid, line)
		}
		s.add(tokens, size, line)
	}
}

// keyOf returns what tells the tables of a series apart.
func (r *record) keyOf(tokens []token) string {
	if len(r.keys) == 0 && r.run == 0 {
		return ""
	}
	key := strconv.Itoa(r.run)
	for _, c := range r.keys {
		key += "\x00" + tokens[c.at].text
	}
	return key
}

// cell returns the number of a column in a row and half of its last digit, in the unit of cells.
func (c *column) cell(tokens []token) (value, half float64) {
	t := c.tokenOf(tokens)
	if t.unit == "" {
		return t.value, t.half
	}
	f := cellFactor(t, c.dim)
	return t.value * f, t.half * f
}

// add adds the value of a row to the open table.
func (s *series) add(tokens []token, size float64, line int) {
	value, half := s.value.cell(tokens)
	m := measurement{size: size, isRate: s.as.dim == rates}
	if m.isRate {
		share := s.as.factor * s.share * s.ofBus(tokens)
		m.value, m.half = value*share, half*share
	} else {
		m.value, m.half = value*s.as.factor, half*s.as.factor
		m.quantum = tokens[s.value.at].quantum * s.as.factor
		m.min, m.max = s.bound(s.min, tokens), s.bound(s.max, tokens)
		m.median = s.bound(s.median, tokens)
	}
	if s.messages != nil {
		n, h := s.messages.cell(tokens)
		m.messages, m.messagesHalf = n*s.messagesAs.factor*s.share, h*s.messagesAs.factor*s.share
		m.hasMessages = true
	}
	s.open.measure(m, line)
}

// bound returns the time in a further column; 0 without one.
func (s *series) bound(c *column, tokens []token) float64 {
	if c == nil {
		return 0
	}
	v, _ := c.cell(tokens)
	return max(0, v*s.as.factor)
}

// wholeSize returns the size of a row that prints it with few digits: the power of two within the
// rounding, or what time and rate make of it. rounded reports that there is none.
func (r *record) wholeSize(tokens []token, size, half float64) (whole float64, rounded bool) {
	if roundCell().MatchString(tokens[r.size.at].text) { // "50.0 MB"
		return size, false
	}
	// A k may be 1000: 65.536k.
	for _, part := range []float64{1, thousandOf(tokens[r.size.at].unit)} {
		n := size * part
		two := math.Exp2(math.Round(math.Log2(n)))
		if math.Abs(two-n) <= half*part {
			return two, false
		}
	}
	for _, id := range r.ids {
		if id.as.dim != times || id.bs.dim != rates || id.factor != 1 {
			continue
		}
		t, ht := id.a.cell(tokens)
		rate, hr := id.b.cell(tokens)
		got := t * id.as.factor * rate * id.bs.factor
		// Digits of both have to be finer than those of the size.
		if math.Abs(got-size) <= half && ht/t+hr/rate < half/size/10 {
			return got, false
		}
	}
	return size, true
}

var roundCell = lex.NewPattern(`^\d+\.0+[^\d.]*$`)

// thousandOf returns the decimal reading of a unit of sizes over its binary one: 1000/1024 for a k.
func thousandOf(unit string) float64 {
	if m := sizeUnit().FindStringSubmatch(strings.ToLower(unit)); m != nil && m[2] == "" {
		return math.Pow(1000./1024, power(m[1]))
	}
	return 1
}

// ofBus returns what makes a bus bandwidth size over time; 1 for other rates.
func (s *series) ofBus(tokens []token) float64 {
	if s.perRank == nil {
		return 1
	}
	ranks := 0.
	if s.ranks != nil {
		ranks, _ = s.ranks.cell(tokens)
	}
	return 1 / s.perRank(ranks)
}

// builder returns the builder of a series and the keys of a row.
func (r *record) builder(p *parser, s *series, key string, row []token, line int) *builder {
	if b := s.tables[key]; b != nil {
		return b
	}
	t := s.table
	for _, c := range r.keys {
		label := Label{lex.Plain(c.name), lex.Plain(row[c.at].text)}
		t.Labels = append(t.Labels, label)
		t.Title += " " + strings.TrimPrefix(label.Column+"="+label.Value, "=")
		if t.Kind == Collective {
			texts := []string{label.Value}
			one := &column{name: c.name, number: c.number, fixed: true, texts: texts}
			if m := parseColumn([]byte(c.name)).meaning(); m.isPlacement() {
				t.Collective.placeBy(one)
				t.Collective.place()
				continue
			}
			t.Series = strings.TrimSpace(t.Series + " " + label.Value)
		}
	}
	for i, name := range r.block.labels {
		text := row[i].text
		isFixed := !slices.ContainsFunc(r.block.rows, func(o []token) bool {
			return o[i].text != text
		})
		if isFixed && t.Kind != Collective {
			t.Labels = append(t.Labels, Label{lex.Plain(name), lex.Plain(text)})
			t.Title += " " + text
		}
	}
	t.Line = line
	t.Hosts = p.hosts
	t.Title = lex.Plain(strings.TrimSpace(t.Title))
	t.Warnings = slices.Clone(t.Warnings)
	b := &builder{table: &t, file: p.file, usage: r.usage, source: p.source,
		free: true}
	if len(r.order) < p.tableLimit {
		s.tables[key] = b
		r.order = append(r.order, b)
	}
	return b
}

// otherThousand returns the ratio of another reading of a rate's unit to the one that is read: of
// 2²⁰ bytes to 10⁶; 0 if there is none.
func (s *series) otherThousand() float64 {
	for _, g := range s.value.guesses {
		if q := g.factor / s.as.factor; g.dim == rates && g.printed && q > 1.01 && q < 1.12 {
			return q
		}
	}
	return 0
}

// otherThousand returns the ratio of another reading of the sizes' unit to the one that is read: of
// 10³ bytes to 2¹⁰; 0 if there is none, or if an identity decides it.
func (r *reading) otherThousand() float64 {
	for _, g := range r.size.guesses {
		if q := g.factor / r.sizes.factor; g.dim == sizes && g.printed && q > 0.88 && q < 0.99 &&
			len(r.ids) == 0 {
			return q
		}
	}
	return 0
}

// note says which columns were read.
func (r *record) note(top reading) string {
	b := r.block
	text := fmt.Sprintf("line %d: the columns are recognised by their values: %s is the size",
		b.lines[0], r.size.label(b))
	if other := top.otherThousand(); other > 0 {
		text += fmt.Sprintf(" (%.2g %% less if it is of powers of 1000)", 100*(1-other))
	}
	for _, s := range r.series {
		what := "time"
		if s.as.dim == rates {
			what = "rate"
		}
		unit := b.rows[0][s.value.at].unit
		if unit == "" {
			unit = unitText(s.as)
		}
		text += fmt.Sprintf(", %s the %s in %s", s.value.label(b), what, unit)
		if other := s.otherThousand(); other > 0 && !s.tied {
			text += fmt.Sprintf(" (%.2g %% more if it is of powers of 1024)", 100*(other-1))
		}
	}
	for _, id := range top.ids {
		if id.factor == 1 {
			text += fmt.Sprintf("; %s and %s agree", id.a.label(b), id.b.label(b))
			break
		}
	}
	return text
}

// operationOf returns the collective that a column of words or the lines above name.
func operationOf(all []*column, near []string) (op CollectiveOp, ok bool) {
	for _, c := range all {
		if !c.number && c.fixed {
			if op, ok = collectiveNamed(c.texts[0]); ok {
				return op, true
			}
		}
	}
	return collectiveIn(near)
}

// placeBy sets the ranks and nodes that a column gives for all rows.
func (op *CollectiveOp) placeBy(c *column) {
	if !c.number || !c.fixed {
		return
	}
	n := lex.Count(c.texts[0])
	switch parseColumn([]byte(c.name)).meaning() {
	case meansRanks:
		op.Ranks, op.PerNode, op.Nodes = n, 0, 0
	case meansNodes:
		op.Nodes = n
	case meansPerNode:
		op.PerNode = n
	}
}

// fromBus sets how a bus bandwidth becomes size over time: it is multiplied by 2(p−1)/p for an
// allreduce of p ranks, (p−1)/p for allgather, reduce_scatter and alltoall (nccl-tests,
// doc/PERFORMANCE.md).
func (s *series) fromBus(all []*column, op CollectiveOp) (why string) {
	for _, c := range all {
		if c.number && parseColumn([]byte(c.name)).meaning() == meansRanks {
			s.ranks = c
		}
	}
	whole, ok := busFactor(op.Name)
	if !ok || s.ranks == nil && op.Ranks == 0 {
		return busAlone
	}
	s.perRank = func(ranks float64) float64 {
		if ranks = cmp.Or(ranks, float64(op.Ranks)); whole == 0 {
			return 1
		}
		return whole * (ranks - 1) / ranks
	}
	return ""
}

// busAlone is why a bus bandwidth is not read: no option makes it size over time.
const busAlone = "a bus bandwidth is no size over time until the collective and its ranks are " +
	"known (columns collective and ranks)"

// busFactor returns w of busbw = w(p−1)/p × algbw; 0 for collectives whose two bandwidths are
// equal.
func busFactor(collective string) (whole float64, ok bool) {
	switch collective {
	case "allreduce":
		return 2, true
	case "allgather", "reduce_scatter", "alltoall":
		return 1, true
	case "bcast", "reduce":
		return 0, true
	}
	return 0, false
}

// A busRatio bounds busbw/algbw over the rows of a table.
type busRatio struct{ least, most float64 }

// busOf returns the bounds of busbw/algbw of one place.
func busOf(all []*column, place string) busRatio {
	find := func(word string) *column {
		i := slices.IndexFunc(all, func(c *column) bool {
			return strings.Contains(strings.ToLower(c.name), word) &&
				strings.ToLower(placeWord().FindString(c.name)) == place
		})
		if i < 0 {
			return nil
		}
		return all[i]
	}
	r := busRatio{0, math.Inf(1)}
	alg, bus := find("algbw"), find("busbw")
	if alg == nil || bus == nil {
		return r
	}
	for i := range alg.values {
		r.narrow(alg.values[i], bus.values[i], max(alg.halves[i], bus.halves[i]))
	}
	return r
}

// narrow takes a row: each bandwidth is uncertain by half of its last digit.
func (r *busRatio) narrow(alg, bus, half float64) {
	if alg > half {
		r.least = max(r.least, (bus-half)/(alg+half))
		r.most = min(r.most, (bus+half)/(alg-half))
	}
}

// contradicts reports whether the ratio is not that of a collective: of an allreduce alone, it is
// above 1.
func (r busRatio) contradicts(collective string) bool {
	whole, ok := busFactor(collective)
	return ok && whole == 1 && r.least > 1 && r.least <= r.most
}

// ranks sets the collective and the number of ranks, as far as the ratio gives them: it is 2(p−1)/p
// for allreduce alone, (p−1)/p for allgather, reduce_scatter and alltoall.
func (r busRatio) ranks(op *CollectiveOp) {
	// Rows contradict each other: they are of several collectives, or of another program.
	if r.least > r.most {
		return
	}
	// Only the ratio of allreduce exceeds 1, from 3 ranks on.
	if op.Name == "" && r.least > 1 && op.Ranks != 1 {
		op.Name = "allreduce"
	}
	whole, ok := busFactor(op.Name)
	if !ok || whole == 0 {
		return
	}
	// A ratio r = w(p−1)/p gives p = w/(w−r).
	ranks := math.Ceil(whole / (whole - r.least))
	// The bounds leave one whole number: the rounded bandwidths decide it.
	decided := r.most < whole && ranks == math.Floor(whole/(whole-r.most))
	if op.Ranks == 0 && ranks > 1 && decided {
		op.Ranks = int(min(ranks, 1<<24))
	}
}
