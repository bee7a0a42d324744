package collectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/platforms"
)

// A fitOf is a collective measured with one algorithm. It is fitted when its times are asked for.
type fitOf struct {
	// Entry's Name is LibraryChoice if the library chose, and the library's name of an algorithm
	// that was forced and that the registry does not have.
	Entry collective.Entry
	Data  fitted.Data

	*fitted.Result // nil until it is fitted
	at             string
}

// LibraryChoice names the algorithm that a library chose.
const LibraryChoice = "library's"

// A prediction is the time that a fit predicts.
type prediction struct {
	of *fitOf
	fitted.Prediction
}

// Fits keep the measured collectives of one design, so that none is fitted twice; see [Calls].
// Several goroutines may use them at once.
type Fits struct {
	mutex sync.Mutex
	of    map[string][]fitOf // by collective
}

// measured returns the design's measurements of the collective, which may be none. nil keeps none.
func (f *Fits) measured(d platforms.Design, name string) []fitOf {
	if f == nil {
		return fitsOf(d, name)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	all, known := f.of[name]
	if known {
		return all
	}
	if f.of == nil {
		f.of = map[string][]fitOf{}
	}
	all = fitsOf(d, name)
	f.of[name] = all
	return all
}

// fitsOf returns a design's measurements of a collective, which may be none. Their fits follow when
// they are asked for.
func fitsOf(d platforms.Design, name string) (all []fitOf) {
	for _, t := range d.Collectives(name) {
		e := t.Of
		e.Name = cmp.Or(e.Name, t.LibraryAlgorithm, LibraryChoice)
		all = append(all, fitOf{Entry: e, Data: fitted.DataOf(t),
			at: fmt.Sprintf("%s: collective.%s", d.Asked(), t.Name)})
	}
	return all
}

// has reports whether a point of data is one of the fit's own, perhaps of another file: the same
// call with the same time.
func (f fitOf) has(d *fitted.Data, p fitted.Point) bool {
	return f.Data.Of.Collective == d.Of.Collective && f.Data.Statistic == d.Statistic &&
		slices.ContainsFunc(f.Data.Points, func(of fitted.Point) bool {
			// A file has at least a few digits of a time.
			same := math.Abs(float64(of.Time-p.Time)) <= 1e-9*float64(p.Time)
			return of.Ranks == p.Ranks && of.Size == p.Size && same
		})
}
