package collectives

import (
	"fmt"
	"io"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/nearest"
)

// A library is a form of rules, and what it can say.
type library struct {
	name     string
	has      func(collective.Entry) bool
	segments bool
	write    func(io.Writer, []rules.Rule) error
}

var libraries = []library{
	{"openmpi", func(e collective.Entry) bool { return e.OpenMPI > 0 }, true, rules.OpenMPI},
	{"openmpi-json", func(e collective.Entry) bool { return e.OpenMPI > 0 }, true, rules.OpenMPIJSON},
	{"nccl-tuner", func(e collective.Entry) bool { return e.NCCL != "" }, false,
		func(w io.Writer, all []rules.Rule) error { return rules.NCCL(w, all, rules.NCCLOptions{}) }},
	{"intel", func(e collective.Entry) bool { return e.Intel > 0 }, false, rules.Intel},
}

// Libraries are the names of the forms of rules.
func Libraries() []string {
	var names []string
	for _, l := range libraries {
		names = append(names, l.name)
	}
	return names
}

func libraryOf(name string) (library, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.name == name })
	if i < 0 {
		return library{}, fmt.Errorf("no form of rules %q%s", name, nearest.Hint(name, Libraries()))
	}
	return libraries[i], nil
}

// WriteRules writes rules with the best choices in the form of a library, or with the one
// algorithm that was asked for.
func (t *Times) WriteRules(w io.Writer, name string) error {
	l, err := libraryOf(name)
	if err != nil {
		return err
	}
	return l.write(w, t.Rules())
}

// Rules are the best choices. A choice holds from its number of ranks, and from its size, to just
// below the next; the last ones hold for themselves alone, so that beyond what was asked for the
// library's own choice stays. Neighbours with the same choice are one rule.
func (t *Times) Rules() []rules.Rule {
	best := slices.DeleteFunc(slices.Clone(t.Times), func(c Timing) bool { return c.Compared && !c.Best })
	ranks := steps(best, func(c Timing) uint64 { return uint64(c.Ranks) })
	sizes := steps(best, func(c Timing) uint64 { return c.Call.Bytes })
	var all []rules.Rule
	last := 0 // where those of the ranks before begin
	for len(best) > 0 {
		var here []Timing
		here, best = cut(best, func(a, b Timing) bool { return a.Ranks == b.Ranks })
		var now []rules.Rule
		for _, c := range here {
			r := rules.Rule{Collective: c.Collective, Algorithm: c.Name, Ranks: ranks(c), Bytes: sizes(c), Segment: c.Call.Segment}
			if c.Params&collective.Fanout != 0 {
				r.Fanout = c.Call.Fanout
			}
			if c.Entry.Ranks != 0 {
				r.Ranks.To = r.Ranks.From
			}
			if n := len(now); n > 0 && now[n-1].Bytes.To+1 == r.Bytes.From && sameChoice(now[n-1], r) {
				now[n-1].Bytes.To = r.Bytes.To
			} else {
				now = append(now, r)
			}
		}
		if slices.EqualFunc(all[last:], now, func(a, b rules.Rule) bool {
			return a.Ranks.To+1 == b.Ranks.From && a.Bytes == b.Bytes && sameChoice(a, b)
		}) {
			for i := range now {
				all[last+i].Ranks.To = now[i].Ranks.To
			}
			continue
		}
		last = len(all)
		all = append(all, now...)
	}
	return all
}

func sameChoice(a, b rules.Rule) bool {
	return a.Algorithm == b.Algorithm && a.Segment == b.Segment && a.Fanout == b.Fanout
}

// steps returns the range of each value: up to just below the next.
func steps(all []Timing, of func(Timing) uint64) func(Timing) rules.Range {
	var values []uint64
	for _, c := range all {
		values = append(values, of(c))
	}
	slices.Sort(values)
	values = slices.Compact(values)
	return func(c Timing) rules.Range {
		r := rules.Range{From: of(c), To: of(c)}
		if i, _ := slices.BinarySearch(values, r.From); i+1 < len(values) {
			r.To = values[i+1] - 1
		}
		return r
	}
}
