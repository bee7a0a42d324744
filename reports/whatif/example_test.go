package whatif_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Would a faster PCI bus help CLIP?
func Example() {
	of, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	clip := whatif.Of(of)
	faster, err := clip.Set("host-dma.tau*=0.5", "host-dma-in.tau*=0.5")
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []whatif.Design{clip, faster} {
		a, err := d.At(64 * quantity.KiB)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, bottleneck %s\n", a.Bandwidth, a.Bottleneck)
	}
	// Output:
	// 113 MB/s, bottleneck wire
	// 117 MB/s, bottleneck wire
}

// What must a read of the card cost for HP-LAM's round trip to be a quarter shorter?
func ExampleTargetQuestion() {
	of, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	d := whatif.Of(of)
	target, err := d.ParseTarget("rtt(16B) <= rtt(16B)*0.75")
	if err != nil {
		log.Fatal(err)
	}
	read, err := d.Find("card_read")
	if err != nil {
		log.Fatal(err)
	}
	s, err := whatif.TargetQuestion{
		Case: whatif.Case{After: d}, Target: target, By: []whatif.Range{{Param: read}}}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f µs, from %s\n", s.Found[0].Value, read.Text)
	// Output: 0.234 µs, from 691ns
}

// The packet of a sweep that is best for 64 KiB.
func ExampleSweep() {
	of, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	d := whatif.Of(of)
	packets, err := d.Searched("packets=256B..8KiB/7937")
	if err != nil {
		log.Fatal(err)
	}
	quantities, err := d.Quantities("one_way")
	if err != nil {
		log.Fatal(err)
	}
	s := whatif.Sweep{Design: d, Ranges: []whatif.Range{packets}, Sizes: []quantity.Bytes{64 * quantity.KiB}, Quantities: quantities}
	best, least := 0.0, 1e9
	err = s.Run(context.Background(), nil, func(b *whatif.Block) error {
		for i := 0; i < len(b.Values); i += len(s.Keys()) {
			if packet, oneWay := b.Values[i], b.Values[i+2]; oneWay < least {
				best, least = packet, oneWay
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f bytes: %.2f µs\n", best, least)
	// Output: 2051 bytes: 567.35 µs
}

// Who owns the time of a short message?
func ExampleDesign_Owners() {
	of, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	d := whatif.Of(of)
	owners, err := d.Owners(1)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range owners {
		if o.OneWay > 0 {
			fmt.Println(o.Owner, o.OneWay)
		}
	}
	// Output:
	// o_s 2.9 µs
	// o_r 5.8 µs
	// L 5.3 µs
}
