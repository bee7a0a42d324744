package benchfile

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// unitless are the readings of columns whose names have no unit.
var unitless = map[dimension][]unit{
	sizes: {{1, 0}},
	times: {{1, 3}, {1e-3, 4}, {1e3, 4}, {1e6, 4}},
	rates: {{1, 3}, {1e3, 3}, {(1 << 20) / 1e6, 3.5}, {(1 << 30) / 1e6, 3.5}, {1. / 8, 4},
		{1e3 / 8, 4}},
	messages: {{1e-6, 3}, {1, 3}},
}

// guess sets the column's readings by its name and its unit alone. us is the unit of times without
// one, 0 if it is unknown.
func (c *column) guess(us float64) {
	isOther := otherName().MatchString(perCall().ReplaceAllString(c.name, ""))
	if c.dim != noDimension {
		for _, u := range c.units {
			score := 4 - u.doubt
			switch {
			case c.name != "" && isOther && c.dim != sizes:
				score -= 3.5
			case c.name != "" && !c.dim.isNamed(c.name) && c.dim == sizes:
				score -= 2.5
			case c.name != "" && !c.dim.isNamed(c.name):
				score--
			}
			c.guesses = append(c.guesses, guess{c.dim, u.factor, score, true})
		}
		return
	}
	unitDim, units := unitOfName(c.name)
	if us > 0 && unitDim == noDimension && times.isNamed(c.name) {
		unitDim, units = times, []unit{{us, 0}}
	}
	for _, d := range []dimension{sizes, times, rates, messages} {
		c.guessAs(d, unitDim, units, isOther)
	}
}

// headingUnit matches a line over a table that gives its unit: "## Latency (µs)", "throughput,
// GiB/s:", or "min max (in µs)".
var headingUnit = lex.NewPattern(`(?i)\b(?:latency|latencies|bandwidth|throughput|times?|` +
	`durations?|rates?)\b(?:[^()\[\]|,\t]*[(\[ ]([^()\[\]]{1,12})[)\]]|` +
	`, *([a-zµ]+(?:/s)?))[\s:*]*$|\(in ([a-zµ]+)\)\s*$`)

// maxHeading is the number of lines above a table that may give its unit.
const maxHeading = 8

// guessByHeading looks for a unit in the lines above a table whose columns have no unit of times or
// rates. The nearest line that has one gives it to all columns without a name.
func guessByHeading(all []*column, near []string) {
	hasUnit := func(g guess) bool { return g.printed && g.dim != sizes }
	for _, c := range all {
		if slices.ContainsFunc(c.guesses, hasUnit) && !otherName().MatchString(c.name) {
			return
		}
	}
	near = slices.Clone(near[max(0, len(near)-maxHeading):])
	for _, c := range all {
		if c.inWord { // "Name (time in us)"
			near = append(near, c.heading)
		}
	}
	for _, line := range slices.Backward(near) {
		m := headingUnit().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		d, units := unitsOf(m[1] + m[2] + m[3])
		for _, c := range all {
			if d == times || d == rates {
				c.guessUnnamed(d, units)
			}
		}
		return
	}
}

// guessUnnamed adds the readings of a column in a unit that its name does not give.
func (c *column) guessUnnamed(d dimension, units []unit) {
	if c.number && c.dim == noDimension && !sizes.isNamed(c.name) &&
		!otherName().MatchString(c.name) {
		c.guessAs(d, d, units, false)
	}
}

// guessAs adds the readings of the column in one dimension.
func (c *column) guessAs(d, unitDim dimension, units []unit, isOther bool) {
	score, readings, named := 0., unitless[d], d.isNamed(c.name)
	hasUnit := unitDim == d
	switch {
	case hasUnit:
		score, readings = 3, units
	case unitDim != noDimension:
		score = -4
	}
	if named {
		score += 2
	}
	if isOther && !(named && hasUnit) {
		score -= 3.5
	}
	// "Size" is no rate, and an "algbw" under which a line of units has "(us)" no time.
	if !named && (!hasUnit && c.isNamedAsOther(d) || d == times && rates.isNamed(c.name)) {
		score -= 2
	}
	if d != sizes && !hasUnit {
		score -= 0.5
	}
	if d == sizes && !hasUnit && elementName().MatchString(c.name) {
		score++
		readings = []unit{{4, 2.5}, {2, 3}, {1, 3}, {8, 3}} // bytes of an element
	}
	for _, u := range readings {
		c.guesses = append(c.guesses, guess{d, u.factor, score - u.doubt, hasUnit})
	}
}

