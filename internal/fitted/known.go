package fitted

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// What machines that others measured have in common. `go -C internal/evidence run ./collectives
// -only known` computes the file from the machines that terms are chosen on.
//
//go:embed known.json
var knownJSON []byte

// A knowledge has the numbers of known machines.
type knowledge struct {
	// UsualError is the error of an octave of nodes, as a log: the root mean square over calls, the
	// median over machines.
	UsualError float64
	// Message and Block are how much the log of a time grows in an octave of ranks, of collectives
	// whose size is that of the message, and of one rank's block.
	Message, Block float64
}

func (k *knowledge) growth(blockwise bool) float64 {
	if blockwise {
		return k.Block
	}
	return k.Message
}

var known = sync.OnceValue(func() *knowledge {
	k := &knowledge{}
	if err := json.Unmarshal(knownJSON, k); err != nil {
		panic("known.json: " + err.Error())
	}
	return k
})
