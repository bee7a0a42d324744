package export

import (
	"encoding/json"
	"fmt"
)

// inference writes the network's keys of inference-sim: effective rates in one
// direction for a GPU, and the latency of a hop between nodes.
func inference(f *File, m Machine, s Sizes) error {
	if len(m.Levels) < 2 {
		return fmt.Errorf("it needs a rate inside a node and one between nodes, and this platform has one level; give a machine with levels")
	}
	inside, between := m.Levels[len(m.Levels)-2], m.outer()
	a, offInside := oneLine(inside.Layer, s)
	b, offBetween := oneLine(between.Layer, s)
	if a.per == 0 || b.per == 0 {
		return fmt.Errorf("no cost is per byte, and a bandwidth must be finite")
	}
	f.loseCurvature(max(offInside, offBetween), s)
	for _, l := range m.Levels[:len(m.Levels)-2] {
		f.lose("the level %s", l.Name)
	}
	f.lose("these are three keys of a GPU's entry: the others (TFlopsPeak, MemoryGiB, …) are not about messages; add them, or it does not load")
	f.lose("the latency inside the node, overheads and gaps")
	text, err := json.MarshalIndent(map[string]any{m.Name: struct {
		Intra json.Number `json:"IntraNodeBwGBps"`
		Inter json.Number `json:"InterNodeBwGBps"`
		Hop   json.Number `json:"InterNodeHopLatencyUs"`
	}{json.Number(number(1e-3 / a.per)), json.Number(number(1e-3 / b.per)), json.Number(number(b.at))}}, "", "  ")
	f.Text = string(text) + "\n"
	return err
}
