package export

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

// astra writes a topology with one dimension per level; in each, a switch connects all units.
func astra(f *File, m Machine, s Sizes) error {
	var topology, counts, bandwidth, latency []string
	for _, l := range m.Levels {
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite", l.Name)
		}
		f.loseCurvature(off, s)
		topology, counts = append(topology, "Switch"), append(counts, fmt.Sprint(l.Units))
		// Two hops, up to the switch and down, share the latency. 1 GB is 2³⁰ B there
		// (bw_GBps_to_Bpns).
		latency = append(latency, number(best.at*1e3/2))
		bandwidth = append(bandwidth, number(1e6/best.per/(1<<30)))
	}
	f.lose("overheads and gaps: ASTRA-sim has latency and bandwidth only")
	f.lose("a Switch has two hops, so latency is half of the time of 0 bytes")
	f.Text = f.comments("#")
	f.printf("# levels from inside out: %s\n", strings.Join(list.Map(m.Levels, func(l Level) string { return l.Name }), ", "))
	f.printf("topology: [ %s ]\nnpus_count: [ %s ]\nbandwidth: [ %s ]  # GB/s of 2^30 B\nlatency: [ %s ]  # ns\n",
		strings.Join(topology, ", "), strings.Join(counts, ", "), strings.Join(bandwidth, ", "), strings.Join(latency, ", "))
	return nil
}
