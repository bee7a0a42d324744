package collectives

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/fits"
)

// A FittedQuestion asks for the times of calls by what was measured of them. Its calls have no
// segments, root, fan-out, gamma or placement.
type FittedQuestion struct {
	Calls
	Fits []Fit
	// Statistic chooses among what was measured; empty: all of it.
	Statistic fitted.Statistic
	// PerNode is the number of ranks on each node; 0: as measured.
	PerNode int
	// Total says that sizes are those of all ranks' blocks.
	Total bool
}

func (q FittedQuestion) calls() Calls { return q.Calls }

func (q FittedQuestion) about(c Calls, _ bool) Asker {
	q.Calls = c
	return q
}

// A Fit is a measured collective, with the algorithm that was measured, to be fitted when
// its times are asked for.
type Fit struct {
	Entry collective.Entry // its Name is "measured" where the library chose
	Table string           // the platform's
	Data  fitted.Data

	*fitted.Result // nil until it is fitted
	at             string
}

// libraryChoice stands for the algorithm where the library chose.
const libraryChoice = "measured"

// FitsOf are the measurements that a platform file has of a collective; none if it has none.
// The errors are those of reading.
func FitsOf(ref, name string) (all []Fit, err error) {
	tables, err := platforms.CollectivesOf(ref, fits.CanonicalOf(name))
	if err != nil {
		return nil, err
	}
	return fitCollectives(ref, tables)
}

// PlatformFits are [FitsOf] of a platform that was read, with what errors call it.
func PlatformFits(p platforms.Platform, ref, name string) ([]Fit, error) {
	return fitCollectives(ref, slices.DeleteFunc(slices.Clone(p.Collectives), func(c platforms.MeasuredCollective) bool { return c.Collective != fits.CanonicalOf(name) }))
}

func fitCollectives(ref string, tables []platforms.MeasuredCollective) (all []Fit, err error) {
	for _, t := range tables {
		d := fitted.Data{Collective: t.Collective, Statistic: fitted.Statistic(t.Statistic)}
		for i, ranks := range t.Ranks {
			for j, n := range t.Sizes {
				if v := t.Times[i][j]; v > 0 {
					p := fitted.Point{Ranks: ranks, Size: n, Time: v, Count: 1}
					if t.PerNode != nil {
						p.PerNode = t.PerNode[i]
					}
					if t.Runs != nil && t.Deviations != nil {
						p.Count, p.Deviation = max(1, t.Runs[i][j]), float64(t.Deviations[i][j]/v)
					}
					d.Points = append(d.Points, p)
				}
			}
		}
		e := collective.Entry{Collective: t.Collective, Name: libraryChoice}
		if t.Algorithm != "" {
			if e, err = collective.Find(t.Collective, t.Algorithm); err != nil {
				return nil, fmt.Errorf("%s: collective.%s: %w", ref, t.Name, err)
			}
		}
		all = append(all, Fit{Entry: e, Table: t.Name, Data: d, at: fmt.Sprintf("%s: collective.%s", ref, t.Name)})
	}
	return all, nil
}

// asks reports whether the question is about a fit: any, those of an algorithm, or that of a table.
func (q FittedQuestion) asks(f Fit) bool {
	if q.Statistic != "" && q.Statistic != f.Data.Statistic {
		return false
	}
	return slices.Contains([]string{"all", "best", f.Entry.Name, f.Table}, q.Algorithm)
}

