package papers_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The measured points of a layer, with their error bars: what a plot draws
// over the line of the model.
func ExamplePoints() {
	points, err := papers.Points("clip/system-buffer")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range points {
		if p.Size >= 16384 {
			fmt.Printf("%s: %s (%s to %s), %s\n", p.Size, p.OneWay, quantity.Micros(p.Within.Low),
				quantity.Micros(p.Within.High), p.Place)
		}
	}
	// Output:
	// 16 KiB: 170 µs (160 µs to 180 µs), Table 5.1
	// 32 KiB: 320 µs (310 µs to 330 µs), Table 5.1
	// 64 KiB: 589 µs (579 µs to 599 µs), sec. 5.3
}

// Measured numbers are the test of a model: the paper's peak bandwidth, and ours.
func ExampleReproduce() {
	results, err := papers.Reproduce()
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		if r.Paper == "CLIP" && r.Role == papers.Measured && r.Place == "ch. 6" && r.Unit == "MB/s" {
			fmt.Printf("%s:\nprinted %s %s, computed %.2f, error %+.1f %%\n", r.Quantity, r.Printed, r.Unit, r.Computed, 100*r.Error)
		}
	}
	// Output:
	// peak bandwidth, in the packet that was used in practice:
	// printed 111.2 MB/s, computed 111.21, error +0.0 %
}

// A fact need not come from a file: any number with a formula can be compared.
func ExampleCompare() {
	r, err := papers.Compare(papers.Fact{
		Quantity: "64 KiB in packets of 4096 bytes", Layer: "clip/dma-system-buffer", Role: papers.Measured,
		Printed: "111.2", Value: 111.2, Unit: "MB/s", Relation: "=", Formula: "bandwidth(64KiB)", Bar: "2%",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("computed %.2f MB/s, error %+.1f %%, met: %t\n", r.Computed, 100*r.Error, r.Met)
	// Output:
	// computed 112.96 MB/s, error +1.6 %, met: true
}
