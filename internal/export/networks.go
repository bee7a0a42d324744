package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// astra writes a topology with one dimension per level; in each, a switch connects all units.
func astra(f *File, m Machine, s Sizes) error {
	var names, topology, counts, bandwidth, latency []string
	for _, l := range m.Levels {
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite",
				l.Name)
		}
		f.loseCurvature(off, s)
		// A Switch connects every pair of units at the same cost, as a level does.
		names, topology = append(names, l.Name), append(topology, "Switch")
		counts = append(counts, fmt.Sprint(l.Arity))
		// Two hops, up to the switch and down, share the latency. 1 GB is 2³⁰ B there
		// (bw_GBps_to_Bpns).
		latency = append(latency, number(best.at*1e3/2))
		bandwidth = append(bandwidth, number(1e6/best.per/(1<<30)))
	}
	// The remarks stand as comments above the keys, so that they stay with the file.
	f.lose("overheads and gaps: ASTRA-sim has latency and bandwidth only")
	f.lose("a Switch has two hops, so latency is half of the time of 0 bytes")
	f.Text = f.comments("#")
	f.printf("# levels from inside out: %s\n", strings.Join(names, ", "))
	f.printf("topology: [ %s ]\nnpus_count: [ %s ]\nbandwidth: "+
		"[ %s ]  # GB/s of 2^30 B\nlatency: [ %s ]  # ns\n",
		commas(topology), commas(counts), commas(bandwidth), commas(latency))
	return nil
}

func commas(words []string) string { return strings.Join(words, ", ") }

// A network is one of Calculon's (calculon/network.py), for p ranks and an operation [scalar,
// offset]:
//
//	scalar·op_size·(1 + offset/p)/(bandwidth·efficiency) + latency
type network struct {
	Bandwidth      json.Number       `json:"bandwidth"` // GB/s
	Efficiency     json.Number       `json:"efficiency"`
	Size           int               `json:"size"`
	Latency        json.Number       `json:"latency"` // s
	Ops            map[string][2]any `json:"ops"`     // the offset of p2p is null
	MustBeFilled   bool              `json:"must_be_filled"`
	ProcessorUsage json.Number       `json:"processor_usage"`
}

// calculon writes a network for each level, with all ranks inside a unit of that level.
func calculon(f *File, m Machine, s Sizes) error {
	var networks []network
	ranks := 1
	for _, l := range m.Levels {
		// Calculon's size is the number of ranks, and a level's arity that of units in it.
		ranks *= l.Arity
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite",
				l.Name)
		}
		f.loseCurvature(off, s)
		networks = append(networks, network{
			Bandwidth: jsonNumber(1e-3 / best.per),
			// The bandwidth is that of messages already, not the hardware's peak.
			Efficiency: "1.0",
			Size:       ranks,
			Latency:    jsonNumber(best.at * 1e-6),
			// A ring sends (p−1)/p of the bytes once, and for all_reduce twice.
			Ops: map[string][2]any{
				"p2p":            {1, nil},
				"reduce_scatter": {1, -1},
				"all_gather":     {1, -1},
				"all_reduce":     {2, -1},
			},
			ProcessorUsage: "0.0",
		})
	}
	f.lose("collectives: ops are those of a ring that costs bandwidth only (all_reduce sends " +
		"twice (p−1)/p of the bytes); Calculon charges the latency once")
	f.lose("processor_usage is 0 and must_be_filled false: the machine does not define them")
	return f.setJSON(map[string]any{"networks": networks})
}

// inference writes the network's keys of inference-sim: effective rates in one direction for a GPU,
// and the latency of a hop between nodes.
func inference(f *File, m Machine, s Sizes) error {
	// The outermost level is the network, and the unit of the one inside it a node.
	inner := len(m.Levels) - 2
	if inner < 0 {
		return errors.New("it needs a rate inside a node and one between nodes, " +
			"and this platform has one level; give a machine with levels")
	}
	inside, offInside := oneLine(m.Levels[inner].Layer, s)
	between, offBetween := oneLine(m.outer().Layer, s)
	if inside.per == 0 || between.per == 0 {
		return errors.New("no cost is per byte, and a bandwidth must be finite")
	}
	f.loseCurvature(max(offInside, offBetween), s)
	for _, l := range m.Levels[:inner] {
		f.lose("the level %s", l.Name)
	}
	f.lose("these are three keys of a GPU's entry: the others (TFlopsPeak, MemoryGiB, " +
		"…) are not about messages; add them, or it does not load")
	// The three keys have one latency, that between nodes.
	f.lose("the latency inside the node, overheads and gaps")
	return f.setJSON(map[string]any{m.Name: struct {
		Intra json.Number `json:"IntraNodeBwGBps"`
		Inter json.Number `json:"InterNodeBwGBps"`
		Hop   json.Number `json:"InterNodeHopLatencyUs"`
	}{jsonNumber(1e-3 / inside.per), jsonNumber(1e-3 / between.per), jsonNumber(between.at)}})
}

// setJSON sets the text to indented JSON.
func (f *File) setJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	f.Text = string(text) + "\n"
	return err
}

func jsonNumber(x float64) json.Number { return json.Number(number(x)) }
