package engine_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/platforms"
)

// A request and its reply on HP-LAM. Every node runs the same function: node 0 asks, and node 1
// answers when it calls the library, here after its program has ended.
func Example() {
	d, err := platforms.Open("hp-lam/gam")
	if err != nil {
		fmt.Println(err)
		return
	}
	platform, layer := d.Platform, d.Layer
	system := virtual.Of(platform, layer)
	_, err = virtual.Run(system, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
		sum, done := uint32(0), false
		result := ep.Handle(func(m *engine.Message) { sum, done = m.Words[0], true })
		add := ep.Handle(func(m *engine.Message) {
			if err := m.Reply(result, m.Words[0]+m.Words[1]); err != nil {
				fmt.Println(err)
			}
		})
		if ep.Node() != 0 {
			return nil
		}
		if err := ep.Request(1, add, 19, 23); err != nil {
			return err
		}
		if err := ep.WaitFor("the sum", func() bool { return done }); err != nil {
			return err
		}
		fmt.Printf("%d after %v\n", sum, ep.Now())
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 42 after 28 µs
}
