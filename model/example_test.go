package model_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// CLIP's pipeline into the system buffer, table 4.2: what 64 KiB take in the
// packets that CLIP used, in those of the paper's formula, and in the best ones.
func Example_pipeline() {
	perKiB := func(us float64) quantity.MicrosPerByte { return quantity.Micros(us).Per(quantity.KiB) }
	clip := model.Pipeline{Stages: []model.Stage{
		{Name: "copy to system buffer", Beta: 3.0, Tau: perKiB(5.9), Host: model.Sender},
		{Name: "DMA to the card", Beta: 0.6, Tau: perKiB(7.6)},
		{Name: "link", Beta: 1.3, Tau: perKiB(7.5)},
		{Name: "DMA from the card", Beta: 0.5, Tau: perKiB(7.6)},
	}}
	n := 64 * quantity.KiB

	clip.Cut = model.Cut{Rule: model.CutFixed, Size: 4096}
	fmt.Println("used: ", clip.OneWay(n), "=", model.Bandwidth(&clip, n))

	paper := clip.PaperPacket(n)
	fmt.Println("paper:", clip.OneWayIn(n, paper), "in packets of", paper)

	best, time := clip.BestPacket(n)
	fmt.Println("best: ", time, "in packets of", best)

	_, time = clip.BestPlan(n)
	fmt.Println("plan: ", time, "in unequal packets")
	// Output:
	// used:  589.3 µs = 111 MB/s
	// paper: 580 µs in packets of 3490 B
	// best:  567 µs in packets of 2051 B
	// plan:  557 µs in unequal packets
}

// HP-LAM, table 4.2, with the inverse of its bandwidth as G.
func ExampleLogGP() {
	hpLAM := model.LogGP{
		LogP:       model.LogP{Latency: 5.3, SendOverhead: 2.9, ReceiveOverhead: 5.8, GapTime: 8.7},
		GapPerByte: 1.0 / 24,
	}
	fmt.Println("RTT: ", model.RTT(&hpLAM, 1))
	fmt.Println("4 KiB:", hpLAM.OneWay(4*quantity.KiB), "=", model.Bandwidth(&hpLAM, 4*quantity.KiB))
	half, _ := model.HalfPeak(&hpLAM)
	fmt.Println("r∞:  ", model.Asymptote(&hpLAM), "half of it at", half)
	// Output:
	// RTT:  28 µs
	// 4 KiB: 185 µs = 22.2 MB/s
	// r∞:   24 MB/s half of it at 335 B
}
