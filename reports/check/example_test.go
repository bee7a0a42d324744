package check_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/check"
)

// A benchmark program runs in the message engine, and its result is held against the model's.
func ExampleEngineQuestion_Ask() {
	d, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	v, err := check.EngineQuestion{On: []platforms.Design{d},
		Programs: []string{"ping_pong", "latency"}, Sizes: []quantity.Bytes{64}}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range v.Results {
		fmt.Printf("%s: model %.2f %s, engine %.2f\n", r.Quantity, r.Model, r.Unit, r.Engine)
	}
	// Output:
	// round trip: model 19.80 µs, engine 19.80
	// one way: model 9.90 µs, engine 9.90
}
