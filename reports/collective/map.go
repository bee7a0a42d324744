package collective

import (
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Axes returns the numbers of ranks and the sizes of the times, ascending.
func (t *Times) Axes() (ranks []int, sizes []quantity.Bytes) {
	for _, c := range t.Times {
		ranks, sizes = append(ranks, c.Ranks), append(sizes, quantity.Bytes(c.Call.Bytes))
	}
	return stats.Ascending(ranks), stats.Ascending(sizes)
}
