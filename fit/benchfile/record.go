package benchfile

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
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
	rising bool // sizes rise within a run: a smaller one begins the next
	run    int
	last   float64  // size
	notes  []string // how the table was read, since no format decides it
}

// A series is one measured quantity of a record: a column of times or rates, with its statistics.
type series struct {
	table            Table
	value            *column
	as               guess
	messages         *column // a rate beside it, which may have more digits
	messagesAs       guess
	min, max, median *column
	statistic        float64 // its place in statistics
	quantity, place  string
	tied             bool    // by an identity
	divisor          float64 // streams that a rate adds up
	tables           map[string]*builder
	key              string
	open             *builder // of that key
	perRank          func(ranks float64) float64
	ranks            *column
}

// placeWord matches what nccl-tests write over a group of columns.
var placeWord = regexp.MustCompile(`(?i)\b(out-of-place|in-place)\b`)

// decide sets what is read of each row. It returns why that is not decided; the series are then those
// in question.
func (r *record) decide(p *parser, all []*column, top reading, near []string) (why string) {
	title, known := titleOf(slices.Concat(near, columnNames(all)))
	if r.series, why = chooseSeries(all, top, title); why != "" {
		return why
	}
	r.keys, r.ids = keyColumns(all, top), top.ids
	r.rising = len(r.keys) == 0 && risesInRuns(top.bytes)
	for _, c := range all {
		if validNames[strings.ToLower(c.name)] {
			r.valid = c
		}
	}
	for _, s := range r.series {
		if why := p.measured(r, s, all, title, known, near); why != "" {
			return why
		}
	}
	r.notes = []string{r.note(top)}
	return ""
}

func columnNames(all []*column) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return []string{strings.Join(names, "  ")}
}

// chooseSeries returns the columns that are read. Statistics of one quantity are one series;
// quantities of other names are not chosen among, unless an identity ties one to a rate.
func chooseSeries(all []*column, top reading, title titleRow) (chosen []*series, why string) {
	var values []*series
	for _, c := range all {
		if strings.Contains(strings.ToLower(c.name), "cputime") {
			return nil, "cputime is not the time of the operation"
		}
		g, ok := top.values[c]
		if !ok || g.dim != times && g.dim != rates {
			continue
		}
		s := &series{value: c, as: g, divisor: 1, tables: map[string]*builder{}}
		s.statistic, s.quantity = statisticOf(placeWord.ReplaceAllString(c.name, ""))
		s.place = strings.ToLower(placeWord.FindString(c.name))
		for _, id := range top.ids {
			s.tied = s.tied || id.a == c || id.b == c
			if id.a == c && g.dim == rates && id.bs.dim == messages {
				s.messages, s.messagesAs = id.b, id.bs
			}
		}
		values = append(values, s)
	}
	values = keep(values, func(s *series) bool { return s.as.dim == times })
	if title.prefer != nil {
		values = keep(values, func(s *series) bool { return title.prefer.MatchString(s.value.name) })
	}
	if len(quantities(values)) > 1 {
		tied := keep(values, func(s *series) bool { return s.tied })
		if len(tied) < len(values) && values[0].as.dim == times {
			values = sameQuantity(values, tied)
		}
	}
	if len(quantities(values)) > 1 {
		values = keep(values, func(s *series) bool { return s.quantity == "" })
	}
	if values[0].as.dim == rates {
		values = mergeRates(values)
	}
	if names := quantities(values); len(names) > 1 {
		return values, undecided(names)
	}
	return joinStatistics(values)
}

// undecided returns why columns are not chosen among.
func undecided(names []string) string {
	if names = slices.Compact(names); len(names) == 1 {
		return fmt.Sprintf("several columns %s may each be the one that is meant", names[0])
	}
	return fmt.Sprintf("columns %s may each be the one that is meant", strings.Join(names, ", "))
}

// keep returns the series for which is holds; all if it holds for none.
func keep(all []*series, is func(*series) bool) []*series {
	var some []*series
	for _, s := range all {
		if is(s) {
			some = append(some, s)
		}
	}
	if some == nil {
		return all
	}
	return some
}

// sameQuantity returns the series whose quantity is that of one of others.
func sameQuantity(all, others []*series) []*series {
	return keep(all, func(s *series) bool {
		return slices.ContainsFunc(others, func(o *series) bool { return o.quantity == s.quantity })
	})
}