// isNamedAsOther reports whether the name is one of another dimension.
func (c *column) isNamedAsOther(d dimension) bool {
	for _, o := range []dimension{sizes, times, rates, messages} {
		if o != d && o.isNamed(c.name) {
			return true
		}
	}
	return false
}

// An identity ties two columns: time = size/rate, rate = size × messages, messages = 1/time.
type identity struct {
	a, b   *column
	as, bs guess
	// factor is 2 or ½ if the columns agree with a rate of both directions, or with half of a
	// round trip; else 1.
	factor   float64
	evidence float64
	score    float64 // with the scores of both readings
}

// factors are the ratios at which times agree with rates, with what each costs.
var factors = []unit{{1, 0}, {2, 2.5}, {0.5, 2.5}}

// predicted returns the value of b in row i by that of a, and the half of its last digit; NaN if
// it has none.
func (t *identity) predicted(i int, size float64) (value, half float64) {
	a, h := t.a.values[i]*t.as.factor, t.a.halves[i]*t.as.factor
	switch {
	case t.bs.dim == rates: // of a time
		value = t.factor * size / a
	case t.as.dim == times:
		value = t.factor / a
	default: // messages of a rate
		value = a / size
	}
	return value, value * h / a
}

// Maxima of evidence: rows of one table are not independent, and those of equal values even less.
const (
	maxEvidence = 12
	perValue    = 3
	// Besides rounding, columns of one row are averages over different intervals.
	unlikeness = 0.004
)

// weigh sets the evidence: over the rows, the logarithm of how much likelier the identity makes the
// printed digits than a number that may be anywhere over three decades. It returns the part of the
// rows that agree.
func (t *identity) weigh(size []float64) (agree float64) {
	rows, good, wrongZeros := 0, 0, 0
	distinct := map[float64]bool{}
	for i := range size {
		if size[i] <= 0 && (t.as.dim == rates || t.bs.dim == rates) {
			continue
		}
		p, hp := t.predicted(i, size[i])
		b, hb := t.b.values[i]*t.bs.factor, t.b.halves[i]*t.bs.factor
		if !(b >= 0) || math.IsNaN(p) || b == 0 && math.IsInf(p, 0) {
			continue
		}
		distinct[b] = true
		if !(p > 0) || math.IsInf(p, 0) { // no rate in no time
			wrongZeros++
			continue
		}
		if b == 0 { // a rate that is rounded to 0
			if p > hb+hp+1e-12 {
				wrongZeros++
			}
			continue
		}
		rows++
		limit := math.Log1p(hb/b*1.05+hp/p*1.05) + 3*unlikeness
		if math.Abs(math.Log(p/b)) < limit {
			good++
			t.evidence += math.Log(max(7/(2*limit), 1.05))
		} else {
			t.evidence -= 3
		}
	}
	if rows == 0 {
		return 0
	}
	t.evidence = min(t.evidence, perValue*float64(len(distinct))) - 3*float64(wrongZeros)
	return float64(good) / float64(rows+wrongZeros)
}

// A reading is one way to read a block: its sizes, and what the other columns are.
type reading struct {
	score, own float64 // own is without identities
	size       *column
	columns    []*column // all others
	sizes      guess
	bytes      []float64
	values     map[*column]guess
	ids        []identity
}

