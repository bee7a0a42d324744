package messages_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Two platforms side by side, for one size.
func ExampleCompare() {
	var designs []platforms.Design
	for _, name := range []string{"hp-lam", "clip"} {
		d, err := platforms.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		designs = append(designs, d)
	}
	all := messages.Compare([]quantity.Bytes{64}, designs...)
	for _, c := range all {
		fmt.Println(c.Platform, c.Layer, c.OneWay, c.Bandwidth)
	}
	// Output:
	// hp-lam gam 16.6 µs 3.85 MB/s
	// clip system-buffer 9.9 µs 6.46 MB/s
}
