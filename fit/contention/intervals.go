package contention

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/platforms"
)

// The constants of a platform file that say between which factors of the predicted time a
// collective's is, and with "_bcast_chain" behind, of one algorithm. Without the higher one it cannot
// be told how long one takes.
const (
	lowConstant  = "collective_low"
	highConstant = "collective_high"
)

// Intervals are those of the times of collectives on a platform. The zero value is none.
type Intervals struct {
	Any Interval
	// Of are those of algorithms from which the platform was fitted, by names such as bcast_chain.
	Of map[string]Interval
}

// IntervalKey names an algorithm in [Intervals]. Names of constants have no hyphens.
func IntervalKey(e collective.Entry) string {
	return strings.ReplaceAll(e.Collective+"_"+e.Name, "-", "_")
}

// Interval is the interval of an algorithm; the zero value if none is known.
func (i Intervals) Interval(e collective.Entry) Interval {
	if one, ok := i.Of[IntervalKey(e)]; ok {
		return one
	}
	return i.Any
}

// IntervalsOf are the intervals of a platform's collectives, as its file says.
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

// Tables are the constants of intervals.
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
