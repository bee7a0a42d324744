package tune

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/fits"
)

// A Decision is the choice for a call.
type Decision struct {
	Choice
	Time    quantity.Micros // expected
	Default quantity.Micros // expected of the library's choice
	Loss    float64         // expected, over the fastest
	// Measured and Of count the candidates that were measured and all of them; Excluded those that
	// are not worth a measurement.
	Measured, Excluded, Of int
	Seen                   bool // the choice itself was measured
}

// margin is how much faster than the library's choice another one has to be at least, in
// logarithms: differences of less are noise.
const margin = 0.03

// own returns the candidate of a call that is the library's choice.
func (m *Map) own(call int) int {
	of := m.calls[call]
	return of[slices.IndexFunc(of, func(i int) bool { return m.Choices[i].Name == LibraryChoice })]
}

// choose returns the candidate for a call: the best, if the library's choice was measured and is
// slower by the margin and by a standard deviation of their difference.
func (m *Map) choose(call int) int {
	best, i := m.Best(call), m.own(call)
	g, a, b := m.posterior(m.group[i]), m.at[i], m.at[best]
	deviation := math.Sqrt(max(0, g.cov.At(a, a)+g.cov.At(b, b)-2*g.cov.At(a, b)))
	if m.measured[i] == 0 || g.mean[a]-g.mean[b] < max(margin, deviation) {
		return i
	}
	return best
}

// Next returns at most n candidates to measure: the library's choices that rules have to be held
// against, up to half of n, and then those of [Tuner.Next].
func (m *Map) Next(n int) (all []int) {
	for call := range len(m.calls) {
		if i := m.own(call); m.measured[i] == 0 && m.Best(call) != i && len(m.measured) > 0 && len(all) < n/2 {
			all = append(all, i)
		}
	}
	for _, i := range m.Tuner.Next(n) {
		if len(all) < n && !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all
}

// Decisions returns the choices for all calls, in the order of the question.
func (m *Map) Decisions() (all []Decision) {
	for call := range len(m.calls) {
		i := m.choose(call)
		d := Decision{Choice: m.Choices[i], Time: m.expected(i), Default: m.expected(m.own(call)), Loss: m.Loss(i), Of: len(m.calls[call]), Seen: m.measured[i] > 0}
		for _, j := range m.calls[call] {
			if m.measured[j] > 0 {
				d.Measured++
			} else if m.Excluded(j) {
				d.Excluded++
			}
		}
		all = append(all, d)
	}
	return all
}

func (m *Map) expected(i int) quantity.Micros {
	mean, deviation := m.Predict(i)
	return quantity.Micros(math.Exp(mean + deviation*deviation/2))
}

// MeanLoss returns the expected loss in the mean over the calls.
func MeanLoss(all []Decision) (loss float64) {
	for _, d := range all {
		loss += d.Loss / float64(len(all))
	}
	return loss
}

// Rows is the table of the decisions.
func (m *Map) Rows(all []Decision) reports.Rows {
	percent := reports.PercentText("%.1f %%")
	rows := reports.TableOf(all,
		reports.Col("collective", reports.HeadIf(len(m.Collectives) > 1, "collective"), func(d Decision) any { return d.Collective }),
		reports.Col("ranks", "ranks", func(d Decision) any { return d.Ranks }),
		reports.Col("size_bytes", "size", func(d Decision) any { return d.Size }),
		reports.Col("algorithm", "algorithm", func(d Decision) any { return d.Name }),
		reports.Col("segment_bytes", reports.HeadIf(len(m.Segments) > 0, "segment"), func(d Decision) any { return reports.OrAbsent(d.Segment, d.Segment > 0) }),
		reports.Col("time_us", "time", func(d Decision) any { return d.Time }),
		reports.Col("default_us", "default", func(d Decision) any { return d.Default }),
		reports.Col("loss_percent", "loss", func(d Decision) any { return reports.Finite(100 * d.Loss) }).Texted(percent),
		reports.Col("", "measured", func(d Decision) any { return fmt.Sprintf("%d of %d", d.Measured, d.Of) }),
		reports.Col("measured", "", func(d Decision) any { return d.Measured }),
		reports.Col("excluded", "", func(d Decision) any { return d.Excluded }),
		reports.Col("candidates", "", func(d Decision) any { return d.Of }),
		reports.Col("choice_measured", "", func(d Decision) any { return d.Seen }),
	)
	none, points := 0, 0
	for _, d := range all {
		points += d.Measured
		if d.Measured == 0 {
			none++
		}
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("Expected loss against the fastest, as the mean over all calls (%[2]d): %[1]s, from %[3]d of %[4]d points. Calls without a measurement: %[5]d.",
		percent(100*MeanLoss(all)), len(all), points, len(m.candidates), none))
	if m.Unknown > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d measurements are of other ranks, sizes or algorithms, and were not used.", m.Unknown))
	}
	return rows
}

