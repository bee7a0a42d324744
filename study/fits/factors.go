package fits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A Calibration lists files of collectives that were measured on the machine whose levels are
// fitted, by the algorithm of [Options.Measured], and how their ranks were placed there: see
// [machine.Machine.Place].
type Calibration struct {
	Paths []string
	Map   string
}

// A search uses at most maxSought measured collectives, whose schedules have at most
// maxSoughtOperations operations in all. It runs the loops around them about a hundred times.
const (
	maxSought           = 96
	maxSoughtOperations = 1 << 19
)

// sharpen finds the contention factors that predict the measured collectives best, and the
// intervals of such predictions. If no factors do, it leaves them as they are, and intervals are
// unbounded.
func (f *Fitted) sharpen(o Options) error {
	ctx := context.Background()
	entry, points, notes, err := f.soughtPoints(o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, notes...)
	chosen, err := spread(points)
	if err != nil {
		return err
	}
	set, err := contention.NewSet(chosen)
	if err != nil {
		return err
	}
	found, err := f.shared.Search(ctx, set, contention.Plain())
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s by %s", entry.Collective, entry.Name)
	from := fmt.Sprintf("%d of %d measured times of %s", len(chosen), len(points), what)
	same, other, err := found.FittedIntervals()
	if errors.As(err, new(contention.Mismatch)) {
		f.within = contention.Intervals{Any: contention.Interval{High: math.Inf(1), Source: err.Error()}}
		f.Notes = append(f.Notes, fmt.Sprintf("%v; %s are not used, and the times of collectives are unknown here", err, from))
		return nil
	} else if err != nil {
		return err
	}
	f.factors, f.seen = found.Factors, from
	f.within = contention.Intervals{Any: other, Of: map[string]contention.Interval{contention.IntervalKey(entry): same}}
	if i := f.shared.DefaultInterval(); math.IsInf(i.High, 1) { // a level without measurements
		f.within.Any = i
	}
	f.Notes = append(f.Notes, fmt.Sprintf("%s: median error %s, before %s; the factors are busy %.2f, copy %.2f, memory %.2f, message %.2f, line %.2f",
		from, reports.PercentError(100*found.After), reports.PercentError(100*found.Before), found.Contention, found.EagerPerByte, found.MemoryPerByte, found.NICPerMessage, found.NICPerByte))
	return nil
}

// soughtPoints returns the measured collectives of one algorithm.
func (f *Fitted) soughtPoints(o Options) (entry collective.Entry, points []contention.Point, notes []string, err error) {
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

// spread chooses among points as many as a search may take, evenly over ranks and sizes. It is an
// error if none is small enough.
func spread(points []contention.Point) (chosen []contention.Point, err error) {
	operations := make([]int, len(points))
	sum := 0
	for i, p := range points {
		s, err := p.ScheduleLimit(context.Background(), maxSoughtOperations, p.Ranks, p.Call)
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
	// Two sizes that follow each other are of one number of ranks: an odd step goes through both.
	step := max(1, (len(points)+maxSought-1)/maxSought, (sum+maxSoughtOperations-1)/maxSoughtOperations) | 1
	left := maxSoughtOperations
	for i := 0; i < len(points); i += step {
		if operations[i] <= left {
			chosen = append(chosen, points[i])
			left -= operations[i]
		}
	}
	if len(chosen) == 0 {
		p := slices.MinFunc(points, func(a, b contention.Point) int { return cmp.Compare(a.Ranks, b.Ranks) })
		return nil, usage.Fields(fmt.Errorf("%s by %s on %d ranks has more than %d operations; give measurements on fewer ranks", p.Collective, p.Name, p.Ranks, maxSoughtOperations), "calibrate-with")
	}
	return chosen, nil
}
