package collectives

import (
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Calls are calls of a collective: by each algorithm, on each number of ranks, with each size.
type Calls struct {
	Collective string
	Algorithm  string // a name; "all", or "best" for the rows of the best alone
	Ranks      []int
	Sizes      []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments   []quantity.Bytes // tried beside whole messages, by algorithms with segments
	Call       collective.Call  // Root, Fanout and Gamma

	// Operations limits the schedules that are simulated although a faster method without averages
	// exists; 0 is 2²² for all times together, and at most 2²⁰ for each. Without a faster method the
	// limit is 2³² for all, and at most 2²⁰ for each.
	Operations int
}

// Place is a machine, or a layer, and the placement of ranks on it.
type Place struct {
	Layer platforms.Layer
	// Machine has levels; without levels the layer connects every two ranks, and messages share only
	// the ports of the ranks.
	Machine machine.Machine
	Map     string // placement of ranks on the machine; see [machine.Machine.Place]
}

// Question asks for the times of calls at a place, for their map, or for the best of them.
type Question struct {
	Calls
	Place
	Loop     bool                  // times as OSU's benchmarks print them; see [contention.Loop]
	Within   contention.Intervals  // of simulated times
	Library  string                // consider only algorithms that rules in this form can express; empty: all
	Progress func(done, total int) // nil: none; calls do not overlap

	// Fits, if any, give the times, and Place is ignored.
	Fits []Fit
	// Statistic selects among fits and measured files; empty: all.
	Statistic fitted.Statistic
	// PerNode is the number of ranks on each node, for fits; 0: as measured.
	PerNode int
	// Total says that sizes are those of all ranks' blocks, for fits.
	Total bool

	quick bool // averages are not wanted
}
