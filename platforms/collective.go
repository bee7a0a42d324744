package platforms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A MeasuredCollective is the measured times of a collective operation; see fit/collective.
type MeasuredCollective struct {
	Name       string // of the table
	Collective string // as MPI has it
	Algorithm  string // by halfpeak's name; empty: the library's choice
	Statistic  string // over ranks: "average" or "slowest"
	Ranks      []int  // ascending, from 2; equal ones differ in PerNode
	PerNode    []int  // ranks on each node, of each of Ranks; nil if not known
	Sizes      []quantity.Bytes
	Times      [][]quantity.Micros // of each number of ranks, at each size; 0: not measured
	// Runs are the numbers of repeats behind the times, and Deviations their standard deviations.
	// Both are as Times, 0 where unknown, or nil.
	Runs       [][]int64
	Deviations [][]quantity.Micros
	Source     string
}

// maxCollective bounds the times of a table.
const maxCollective = 1 << 17

func (b *builder) collectiveTables() {
	for _, t := range b.sections("collective") {
		t.named()
		c := MeasuredCollective{Name: t.Name, Collective: t.text("collective"), Algorithm: t.text("algorithm"),
			Statistic: t.text("statistic"), Source: t.text("source")}
		if c.Collective == "" {
			t.fail("collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		if c.Statistic != "average" && c.Statistic != "slowest" {
			t.fail("statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		t.ranks(&c)
		c.Sizes = t.sizes(0)
		times := t.list("times")
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(times) != len(c.Ranks) || len(times)*len(c.Sizes) > maxCollective {
			t.fail("times", `%d texts of times for %d numbers of ranks and %d sizes; give one for each number of ranks, with a time for each size, as in "2us 5us"`, len(times), len(c.Ranks), len(c.Sizes))
		}
		c.Times = grid(&t, "times", &c, aboveZero)
		c.Runs = grid(&t, "runs", &c, whole[int64]("a number of repeats", 1, 1<<53))
		c.Deviations = grid(&t, "deviations", &c, quantity.ParseMicros)
		b.p.Collectives = append(b.p.Collectives, c)
	}
}

func (s *section) ranks(c *MeasuredCollective) {
	c.PerNode = each(s, "ranks_per_node", s.list("ranks_per_node"), whole("a number of ranks", 1, 1<<17))
	c.Ranks = each(s, "ranks", s.list("ranks"), whole("a number of ranks", 2, 1<<17))
	for i, n := range c.Ranks {
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if i > 0 && n <= c.Ranks[i-1] && !placed {
			s.fail("ranks", "%q: numbers of ranks ascend", s.list("ranks")[i])
		}
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		s.fail("ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each", len(c.PerNode), len(c.Ranks))
	}
}

// grid reads the values of a key for each number of ranks and each size; nil if the key is missing.
func grid[V any](s *section, key string, c *MeasuredCollective, parse func(string) (V, error)) (all [][]V) {
	lines := s.list(key)
	if len(lines) > 0 && len(lines) != len(c.Ranks) {
		s.fail(key, "%d texts for %d numbers of ranks; give one for each", len(lines), len(c.Ranks))
	}
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) != len(c.Sizes) {
			s.fail(key, `%d %s on %d ranks for %d sizes; write "-" for a size that was not measured`, len(words), key, c.Ranks[i], len(c.Sizes))
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

func aboveZero(word string) (quantity.Micros, error) {
	v, err := quantity.ParseMicros(word)
	if err == nil && !(v > 0) {
		return 0, fmt.Errorf("%q: a measured time must be above zero", word)
	}
	return v, err
}

// whole returns a parser of whole numbers from low to high.
func whole[N int | int64](what string, low, high N) func(text string) (N, error) {
	return func(text string) (N, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || N(n) < low || N(n) > high {
			return 0, fmt.Errorf("%q: %s must be a whole number from %d to %d", text, what, low, high)
		}
		return N(n), nil
	}
}

// CollectivesOf returns the measured collectives of that name in a platform file, which may have no
// layer. It returns none if ref names a layer, or the file has none.
func CollectivesOf(ref, collective string) ([]MeasuredCollective, error) {
	file, layer := splitRef(ref)
	if layer != "" || slices.Contains(Names(), file) || !looksLikeFile(file) {
		return nil, nil
	}
	p, err := readFile(file)
	return slices.DeleteFunc(p.Collectives, func(c MeasuredCollective) bool { return c.Collective != collective }), err
}
