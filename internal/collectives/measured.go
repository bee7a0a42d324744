package collectives

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A measured source predicts times by fits to measurements: the time of an algorithm is that of the
// slowest rank, as fitted, the average that of the average. Algorithms are compared by the slowest
// where all have it, else by the average. Of two tables of the same algorithm and statistic the
// first counts. Fits hold for the placement and the calls that were measured, so that the calls
// have no segments, root, fan-out or placement.
type measured struct {
	Calls
	library    collective.Library // whose choices algorithms are where none is named
	all        []fitOf
	algorithms Algorithms
	tables     map[string]map[fitted.Statistic]*fitOf // by algorithm
	used       []*fitOf
	others     map[*fitOf][]string // names of the tables that are not used, by the one that is
	slowest    bool                // all have the time of the slowest rank
}

// planMeasured returns the plan of fitted calls. The fits that it needs are made.
func (b Basis) planMeasured(ctx context.Context) (*Plan, error) {
	if err := b.checkFitted(); err != nil {
		return nil, err
	}
	m := &measured{Calls: b.Calls, library: b.design.Platform.Library, all: b.fits,
		tables: map[string]map[fitted.Statistic]*fitOf{},
		others: map[*fitOf][]string{},
	}
	if err := m.choose(); err != nil {
		return nil, err
	}
	if err := b.fit(ctx, m.used); err != nil {
		return nil, err
	}
	cells, err := m.cells()
	return &Plan{b, m.algorithms, cells, m}, err
}

// checkFitted returns an error if the calls are other ones than those that were measured.
func (c Calls) checkFitted() error {
	if c.Map.By != "" || len(c.Map.Nodes) > 0 {
		err := fmt.Errorf("%s was measured with its own placement of ranks; omit the placement",
			c.Collective)
		return usage.Fields(err, "map-by")
	}
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"segment", len(c.Segments) > 0}, {"root", c.Call.Root != 0},
		{"fan-out", c.Call.Fanout != 0}, {"gamma", c.Call.Gamma != 0},
		{"channels", c.Call.Channels != 0}, {"osu-loop", c.Loop},
	} {
		if option.given {
			return usage.Fields(fmt.Errorf("%s was measured with its own work and without "+
				"segments, from root 0; omit the option", c.Collective), option.name)
		}
	}
	return nil
}

// asks reports whether the question is about a fit: any, those of an algorithm, or
// that of a table. The name of a table distinguishes two measurements of the same
// algorithm.
func (m *measured) asks(f fitOf) bool {
	if m.Statistic != "" && m.Statistic != f.Data.Statistic {
		return false
	}
	if max(1, m.Groups) != max(1, f.Data.Groups) {
		return m.Algorithm == f.Data.Name && m.Algorithm != ""
	}
	if m.Algorithm == "" {
		return slices.Contains(m.unnamed(), f.Entry.Name)
	}
	return slices.ContainsFunc(m.Named(), func(name string) bool {
		return slices.Contains([]string{"all", "best", f.Entry.Name, f.Data.Name}, name) ||
			name != "" && name == f.Entry.NCCL
	})
}

// unnamed returns the names of the measured algorithms that a question is about which names none:
// what the library chose, or the only algorithm, if that was measured, else those of
// [Calls.defaults].
func (m *measured) unnamed() (names []string) {
	measured := stats.Ascending(list.Map(m.all, func(f fitOf) string { return f.Entry.Name }))
	switch {
	case slices.Contains(measured, LibraryChoice):
		return []string{LibraryChoice}
	case len(measured) == 1:
		return measured
	}
	all, _ := m.defaults(m.library)
	return list.Map(all, func(e collective.Entry) string { return e.Name })
}

// choose sets the fits and the algorithms that the calls are of.
func (m *measured) choose() error {
	for i := range m.all {
		f := &m.all[i]
		if !m.asks(*f) {
			continue
		}
		of := m.tables[f.Entry.Name]
		if of == nil {
			of = map[fitted.Statistic]*fitOf{}
			m.tables[f.Entry.Name], m.algorithms = of, append(m.algorithms, f.Entry)
		}
		if first := of[f.Data.Statistic]; first != nil {
			m.others[first] = append(m.others[first], f.Data.Name)
			continue
		}
		of[f.Data.Statistic], m.used = f, append(m.used, f)
	}
	if len(m.tables) == 0 {
		return m.noMeasurement()
	}
	if l := m.Form; l.Name != "" {
		unnamed := func(e collective.Entry) bool { return !l.Has(e) }
		m.algorithms = slices.DeleteFunc(m.algorithms, unnamed)
		if len(m.algorithms) == 0 {
			return fmt.Errorf("%s rules have no name for any of the measured algorithms; take "+
				"another form, or measure algorithms that the library can be told to use: %s",
				l.Name, m.tune())
		}
	}
	// The slowest rank of one algorithm and the average of another cannot be compared.
	averageOnly := func(e collective.Entry) bool { return m.tables[e.Name][fitted.Slowest] == nil }
	m.slowest = !slices.ContainsFunc(m.algorithms, averageOnly)
	return nil
}

