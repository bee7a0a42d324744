package platforms

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// measuredTables reads the measurements behind fitted layers: sizes, and for each its time.
func (b *builder) measuredTables() {
	for _, t := range b.file["measured"] {
		s := b.section(measuredKind, t)
		s.named()
		// One time determines no line: β and τ are two numbers.
		if n := len(t.Keys["sizes"]); n < 2 {
			s.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1B", "1KiB"]`, n)
		}
		m := &Measured{}
		s.read(m)
		m.Runs = max(1, m.Runs)
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
		s.ascending(m.Sizes, 1)
		b.measured[t.Name] = m
	}
}

// collectiveTables reads measured times of collectives: a row of times for each number of ranks.
func (b *builder) collectiveTables() {
	for _, t := range b.file["collective"] {
		s := b.section(collectiveKind, t)
		s.named()
		c := MeasuredCollective{Name: t.Name}
		s.read(&c)
		if c.Of.Collective == "" {
			s.fail("collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		if c.Of.Name != "" && c.LibraryAlgorithm != "" {
			s.fail("library_algorithm", "%q beside the algorithm %q; give one of the two",
				c.LibraryAlgorithm, c.Of.Name)
		}
		of, err := collective.Find(c.Of.Collective, c.Of.Name)
		b.must(s.path, err)
		c.Of = of
		// Benchmarks print either. They differ where ranks finish at different times, as in a tree.
		if c.Statistic != "average" && c.Statistic != "slowest" {
			s.fail("statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		s.ranks(&c)
		s.ascending(c.Sizes, 0)
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(c.Times) != len(c.Ranks) {
			s.fail("times", "%d texts of times for %d numbers of ranks and %d sizes; "+
				`give one for each number of ranks, with a time for each size, as in "2us 5us"`,
				len(c.Times), len(c.Ranks), len(c.Sizes))
		}
		s.square("times", list.Map(c.Times, words), c)
		s.square("runs", list.Map(c.Runs, words), c)
		s.square("deviations", list.Map(c.Deviations, words), c)
		b.p.Collectives = append(b.p.Collectives, c)
	}
}

func words[V any](line []V) int { return len(line) }

// ranks checks the numbers of ranks, and how many of them a node has. One number of ranks may come
// again with more on each node.
func (s *section) ranks(c *MeasuredCollective) {
	for i, n := range c.Ranks {
		if n < 2 {
			s.must(s.path+".ranks", notWhole(s.Keys["ranks"][i], rankCount, 2, maxRanks))
		}
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if i > 0 && n <= c.Ranks[i-1] && !placed {
			s.fail("ranks", "%q: numbers of ranks ascend", s.Keys["ranks"][i])
		}
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		s.fail("ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each",
			len(c.PerNode), len(c.Ranks))
	}
}

// square checks that a key has a line for each number of ranks, with a word for each size. A key
// that is missing has none.
func (s *section) square(key string, lines []int, c MeasuredCollective) {
	if len(lines) > 0 && len(lines) != len(c.Ranks) {
		s.fail(key, "%d texts for %d numbers of ranks; give one for each", len(lines), len(c.Ranks))
	}
	for i, n := range lines {
		if n != len(c.Sizes) {
			s.fail(key, "%d %s on %d ranks for %d sizes; "+
				`write "-" for a size that was not measured`, n, key, c.Ranks[i], len(c.Sizes))
		}
	}
}

const (
	rankCount = "a number of ranks"
	// maxRanks is the largest number of ranks for which package collective makes a schedule.
	maxRanks = 1 << 17
	// maxRepeats is the largest whole number up to which a float64 holds all.
	maxRepeats = 1 << 53
)

// read reads the texts of the table into the values that the schema's rows point to.
func (s *section) read(of any) {
	for _, row := range s.kind.keys {
		if row.at == nil {
			continue
		}
		key, given, text := row.name, s.Keys[row.name], s.Text(row.name)
		time := aboveZero
		if key == "deviations" {
			time = quantity.ParseMicros
		}
		switch at := row.at(of).(type) {
		case *string:
			*at = text
		case *bool:
			*at = text != ""
		case *int:
			*at = s.count(key)
		case *quantity.Micros:
			var err error
			if *at, err = quantity.ParseMicros(text); text != "" && err != nil {
				s.fail(key, "%q: a time, as in \"0.01us\"", text)
			}
		case *[]int:
			*at = each(s, key, given, whole(rankCount, 1, maxRanks))
		case *[]quantity.Bytes:
			*at = each(s, key, given, quantity.ParseBytes)
		case *[]quantity.Micros:
			*at = each(s, key, given, time)
		case *[][]quantity.Micros:
			*at = grid(s, key, given, time)
		case *[][]int64:
			*at = grid(s, key, given, whole[int64]("a number of repeats", 1, maxRepeats))
		}
	}
}

// grid reads the words of each line; nil without lines.
func grid[V any](
	s *section, key string, lines []string, parse func(string) (V, error)) (all [][]V) {

	for _, line := range lines {
		all = append(all, each(s, key, strings.Fields(line), func(word string) (v V, err error) {
			if word != notMeasured {
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
	s.ascending(sizes, least)
	return sizes
}

// ascending checks that sizes ascend from a least one.
func (s *section) ascending(sizes []quantity.Bytes, least quantity.Bytes) {
	for i, n := range sizes {
		if n < least || i > 0 && n <= sizes[i-1] {
			given := s.Keys["sizes"][i]
			s.fail("sizes", "%q: sizes are at least %s, and ascend", given, least)
		}
	}
}

// aboveZero parses a measured time. The curve through times is in their logarithms, and 0 has none.
func aboveZero(word string) (quantity.Micros, error) {
	v, err := quantity.ParseMicros(word)
	if err == nil && !(v > 0) {
		return 0, fmt.Errorf("%q: a measured time must be above zero", word)
	}
	return v, err
}