// read returns the readings of a block's columns, the likeliest first.
func readings(all []*column) (found []reading) {
	for _, c := range all {
		for _, g := range c.guesses {
			if g.dim != sizes {
				continue
			}
			r := reading{size: c, sizes: g, values: map[*column]guess{}}
			for _, v := range c.values {
				r.bytes = append(r.bytes, v*g.factor)
			}
			r.own = g.score + ladder(r.bytes) - 2*r.unknown()
			if r.own < 0 {
				continue
			}
			if c.name != "" && g.score < 1 && !sizes.isNamed(c.name) &&
				!elementName().MatchString(c.name) {
				r.own -= 1.5
			}
			r.solve(all)
			if len(r.values) > 0 {
				found = append(found, r)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b reading) int { return cmp.Compare(b.score, a.score) })
	return found
}

// exact reports whether all sizes are whole numbers of bytes in the unit of their column, and none
// is a power of two that is rounded, as 1.05 MB is.
func (r *reading) exact() bool {
	if r.size.dim != noDimension { // each cell has as many digits as its unit leaves
		return false
	}
	for i, size := range r.bytes {
		half := r.size.halves[i] * r.sizes.factor
		two := math.Exp2(math.Round(math.Log2(size)))
		if size > 0 && (!isWholeNumber(size) || size != two && math.Abs(two-size) <= half) {
			return false
		}
	}
	return true
}

// unknown returns the part of the sizes that are no whole number of bytes, nor a power of two that
// is rounded: the decimals of 0.10 MB are of 10⁶ bytes then, and not of 2²⁰.
func (r *reading) unknown() float64 {
	n := 0
	for i, size := range r.bytes {
		half := r.size.halves[i] * r.sizes.factor
		two := math.Exp2(math.Round(math.Log2(size)))
		if size > 0 && !isWholeNumber(size) && math.Abs(two-size) > half {
			n++
		}
	}
	return part(n, len(r.bytes))
}

// solve finds the identities among the other columns, which fix their readings, and takes the
// likeliest reading of all further columns.
func (r *reading) solve(all []*column) {
	var others []*column
	for _, c := range all {
		if c != r.size && c.number && slices.ContainsFunc(c.values, func(v float64) bool {
			return v > 0 || v < 0
		}) {
			others = append(others, c)
		}
	}
	r.columns = others
	r.tie(others)
	best := 0.
	for _, id := range r.ids {
		best = max(best, id.evidence)
	}
	if n := len(r.ids); n > 1 {
		best += 0.3 * min(6, float64(n-1))
	}
	top := -5.
	for _, c := range others {
		if g, ok := r.values[c]; ok {
			if g.dim == times || g.dim == rates {
				top = 5
			}
			continue
		}
		g, score := r.likeliest(c)
		// A printed unit makes a column one of those in question, however unlikely its values are.
		if score < 2 && !(g.printed && g.score >= 3) {
			continue
		}
		r.values[c] = g
		if g.dim == times || g.dim == rates {
			top = max(top, min(score, 5))
		}
	}
	r.score = r.own + best + top
}

// likeliest returns the best reading of a column that no identity ties.
func (r *reading) likeliest(c *column) (best guess, score float64) {
	score = math.Inf(-1)
	for _, g := range c.guesses {
		s := g.score
		switch g.dim {
		case sizes:
			continue
		case times:
			s += plausible(scaled(c.values, g.factor), r.bytes, 1)
		case rates:
			s += plausible(over(r.bytes, c.values, g.factor), r.bytes, 1)
		}
		if s > score {
			best, score = g, s
		}
	}
	return best, score
}

func scaled(values []float64, factor float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = v * factor
	}
	return all
}

// over returns the times of sizes at rates.
func over(bytes, values []float64, factor float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = bytes[i] / max(v*factor, 1e-12)
	}
	return all
}

