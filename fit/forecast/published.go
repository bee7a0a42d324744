package forecast

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// The calibrations learned from published and planted curves, and the shapes of the published ones:
// means of the curves of a machine that are alike. tools/forecast writes the file.
//
//go:embed published.json
var publishedJSON []byte

var published = sync.OnceValue(func() (p struct {
	Latencies, Operations Calibration
	Shapes                []Shape
}) {
	if err := json.Unmarshal(publishedJSON, &p); err != nil {
		panic("published.json: " + err.Error())
	}
	p.Latencies.Library, p.Operations.Library = p.Shapes, p.Shapes
	return p
})

// Latencies returns the calibration for times of messages.
func Latencies() *Calibration {
	c := published().Latencies
	return &c
}

// Operations returns the calibration for times of operations and gaps of streams.
func Operations() *Calibration {
	c := published().Operations
	return &c
}
