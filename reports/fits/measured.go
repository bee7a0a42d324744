package fits

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// MeasuredSeries groups tables of collectives. Tables of one collective, algorithm and name make a
// series with the average over ranks, and one with the slowest rank if all of them have it. Tables
// of the same ranks and size are repeats. Tables of other kinds are left out.
func MeasuredSeries(sources []fitSource, o MeasuredOptions) (all []Series, notes []string, err error) {
	if o.Collective != "" && collective.Of(o.Collective) == nil {
		_, err := collective.Find(o.Collective, "")
		return nil, nil, err
	}
	of := map[seriesKey][]seriesPoint{}
	var keys []seriesKey
	skipped, unsaid := 0, 0
	for _, s := range sources {
		if s.table.Kind != benchfile.Collective {
			skipped++
			continue
		}
		k, points, note, err := o.points(s, &unsaid)
		switch {
		case err != nil:
			return nil, nil, err
		case note != "":
			notes = append(notes, s.name()+": "+note)
			continue
		case of[k] == nil:
			keys = append(keys, k)
		}
		of[k] = append(of[k], points...)
	}
	if len(o.Ranks) > 1 && unsaid != len(o.Ranks) {
		return nil, nil, usage.Fields(fmt.Errorf("%d numbers of ranks for %d tables that do not give theirs; pass one for all tables, or one for each", len(o.Ranks), unsaid), "measured-ranks")
	}
	if len(keys) == 0 && len(notes) > 0 {
		return nil, nil, errors.New(notes[0])
	}
	if skipped > 0 && len(keys) > 0 {
		notes = append(notes, fmt.Sprintf("skipped %d tables that measure no collective; the model piecewise fits each table by itself", skipped))
	}
	for _, k := range keys {
		unplaced := slices.ContainsFunc(of[k], func(p seriesPoint) bool { return p.PerNode == 0 })
		partly := slices.ContainsFunc(of[k], func(p seriesPoint) bool { return p.slowest <= 0 })
		var average, slowest []fitted.Point
		for _, p := range of[k] {
			if unplaced {
				p.PerNode = 0
			}
			average = append(average, p.Point)
			p.Time, p.Deviation = p.slowest, 0
			slowest = append(slowest, p.Point)
		}
		all = append(all, k.series(fitted.Average, average))
		if !partly {
			all = append(all, k.series(fitted.Slowest, slowest))
		}
	}
	return all, notes, nil
}

// A Series holds the measurements of a collective by one algorithm, with one statistic over ranks.
type Series struct {
	fitted.Data        // without an algorithm: the library's choice
	Name        string // distinguishes series of one collective: in-place, mapby=core
}

// Label names the series, for messages.
func (s Series) Label() string {
	parts := []string{s.Collective, cmp.Or(s.Algorithm, "by the library's choice")}
	if s.Name != "" {
		parts = append(parts, s.Name)
	}
	return strings.Join(append(parts, string(s.Statistic)), ", ")
}

// A JointFit is the joint fit of a collective over sizes and ranks.
type JointFit struct {
	*fitted.Result
	series Series
}

// A seriesKey has the common values of the tables of a series.
type seriesKey struct{ collective, algorithm, name string }

// A seriesPoint is a point with the average over ranks, and the time of the slowest rank, or 0.
type seriesPoint struct {
	fitted.Point
	slowest quantity.Micros
}

// points returns the points of a table and their series, or a note with the reason why the table is
// left out. unsaid counts the tables that do not give their ranks.
func (o MeasuredOptions) points(s fitSource, unsaid *int) (k seriesKey, points []seriesPoint, note string, err error) {
	c := s.table.Collective
	if c.Name = cmp.Or(c.Name, o.Collective); c.Name == "" {
		return k, nil, "", usage.Fields(fmt.Errorf("%s: the file does not say which collective it measured; name it, for example allreduce", s.file.Name), "collective")
	}
	c.PerNode = cmp.Or(c.PerNode, o.PerNode)
	if c.Ranks = cmp.Or(c.Ranks, c.Nodes*c.PerNode); c.Ranks == 0 {
		if c.Ranks, err = o.unsaidRanks(*unsaid); err != nil {
			return k, nil, "", fmt.Errorf("%s %w", s.name(), err)
		}
		*unsaid++
	}
	k = seriesKey{collective: registered(c.Name), name: seriesName(s.table)}
	asked, err := registeredAlgorithm(k.collective, o.Algorithm)
	if err == nil {
		if k.algorithm, err = registeredAlgorithm(k.collective, c.Algorithm); k.algorithm == "" && asked != "" {
			k.algorithm, err = asked, nil
		}
	}
	switch {
	case err != nil:
		return k, nil, "", fmt.Errorf("%s: %w", s.name(), err)
	case collective.Of(k.collective) == nil:
		return k, nil, fmt.Sprintf("no algorithm of %s is known, and it is left out", c.Name), nil
	case c.Ranks < 2:
		return k, nil, fmt.Sprintf("on %d rank, left out", c.Ranks), nil
	}
	plain := s.table.Format == "csv" || s.table.Format == "json"
	total := !c.PerRank && (collective.Entry{Collective: k.collective}).InBlocks() && (!plain || o.Total || c.Total)
	for _, t := range s.table.Samples {
		n := t.Size
		if total { // the registry counts the block of a rank
			n = quantity.Bytes(math.Floor(float64(n) / float64(c.Ranks)))
		}
		points = append(points, seriesPoint{fitted.Point{
			Ranks: c.Ranks, PerNode: c.PerNode, Size: n,
			Time: t.Mean, Count: max(1, t.Count), Deviation: math.Sqrt(t.Variance) / float64(t.Mean),
		}, t.Slowest})
	}
	return k, points, "", nil
}

