package fits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// sharing reports whether contention is estimated: from fans, from collectives, or for a level
// without measurements.
func (o Options) sharing() bool {
	return o.Fans.File != "" || len(o.Collectives.Paths) > 0 || slices.ContainsFunc(o.Levels, func(l Level) bool { return len(l.From) == 0 })
}

// sharing estimates the contention between the ranks of the machine.
func (f *Fitted) sharing(o Options) error {
	if o.Fans.File != "" && (len(o.Trace.Group) != 1 || o.Trace.Y == "") {
		return usage.Fields(fmt.Errorf("name the columns of the size, the average time and the level"), "fan-out-times", "x", "y", "group")
	}
	var levels []contention.Level
	for _, l := range f.levels {
		if l.Holds == 0 {
			return usage.Fields(fmt.Errorf("level %s: its arity is missing", l.Name), "arity")
		}
		of := contention.Level{Name: l.Name, Holds: l.Holds}
		times := map[quantity.Bytes][]float64{}
		for _, s := range f.sources {
			if s.level != l.Name {
				continue
			}
			if s.table.Kind != benchfile.OneWay {
				return usage.Fields(fmt.Errorf("level %s: %s has times of a %s; to estimate contention, or with a level that was not measured, levels need one-way times", l.Name, s.name(), s.table.Kind), "level")
			}
			for _, sample := range s.table.Samples {
				t := cmp.Or(sample.Median, sample.Mean)
				if sample.Size >= 1 && t > 0 {
					times[sample.Size] = append(times[sample.Size], float64(t))
				}
			}
		}
		for _, n := range slices.Sorted(maps.Keys(times)) {
			of.Sizes, of.OneWay = append(of.Sizes, n), append(of.OneWay, quantity.Micros(stats.Median(times[n])))
		}
		levels = append(levels, of)
	}
	if o.Fans.File != "" {
		if err := f.readFans(levels, o); err != nil {
			return err
		}
	}
	var err error
	if f.shared, err = contention.New(levels, max(len(levels)-2, 0)); err != nil {
		return err
	}
	f.factors, f.within = contention.Plain(), contention.Intervals{Any: f.shared.DefaultInterval()}
	if len(o.Collectives.Paths) == 0 {
		return nil
	}
	return f.refine(o)
}

// readFans reads the table of fans, once for the averages and once for the slowest ranks.
func (f *Fitted) readFans(levels []contention.Level, o Options) error {
	type place struct {
		level, receivers int
		size             quantity.Bytes
	}
	fans := map[place]*contention.Fan{}
	column, unit, _ := strings.Cut(o.Trace.Y, ":")
	for _, y := range []string{column, o.Fans.Slowest} {
		options := o.Trace
		options.Y, options.Group, options.Pool = strings.TrimSuffix(y+":"+unit, ":"), []string{o.Trace.Group[0], o.Fans.Receivers}, nil
		file, err := benchfile.Open(o.Fans.File, options)
		if err != nil {
			return err
		}
		for _, t := range file.Tables {
			level, receivers, err := f.fan(t.Title)
			if err != nil {
				return fmt.Errorf("%s: %w", o.Fans.File, err)
			}
			if level < 0 {
				continue
			}
			for _, s := range t.Samples {
				at := place{level, receivers, s.Size}
				if fans[at] == nil {
					fans[at] = &contention.Fan{Receivers: receivers, Size: s.Size, Times: contention.Times{Average: quantity.Micros(math.NaN()), Max: quantity.Micros(math.NaN())}}
				}
				if y == column {
					fans[at].Average = s.Mean
				} else {
					fans[at].Max = s.Mean
				}
			}
		}
	}
	if len(fans) == 0 {
		return fmt.Errorf("%s has no table of fan-out times at a level", o.Fans.File)
	}
	keys := slices.SortedFunc(maps.Keys(fans), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.receivers, b.receivers), cmp.Compare(a.size, b.size))
	})
	for _, k := range keys {
		levels[k.level].Fans = append(levels[k.level].Fans, *fans[k])
	}
	return nil
}

// fan returns the level and the number of receivers in a title such as "mapby=core comm=5". The
// level is −1 if it is not one of the machine's.
func (f *Fitted) fan(title string) (level, receivers int, err error) {
	words := strings.Fields(title)
	if len(words) != 2 {
		return 0, 0, fmt.Errorf("tables differ in %q; they may differ in the level and the number of receivers alone", title)
	}
	_, of, _ := strings.Cut(words[0], "=")
	_, number, _ := strings.Cut(words[1], "=")
	if receivers, err = strconv.Atoi(number); err != nil || receivers < 1 {
		return 0, 0, fmt.Errorf("invalid number of receivers %q", number)
	}
	return slices.IndexFunc(f.levels, func(l Level) bool { return slices.Contains(l.From, of) }), receivers, nil
}

// A search uses at most maxSearched measured collectives, with at most maxSearchedOperations
// operations in all of their schedules, since it runs them about a hundred times.
const (
	maxSearched           = 96
	maxSearchedOperations = 1 << 19
)

