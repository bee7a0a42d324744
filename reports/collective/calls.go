package collective

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/fitted"
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

// several reports whether calls of one number of ranks and size are compared: by several
// algorithms, or in segments and whole.
func (c Calls) several() bool {
	return c.anyAlgorithm() || strings.Contains(c.Algorithm, ",") || len(c.Segments) > 0
}

// anyAlgorithm reports whether no algorithm is preferred.
func (c Calls) anyAlgorithm() bool { return c.Algorithm == "all" || c.Algorithm == "best" }

// named returns the names of the algorithms, each once.
func (c Calls) named() (names []string) {
	for name := range strings.SplitSeq(c.Algorithm, ",") {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
