package collectives

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Calls are the calls that a question is about: the algorithms of a collective, each on these
// numbers of ranks and with these sizes.
type Calls struct {
	Collective string
	// Algorithm is a name; "all", or "best" for the rows of the best alone; empty: the library's own
	// choice, see [collective.Default].
	Algorithm string
	Ranks     []int
	Sizes     []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments  []quantity.Bytes // tried beside whole messages, by the algorithms that take any
	Call      collective.Call  // Root, Fanout and Gamma
	// Copy is the time per byte that each rank first takes to copy its own data. It delays all
	// ranks alike.
	Copy    quantity.MicrosPerByte
	Map     programs.Placement // of ranks on the machine
	Library string             // only algorithms that rules in this form can name; empty: all
}

// Choose sets the collective and the algorithm to those of a text such as "allreduce/ring".
func (c *Calls) Choose(text string) {
	c.Collective, c.Algorithm, _ = strings.Cut(text, "/")
}

// takeLocalWork sets the times to copy and to combine a byte to those of the platform, as far as
// the collective copies and its algorithms combine. A call keeps its own time to combine.
func (c *Calls) takeLocalWork(of platforms.Costs) {
	if calibrate.CopiesOwn(c.Collective) {
		c.Copy = of.Copy
	}
	combines := func(e collective.Entry) bool { return e.Params&collective.Gamma != 0 }
	if c.Call.Gamma == 0 && slices.ContainsFunc(collective.Of(c.Collective), combines) {
		c.Call.Gamma = 1e3 * float64(of.Combine) // ns/B
	}
}

// several reports whether algorithms are compared.
func (q Calls) several() bool { return q.Algorithm == "all" || q.Algorithm == "best" }

// defaults returns the algorithms of calls for which none is named.
func (q Question) defaults() (all Algorithms, err error) {
	of, err := AlgorithmsOf(q.Collective)
	if err != nil || q.Collective == "" {
		return nil, err
	}
	for _, ranks := range q.Ranks {
		for _, size := range q.sizes(of) {
			e, known := q.defaultOf(ranks, size)
			if !known {
				return nil, fmt.Errorf("%s without an algorithm; name one", of[0].Collective)
			}
			same := func(o collective.Entry) bool { return o.Name == e.Name }
			if !slices.ContainsFunc(all, same) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// defaultOf returns the algorithm of a call for which none is named.
func (q Question) defaultOf(ranks int, size quantity.Bytes) (collective.Entry, bool) {
	name := q.Collective
	if of := collective.Of(name); len(of) > 0 {
		name = of[0].Collective
	}
	return collective.Default(q.library, name, ranks, uint64(size))
}

// sizes returns the sizes of the calls; a barrier has none.
func (q Calls) sizes(of Algorithms) []quantity.Bytes {
	if of[0].Collective == "barrier" {
		return []quantity.Bytes{0}
	}
	return stats.Ascending(q.Sizes)
}

// algorithms returns the algorithms that are asked for: those that the library's
// rules can name, and that take the parameters of the call. It checks before anything
// is simulated.
func (q Question) algorithms() (all Algorithms, err error) {
	switch {
	case q.several():
		all, err = AlgorithmsOf(q.Collective)
	case q.Algorithm == "":
		all, err = q.defaults()
	default:
		var e collective.Entry
		e, err = collective.Find(q.Collective, q.Algorithm)
		all = Algorithms{e}
	}
	if err != nil {
		return nil, err
	}
	if q.Library != "" {
		l, err := rules.FindForm(q.Library)
		if err != nil {
			return nil, err
		}
		unnamed := func(e collective.Entry) bool { return !l.Has(e) }
		named := slices.DeleteFunc(slices.Clone(all), unnamed)
		if len(named) == 0 {
			return nil, fmt.Errorf("rules of the form %s cannot say %s %s",
				q.Library, all[0].Collective, q.Algorithm)
		}
		// The best of segmented calls could not be written down.
		if !l.Segments && len(q.Segments) > 0 {
			err := fmt.Errorf("rules of the form %s have no segments", q.Library)
			return nil, usage.Fields(err, "segment")
		}
		all = named
		for i := range all {
			if l.Pads {
				all[i] = all[i].Padded()
			}
		}
	}
	c := q.Call
	// Any segment serves the check: the sizes are checked with each call.
	if len(q.Segments) > 0 {
		c.Segment = uint64(q.Segments[0])
	}
	return all, all.checkParameters(c)
}
