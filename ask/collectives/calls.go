package collectives

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Calls are the calls that a question is about: the algorithms of a collective, each on these
// numbers of ranks and with these sizes.
type Calls struct {
	Collective string
	// Algorithm is a name, or several as in "ring,tree"; "all", or "best" for the rows of the best
	// alone; empty: the library's own choice, see [collective.Default].
	Algorithm string
	Ranks     []int
	// Nodes are numbers of nodes in place of numbers of ranks: of PerNode ranks each or, if that is
	// 0, of as many as the largest measured nodes, or as nodes of the machine, have.
	Nodes []int
	// PerNode is the number of ranks on each node; 0: as measured.
	PerNode  int
	Sizes    []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments []quantity.Bytes // tried beside whole messages, by the algorithms that take any
	Call     collective.Call  // Root, Fanout, Gamma and Channels
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
func (q Calls) several() bool {
	return q.Algorithm == "all" || q.Algorithm == "best" || strings.Contains(q.Algorithm, ",")
}

// named returns the names of the algorithms.
func (q Calls) named() []string { return strings.Split(q.Algorithm, ",") }

// sizes returns the sizes of the calls; a barrier has none.
func (q Calls) sizes(of Algorithms) []quantity.Bytes {
	if of[0].Collective == "barrier" {
		return []quantity.Bytes{0}
	}
	return stats.Ascending(q.Sizes)
}
