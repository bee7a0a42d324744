package whatif_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/whatif"
)

// Would a bus of twice the rate help CLIP? Both of its DMA stages cross the bus.
func ExampleDesign_Set() {
	clip, err := whatif.Find("clip/system-buffer")
	if err != nil {
		log.Fatal(err)
	}
	faster, err := clip.Set("host-dma.tau*=0.5", "host-dma-in.tau*=0.5")
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []whatif.Design{clip, faster} {
		a, err := d.At(64 * quantity.KiB)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, %s; %s limits a stream\n", a.OneWay, a.Bandwidth, a.Bottleneck)
	}
	// Output:
	// 580.18 µs, 112.96 MB/s; wire limits a stream
	// 557.93 µs, 117.46 MB/s; wire limits a stream
}

// How far must HP-LAM's receive overhead fall before the round trip takes 20 µs?
func ExampleDesign_Solve() {
	hp, err := whatif.Find("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	target, err := hp.ParseTarget("rtt(1B) <= 20us")
	if err != nil {
		log.Fatal(err)
	}
	receive, err := hp.Platform.Find(hp.Layer.Name, "o_r")
	if err != nil {
		log.Fatal(err)
	}
	s, err := hp.Solve(target, receive, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Reached, quantity.Micros(s.Param.Value.Num), "→", quantity.Micros(s.Value))
	// Output:
	// true 5.80 µs → 1.80 µs
}

// Which parameters of CLIP matter most to 64 KiB?
func ExampleDesign_Sensitivities() {
	clip, err := whatif.Find("clip/system-buffer")
	if err != nil {
		log.Fatal(err)
	}
	bandwidth, err := whatif.ParseQuantity("bandwidth(64KiB)")
	if err != nil {
		log.Fatal(err)
	}
	all, err := clip.Sensitivities(bandwidth, 0.1)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range all[:3] {
		fmt.Printf("%s: %+.2f %% per percent\n", s.Param.Path, s.PerPercent)
	}
	// Output:
	// stage.wire.tau: -0.79 % per percent
	// stage.host-dma-in.tau: -0.08 % per percent
	// stage.wire.beta: -0.05 % per percent
}

// From which size on is CLIP faster than MPC's PUT?
func ExampleCrossings() {
	clip, err := whatif.Find("clip")
	if err != nil {
		log.Fatal(err)
	}
	mpc, err := whatif.Find("mpc/put")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range whatif.Crossings(mpc.Layer.Model, clip.Layer.Model, 1, 1<<20) {
		fmt.Printf("at %s, where both take %s; less than 5 %% apart from %s to %s\n",
			c.Size, mpc.Layer.Model.OneWay(c.Size), c.Low, c.High)
	}
	// Output:
	// at 2089 B, where both take 38.11 µs; less than 5 % apart from 1821 B to 2413 B
}
