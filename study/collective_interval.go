package study

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// The constants of a platform file that say between which factors of the predicted time a
// collective's is, and with "_bcast_chain" behind, of one algorithm. Without the higher one it cannot
// be told how long one takes.
const (
	lowConstant  = "collective_low"
	highConstant = "collective_high"
)

// CollectiveIntervals are those of the times of collectives on a platform. The zero value is none.
type CollectiveIntervals struct {
	Any contention.Interval
	// Of are those of algorithms from which the platform was fitted, by names such as bcast_chain.
	Of map[string]contention.Interval
}

// intervalKey names an algorithm in [CollectiveIntervals]. Names of constants have no hyphens.
func intervalKey(e collective.Entry) string {
	return strings.ReplaceAll(e.Collective+"_"+e.Name, "-", "_")
}

// of is the interval of an algorithm; the zero value if none is known.
func (i CollectiveIntervals) of(e collective.Entry) contention.Interval {
	if one, ok := i.Of[intervalKey(e)]; ok {
		return one
	}
	return i.Any
}

// IntervalsOf are the intervals of a platform's collectives, as its file says.
func IntervalsOf(p platforms.Platform) (i CollectiveIntervals) {
	all := map[string]contention.Interval{}
	for _, c := range p.Constants {
		if name, ok := strings.CutPrefix(c.Owner, lowConstant); ok {
			all[name] = contention.Interval{Low: c.Value.Num, High: math.Inf(1), Source: c.Source}
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
			i.Of = map[string]contention.Interval{name[1:]: one}
		} else {
			i.Of[name[1:]] = one
		}
	}
	return i
}

// tables are the constants of intervals.
func (i CollectiveIntervals) tables() (all []platforms.Table) {
	add := func(suffix string, i contention.Interval) {
		all = append(all, newTable("constant", lowConstant+suffix, "value", fmt.Sprintf("%.4g", i.Low), "source", i.Source))
		if !math.IsInf(i.High, 1) {
			all = append(all, newTable("constant", highConstant+suffix, "value", fmt.Sprintf("%.4g", i.High), "source", i.Source))
		}
	}
	add("", i.Any)
	for _, name := range slices.Sorted(maps.Keys(i.Of)) {
		add("_"+name, i.Of[name])
	}
	return all
}

// unsure says what no file told of a machine.
const unsure = "No collective was measured on this machine, nor many messages at once: how far real times are from these is not known."

// intervalNotes say in words how sure times are.
func intervalNotes(i CollectiveIntervals, times []CollectiveTime) (notes []string) {
	for _, c := range times {
		within, note := i.of(c.Entry), unsure
		switch {
		case within == contention.Interval{}:
		case math.IsInf(within.High, 1):
			note = "How long a collective takes here cannot be told: " + within.Source + "."
		default:
			note = fmt.Sprintf("A time is between %.2g and %.2g of what is predicted: %s.", within.Low, within.High, within.Source)
			if _, own := i.Of[intervalKey(c.Entry)]; own {
				note = c.Name + ": a" + note[1:]
			}
		}
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// within gives the cells their intervals; an end is absent where it cannot be told.
func (q CollectiveQuestion) within(cells []CollectiveTime) {
	for i := range cells {
		c := &cells[i]
		if within := q.Within.of(c.Entry); within != (contention.Interval{}) && c.From != "" {
			c.Low, c.High = told(within.Of(c.Time))
		}
	}
}

// told has no end where none is known.
func told(low, high quantity.Micros) (l, h quantity.Micros) {
	if math.IsInf(float64(high), 0) {
		high = absent
	}
	return low, high
}

// averageEnds are the interval of the average; absent where there is none.
func averageEnds(i CollectiveIntervals, c CollectiveTime) (low, high quantity.Micros) {
	within := i.of(c.Entry)
	if within == (contention.Interval{}) || math.IsNaN(float64(c.Average)) {
		return absent, absent
	}
	return told(within.Of(c.Average))
}

// loop times the cell as OSU's benchmarks do.
func (c *CollectiveTime) loop(ctx context.Context, m simulate.Machine) error {
	l, err := contention.NewLoop(c.Entry, c.Ranks, c.Call)
	if err != nil {
		return err
	}
	t, err := l.Run(ctx, m)
	if err != nil {
		return err
	}
	c.Time, c.Average, c.From = t.Max, t.Average, Looped
	return nil
}
