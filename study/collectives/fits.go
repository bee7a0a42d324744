package collectives

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/fits"
)

// A Fit is a collective measured with one algorithm. It is fitted when its times are asked for.
type Fit struct {
	Entry collective.Entry // its Name is libraryChoice if the library chose
	Table string           // of the platform file
	Data  fitted.Data

	*fitted.Result // nil until it is fitted
	at             string
}

// libraryChoice names the algorithm that a library chose.
const libraryChoice = "measured"

// FitsOf returns a platform file's measurements of a collective, which may be none. The errors are
// those of reading.
func FitsOf(ref, name string) (all []Fit, err error) {
	tables, err := platforms.CollectivesOf(ref, fits.CanonicalOf(name))
	if err != nil {
		return nil, err
	}
	return fitCollectives(ref, tables)
}

// PlatformFits is [FitsOf] of a platform that was read; errors call it ref.
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
