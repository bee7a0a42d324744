package collectives

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Calls are the calls that a question is about: the algorithms of a collective, each on these
// numbers of ranks and with these sizes.
type Calls struct {
	Collective string
	Algorithm  string // a name; "all", or "best" for the rows of the best alone
	Ranks      []int
	Sizes      []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments   []quantity.Bytes // tried beside whole messages, by the algorithms that take any
	Call       collective.Call  // Root, Fanout and Gamma
	// Copy is the time per byte that each rank first takes to copy its own data. It delays all
	// ranks alike.
	Copy    quantity.MicrosPerByte
	Map     programs.Placement // of ranks on the machine
	Library string             // only algorithms that rules in this form can name; empty: all
}

// Choose sets the collective and the algorithm to those of a text such as "allreduce/ring"; without
// an algorithm to the best.
func (c *Calls) Choose(text string) {
	c.Collective, c.Algorithm, _ = strings.Cut(text, "/")
	c.Algorithm = cmp.Or(c.Algorithm, "best")
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

// algorithms returns the algorithms that are asked for: those that the library's
// rules can name, and that take the parameters of the call. It checks before anything
// is simulated.
func (q Calls) algorithms() (all Algorithms, err error) {
	if q.several() {
		all, err = AlgorithmsOf(q.Collective)
	} else {
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
