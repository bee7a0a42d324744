package collectives

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// algbw is the bytes of all ranks over the time, whether a size is a rank's block or the whole.
func TestBandwidthsOfBlocks(t *testing.T) {
	block := Timing{Cell: Cell{Entry: collective.Entry{Collective: "allgather"}, Ranks: 4, Call: collective.Call{Bytes: 1000}}, Estimate: Estimate{Time: 10}}
	whole := block
	whole.Call.Bytes, whole.Total = 4000, true
	for _, c := range []Timing{block, whole} {
		if alg, bus := c.Bandwidths(); alg != 400 || bus != 300 {
			t.Errorf("total %v: %v and %v, want 400 and 300 MB/s", c.Total, alg, bus)
		}
	}
}