// noMeasurement returns the error of calls that no fit answers, with what could
// be asked.
func (m *measured) noMeasurement() error {
	asked := m.Collective
	switch {
	case m.Algorithm == "":
		asked += " by " + strings.Join(m.unnamed(), " and ") + ", which run where none is named"
	case strings.Contains(m.Algorithm, ","):
		asked += " by " + strings.ReplaceAll(m.Algorithm, ",", " or ")
	case !m.Several():
		asked += " by " + strconv.Quote(m.Algorithm)
	}
	switch m.Statistic {
	case fitted.Slowest:
		asked += " with the time of the slowest rank"
	case fitted.Average:
		asked += " with the average over ranks"
	}
	names := list.Map(m.all, func(f fitOf) string {
		return fmt.Sprintf("%s (%s)", f.Entry.Name, f.Data.Statistic)
	})
	rerun := ""
	named := strings.Contains(m.Algorithm, ",")
	if named && slices.ContainsFunc(m.all, func(f fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	}) {
		rerun = "; rerun nccl-tests with NCCL_ALGO=Ring and with NCCL_ALGO=Tree, and fit these logs"
	}
	return fmt.Errorf("no measurement of %s; there are those of %s%s", asked,
		strings.Join(stats.Ascending(names), ", "), rerun)
}

// cells returns the calls to be predicted.
func (m *measured) cells() (cells []Cell, err error) {
	for _, ranks := range stats.Ascending(m.Ranks) {
		for _, n := range stats.Ascending(m.Sizes) {
			only := ""
			if m.Algorithm == "" && len(m.unnamed()) > 1 {
				e, _ := m.library.Default(m.Collective, ranks, uint64(m.block(ranks, n)))
				only = e.Name
			}
			before := len(cells)
			for _, e := range m.algorithms {
				if e.Name == only || only == "" {
					cells = append(cells, m.cell(e, ranks, m.perNode(e, ranks), n))
				}
			}
			if len(cells) == before {
				return nil, m.noMeasurement()
			}
		}
	}
	return cells, nil
}

func (m *measured) cell(e collective.Entry, ranks, perNode int, n quantity.Bytes) Cell {
	c := newCell(e, ranks, collective.Call{Bytes: uint64(n), PerNode: perNode})
	c.Total = m.Total
	return c
}

// perNode returns the ranks on each node: as asked, or as in the measurements of the algorithm.
func (m *measured) perNode(e collective.Entry, ranks int) int {
	perNode := m.PerNode
	for _, statistic := range fitted.Statistics {
		if of, has := m.tables[e.Name][statistic]; has && perNode == 0 {
			perNode = of.PlacementOf(ranks).PerNode
		}
	}
	return perNode
}

// block returns the size that fits are over: of collectives of blocks, that of one rank's block.
func (m *measured) block(ranks int, n quantity.Bytes) quantity.Bytes {
	if m.Total && (collective.Entry{Collective: m.algorithms[0].Collective}).InBlocks() {
		return quantity.Bytes(math.Floor(float64(n) / float64(ranks)))
	}
	return n
}

