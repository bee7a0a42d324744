package tune

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// ReadFolder adds the measurements in a folder's files that are named as [Map.WriteFolder] names
// them. A folder that does not exist has none. The notes have the errors of single files, and the
// number of measurements that left only a file of errors.
func (m *Map) ReadFolder(folder string) (notes []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.out"))
	if err != nil {
		return nil, err
	}
	least, choices := map[string]quantity.Micros{}, map[string]Choice{}
	var rounds []round
	for _, path := range files {
		c, pass, err := choiceOf(filepath.Base(path))
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v; left out", path, err))
			continue
		}
		own, t, err := timesInFile(path)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%v; left out", err))
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
	failed, err := filepath.Glob(filepath.Join(folder, "*.out.err"))
	repeated := func(path string) bool {
		return slices.Contains(files, strings.TrimSuffix(path, ".err"))
	}
	if failed = slices.DeleteFunc(failed, repeated); len(failed) > 0 {
		notes = append(notes, fmt.Sprintf("Measurements that failed or did not end: %d; "+
			"the first one's errors are in %s.", len(failed), failed[0]))
	}
	return notes, err
}

// timesInFile returns the least time in the output of a benchmark, or of calibrate's passes. The
// file may be of any benchmark that fit reads: its lines tell which. If it is of a duel in one
// launch, own is the time of the library's own choice. Passes of both take turns, so lower
// quartiles count.
func timesInFile(path string) (own, t quantity.Micros, err error) {
	text, err := os.ReadFile(path)
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
// are of the library's choice.
func (m *Map) ReadFiles(paths []string, o fits.Options) (notes []string, err error) {
	in, err := fits.ReadFit(paths, o)
	if err != nil {
		return nil, err
	}
	all, notes, err := fits.MeasuredSeries(in.Sources, o.Measured)
	if err != nil {
		return nil, err
	}
	// The collective ends when the slowest rank does. Benchmarks that print no maximum have the
	// average.
	statistic := fitted.Slowest
	if !slices.ContainsFunc(all, func(s fitted.Data) bool { return s.Statistic == statistic }) {
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
			m.measure(c, p.Time)
		}
	}
	return append(in.Notes, notes...), in.Broken
}
