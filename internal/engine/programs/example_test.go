package programs_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/platforms"
)

// A program by its name, on two simulated nodes of a platform.
func ExampleFind() {
	program, err := programs.Find("ping_pong", programs.Simulated)
	if err != nil {
		log.Fatal(err)
	}
	d, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	platform, layer := d.Platform, d.Layer
	system := virtual.Of(platform, layer)
	result, _, err := virtual.Measure(system, virtual.Config{}, program, programs.Args{Size: program.Bytes, Count: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(program.Measures, result.Time)
	// Output:
	// round trip 28 µs
}
