package collective

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// asks reports whether the question is about a fit: any, those of an algorithm, or
// that of a table. The name of a table distinguishes two measurements of the same
// algorithm.
func (q question) asks(f fitOf) bool {
	if q.Statistic != "" && q.Statistic != f.Data.Statistic {
		return false
	}
	if max(1, q.Groups) != max(1, f.Data.Groups) {
		return q.Algorithm == f.Data.Name && q.Algorithm != ""
	}
	if q.Algorithm == "" {
		return slices.Contains(q.unnamed(), f.Entry.Name)
	}
	return slices.ContainsFunc(q.named(), func(name string) bool {
		return slices.Contains([]string{"all", "best", f.Entry.Name, f.Data.Name}, name) ||
			name != "" && name == f.Entry.NCCL
	})
}

// unnamed returns the names of the measured algorithms that a question is about which names none:
// what the library chose, or the only algorithm, if that was measured, else those of
// [question.defaults].
func (q question) unnamed() (names []string) {
	measured := stats.Ascending(list.Map(q.fits, func(f fitOf) string { return f.Entry.Name }))
	switch {
	case slices.Contains(measured, LibraryChoice):
		return []string{LibraryChoice}
	case len(measured) == 1:
		return measured
	}
	all, _ := q.defaults()
	return list.Map(all, func(e collective.Entry) string { return e.Name })
}

// A grid answers a question by fits, call by call, and counts what its notes say: a
// note at each call would repeat the same sentence.
type grid struct {
	question
	algorithms Algorithms
	tables     map[string]map[fitted.Statistic]*fitOf // by algorithm
	used       []*fitOf
	others     map[*fitOf][]string // names of the tables that are not used, by the one that is
	slowest    bool                // all have the time of the slowest rank

	caveats
}

// choose sets the fits and the algorithms that the question is about.
func (g *grid) choose() error {
	for i := range g.fits {
		f := &g.fits[i]
		if !g.asks(*f) {
			continue
		}
		of := g.tables[f.Entry.Name]
		if of == nil {
			of = map[fitted.Statistic]*fitOf{}
			g.tables[f.Entry.Name], g.algorithms = of, append(g.algorithms, f.Entry)
		}
		if first := of[f.Data.Statistic]; first != nil {
			g.others[first] = append(g.others[first], f.Data.Name)
			continue
		}
		of[f.Data.Statistic], g.used = f, append(g.used, f)
	}
	if len(g.tables) == 0 {
		return g.noMeasurement()
	}
	if l := g.Form; l.Name != "" {
		unnamed := func(e collective.Entry) bool { return !l.Has(e) }
		g.algorithms = slices.DeleteFunc(g.algorithms, unnamed)
		if len(g.algorithms) == 0 {
			return fmt.Errorf("%s rules have no name for any of the measured algorithms; take "+
				"another form, or measure algorithms that the library can be told to use: %s",
				l.Name, g.tune())
		}
	}
	// The slowest rank of one algorithm and the average of another cannot be compared.
	averageOnly := func(e collective.Entry) bool { return g.tables[e.Name][fitted.Slowest] == nil }
	g.slowest = !slices.ContainsFunc(g.algorithms, averageOnly)
	return nil
}

// noMeasurement returns the error of a question that no fit answers, with what could
// be asked.
func (g *grid) noMeasurement() error {
	asked := g.Collective
	switch {
	case g.Algorithm == "":
		asked += " by " + strings.Join(g.unnamed(), " and ") + ", which run where none is named"
	case strings.Contains(g.Algorithm, ","):
		asked += " by " + strings.ReplaceAll(g.Algorithm, ",", " or ")
	case !g.several():
		asked += " by " + strconv.Quote(g.Algorithm)
	}
	switch g.Statistic {
	case fitted.Slowest:
		asked += " with the time of the slowest rank"
	case fitted.Average:
		asked += " with the average over ranks"
	}
	names := list.Map(g.fits, func(f fitOf) string {
		return fmt.Sprintf("%s (%s)", f.Entry.Name, f.Data.Statistic)
	})
	rerun := ""
	named := strings.Contains(g.Algorithm, ",")
	if named && slices.ContainsFunc(g.question.fits, func(f fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	}) {
		rerun = "; rerun nccl-tests with NCCL_ALGO=Ring and with NCCL_ALGO=Tree, and fit these logs"
	}
	return fmt.Errorf("no measurement of %s; there are those of %s%s", asked,
		strings.Join(stats.Ascending(names), ", "), rerun)
}

