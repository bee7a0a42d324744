package collective

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/collectives"
)

// A Listing is the algorithms of one collective, or of all.
type Listing struct {
	algorithms []listed
	usual      []string // what runs where no algorithm is named: "bcast: binomial"
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
		u, known := collective.Library{}.Default(e.Collective, 2, 0)
		text := u.Name
		if u.Collective != e.Collective {
			text = u.Collective + " " + text
		}
		if text = e.Collective + ": " + text; known && !slices.Contains(l.usual, text) {
			l.usual = append(l.usual, text)
		}
	}
	return l, err
}
