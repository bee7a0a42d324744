package platforms

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// measuredTables reads the measurements behind fitted layers: sizes, and for each its time.
func (b *builder) measuredTables() {
	for _, t := range b.Measured {
		s := b.section("measured", t)
		s.named()
		// One time determines no line: β and τ are two numbers.
		if len(t.Sizes) < 2 {
			s.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1B", "1KiB"]`, len(t.Sizes))
		}
		m := &Measured{
			Sizes:      s.sizes(t.Sizes, 1),
			Times:      each(&s, "times", t.Times, aboveZero),
			Deviations: each(&s, "deviations", t.Deviations, quantity.ParseMicros),
			Runs:       max(1, s.count("runs")),
			Operation:  t.Operation,
			Source:     t.Source,
			Layer:      t.Layer,
		}
		if len(m.Times) != len(m.Sizes) {
			s.fail("times", "%d times for %d sizes", len(m.Times), len(m.Sizes))
		}
		if m.Deviations != nil && len(m.Deviations) != len(m.Sizes) {
			s.fail("deviations", "%d deviations for %d sizes", len(m.Deviations), len(m.Sizes))
		}
		// The uncertainty of a mean is deviation/√runs, and one run has no deviation.
		if (m.Runs > 1) != (m.Deviations != nil) {
			s.fail("", "runs and deviations go together: give at least 2 runs, "+
				"and their standard deviation at each size")
		}
		if t.Resolution != "" {
			var err error
			if m.Resolution, err = quantity.ParseMicros(t.Resolution); err != nil {
				s.fail("resolution", "%q: a time, as in \"0.01us\"", t.Resolution)
			}
		}
		b.measured[t.Name] = m
	}
}

// collectiveTables reads measured times of collectives: a row of times for each number of ranks.
func (b *builder) collectiveTables() {
	for _, t := range b.Collectives {
		s := b.section("collective", t)
		s.named()
		c := MeasuredCollective{
			Name: t.Name, Collective: t.Collective, Algorithm: t.Algorithm,
			LibraryAlgorithm: t.LibraryAlgorithm, Statistic: t.Statistic, Source: t.Source,
		}
		if c.Collective == "" {
			s.fail("collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		if c.Algorithm != "" && c.LibraryAlgorithm != "" {
			s.fail("library_algorithm", "%q beside the algorithm %q; give one of the two",
				c.LibraryAlgorithm, c.Algorithm)
		}
		// Benchmarks print either. They differ where ranks finish at different times, as in a tree.
		if c.Statistic != "average" && c.Statistic != "slowest" {
			s.fail("statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		s.ranks(t, &c)
		c.Sizes = s.sizes(t.Sizes, 0)
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(t.Times) != len(c.Ranks) {
			s.fail("times", "%d texts of times for %d numbers of ranks and %d sizes; "+
				`give one for each number of ranks, with a time for each size, as in "2us 5us"`,
				len(t.Times), len(c.Ranks), len(c.Sizes))
		}
		c.Times = grid(&s, "times", t.Times, c, aboveZero)
		// float64 holds whole numbers up to 2^53 exactly.
		c.Runs = grid(&s, "runs", t.Runs, c, whole[int64]("a number of repeats", 1, 1<<53))
		c.Deviations = grid(&s, "deviations", t.Deviations, c, quantity.ParseMicros)
		b.p.Collectives = append(b.p.Collectives, c)
	}
}

// ranks reads the numbers of ranks, and how many of them a node has. One number of ranks may come
// again with more on each node.
func (s *section) ranks(t CollectiveTable, c *MeasuredCollective) {
	// 2^17 is the largest number of ranks for which package collective makes a schedule.
	c.PerNode = each(s, "ranks_per_node", t.RanksPerNode, whole("a number of ranks", 1, 1<<17))
	c.Ranks = each(s, "ranks", t.Ranks, whole("a number of ranks", 2, 1<<17))
	for i, n := range c.Ranks {
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if i > 0 && n <= c.Ranks[i-1] && !placed {
			s.fail("ranks", "%q: numbers of ranks ascend", t.Ranks[i])
		}
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		s.fail("ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each",
			len(c.PerNode), len(c.Ranks))
	}
}

// grid reads the values of a key for each number of ranks and each size; nil if the key is missing.
func grid[V any](
	s *section, key string, lines []string, c MeasuredCollective, parse func(string) (V, error),
) (all [][]V) {
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
func (s *section) sizes(texts []string, least quantity.Bytes) []quantity.Bytes {
	sizes := each(s, "sizes", texts, quantity.ParseBytes)
	for i, n := range sizes {
		if n < least || i > 0 && n <= sizes[i-1] {
			s.fail("sizes", "%q: sizes are at least %s, and ascend", texts[i], least)
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
