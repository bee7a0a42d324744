package collectives

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// intervalNotes describes the intervals of times in words.
func intervalNotes(i contention.Intervals, times []Timing) (notes []string) {
	for _, c := range times {
		within, note := i.Interval(c.Entry), unsure
		switch {
		case within == contention.Interval{}:
		case math.IsInf(within.High, 1):
			note = "The time of a collective on this machine cannot be predicted: " + within.Source + "."
		default:
			note = fmt.Sprintf("A time is between %.2g and %.2g of what is predicted: %s.", within.Low, within.High, within.Source)
			if _, own := i.Of[contention.IntervalKey(c.Entry)]; own {
				note = c.Name + ": a" + note[1:]
			}
		}
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// unsure is the note of times on a machine without measured collectives.
const unsure = "No collective was measured on this machine, nor many messages at once: how far real times are from these is not known."

// averageEnds returns the interval of the average, NaN if it has none.
func averageEnds(i contention.Intervals, c Timing) (low, high quantity.Micros) {
	if c.From == FromFit && math.IsNaN(float64(c.Time)) {
		return c.Low, c.High
	}
	within := i.Interval(c.Entry)
	if c.From == FromFit || within == (contention.Interval{}) || math.IsNaN(float64(c.Average)) {
		return quantity.Unknown, quantity.Unknown
	}
	return finiteEnds(within.Of(c.Average))
}

// finiteEnds returns the ends, with NaN for an infinite high.
func finiteEnds(low, high quantity.Micros) (l, h quantity.Micros) {
	if math.IsInf(float64(high), 0) {
		high = quantity.Unknown
	}
	return low, high
}