// series returns the series of points. Those of one call become one, in which each counts once.
func (k seriesKey) series(statistic fitted.Statistic, points []fitted.Point) Series {
	slices.SortStableFunc(points, byCall)
	d := fitted.Data{Collective: k.collective, Algorithm: k.algorithm, Statistic: statistic}
	for len(points) > 0 {
		n := 1
		for n < len(points) && byCall(points[n], points[0]) == 0 {
			n++
		}
		for i := range points[:n] {
			if n > 1 {
				points[i].Count, points[i].Deviation = 1, 0
			}
		}
		d.Points, points = append(d.Points, fitted.Repeated(points[:n])), points[n:]
	}
	return Series{d, k.name}
}

func byCall(a, b fitted.Point) int {
	return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode), cmp.Compare(a.Size, b.Size))
}

// unsaidRanks returns the ranks of the n-th table that does not give them.
func (o MeasuredOptions) unsaidRanks(n int) (int, error) {
	switch {
	case len(o.Ranks) == 0:
		return 0, usage.Fields(fmt.Errorf("does not say how many ranks took part; give their number"), "measured-ranks")
	case len(o.Ranks) == 1:
		return o.Ranks[0], nil
	case n < len(o.Ranks):
		return o.Ranks[n], nil
	}
	return 0, usage.Fields(fmt.Errorf("does not say how many ranks took part, and only %d numbers are given; pass one for all tables, or one for each such table", len(o.Ranks)), "measured-ranks")
}

// seriesName returns the name that distinguishes the series of a collective.
func seriesName(t *benchfile.Table) string {
	if t.Format == "csv" || t.Format == "json" {
		return t.Series
	}
	return strings.TrimSpace(t.Format + " " + t.Series)
}

// registered returns the registry's name for a collective as files name it. Collectives of varying
// counts, such as allgatherv, are measured with equal counts.
func registered(name string) string {
	if v, ok := strings.CutSuffix(name, "v"); ok && collective.Of(v) != nil {
		name = v
	}
	return CanonicalOf(name)
}

// CanonicalOf returns the registry's name for a collective, or name if it is unknown there.
func CanonicalOf(name string) string {
	if all := collective.Of(name); len(all) > 0 {
		return all[0].Collective
	}
	return name
}

// registeredAlgorithm returns the registry's name for an algorithm that a file gives by that name,
// by Open MPI's number, or by the name in NCCL or MPICH; it is empty for the library's choice.
func registeredAlgorithm(name, file string) (string, error) {
	if file == "" || file == "0" || file == "auto" || file == "default" {
		return "", nil
	}
	all := collective.Of(name)
	if number, err := strconv.Atoi(file); err == nil {
		if i := slices.IndexFunc(all, func(e collective.Entry) bool { return e.OpenMPI == number }); i >= 0 {
			return all[i].Name, nil
		} else if all == nil {
			return file, nil // the unknown collective is reported elsewhere
		}
		return "", usage.Fields(fmt.Errorf("no algorithm of %s has the number %d in Open MPI; give its name", name, number), "algorithm")
	}
	e, err := collective.Find(name, file)
	if err == nil { // a name here before the same one elsewhere
		return e.Name, nil
	}
	elsewhere := func(e collective.Entry) bool {
		return slices.Contains([]string{e.NCCL, e.MPICH}, strings.ToLower(file))
	}
	if i := slices.IndexFunc(all, elsewhere); i >= 0 {
		return all[i].Name, nil
	}
	return "", err
}
