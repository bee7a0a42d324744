package platforms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A MeasuredCollective is what a collective operation was measured to take; see fit/collective.
type MeasuredCollective struct {
	Name       string // of the table
	Collective string // as MPI has it
	Algorithm  string // by halfpeak's name; empty: the library's choice
	Statistic  string // over ranks: "average" or "slowest"
	Ranks      []int  // ascending, from 2; equal ones differ in PerNode
	PerNode    []int  // ranks on each node, of each of Ranks; nil if not known
	Sizes      []quantity.Bytes
	Times      [][]quantity.Micros // of each number of ranks, at each size; 0: not measured
	// Runs are the numbers of repeats behind the times, and Deviations their standard deviations. Both
	// are as Times, 0 where unknown, or nil.
	Runs       [][]int64
	Deviations [][]quantity.Micros
	Source     string
}

// maxCollective bounds the times of a table.
const maxCollective = 1 << 17

// collectiveTables reads the measured collectives.
func (b *builder) collectiveTables() error {
	for _, t := range b.tables("collective") {
		path := "collective." + t.Name
		if err := b.named(path, t.Name); err != nil {
			return err
		}
		c := MeasuredCollective{Name: t.Name, Collective: text(t.Keys, "collective"), Algorithm: text(t.Keys, "algorithm"),
			Statistic: text(t.Keys, "statistic"), Source: text(t.Keys, "source")}
		if err := b.sourced(path, c.Source); err != nil {
			return err
		}
		if c.Collective == "" {
			return b.errorf(path+".collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		if c.Statistic != "average" && c.Statistic != "slowest" {
			return b.errorf(path+".statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		if err := b.collectiveRanks(path, t, &c); err != nil {
			return err
		}
		for _, s := range list(t.Keys, "sizes") {
			n, err := quantity.ParseBytes(s)
			if err != nil {
				return b.errorf(path+".sizes", "%w", err)
			}
			if n < 0 || len(c.Sizes) > 0 && n <= c.Sizes[len(c.Sizes)-1] {
				return b.errorf(path+".sizes", "%q: sizes are at least 0 bytes, and ascend", s)
			}
			c.Sizes = append(c.Sizes, n)
		}
		times := list(t.Keys, "times")
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(times) != len(c.Ranks) || len(times)*len(c.Sizes) > maxCollective {
			return b.errorf(path+".times", `%d texts of times for %d numbers of ranks and %d sizes; give one for each number of ranks, with a time for each size, as in "2us 5us"`, len(times), len(c.Ranks), len(c.Sizes))
		}
		var err error
		if c.Times, err = grid(b, t, "times", &c, aboveZero); err != nil {
			return err
		}
		if c.Runs, err = grid(b, t, "runs", &c, repeats); err != nil {
			return err
		}
		if c.Deviations, err = grid(b, t, "deviations", &c, quantity.ParseMicros); err != nil {
			return err
		}
		b.p.Collectives = append(b.p.Collectives, c)
	}
	return nil
}

// collectiveRanks reads the numbers of ranks, and the ranks on a node of each.
func (b *builder) collectiveRanks(path string, t Table, c *MeasuredCollective) error {
	for _, s := range list(t.Keys, "ranks_per_node") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 1<<17 {
			return b.errorf(path+".ranks_per_node", "%q: ranks on a node are 1 to 131072", s)
		}
		c.PerNode = append(c.PerNode, n)
	}
	for i, s := range list(t.Keys, "ranks") {
		n, err := strconv.Atoi(s)
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if err != nil || n < 2 || n > 1<<17 || i > 0 && n <= c.Ranks[i-1] && !placed {
			return b.errorf(path+".ranks", "%q: numbers of ranks are 2 to 131072, and ascend", s)
		}
		c.Ranks = append(c.Ranks, n)
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		return b.errorf(path+".ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each", len(c.PerNode), len(c.Ranks))
	}
	return nil
}

// grid reads the values of a key for each number of ranks and each size; nil if the key is missing.
func grid[V any](b *builder, t Table, key string, c *MeasuredCollective, parse func(string) (V, error)) (all [][]V, err error) {
	path := "collective." + t.Name + "." + key
	lines := list(t.Keys, key)
	if len(lines) > 0 && len(lines) != len(c.Ranks) {
		return nil, b.errorf(path, "%d texts for %d numbers of ranks; give one for each", len(lines), len(c.Ranks))
	}
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) != len(c.Sizes) {
			return nil, b.errorf(path, `%d %s on %d ranks, for %d sizes; "-" is one that was not measured`, len(words), key, c.Ranks[i], len(c.Sizes))
		}
		row := make([]V, len(words))
		for j, word := range words {
			if word == "-" {
				continue
			}
			if row[j], err = parse(word); err != nil {
				return nil, b.errorf(path, "%w", err)
			}
		}
		all = append(all, row)
	}
	return all, nil
}

func aboveZero(word string) (quantity.Micros, error) {
	v, err := quantity.ParseMicros(word)
	if err == nil && !(v > 0) {
		return 0, fmt.Errorf("%q: a measured time is above zero", word)
	}
	return v, err
}

func repeats(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q: a number of repeats is a whole one from 1", word)
	}
	return n, nil
}

// CollectivesOf are the measured collectives of that name in a platform file, which may have no
// layer; none if ref names a layer, or the file has none. The errors are those of reading.
func CollectivesOf(ref, collective string) ([]MeasuredCollective, error) {
	file, layer := splitRef(ref)
	if layer != "" || slices.Contains(Names(), file) || !looksLikeFile(file) {
		return nil, nil
	}
	p, err := readFile(file)
	return slices.DeleteFunc(p.Collectives, func(c MeasuredCollective) bool { return c.Collective != collective }), err
}
