package platforms

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// measuredTables reads the measurements behind fitted layers: sizes, and for each its time.
func (b *builder) measuredTables() {
	for _, t := range b.sections("measured") {
		t.named()
		m := &Measured{Runs: 1, Source: t.text("source")}
		m.Operation = value[bool](t.Keys, "operation")
		// One time determines no line: β and τ are two numbers.
		if sizes := len(t.list("sizes")); sizes < 2 {
			t.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1B", "1KiB"]`, sizes)
		}
		m.Sizes = t.sizes(1)
		m.Times = each(&t, "times", t.list("times"), aboveZero)
		if len(m.Times) != len(m.Sizes) {
			t.fail("times", "%d times for %d sizes", len(m.Times), len(m.Sizes))
		}
		m.Deviations = each(&t, "deviations", t.list("deviations"), quantity.ParseMicros)
		if m.Deviations != nil && len(m.Deviations) != len(m.Sizes) {
			t.fail("deviations", "%d deviations for %d sizes", len(m.Deviations), len(m.Sizes))
		}
		m.Runs = max(1, t.count("runs"))
		// The uncertainty of a mean is deviation/√runs, and one run has no deviation.
		if (m.Runs > 1) != (m.Deviations != nil) {
			t.fail("", "runs and deviations go together: give at least 2 runs, "+
				"and their standard deviation at each size")
		}
		if given := t.text("resolution"); given != "" {
			var err error
			if m.Resolution, err = quantity.ParseMicros(given); err != nil {
				t.fail("resolution", "%q: a time, as in \"0.01us\"", given)
			}
		}
		b.measured[t.Name] = m
	}
}

// collectiveTables reads measured times of collectives: a row of times for each number of ranks.
func (b *builder) collectiveTables() {
	for _, t := range b.sections("collective") {
		t.named()
		c := MeasuredCollective{
			Name: t.Name, Collective: t.text("collective"), Algorithm: t.text("algorithm"),
			Statistic: t.text("statistic"), Source: t.text("source"),
		}
		if c.Collective == "" {
			t.fail("collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		// Benchmarks print either. They differ where ranks finish at different times, as in a tree.
		if c.Statistic != "average" && c.Statistic != "slowest" {
			t.fail("statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		t.ranks(&c)
		c.Sizes = t.sizes(0)
		times := t.list("times")
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(times) != len(c.Ranks) {
			t.fail("times", "%d texts of times for %d numbers of ranks and %d sizes; "+
				`give one for each number of ranks, with a time for each size, as in "2us 5us"`,
				len(times), len(c.Ranks), len(c.Sizes))
		}
		c.Times = grid(&t, "times", &c, aboveZero)
		// float64 holds whole numbers up to 2^53 exactly.
		c.Runs = grid(&t, "runs", &c, whole[int64]("a number of repeats", 1, 1<<53))
		c.Deviations = grid(&t, "deviations", &c, quantity.ParseMicros)
		b.p.Collectives = append(b.p.Collectives, c)
	}
}

// ranks reads the numbers of ranks, and how many of them a node has. One number of ranks may come
// again with more on each node.
func (s *section) ranks(c *MeasuredCollective) {
	perNode := s.list("ranks_per_node")
	// 2^17 is the largest number of ranks for which package collective makes a schedule.
	c.PerNode = each(s, "ranks_per_node", perNode, whole("a number of ranks", 1, 1<<17))
	c.Ranks = each(s, "ranks", s.list("ranks"), whole("a number of ranks", 2, 1<<17))
	for i, n := range c.Ranks {
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if i > 0 && n <= c.Ranks[i-1] && !placed {
			s.fail("ranks", "%q: numbers of ranks ascend", s.list("ranks")[i])
		}
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		s.fail("ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each",
			len(c.PerNode), len(c.Ranks))
	}
}

// grid reads the values of a key for each number of ranks and each size; nil if the key is missing.
func grid[V any](
	s *section, key string, c *MeasuredCollective, parse func(string) (V, error),
) (all [][]V) {
	lines := s.list(key)
	if len(lines) > 0 && len(lines) != len(c.Ranks) {
		s.fail(key, "%d texts for %d numbers of ranks; give one for each", len(lines), len(c.Ranks))
	}
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) != len(c.Sizes) {
			s.fail(key, "%d %s on %d ranks for %d sizes; "+
				`write "-" for a size that was not measured`,
				len(words), key, c.Ranks[i], len(c.Sizes))
		}
		all = append(all, each(s, key, words, func(word string) (v V, err error) {
			if word != "-" {
				v, err = parse(word)
			}
			return v, err
		}))
	}
	return all
}

// sizes reads ascending sizes. A collective may have 0 bytes; a message has at least 1.
func (s *section) sizes(least quantity.Bytes) []quantity.Bytes {
	sizes := each(s, "sizes", s.list("sizes"), quantity.ParseBytes)
	for i, n := range sizes {
		if n < least || i > 0 && n <= sizes[i-1] {
			s.fail("sizes", "%q: sizes are at least %s, and ascend", s.list("sizes")[i], least)
		}
	}
	return sizes
}

// aboveZero parses a measured time. The curve through times is in their logarithms, and 0 has none.
func aboveZero(word string) (quantity.Micros, error) {
	v, err := quantity.ParseMicros(word)
	if err == nil && !(v > 0) {
		return 0, fmt.Errorf("%q: a measured time must be above zero", word)
	}
	return v, err
}