// quantities returns the names of the first column of each quantity.
func quantities(all []*series) (names []string) {
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s.quantity] {
			seen[s.quantity] = true
			names = append(names, strconv.Quote(lex.Short([]byte(s.value.name))))
		}
	}
	return names
}

// mergeRates leaves out bus bandwidths, and rates that are another one in other units.
func mergeRates(all []*series) []*series {
	all = keep(all, func(s *series) bool { return !busName.MatchString(s.value.name) })
	slices.SortStableFunc(all, byStatistic)
	var kept []*series
	for _, s := range all {
		if !slices.ContainsFunc(kept, func(o *series) bool { return o.place == s.place && o.equals(s) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

var busName = regexp.MustCompile(`(?i)bus`)

// equals reports whether two series have the same values in all rows, within 2 %: one is the other
// in another unit, or with other digits. Fewer than three rows show nothing.
func (s *series) equals(o *series) bool {
	rows := 0
	for i, a := range s.value.values {
		if q := a * s.as.factor / (o.value.values[i] * o.as.factor); q > 0 {
			if rows++; math.Abs(q-1) > 0.02 {
				return false
			}
		}
	}
	return rows >= 3
}

// joinStatistics makes the statistics of one quantity and place one series.
func joinStatistics(all []*series) (chosen []*series, why string) {
	for _, place := range places(all) {
		group := keep(all, func(s *series) bool { return s.place == place })
		slices.SortStableFunc(group, byStatistic)
		main := group[0]
		if len(group) > 1 && group[1].statistic == main.statistic && !main.equals(group[1]) {
			return group, undecided(list.Map(group[:2], func(s *series) string {
				return strconv.Quote(s.value.name)
			}))
		}
		for _, s := range group[1:] {
			main.join(s)
		}
		chosen = append(chosen, main)
	}
	return chosen, ""
}

func byStatistic(a, b *series) int { return cmp.Compare(a.statistic, b.statistic) }

// places returns the places of all series in the order of their columns.
func places(all []*series) (names []string) {
	for _, s := range all {
		if !slices.Contains(names, s.place) {
			names = append(names, s.place)
		}
	}
	return names
}

// join takes the column of another statistic, if it is a bound that holds in each row, or a median.
func (s *series) join(o *series) {
	if s.as.dim != times || o.as.dim != times || s.as.factor != o.as.factor {
		return
	}
	holds := func(sign float64) bool {
		for i, v := range s.value.values {
			if w := o.value.values[i]; sign*(w-v) < -o.value.halves[i]-s.value.halves[i] {
				return false
			}
		}
		return true
	}
	switch statistics[int(o.statistic)].name {
	case "min":
		if holds(-1) {
			s.min = o.value
		}
	case "max":
		if holds(1) {
			s.max = o.value
		}
	case "median", "typical":
		s.median = o.value
	}
}

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
		isPlace := parseColumn([]byte(c.name)).meaning().isPlacement()
		if n := len(distinct); n > max(2, len(top.bytes)/2) && !isPlace {
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

// measured sets what the times of a series are: the title of the benchmark says it, or the name of
// the column. It returns what has to be known, and is not.
func (p *parser) measured(r *record, s *series, all []*column, title titleRow, known bool,
	near []string) (why string) {
	t := &s.table
	t.Format = title.format
	base := parseColumn([]byte(s.value.name)).base
	isRate := s.as.dim == rates
	t.Kind = kindOf(base, isRate)
	switch {
	case known && isRate:
		t.Kind = title.rate
	case known:
		t.Kind = title.kind
	}
	op, isCollective := operationOf(all, near)
	if isCollective && !known || title.collective || p.opt.Collective != "" {
		t.Kind = Collective
	} else if t.Kind == Collective {
		t.Kind = Operation
	}
	if isRate && t.Kind == Gap {
		s.divisor = 1 / t.divide(max(1, title.directions), title.pairsIn(near))
	}
	if t.Kind == Collective {
		op.Name = cmp.Or(op.Name, fromFileName(p.file.Name).Name, p.opt.Collective)
		at := p.placeOf()
		op.Ranks, op.PerNode, op.Nodes = at.Ranks, at.PerNode, at.Nodes
		op.Algorithm = p.algorithmOf(op.Name)
		for _, c := range all {
			op.placeBy(c)
		}
		op.place()
		busOf(all, s.place).ranks(&op)
		t.Collective, t.Series = op, s.place
	}
	if isRate && busName.MatchString(s.value.name) {
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
		return "a bus bandwidth is no size over time until the collective and its ranks are known " +
			"(columns collective and ranks)"
	}
	s.perRank = func(ranks float64) float64 {
		if ranks = cmp.Or(ranks, float64(op.Ranks)); whole == 0 {
			return 1
		}
		return whole * (ranks - 1) / ranks
	}
	return ""
}

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
	if half > 0.5 { // of a byte: 1.1MB
		size, rounded = r.wholeSize(tokens, size, half)
	}
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
	t := &tokens[c.at]
	if t.unit == "" {
		return t.value, t.half
	}
	f := cellFactor(*t, c.dim)
	return t.value * f, t.half * f
}

// add adds the value of a row to the open table.
func (s *series) add(tokens []token, size float64, line int) {
	b := s.open
	t, half := s.value.cell(tokens)
	t, half = t*s.as.factor, half*s.as.factor
	x := row{size: size, time: t}
	switch {
	case math.IsNaN(t):
		b.countAt(unusable, line)
		return
	case t == 0:
		b.countAt(noTime, line)
		return
	case s.as.dim == rates:
		x.time = s.timeOfRate(tokens, size, t, half)
		// With fewer than three digits, rounding alone changes the rate by more than 0.5 %.
		if t < 200*half {
			b.countAt(coarse, line)
			x.rounded = half / t
		}
	default:
		b.resolution(2 * half)
		x.min, x.max = s.bound(s.min, tokens), s.bound(s.max, tokens)
		x.median = s.bound(s.median, tokens)
	}
	if !goodSize(size) || !goodTime(x.time) {
		b.countAt(unusable, line)
		return
	}
	b.add(x, line)
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
	two := math.Exp2(math.Round(math.Log2(size)))
	if math.Abs(two-size) <= half {
		return two, false
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

// timeOfRate returns size over a rate, or the inverse of the message rate where that has more
// digits.
func (s *series) timeOfRate(tokens []token, size, rate, half float64) float64 {
	ranks := 0.
	if s.ranks != nil {
		ranks, _ = s.ranks.cell(tokens)
	}
	share := 1.
	if s.perRank != nil {
		share = s.perRank(ranks)
	}
	if s.messages != nil {
		if m, h := s.messages.cell(tokens); m > 0 && h/m < half/rate {
			return s.divisor / (m * s.messagesAs.factor)
		}
	}
	return size / rate * s.divisor * share
}

func (b *builder) countAt(what string, line int) { b.tally(tally{what, 1, line, []int{line}}) }

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
			one := &column{name: c.name, number: c.number, fixed: true, texts: []string{label.Value}}
			if m := parseColumn([]byte(c.name)).meaning(); m.isPlacement() {
				t.Collective.placeBy(one)
				t.Collective.place()
				continue
			}
			t.Series = strings.TrimSpace(t.Series + " " + label.Value)
		}
	}
	t.Line = line
	t.Hosts = p.hosts
	t.Title = lex.Plain(strings.TrimSpace(t.Title))
	t.Warnings = slices.Clone(t.Warnings)
	b := &builder{table: &t, file: p.file, usage: r.usage, source: p.source}
	if len(r.order) < p.tableLimit {
		s.tables[key] = b
		r.order = append(r.order, b)
	}
	return b
}

// note says which columns were read.
func (r *record) note(top reading) string {
	b := r.block
	text := fmt.Sprintf("line %d: the columns are recognised by their values: %s is the size",
		b.lines[0], r.size.label(b))
	for _, s := range r.series {
		what := "time"
		if s.as.dim == rates {
			what = "rate"
		}
		text += fmt.Sprintf(", %s the %s in %s", s.value.label(b), what, unitText(s.as))
	}
	for _, id := range top.ids {
		if id.factor == 1 {
			text += fmt.Sprintf("; %s and %s agree", id.a.label(b), id.b.label(b))
			break
		}
	}
	return text
}

// A busRatio bounds busbw/algbw over the rows of a table.
type busRatio struct{ least, most float64 }

// busOf returns the bounds of busbw/algbw of one place.
func busOf(all []*column, place string) busRatio {
	find := func(word string) *column {
		i := slices.IndexFunc(all, func(c *column) bool {
			return strings.Contains(strings.ToLower(c.name), word) &&
				strings.ToLower(placeWord.FindString(c.name)) == place
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
	return fmt.Sprintf("%g%s", g.factor, map[dimension]string{sizes: "B", times: "us", rates: "MB/s"}[g.dim])
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