// tie finds the identities, and keeps the best that agree with each other.
func (r *reading) tie(others []*column) {
	var found []identity
	varies := varying(r.size.values)
	for _, a := range others {
		for _, b := range others {
			// A constant may agree with anything.
			if a != b && !(varies && (a.fixed || b.fixed)) {
				found = append(found, r.pair(a, b)...)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b identity) int { return cmp.Compare(b.score, a.score) })
	for _, id := range found {
		if id.score < 2 {
			break
		}
		as, knownA := r.values[id.a]
		bs, knownB := r.values[id.b]
		if knownA && !as.same(id.as) || knownB && !bs.same(id.bs) {
			continue
		}
		r.values[id.a], r.values[id.b] = id.as, id.bs
		r.ids = append(r.ids, id)
	}
}

func varying(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// anchored reports whether some time or rate has a printed unit: identities alone hold in any
// units.
func (r *reading) anchored() bool {
	for _, g := range r.values {
		if g.printed {
			return true
		}
	}
	return false
}

func (g guess) same(o guess) bool {
	return g.dim == o.dim && math.Abs(g.factor/o.factor-1) < 1e-9
}

// pair returns the identities between two columns in all of their readings.
func (r *reading) pair(a, b *column) (found []identity) {
	middle := map[[2]dimension]float64{}
	for _, as := range a.guesses {
		for _, bs := range b.guesses {
			isPair := as.dim == times && (bs.dim == rates || bs.dim == messages) ||
				as.dim == rates && bs.dim == messages
			if !isPair || as.score+bs.score < -9.5 {
				continue
			}
			key := [2]dimension{as.dim, bs.dim}
			if _, ok := middle[key]; !ok {
				middle[key] = r.ratio(a, b, as.dim, bs.dim)
			}
			for _, f := range factors {
				if f.factor != 1 && as.dim == rates {
					break
				}
				// Far off in the middle of the table: no row has to be looked at.
				got := middle[key] * as.factor * bs.factor
				if as.dim == rates {
					got = middle[key] * as.factor / bs.factor
				}
				if got/f.factor < 0.75 || got/f.factor > 1.33 || math.IsNaN(got) {
					continue
				}
				if id, ok := r.identity(a, b, as, bs, f); ok {
					found = append(found, id)
				}
			}
		}
	}
	return found
}

// ratio returns the median over the rows of what is 1 if two columns agree, before their units.
func (r *reading) ratio(a, b *column, as, bs dimension) float64 {
	var all []float64
	for i, n := range r.bytes {
		q := a.values[i] * b.values[i] / n
		switch {
		case as == rates:
			q = a.values[i] / (b.values[i] * n)
		case bs == messages:
			q = a.values[i] * b.values[i]
		}
		if q > 0 && !math.IsInf(q, 0) {
			all = append(all, q)
		}
	}
	// Small sizes have the coarsest digits.
	if all = all[len(all)/3:]; len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// identity returns the identity of two columns in a reading of each, if their rows agree.
func (r *reading) identity(a, b *column, as, bs guess, f unit) (identity, bool) {
	id := identity{a: a, b: b, as: as, bs: bs, factor: f.factor}
	if agree := id.weigh(r.bytes); agree < 0.75 || id.evidence < 1.5 {
		return id, false
	}
	id.evidence = min(id.evidence, maxEvidence) - 1 - f.doubt
	id.score = id.evidence + as.score + bs.score
	if as.dim == times {
		id.score += plausible(scaled(a.values, as.factor), r.bytes, 4)
		if bs.dim == rates {
			id.score += plausible(over(r.bytes, b.values, bs.factor), r.bytes, 4)
		}
	}
	return id, true
}

// ladder returns how much values alone look like sizes: whole numbers that rise, powers of two,
// over a wide range. An index counts 0, 1, 2, 3.
func ladder(values []float64) float64 {
	var some, positive []float64
	for _, v := range values {
		if v < 0 {
			return -9
		}
		if !math.IsNaN(v) {
			some = append(some, v)
		}
		if v > 0 {
			positive = append(positive, v)
		}
	}
	if len(positive) == 0 {
		return -9
	}
	score := 0.
	distinct := slices.Compact(slices.Sorted(slices.Values(positive)))
	if n := len(distinct); n > 3 && distinct[n-1]-distinct[0] == float64(n-1) {
		score -= 3
	}
	powers, whole := 0, 0
	for _, v := range positive {
		x := math.Log2(v)
		if math.Abs(x-math.Round(x)) < 1e-9 {
			powers++
		}
		if v == math.Round(v) {
			whole++
		}
	}
	score += 2*part(powers, len(positive)) + part(whole, len(positive)) - 0.5
	if len(some) < 3 {
		return score
	}
	up, down, equal := 0, 0, 0
	for i := range len(some) - 1 {
		switch d := some[i+1] - some[i]; {
		case d > 0:
			up++
		case d < 0:
			down++
		default:
			equal++
		}
	}
	n := len(some) - 1
	score += 1.5*part(up, n) - 2*part(down, n) - 1.5*part(equal, n)
	if k := len(distinct); k > 2 {
		score += min(1.5, math.Log10(distinct[k-1]/distinct[0])/2)
	}
	return score
}

func part(some, all int) float64 { return float64(some) / float64(all) }

// Bounds of what a network does, as decimal logarithms of µs and bytes/µs. Beyond them a reading
// loses by the decade.
const (
	fastest   = -1.5 // 30 ns
	slowest   = 5.5  // 0.3 s for a small message
	widest    = 6.7  // 5 TB/s
	narrowest = 1    // 10 MB/s, of large messages
)

// plausible returns what times of sizes cost a reading: 0 if a network may have them. fall is the
// cost of times that fall while sizes grow.
func plausible(t, bytes []float64, fall float64) float64 {
	type point struct{ size, t float64 }
	var all []point
	least, most, small, large := math.Inf(1), 0., math.Inf(1), 0.
	for i, n := range bytes {
		if !(t[i] > 0) || t[i] > 1e11 || !(n > 0) {
			continue
		}
		all = append(all, point{n, math.Log(t[i])})
		least, most = min(least, t[i]), max(most, n/t[i])
		small, large = min(small, n), max(large, n)
	}
	if len(all) == 0 {
		return 0
	}
	low, high := math.Log10(least), math.Log10(most)
	cost := 3*max(0, fastest-low) + 3*max(0, high-widest)
	if small <= 64 {
		cost += 4 * max(0, low-slowest)
	}
	if large > 64<<10 {
		cost += 0.5 * max(0, narrowest-high)
	}
	if len(all) > 3 && large > 8*small {
		slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(a.size, b.size) })
		k := max(1, len(all)/4)
		first, last := 0., 0.
		for i := range k {
			first += all[i].t / float64(k)
			last += all[len(all)-1-i].t / float64(k)
		}
		if last < first-0.1 {
			cost += fall
		}
	}
	return -cost
}
