package contention

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A platform file stores an [Interval] in two constants. The suffix "_bcast_chain", for example,
// restricts them to one algorithm. If the constant of High is missing, there is no upper bound.
const (
	lowConstant  = "collective_low"
	highConstant = "collective_high"
)

// Intervals holds the intervals of a platform's collectives. The zero value has no intervals.
type Intervals struct {
	Any Interval // of algorithms that are not in Of
	// Of holds the intervals of the fitted algorithms, by [IntervalKey], for example bcast_chain.
	Of map[string]Interval
}

// IntervalKey returns the key of an algorithm in [Intervals], without hyphens, as in bcast_chain.
func IntervalKey(e collective.Entry) string {
	return strings.ReplaceAll(e.Collective+"_"+e.Name, "-", "_")
}

// Interval returns the interval of an algorithm; the zero value if there is no interval.
func (i Intervals) Interval(e collective.Entry) Interval {
	if one, ok := i.Of[IntervalKey(e)]; ok {
		return one
	}
	return i.Any
}

// IntervalsOf returns the intervals in a platform file's constants.
func IntervalsOf(p platforms.Platform) (i Intervals) {
	all := map[string]Interval{}
	for _, c := range p.Constants {
		if name, ok := strings.CutPrefix(c.Owner, lowConstant); ok {
			all[name] = Interval{Low: c.Value.Num, High: math.Inf(1), Source: c.Source}
		}
	}
	for _, c := range p.Constants {
		if name, ok := strings.CutPrefix(c.Owner, highConstant); ok {
			if one, given := all[name]; given {
				one.High = c.Value.Num
				all[name] = one
			}
		}
	}
	for name, one := range all {
		if name == "" {
			i.Any = one
		} else if i.Of == nil {
			i.Of = map[string]Interval{name[1:]: one}
		} else {
			i.Of[name[1:]] = one
		}
	}
	return i
}

// LocalWork returns the time of local work, [Combine] or [Copy], with a byte, which a platform file
// has as a constant; 0 if it has none.
func LocalWork(p platforms.Platform, work string) quantity.MicrosPerByte {
	for _, c := range p.Constants {
		if c.Owner == work && c.Value.Dim == quantity.DimInverse && c.Value.Num > 0 {
			return quantity.MicrosPerByte(c.Value.Num)
		}
	}
	return 0
}

// CopiesOwn reports whether each rank of a collective begins with a copy of its own data from the
// send into the receive buffer, as Open MPI and MPICH do: its block, or in an allreduce its vector.
func CopiesOwn(name string) bool {
	return name == "allgather" || name == "allreduce" || name == "alltoall"
}

// Tables returns the intervals as constants for a platform file.
func (i Intervals) Tables() (all []platforms.Table) {
	add := func(suffix string, i Interval) {
		all = append(all, platforms.NewTable("constant", lowConstant+suffix, "value", fmt.Sprintf("%.4g", i.Low), "source", i.Source))
		if !math.IsInf(i.High, 1) {
			all = append(all, platforms.NewTable("constant", highConstant+suffix, "value", fmt.Sprintf("%.4g", i.High), "source", i.Source))
		}
	}
	add("", i.Any)
	for _, name := range slices.Sorted(maps.Keys(i.Of)) {
		add("_"+name, i.Of[name])
	}
	return all
}
