package calibrate

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Fit is the machine that calibrate.c's output describes, and the comparison of this machine with
// the collectives and exchanges that the same run measured. Those measurements are not used in the
// fit, so they test it.
type Fit struct {
	*Calibration
	File       string
	Fitted     machine.Machine
	Unmeasured []string  // levels that no pair of ranks measured
	Checks     []Checked // set by Test
	within     Deviation // of its collectives
}

// FitMachine fits a machine to calibrate.c's output, without checks. A level that no pair of ranks
// measured is taken to be like the next one.
func FitMachine(text io.Reader, path string) (f *Fit, err error) {
	// Only the base name goes into the saved file: a path of this machine says nothing elsewhere.
	f = &Fit{File: filepath.Base(path)}
	if f.Calibration, err = Read(text, path); err != nil {
		return nil, err
	}
	if f.Fitted, f.Unmeasured, err = f.Machine(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Test compares the machine with all measurements.
func (f *Fit) Test(ctx context.Context) (err error) {
	f.Checks, err = f.Check(ctx, f.Fitted)
	f.within = CheckedDeviation(f.Checks, f.Unmeasured)
	return err
}

// recognized is the number of bytes that show whether a text is of calibrate.c or pipeline.c. It
// leaves room for what mpirun and a job's script print before the header.
const recognized = 64 << 10

// Recognize reports whether a text is the output of calibrate.c or of pipeline.c. It reads nothing.
func Recognize(text *bufio.Reader) (ofMachine, ofPipelines bool) {
	head, _ := text.Peek(recognized)
	ofMachine = IsCalibration(head)
	return ofMachine, !ofMachine && IsPipeline(head)
}

// Open returns the machine that a file of calibrate.c describes, as a fit of it saves it, but
// without the errors of collectives. found is false if the file is not an output of calibrate.c.
func Open(path string) (d platforms.Design, found bool, err error) {
	// A pipe can be read only once, and not by this function if it has a platform.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return d, false, nil
	}
	var f *Fit
	other := func(text *bufio.Reader, name string) bool {
		// The stages of pipelines are no machine.
		if found, _ = Recognize(text); found {
			f, err = FitMachine(text, name)
		}
		return true // read no further
	}
	// A file that cannot be opened is another reader's, whose error names the file and the line.
	if _, failed := benchfile.Open(path, benchfile.Options{Other: other}); failed != nil || !found {
		return d, false, nil
	}
	if err != nil {
		return d, true, err
	}
	p := f.Platform()
	p.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if p, err = p.Complete(); err != nil {
		return d, true, fmt.Errorf("%s: %w", path, err)
	}
	d, err = p.Design("")
	return d, true, err
}

// A Likeness says which algorithms of a collective, by size, have the times nearest to the measured
// ones, and their largest relative error.
type Likeness struct {
	Collective, Algorithms string
	Worst                  float64
}

// Nearest returns the algorithms of each measured collective if the library's are not known.
func (f *Fit) Nearest() (found []Likeness) {
	of := map[string][]Checked{}
	var names []string
	for _, k := range f.Checks {
		if k.Nearest == "" {
			continue
		}
		if of[k.Measure] == nil {
			names = append(names, k.Measure)
		}
		of[k.Measure] = append(of[k.Measure], k)
	}
	for _, name := range names {
		all := of[name]
		slices.SortFunc(all, func(a, b Checked) int { return cmp.Compare(a.Size, b.Size) })
		var parts []string
		worst := 0.0
		for i, k := range all {
			worst = max(worst, math.Abs(float64(k.NearestTime/k.Time)-1))
			if i == 0 || k.Nearest != all[i-1].Nearest {
				parts = append(parts, fmt.Sprintf("%s from %.0f B", k.Nearest, float64(k.Size)))
			}
		}
		found = append(found, Likeness{name, strings.Join(parts, ", "), worst})
	}
	return found
}

// Platform returns the platform of the machine. Levels name their layers.
func (f *Fit) Platform() platforms.Platform {
	source := fmt.Sprintf("halfpeak calibrate, %s; %s; %s", f.File, f.Job, f.Library)
	d := platforms.Platform{Title: "calibrate, " + f.File}
	if l, known := collective.LibraryOf(f.Library); known {
		d.Library = l
	}
	for _, l := range f.Fitted.Levels {
		// Estimates have no more digits than these. The layers are exact, since their
		// times are compared with the measurements.
		l.Crowd = quantity.Micros(stats.Digits(float64(l.Crowd), 4))
		l.Reverse = stats.Digits(l.Reverse, 3)
		// One route, and one unit around it, are what a level without the key has.
		if l.Routes == 1 {
			l.Routes = 0
		}
		if l.Direct == 1 {
			l.Direct = 0
		}
		level := platforms.Level{Level: l, Layers: map[string][]string{}, Source: source}
		for _, k := range machine.Keys {
			for _, m := range k.Layers(&l) {
				name := l.Name + layerSuffix(k.Name)
				d.Layers = append(d.Layers, platforms.Layer{Name: name, Model: m, Source: source})
				level.Layers[k.Name] = append(level.Layers[k.Name], name)
			}
		}
		d.Levels = append(d.Levels, level)
	}
	// The errors of the checked collectives go along, so that predictions with this
	// file have an interval.
	if f.within.Source != "" { // the collectives were checked
		d.Params = f.within.Constants()
	}
	for _, n := range f.Nearest() {
		d.Params = append(d.Params, platforms.Param{
			Path: platforms.MeasuredConstant + n.Collective, Text: fmt.Sprintf("%.3g", n.Worst),
			Source: n.Algorithms})
	}
	// The processor's times for a byte: reductions combine, and collectives copy a
	// rank's own block. Schedules read them as constants of the platform.
	for _, work := range []string{Combine, Copy} {
		if t := f.PerByte(work); t > 0 {
			d.Params = append(d.Params, platforms.Param{
				Path: "constant." + work, Text: platforms.Exact(t), Source: source})
		}
	}
	return d
}

// layerSuffix returns what the name of a level's layer has behind the level's name.
func layerSuffix(key string) string {
	switch key {
	case "layer":
		return ""
	case "shared":
		return "-memory"
	}
	return "-" + key
}
