package virtual_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// HP-LAM's ping-pong on two simulated nodes, beside what the model says of it.
func ExampleRun() {
	d, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	platform, layer := d.Platform, d.Layer
	system := virtual.Of(platform, layer)
	var rtt quantity.Micros
	_, err = virtual.Run(system, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
		t, err := programs.PingPong(ep, 100)
		if ep.Node() == 0 {
			rtt = t
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("engine", rtt, "model", model.RTT(layer.Model, 1))
	// Output:
	// engine 28 µs model 28 µs
}
