package export

import (
	"encoding/json"
	"fmt"
)

func calculon(f *File, m Machine, s Sizes) error {
	var all struct {
		Networks []network `json:"networks"`
	}
	ranks := 1
	for _, l := range m.Levels {
		ranks *= l.Units
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite", l.Name)
		}
		f.loseCurvature(off, s)
		all.Networks = append(all.Networks, network{
			Bandwidth: json.Number(number(1e-3 / best.per)), Efficiency: "1.0", Size: ranks, Latency: json.Number(number(best.at * 1e-6)),
			Ops:            map[string][2]any{"p2p": {1, nil}, "reduce_scatter": {1, -1}, "all_gather": {1, -1}, "all_reduce": {2, -1}},
			ProcessorUsage: "0.0",
		})
	}
	f.lose("collectives: ops are those of a ring that costs bandwidth only (all_reduce sends twice (p−1)/p of the bytes); Calculon charges the latency once")
	f.lose("processor_usage is 0 and must_be_filled false: the machine does not define them")
	text, err := json.MarshalIndent(all, "", "  ")
	f.Text = string(text) + "\n"
	return err
}

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
