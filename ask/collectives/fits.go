package collectives

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/platforms"
)

// A table is a collective measured with one algorithm. It is fitted when its times are asked for.
type table struct {
	// Entry's Name is libraryChoice if the library chose, and the library's name of an algorithm
	// that was forced and that the registry does not have.
	Entry collective.Entry
	Data  fitted.Data

	*fitted.Result // nil until it is fitted
	at             string
}

// libraryChoice names the algorithm that a library chose.
const libraryChoice = "measured"

// Fits keep the measured collectives of one design, so that none is fitted twice; see [Calls.From].
// Several goroutines may use them at once.
type Fits struct {
	mutex sync.Mutex
	of    map[string][]table // by collective
}

// fitsOf returns a design's measurements of a collective, which may be none.
func fitsOf(d platforms.Design, name string) ([]table, error) {
	return fitCollectives(d.Asked(), d.Collectives(name))
}

// fitCollectives takes tables as they are in the file; the fits follow when they are
// asked for.
func fitCollectives(ref string, tables []platforms.MeasuredCollective) (all []table, err error) {
	for _, t := range tables {
		at := fmt.Sprintf("%s: collective.%s", ref, t.Name)
		d, err := fitted.DataOf(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		e := collective.Entry{Collective: d.Collective, Name: cmp.Or(d.Foreign, libraryChoice)}
		if d.Algorithm != "" {
			if e, err = collective.Find(d.Collective, d.Algorithm); err != nil {
				return nil, err // cannot be: the data name an algorithm of the registry
			}
		}
		all = append(all, table{Entry: e, Data: d, at: at})
	}
	return all, nil
}
