package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A window is what the messages from one rank to another leave of the window of their layer.
type window struct {
	next uint64   // when the next piece may start, a gap after the last
	back []uint64 // when the credits of the latest pieces are back, in their order
}

// credits is a [model.Credits] in ticks.
type credits struct {
	window, pieces          uint64
	gap, round, last, start uint64
}

func creditsInTicks(c *model.Credits) *credits {
	if c == nil {
		return nil
	}
	t := func(x quantity.Micros) uint64 { return uint64(math.Round(float64(x) * picos)) }
	return &credits{uint64(c.Window), uint64(c.Pieces), t(c.Gap), t(c.Round), t(c.Last), t(c.Start)}
}

// startOf returns when piece j starts, given the starts of a first window of pieces. Behind these,
// s(j) = max(s(j−1) + g, s(j−W) + R), so that s(j) is the longest of all chains of gaps and rounds
// from a piece of the first window: with as many rounds as fit if R > W·g, and else with gaps
// alone.
func (c *credits) startOf(j uint64, first []uint64) uint64 {
	if j < c.window {
		return first[j]
	}
	rounds, i := j/c.window-1, j%c.window
	final := first[c.window-1]
	byRounds := rounds*c.round + max(first[i]+c.round, final+(i+1)*c.gap)
	return max(byRounds, final+(j-c.window+1)*c.gap)
}