// refine finds the contention factors that best predict the measured collectives, and the
// intervals of such predictions. If no factors predict them, it keeps the present ones and makes
// the intervals unbounded.
func (f *Fitted) refine(o Options) error {
	entry, points, notes, err := f.measuredPoints(o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, notes...)
	chosen, err := spread(points)
	if err != nil {
		return err
	}
	found, err := f.shared.Search(context.Background(), chosen)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s by %s", entry.Collective, entry.Name)
	from := fmt.Sprintf("%d of %d measured times of %s", len(chosen), len(points), what)
	same, other, err := found.FittedIntervals()
	if err != nil {
		f.within = contention.Intervals{Any: contention.Interval{High: math.Inf(1), Source: err.Error()}}
		f.Notes = append(f.Notes, fmt.Sprintf("%v; %s are not used, and the times of collectives are unknown here", err, from))
		return nil
	}
	f.factors, f.factorSource = found.Factors, from
	f.within = contention.Intervals{Any: other, Of: map[string]contention.Interval{contention.IntervalKey(entry): same}}
	if i := f.shared.DefaultInterval(); math.IsInf(i.High, 1) { // a level without measurements
		f.within.Any = i
	}
	f.Notes = append(f.Notes, fmt.Sprintf("%s: median error %s, before %s; the factors are busy %.2f, copy %.2f, memory %.2f, message %.2f, line %.2f",
		from, reports.PercentError(100*found.After), reports.PercentError(100*found.Before), found.Contention, found.EagerPerByte, found.MemoryPerByte, found.NICPerMessage, found.NICPerByte))
	return nil
}

// measuredPoints returns the measured collectives of one algorithm.
func (f *Fitted) measuredPoints(o Options) (entry collective.Entry, points []contention.Point, notes []string, err error) {
	o.Trace.Group, o.Trace.Pool, o.Trace.Collective = nil, nil, o.Measured.Collective // for levels
	in, err := ReadFit(o.Collectives.Paths, o)
	if err != nil {
		return entry, nil, nil, err
	}
	all, notes, err := MeasuredSeries(in.Sources, o.Measured)
	if err = cmp.Or(in.Broken, err); err != nil {
		return entry, nil, nil, err
	}
	if len(all) == 0 {
		return entry, nil, nil, usage.Fields(fmt.Errorf("no table is one of a collective; name the collective of a CSV file, such as bcast"), "calibrate-with", "collective")
	}
	type at struct {
		ranks int
		size  quantity.Bytes
	}
	var order []at
	of := map[at]contention.Times{}
	var found []string
	for _, s := range all {
		asked, err := registeredAlgorithm(s.Collective, o.Measured.Algorithm)
		if err != nil {
			return entry, nil, nil, err
		}
		if found = append(found, cmp.Or(s.Algorithm, "the library's choice")); s.Algorithm == "" || asked != "" && s.Algorithm != asked {
			continue
		}
		one, err := collective.Find(s.Collective, s.Algorithm)
		if err != nil {
			return entry, nil, nil, err
		}
		if entry.Name != "" && (entry.Name != one.Name || entry.Collective != one.Collective) {
			return entry, nil, nil, usage.Fields(fmt.Errorf("the files have times of %s by %s and of %s by %s; choose one algorithm, or pass fewer files", entry.Collective, entry.Name, one.Collective, one.Name), "calibrate-with", "algorithm")
		}
		entry = one
		for _, p := range s.Points {
			a := at{p.Ranks, p.Size}
			t, seen := of[a]
			if !seen {
				order = append(order, a)
				t = contention.Times{Min: quantity.Unknown, Average: quantity.Unknown, Max: quantity.Unknown}
			}
			if s.Statistic == fitted.Average {
				t.Average = p.Time
			} else {
				t.Max = p.Time
			}
			of[a] = t
		}
	}
	if len(order) == 0 {
		return entry, nil, nil, usage.Fields(fmt.Errorf("name the algorithm; the files have times by %s", strings.Join(stats.Ascending(found), ", ")), "calibrate-with", "algorithm")
	}
	points = list.Map(order, func(a at) contention.Point {
		return contention.Point{Entry: entry, Ranks: a.ranks, Call: collective.Call{Bytes: uint64(a.size)}, Map: o.Collectives.Map, Times: of[a]}
	})
	return entry, points, append(in.Notes, notes...), nil
}

// spread chooses as many points as a search may use, evenly over ranks and sizes. It is an error if
// none is small enough.
func spread(points []contention.Point) (chosen []contention.Point, err error) {
	operations := make([]int, len(points))
	sum := 0
	for i, p := range points {
		s, err := p.ScheduleLimit(context.Background(), maxSearchedOperations, p.Ranks, p.Call)
		switch {
		case errors.As(err, new(collective.TooLarge)):
			operations[i] = math.MaxInt
		case err != nil:
			return nil, err
		default:
			operations[i] = len(s.Ops())
			sum += operations[i]
		}
	}
	// Neighbouring points are two sizes of one number of ranks: an odd step reaches both.
	step := max(1, (len(points)+maxSearched-1)/maxSearched, (sum+maxSearchedOperations-1)/maxSearchedOperations) | 1
	left := maxSearchedOperations
	for i := 0; i < len(points); i += step {
		if operations[i] <= left {
			chosen = append(chosen, points[i])
			left -= operations[i]
		}
	}
	if len(chosen) == 0 {
		p := slices.MinFunc(points, func(a, b contention.Point) int { return cmp.Compare(a.Ranks, b.Ranks) })
		return nil, usage.Fields(fmt.Errorf("%s by %s on %d ranks has more than %d operations; give measurements on fewer ranks", p.Collective, p.Name, p.Ranks, maxSearchedOperations), "calibrate-with")
	}
	return chosen, nil
}