// fit fits what the question asks for, all at once; until the context ends. The
// errors are those of fitting. Only these fits are made: a file may have tables of
// ten algorithms, and each takes seconds.
func (q question) fit(ctx context.Context, all []*fitOf) error {
	if q.Fits != nil {
		q.Fits.mutex.Lock()
		defer q.Fits.mutex.Unlock()
	}
	type fit struct {
		of     *fitOf
		result *fitted.Result
		err    error
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(f *fitOf) bool { return f.Result != nil })
	done := make(chan fit, len(asked))
	for _, f := range asked {
		// A fit takes long and cannot be interrupted. If the context ends, its goroutine goes on
		// and its result is dropped, for which done has room.
		go func() {
			r, err := fitted.Fit(f.Data)
			done <- fit{f, r, err}
		}()
	}
	for range asked {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-done:
			if f.err != nil {
				return fmt.Errorf("%s: %w", f.of.at, f.err)
			}
			f.of.Result = f.result
		}
	}
	return nil
}

// perNode returns the ranks on each node: as asked, or as in the measurements of the algorithm.
func (g *grid) perNode(e collective.Entry, at fitted.Placement) int {
	for _, statistic := range fitted.Statistics {
		if of, has := g.tables[e.Name][statistic]; has && at.PerNode == 0 {
			at = of.PlacementOf(at.Ranks)
		}
	}
	return at.PerNode
}

// block returns the size that fits are over: of collectives of blocks, that of one rank's block.
func (g *grid) block(ranks int, n quantity.Bytes) quantity.Bytes {
	if g.Total && (collective.Entry{Collective: g.algorithms[0].Collective}).InBlocks() {
		return quantity.Bytes(math.Floor(float64(n) / float64(ranks)))
	}
	return n
}

// predict sets the times of an algorithm's call: Average by the average over ranks, Time by the
// statistic that all algorithms are compared by. It returns the prediction of that.
func (g *grid) predict(c *Timing, at fitted.Placement, n quantity.Bytes) (
	p fitted.Prediction, err error) {
	compared := fitted.Average
	if g.slowest {
		compared = fitted.Slowest
	}
	for _, statistic := range fitted.Statistics { // the average comes first
		of, has := g.tables[c.Name][statistic]
		if !has {
			continue
		}
		here := at
		// Without a placement, the ranks are placed as in the measurements.
		if here.PerNode == 0 {
			here = of.PlacementOf(at.Ranks)
		}
		found, err := of.PredictAt(here, n)
		if err != nil {
			return p, err
		}
		g.count(of, found)
		if statistic == fitted.Average {
			c.Average = quantity.Micros(found.Value)
		}
		if statistic == compared {
			p, c.Time, c.Within = found, quantity.Micros(found.Value), found.Interval
			c.Measure = found.Measure
		}
	}
	if c.Average > c.Time { // the fits cross
		g.crossed++
		// A mean above the maximum cannot be. The larger number stays inside the
		// interval.
		c.Within.High = max(c.Within.High, float64(c.Average))
		c.Average = c.Time
	}
	return p, nil
}

// tune returns the command that measures each algorithm.
func (q question) tune() string {
	if q.Tune == nil {
		return ""
	}
	library := ""
	// The tables of nccl-tests are named after it.
	if slices.ContainsFunc(q.fits, func(f fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	}) {
		library = "nccl"
	}
	return q.Tune(q.Ranks, q.PerNode, library)
}
