package message_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
)

// Two platforms side by side, for one size.
func ExampleCompareQuestion_Ask() {
	var designs []platforms.Design
	for _, name := range []string{"hp-lam", "clip"} {
		d, err := platforms.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		designs = append(designs, d)
	}
	all, err := message.CompareQuestion{On: designs, Sizes: []quantity.Bytes{64}}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range all.Costs {
		fmt.Println(c.Platform, c.Layer, c.OneWay, c.Bandwidth)
	}
	// Output:
	// hp-lam gam 16.6 µs 3.85 MB/s
	// clip system-buffer 9.9 µs 6.46 MB/s
}
