package collectives

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Calls are what is asked: the algorithms of a collective, each on these numbers of ranks and with
// these sizes. [Calls.On] a design has the times.
type Calls struct {
	Collective string
	// Algorithm is a name, or several as in "ring,tree"; "all", or "best" for the rows of the best
	// alone; empty: the library's own choice, see [collective.Library.Default].
	Algorithm string
	Ranks     []int
	// Nodes are numbers of nodes in place of numbers of ranks: of PerNode ranks each or, if that is
	// 0, of as many as the largest measured nodes, or as nodes of the machine, have.
	Nodes    []int
	PerNode  int               // ranks on each node; 0: as measured
	Groups   int               // of these ranks that call at once on each node; 0: one
	Sizes    []quantity.Bytes  // of the message, or of a rank's block; a barrier has none
	Segments []quantity.Bytes  // tried beside whole messages, by the algorithms that take any
	Total    bool              // sizes are those of all ranks' blocks
	Call     collective.Call   // Root, Fanout, Gamma and Channels
	Map      machine.Placement // of ranks on the machine
	Form     rules.Form        `json:"-"` // only algorithms that it can name; zero: all
	// Statistic selects measurements; empty: all.
	Statistic fitted.Statistic
	// Simulated asks for simulations where the collective was measured too.
	Simulated bool
	Loop      bool // times are as OSU's benchmarks print them
	// Tune returns the command that measures each algorithm, for notes; nil: none.
	Tune func(ranks []int, perNode int, library string) string `json:"-"`
	// Operations is the largest number of operations of a schedule that is simulated. If it is 0,
	// the limit is 2²⁰ for each schedule, and for all together 2³², or 2²² if there is a
	// faster way, which gives no average.
	Operations int
	Progress   func(done, total int) `json:"-"` // nil: none; it is not called twice at once
	// Watch is told of each simulation of [Calls.Prepare] that has ended; nil: none.
	Watch func() `json:"-"`

	// Fits are those made before, of the same design, and take those that are made; nil: none.
	Fits *Fits `json:"-"`
}

// Choose sets the collective and the algorithm to those of a text such as "allreduce/ring".
func (c *Calls) Choose(text string) {
	c.Collective, c.Algorithm, _ = strings.Cut(text, "/")
}

// Several reports whether calls of one number of ranks and size are compared: by several
// algorithms, or in segments and whole.
func (c Calls) Several() bool {
	return c.AnyAlgorithm() || strings.Contains(c.Algorithm, ",") || len(c.Segments) > 0
}

// AnyAlgorithm reports whether no algorithm is preferred.
func (c Calls) AnyAlgorithm() bool { return c.Algorithm == "all" || c.Algorithm == "best" }

// Named returns the names of the algorithms, each once.
func (c Calls) Named() (names []string) {
	for name := range strings.SplitSeq(c.Algorithm, ",") {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// maxRanks and maxSize bound the ranks and bytes of a call: machines have fewer ranks, and of more
// bytes no float64 is exact.
const (
	maxRanks = 1 << 20
	maxSize  = quantity.Bytes(1 << 53)
)

// check returns an error if a number has a value that no call has.
func (c Calls) check() error {
	for _, n := range c.Segments {
		if !(n >= 1 && n <= maxSize) {
			return usage.Fields(fmt.Errorf("segments of %g bytes: they have 1 to 2⁵³", float64(n)),
				"segment")
		}
	}
	switch {
	case c.PerNode < 0:
		return usage.Fields(fmt.Errorf("%d ranks on each node: give 1 or more, or 0 for as many "+
			"as were measured", c.PerNode), "ranks-per-node")
	case c.Groups < 0:
		return fmt.Errorf("%d groups: give 1 or more, or 0 for one", c.Groups)
	case c.Operations < 0:
		return fmt.Errorf("schedules of %d operations: give 1 or more, or 0 for the usual limit",
			c.Operations)
	case c.Statistic != "" && !slices.Contains(fitted.Statistics, c.Statistic):
		return fmt.Errorf("no statistic %q: give %q or %q", c.Statistic, fitted.Average,
			fitted.Slowest)
	}
	for _, n := range c.Ranks {
		if n < 1 || n > maxRanks {
			return fmt.Errorf("%d ranks: a collective has 1 to %d", n, maxRanks)
		}
	}
	for _, n := range c.Sizes {
		if !(n >= 0 && n <= maxSize) || n != quantity.Bytes(math.Trunc(float64(n))) {
			return fmt.Errorf("%g bytes: a collective has 0 to 2⁵³ whole ones", float64(n))
		}
	}
	return nil
}

// sizes returns the sizes of the calls; a barrier has none.
func (c Calls) sizes() []quantity.Bytes {
	if c.Collective == "barrier" {
		return []quantity.Bytes{0}
	}
	return stats.Ascending(c.Sizes)
}
