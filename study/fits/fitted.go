package fits

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// A Fitted is the result of fitting benchmark files: curves of time against size, the parameters of
// another model, the changes between two files, or the measurements themselves if nothing fits.
type Fitted struct {
	Curves      []Curve
	Collectives []JointFit
	Parameters  []Parameter
	Changes     []Change
	Summaries   []Summary // of the tables of one size; only if there is nothing else
	Notes       []string  // doubts about the files and the fits
	// Broken is the error of a file that could not be read to its end. The result then holds the
	// rest, which may be shown, but is incomplete.
	Broken error

	model        string // one of [Models]
	sources      []fitSource
	saved        []platforms.Key      // of a layer of parameters
	warned       []string             // the warnings of these parameters
	best         []string             // of a pipeline: notes on the best packets
	levels       []Level              // of a machine
	shared       *contention.Estimate // the contention of its ranks; nil: unknown
	factors      contention.Factors
	within       contention.Intervals
	factorSource string // of the factors, as text; "": assumed

	calibrated *calibrated // the machine of calibrate.c; nil: none
}

// A Parameter is an estimate with its 95 % interval, in µs and bytes.
type Parameter struct {
	Table, Model, Name string
	reports.Interval
}

// A Change is the difference between two files over a range of sizes.
type Change struct {
	Before, After string
	fit.Change
}

func estimated[T ~float64](dim quantity.Dimension, e fit.Estimate[T]) reports.Interval {
	return reports.Interval{Dim: dim, Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
}

// nodeLevel is the name of the level whose ranks share memory.
const nodeLevel = "node"

// An assumption is a resource that the ranks of a unit are taken to share if no measurement shows
// it.
type assumption struct {
	key, source string
	each        quantity.Micros // per message
	perByte     quantity.MicrosPerByte
}

// gapNotes returns notes on levels without measured gaps, and on assumed resources.
func (f *Fitted) gapNotes() (notes []string) {
	if f.shared != nil {
		return nil
	}
	for _, level := range f.levels {
		if !slices.ContainsFunc(f.Curves, func(c Curve) bool { return c.level == level.Name && c.Kind == benchfile.Gap }) {
			notes = append(notes, fmt.Sprintf("level %s: no gaps were measured, so a sender's next message begins when the previous one has arrived; give the level a file of bandwidths or message rates too",
				level.Name))
		}
		for _, a := range f.assumedSharing(level.Name) {
			notes = append(notes, fmt.Sprintf("level %s: %s; nothing measured shows it", level.Name, a.source))
		}
	}
	return notes
}

// assumedSharing returns the resources that the ranks of a node share: its memory and, if there is
// a level outside it, its NIC. For other levels it returns nil.
func (f *Fitted) assumedSharing(level string) (all []assumption) {
	at := f.levelIndex(level)
	if level != nodeLevel || at == 0 && f.levels[0].Holds < 2 {
		return nil
	}
	if perByte := f.leastPerByte(level); perByte > 0 {
		all = append(all, assumption{"shared", fmt.Sprintf("assumed: the memory of a node carries %d pairs of ranks at full speed", contention.AssumedPairs), 0, perByte / contention.AssumedPairs})
	}
	if at+1 < len(f.levels) {
		if perByte := f.leastPerByte(f.levels[at+1].Name); perByte > 0 {
			all = append(all, assumption{"port", fmt.Sprintf("assumed: the NIC of a node carries one pair of ranks at full speed, and a message each %v", contention.AssumedHand), contention.AssumedHand, perByte})
		}
	}
	return all
}

// assumedCrowd returns the Crowd of a level inside the node: a fraction of the level's least
// one-way time or, if its unit has few cores, of the next outer level's. It is 0 if the node has
// few cores.
func (f *Fitted) assumedCrowd(level string) quantity.Micros {
	cores, inside := 1, false
	for _, l := range f.levels {
		cores *= l.Holds
		inside = inside || l.Name == level
		switch {
		case inside && cores > machine.FewRanks:
			return contention.AssumedCrowd * quantity.Micros(f.least(l.Name, func(gap bool, n quantity.Bytes, t quantity.Micros) float64 {
				if gap {
					return 0
				}
				return float64(t)
			}))
		case l.Name == nodeLevel:
			return 0
		}
	}
	return 0
}

// insideNode reports whether ranks whose common level this is exchange messages through memory.
func (f *Fitted) insideNode(level string) bool { return f.levelIndex(level) <= f.levelIndex(nodeLevel) }

// levelIndex returns the index of the machine's level of that name, or −1.
func (f *Fitted) levelIndex(name string) int {
	return slices.IndexFunc(f.levels, func(l Level) bool { return l.Name == name })
}

// leastPerByte returns the least time per byte of a level's messages of at least 4 KiB, or 0
// without such messages.
func (f *Fitted) leastPerByte(level string) quantity.MicrosPerByte {
	return quantity.MicrosPerByte(f.least(level, func(_ bool, n quantity.Bytes, t quantity.Micros) float64 {
		if n < 4<<10 {
			return 0
		}
		return float64(t.Per(n))
	}))
}

// least returns the least value above 0 of a level's one-way times and gaps, or 0 without any.
func (f *Fitted) least(level string, value func(gap bool, n quantity.Bytes, t quantity.Micros) float64) (least float64) {
	for _, c := range f.Curves {
		share := map[benchfile.Kind]quantity.Micros{benchfile.OneWay: 1, benchfile.Gap: 1, benchfile.RoundTrip: 0.5}[c.Kind]
		if c.level != level || share == 0 {
			continue
		}
		for _, s := range c.table.Samples {
			if v := value(c.Kind == benchfile.Gap, s.Size, cmp.Or(s.Median, s.Mean)*share); v > 0 && (least == 0 || v < least) {
				least = v
			}
		}
	}
	return least
}