// estimates predicts the times of the cells.
func (m *measured) estimates(ctx context.Context, cells []Cell) (all []Estimate, err error) {
	all = make([]Estimate, len(cells))
	for i, c := range cells {
		if all[i], err = m.Time(ctx, c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compared returns the statistic that all algorithms are compared by.
func (m *measured) compared() fitted.Statistic {
	if m.slowest {
		return fitted.Slowest
	}
	return fitted.Average
}

// Time predicts the times of an algorithm's call. The time of the slowest rank is never below the
// average; it is unknown unless all algorithms have it.
func (m *measured) Time(_ context.Context, c Cell) (Estimate, error) {
	e := unknown()
	e.From = FromFit
	for _, statistic := range fitted.Statistics {
		of, has := m.tables[c.Name][statistic]
		if !has {
			continue
		}
		// Without a placement, the ranks are placed as in the measurements.
		at := fitted.Placement{Ranks: c.Ranks, PerNode: m.PerNode}
		if at.PerNode == 0 {
			at = of.PlacementOf(c.Ranks)
		}
		found, err := of.PredictAt(at, m.block(c.Ranks, c.Size()))
		if err != nil {
			return e, err
		}
		e.predicted = append(e.predicted, prediction{of, found})
		e.Beyond = max(e.Beyond, found.Beyond)
		if statistic == fitted.Average {
			e.Average, e.AverageWithin = quantity.Micros(found.Value), found.Interval
		} else {
			e.Time, e.Within = quantity.Micros(found.Value), found.Interval
		}
		if statistic == m.compared() {
			e.likely, e.expected, e.Measure = found, found.Expected, found.Measure
			if found.Measured {
				e.From = FromMeasurement
			}
		}
	}
	if !m.slowest {
		e.Time, e.Within = quantity.Unknown, quantity.Alone(quantity.Unknown)
		return e, nil
	}
	e.AverageWithin = quantity.Alone(quantity.Unknown) // the interval is that of the slowest rank
	if e.Average > e.Time {                            // the fits cross
		// A mean above the maximum cannot be. The larger number stays inside the interval.
		e.Within.High = max(e.Within.High, float64(e.Average))
		e.Average, e.crossed = e.Time, true
	}
	return e, nil
}

// remark adds what the times are fitted to.
func (m *measured) remark(t *Times) {
	t.Fitted, t.Notes, t.Measured = true, m.notes(t.Times), m.points()
	t.ByBusbw = slices.ContainsFunc(m.used, func(f *fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	})
}

// points returns the measured calls on the numbers of ranks of the calls.
func (m *measured) points() (all []Timing) {
	for _, e := range m.algorithms {
		for _, p := range m.tables[e.Name][m.compared()].Points {
			perNode := cmp.Or(m.PerNode, p.PerNode)
			if !slices.Contains(m.Ranks, p.Ranks) || perNode != p.PerNode {
				continue
			}
			n := p.Size
			if m.Total && e.InBlocks() {
				n *= quantity.Bytes(p.Ranks)
			}
			t := Timing{Cell: m.cell(e, p.Ranks, perNode, n), Estimate: unknown()}
			if t.Average = p.Time; m.slowest {
				t.Time = p.Time
			}
			all = append(all, t)
		}
	}
	return all
}

// notes describes the fits, and counts the times with a caveat.
func (m *measured) notes(times []Timing) (notes []remark.Note) {
	seen := caveatsOf(times)
	add := func(n remark.Note) { notes = append(notes, n) }
	for _, f := range m.used {
		if text := f.Accuracy(); text != "" {
			add(remark.Fitted(f.Entry.Name, string(f.Data.Statistic), text))
		}
	}
	add(remark.FormsOfAlgorithms())
	if !m.slowest && m.Statistic == "" {
		add(remark.NoSlowest())
	}
	// Times of one algorithm, or of what the library chose, leave nothing to choose from.
	if len(m.algorithms) == 1 && m.Several() && m.Tune != nil {
		what := "by " + m.algorithms[0].Name + " only"
		if m.algorithms[0].Name == LibraryChoice {
			what = "by the library's own choice"
		}
		add(remark.MeasuredOnly(what, m.tune()))
	}
	if (collective.Entry{Collective: m.algorithms[0].Collective}).InBlocks() && !m.Total {
		add(remark.OneBlock())
	}
	for _, f := range m.used {
		if others := m.others[f]; others != nil {
			add(remark.FromTable(f.Entry.Name, string(f.Data.Statistic), f.Data.Name,
				strings.Join(others, ", ")))
		}
	}
	repeated := slices.ContainsFunc(m.used, func(f *fitOf) bool { return f.Noise > 0 })
	return slices.Concat(seen.noInterval(), seen.beyondNotes(repeated), notes, seen.notes())
}

// tune returns the command that measures each algorithm.
func (m *measured) tune() string {
	if m.Tune == nil {
		return ""
	}
	library := ""
	// The tables of nccl-tests are named after it.
	if slices.ContainsFunc(m.all, func(f fitOf) bool {
		return strings.Contains(f.Data.Name, "nccl-tests")
	}) {
		library = "nccl"
	}
	return m.Tune(m.Ranks, m.PerNode, library)
}

// fit fits these measurements, all at once; until the context ends. The
// errors are those of fitting. Only these fits are made: a file may have tables of
// ten algorithms, and each takes seconds.
func (c Calls) fit(ctx context.Context, all []*fitOf) error {
	if c.Fits != nil {
		c.Fits.mutex.Lock()
		defer c.Fits.mutex.Unlock()
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
