// Package known holds what machines that others measured have in common: the numbers from which
// answers about a machine begin that was never in sight. `go -C internal/evidence run ./known`
// computes all of them.
package known

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed known.json
var text []byte

// Numbers are those of the file.
type Numbers struct {
	// Latencies, Streams and Operations are the calibrations of messages, see package forecast.
	Latencies, Streams, Operations json.RawMessage
	Collectives                    Collectives
	// Jobs has, by class of network, the factor between the times of two jobs on an unchanged
	// system beyond which they changed: twice the largest, as a logarithm, of three neighbouring
	// sizes in pairs of jobs.
	Jobs map[string]float64
}

// Collectives has the numbers of collectives beyond the measured nodes.
type Collectives struct {
	// UsualError is the error of an octave of nodes, as a log: the root mean square over calls, the
	// median over machines.
	UsualError float64
	// Message and Block are how much the log of a time grows in an octave of ranks, of collectives
	// whose size is that of the message, and of one rank's block.
	Message, Block float64
}

// Growth returns how much the log of a time grows in an octave of ranks.
func (c *Collectives) Growth(blockwise bool) float64 {
	if blockwise {
		return c.Block
	}
	return c.Message
}

// Machines returns the numbers.
var Machines = sync.OnceValue(func() *Numbers {
	n := &Numbers{}
	if err := json.Unmarshal(text, n); err != nil {
		panic("known.json: " + err.Error())
	}
	return n
})