// ReadFolder adds the measurements in files of a folder that are named as a script names them. A
// folder that is not there has none. Errors of single files are returned as notes, and so is how
// many measurements have only what they printed as errors.
func (m *Map) ReadFolder(folder string) (notes []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.out"))
	if err != nil {
		return nil, err
	}
	least, choices := map[string]quantity.Micros{}, map[string]Choice{}
	for _, path := range files {
		c, err := choiceOf(filepath.Base(path))
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v; left out", path, err))
			continue
		}
		t, err := timeIn(path)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%v; left out", err))
			continue
		}
		if before, known := least[c.file()]; !known || t < before { // disturbances make a pass longer
			least[c.file()], choices[c.file()] = t, c
		}
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		m.Measure(choices[name], least[name])
	}
	failed, err := filepath.Glob(filepath.Join(folder, "*.out.err"))
	if failed = slices.DeleteFunc(failed, func(path string) bool { return slices.Contains(files, strings.TrimSuffix(path, ".err")) }); len(failed) > 0 {
		notes = append(notes, fmt.Sprintf("Measurements that failed or did not end: %d; the first one's errors are in %s.", len(failed), failed[0]))
	}
	return notes, err
}

// timeIn returns the least time in the output of a benchmark, or of calibrate's passes.
func timeIn(path string) (quantity.Micros, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var times []quantity.Micros
	if contention.IsCalibration(text) {
		c, err := contention.ReadCalibration(bytes.NewReader(text), path)
		if err != nil {
			return 0, err
		}
		for _, r := range c.Rows {
			if r.IsCollective() {
				times = append(times, r.Least)
			}
		}
	} else {
		f, err := benchfile.Open(path, benchfile.Options{})
		if err != nil {
			return 0, err
		}
		for _, t := range f.Tables {
			if t.Kind == benchfile.Collective && t.Series != "in-place" && len(t.Samples) == 1 {
				times = append(times, t.Samples[0].Mean)
			}
		}
	}
	if len(times) == 0 {
		return 0, fmt.Errorf("%s: no table of a collective with one size", path)
	}
	return slices.Min(times), nil
}

// ReadFiles adds the measurements in files of benchmarks, the algorithms of which they name; where
// they name none the library chose. The errors are those of reading.
func (m *Map) ReadFiles(paths []string, o fits.Options) (notes []string, err error) {
	in, err := fits.ReadFit(paths, o)
	if err != nil {
		return nil, err
	}
	all, notes, err := fits.MeasuredSeries(in.Sources, o.Measured)
	if err != nil {
		return nil, err
	}
	statistic := fitted.Slowest
	if !slices.ContainsFunc(all, func(s fits.Series) bool { return s.Statistic == statistic }) {
		statistic = fitted.Average
	}
	for _, s := range all {
		if s.Statistic != statistic {
			continue
		}
		c := Choice{}
		c.Collective, c.Name = s.Collective, s.Algorithm
		if c.Name == "" {
			c.Name = LibraryChoice
		}
		for _, p := range s.Points {
			c.Ranks, c.PerNode, c.Size = p.Ranks, p.PerNode, p.Size
			m.Measure(c, p.Time)
		}
	}
	return append(in.Notes, notes...), in.Broken
}