// fit fits what the question asks for, all at once; until the context ends. The errors are those of
// fitting.
func (q FittedQuestion) fit(ctx context.Context, all []*Fit) error {
	done := make(chan error, len(all))
	for _, f := range all {
		if f.Result != nil { // asked before
			done <- nil
			continue
		}
		go func() {
			name := f.Entry.Name
			if name == libraryChoice {
				name = ""
			}
			r, err := fitted.FitToPredict(f.Data, fitted.Options{Algorithm: name})
			if err != nil {
				err = fmt.Errorf("%s: %w", f.at, err)
			}
			f.Result = r
			done <- err
		}()
	}
	for range all {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-done:
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Compute answers the question: the time of an algorithm is that of the slowest rank, as fitted,
// the average that of the average. Algorithms are compared by the slowest where all have it, else
// by the average. Of two tables of the same algorithm and statistic the first counts.
func (q FittedQuestion) Compute(ctx context.Context) (*Times, error) {
	switch {
	case q.Map != "":
		return nil, usage.Fields(fmt.Errorf("%s was measured with its own placement of ranks; omit the placement", q.Collective), "map-by")
	case len(q.Segments) > 0 || q.Call.Gamma != 0 || q.Call.Root != 0 || q.Call.Fanout != 0:
		return nil, usage.Fields(fmt.Errorf("%s was measured without segments, from root 0", q.Collective), "segment", "root", "fan-out", "gamma")
	}
	g := grid{FittedQuestion: q, fits: map[string]map[fitted.Statistic]*Fit{}, forms: map[string]map[string]float64{}}
	if err := g.choose(); err != nil {
		return nil, err
	}
	if err := q.fit(ctx, g.used); err != nil {
		return nil, err
	}
	answer := &Times{Algorithms: g.algorithms, BestOnly: q.Algorithm == "best", Fitted: true}
	for _, ranks := range stats.Ascending(q.Ranks) {
		for _, n := range stats.Ascending(q.Sizes) {
			here, err := g.timings(ranks, n)
			if err != nil {
				return nil, err
			}
			answer.Times = append(answer.Times, here...)
		}
	}
	answer.Notes = slices.Concat(fitNotes(g.used, g.slowest || q.Statistic != "", g.beyond), g.twice, g.notes())
	return answer, nil
}

// choose sets the fits and the algorithms that the question is about.
func (g *grid) choose() error {
	for i := range g.Fits {
		f := &g.Fits[i]
		if !g.asks(*f) {
			continue
		}
		of := g.fits[f.Entry.Name]
		if of == nil {
			of = map[fitted.Statistic]*Fit{}
			g.fits[f.Entry.Name], g.algorithms = of, append(g.algorithms, f.Entry)
		}
		if first := of[f.Data.Statistic]; first != nil {
			g.twice = append(g.twice, fmt.Sprintf("%s, %s: from the table %s; the algorithm %q selects the other table.", f.Entry.Name, f.Data.Statistic, first.Table, f.Table))
			continue
		}
		of[f.Data.Statistic], g.used = f, append(g.used, f)
	}
	if len(g.fits) == 0 {
		names := list.Map(g.Fits, func(f Fit) string { return fmt.Sprintf("%s (%s)", f.Entry.Name, f.Data.Statistic) })
		asked := g.Collective
		if !g.several() {
			asked += " by " + strconv.Quote(g.Algorithm)
		}
		if g.Statistic != "" {
			asked += " with " + map[fitted.Statistic]string{fitted.Slowest: "the time of the slowest rank", fitted.Average: "the average over ranks"}[g.Statistic]
		}
		return fmt.Errorf("no measurement of %s; there are those of %s", asked, strings.Join(stats.Ascending(names), ", "))
	}
	if g.Library != "" {
		l, err := libraryOf(g.Library)
		if err != nil {
			return err
		}
		if g.algorithms = slices.DeleteFunc(g.algorithms, func(e collective.Entry) bool { return !l.has(e) }); len(g.algorithms) == 0 {
			return fmt.Errorf("%s rules have no name for any of the measured algorithms; take another form, or measure algorithms that the library can be told to use", g.Library)
		}
	}
	g.slowest = !slices.ContainsFunc(g.algorithms, func(e collective.Entry) bool { return g.fits[e.Name][fitted.Slowest] == nil })
	return nil
}

// fitNotes say where the times come from.
func fitNotes(used []*Fit, slowest bool, beyond int) []string {
	var parts []string
	for _, f := range used {
		if text := f.Accuracy(); text != "" {
			parts = append(parts, fmt.Sprintf("%s, %s: %s", f.Entry.Name, f.Data.Statistic, text))
		}
	}
	parts = append(parts, "Times are of algorithms' forms, fitted to the measurements nearby and weighted by how well they predict those held out; intervals are of one more measurement.")
	if !slowest {
		parts = append(parts, "The time of the slowest rank was not measured for all: algorithms are compared by the average over ranks, whose interval this is.")
	}
	if beyond > 0 {
		parts = append(parts, fmt.Sprintf("%d of the times are beyond the ranks or sizes that were measured.", beyond))
	}
	return parts
}
