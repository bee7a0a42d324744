package tune

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// ReadFolder adds the measurements in a folder's files that are named as [Map.WriteFolder] names
// them. A folder that does not exist has none. The notes have the errors of single files, and the
// number of measurements that left only a file of errors.
func (m *Map) ReadFolder(folder string) (notes []remark.Note, err error) {
	var files, failed []string
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasSuffix(path, ".out") {
			files = append(files, path)
		} else if strings.HasSuffix(path, ".out.err") {
			failed = append(failed, path)
		}
	}
	least, choices := map[string]quantity.Micros{}, map[string]Choice{}
	var rounds []round
	for _, path := range files {
		c, pass, err := choiceOf(filepath.Base(path))
		if err != nil {
			notes = append(notes, remark.Unusable(fmt.Errorf("%s: %w", path, err)))
			continue
		}
		own, t, err := timesInFile(path)
		if err != nil {
			notes = append(notes, remark.Unusable(err))
			continue
		}
		if isDuel(pass) {
			// Launches of a duel are compared with each other alone: the fastest of many would be
			// faster than the fastest of few.
			rounds = append(rounds, round{c, pass, t})
			if own > 0 {
				rounds = append(rounds, round{ownChoice(c), pass, own})
			}
			continue
		}
		// Disturbances make a pass longer, never shorter: the fastest pass counts.
		if before, known := least[c.file()]; !known || t < before {
			least[c.file()], choices[c.file()] = t, c
		}
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		m.measure(choices[name], least[name])
	}
	m.addDuels(rounds)
	repeated := func(path string) bool {
		return slices.Contains(files, strings.TrimSuffix(path, ".err"))
	}
	if failed = slices.DeleteFunc(failed, repeated); len(failed) > 0 {
		notes = append(notes, remark.FailedRuns(len(failed), failed[0]))
	}
	return notes, nil
}

// timesInFile returns the least time in the output of a benchmark, or of calibrate's passes. The
// file may be of any benchmark that fit reads: its lines tell which. If it is of a duel in one
// launch, own is the time of the library's own choice. Passes of both take turns, so lower
// quartiles count.
func timesInFile(path string) (own, t quantity.Micros, err error) {
	in, err := atomicfile.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return 0, 0, err
	}
	var times []quantity.Micros
	if calibrate.IsCalibration(text) {
		c, err := calibrate.Read(bytes.NewReader(text), path)
		if err != nil {
			return 0, 0, err
		}
		duel := map[int]quantity.Micros{}
		for _, r := range c.Rows {
			if r.IsCollective() {
				times, duel[r.Variant] = append(times, r.Least), r.Time
			}
		}
		if len(duel) == 2 {
			return duel[0], duel[1], nil
		}
	} else {
		f, err := benchfile.Open(path, benchfile.Options{})
		if err != nil {
			return 0, 0, err
		}
		for _, t := range f.Tables {
			// The script measures one size in each file; in place is another way to call the
			// collective.
			if t.Kind == benchfile.Collective && t.Series != "in-place" && len(t.Samples) == 1 {
				times = append(times, t.Samples[0].Mean)
			}
		}
	}
	if len(times) == 0 {
		return 0, 0, fmt.Errorf("%s: no table of a collective with one size", path)
	}
	return 0, slices.Min(times), nil
}

// ReadFiles adds the measurements in files of benchmarks. If a file names no algorithm, its times
// are of the library's choice. If it names no collective, they are of the question's, if that is
// one, and on as many ranks of a node as the question has. It is an error if no table is of a
// collective.
func (m *Map) ReadFiles(paths []string, o fit.Options) (notes []remark.Note, err error) {
	if len(m.Collectives) == 1 {
		o.Measured.Collective, o.Trace.Collective = m.Collectives[0], m.Collectives[0]
	}
	o.Measured.PerNode = m.PerNode
	in, err := benchmarks.Read(paths, o)
	if err != nil {
		return nil, err
	}
	all, notes, err := benchmarks.SeriesOf(in.Sources, o.Measured)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && in.Broken == nil {
		return nil, fmt.Errorf("%s: no table names its collective; ask about one collective, "+
			"which is then that of all tables", strings.Join(paths, ", "))
	}
	notes = slices.Concat(in.LeftOut, in.Notes, notes, m.addSeries(all))
	return notes, in.Broken
}

// ReadTables adds the measured collectives of a platform's file, as [Map.ReadFiles] adds files.
func (m *Map) ReadTables(p platforms.Platform) (notes []remark.Note) {
	var all []fitted.Data
	for _, t := range p.Collectives {
		all = append(all, fitted.DataOf(t))
	}
	return m.addSeries(all)
}

// addSeries adds the measured times of series. It returns notes on those that no candidate has.
func (m *Map) addSeries(all []fitted.Data) (notes []remark.Note) {
	// The collective ends when the slowest rank does. Benchmarks that print no maximum have the
	// average, and the two cannot be compared.
	slowest := map[string]bool{}
	name := func(s fitted.Data) string { return s.Of.Collective + " " + s.Of.Name + s.Foreign }
	for _, s := range all {
		slowest[name(s)] = slowest[name(s)] || s.Statistic == fitted.Slowest
	}
	statistic := fitted.Slowest
	if slices.ContainsFunc(all, func(s fitted.Data) bool { return !slowest[name(s)] }) {
		statistic = fitted.Average
	}
	if len(all) > 0 {
		m.statistic = statistic
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s fitted.Data) bool {
		return s.Statistic != statistic
	})
	perNode := map[int]int{}  // ranks on a node where last measured, by ranks
	several := map[int]bool{} // whether other numbers on a node were measured, by ranks
	for _, s := range all {
		for _, p := range s.Points {
			if last, known := perNode[p.Ranks]; known && last != p.PerNode {
				several[p.Ranks] = true
			}
			perNode[p.Ranks] = p.PerNode
		}
	}
	var foreign []string
	elsewhere := 0 // measurements of the question's calls whose ranks are placed otherwise
	for _, s := range all {
		if s.Foreign != "" { // forced, so the times are not those of the library's choice
			foreign = append(foreign, s.Foreign)
			continue
		}
		c := Choice{Entry: s.Of}
		c.Name = cmp.Or(c.Name, LibraryChoice)
		for _, p := range s.Points {
			c.Ranks, c.PerNode, c.Size = p.Ranks, p.PerNode, p.Size
			// A question without a placement takes that of the measurements, if it is one.
			if m.PerNode == 0 && !several[p.Ranks] {
				c.PerNode = 0
			}
			if m.measure(c, p.Time) {
				continue
			}
			if c.PerNode = 0; m.candidate(c) >= 0 {
				elsewhere++
			}
		}
	}
	if len(foreign) > 0 {
		notes = append(notes,
			remark.NoRuleNames(m.Library, strings.Join(stats.Ascending(foreign), ", ")))
	}
	if elsewhere > 0 {
		notes = append(notes, remark.OtherRanksPerNode(elsewhere))
	}
	return notes
}
