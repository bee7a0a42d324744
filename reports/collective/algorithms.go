package collective

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Listing is the algorithms of one collective, or of all.
type Listing struct {
	algorithms []listed
	usual      []string // as [usual] returns it
}

// A listed algorithm has the names of its parameters.
type listed struct {
	collective.Entry
	parameters []string
}

// List lists the algorithms of a collective, or of all collectives if the name is empty. An unknown
// collective is an error.
func List(name string) (l Listing, err error) {
	all, err := collectives.AlgorithmsOf(name)
	for _, e := range all {
		l.algorithms = append(l.algorithms, listed{e, collectives.ParametersOf(e)})
		if text := usual(e.Collective); text != "" && !slices.Contains(l.usual, text) {
			l.usual = append(l.usual, text)
		}
	}
	return l, err
}

// usual returns what runs on 64 ranks without a library: "bcast: binomial, from 16 KiB …".
func usual(name string) string {
	var text, last string
	for size := quantity.Bytes(1); size <= 1<<30; size *= 2 {
		e, known := collective.Library{}.Default(name, 64, uint64(size))
		if !known || e.Name == last {
			continue
		}
		switch last = e.Name; {
		case text != "":
			text += fmt.Sprintf(", from %v %s", size, e.Name)
		case e.Collective != name:
			text = fmt.Sprintf("%s: %s %s", name, e.Collective, e.Name)
		default:
			text = name + ": " + e.Name
		}
	}
	return text
}
