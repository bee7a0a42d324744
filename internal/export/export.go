// Package export writes a machine's message costs in the formats of other programs.
//
// Each of [Targets] is one format, with the version of the program that it was checked against. A
// format holds less than a platform does: [File.Lost] lists the omissions, and the resulting error
// in the program's times.
package export

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Target is a format of another program.
type Target struct {
	Name    string // as in "simgrid"
	Help    string // one-line description of the file
	Version string // the program that reads the file, with its version
	Checked string // how the format was verified: the program ran, or its source or manual was read
	write   func(f *File, m Machine, s Sizes) error
}

// Write returns the machine in the target's format. It returns an error if a time is not positive
// and finite, or the format cannot represent the machine at all.
func (t Target) Write(m Machine, s Sizes) (File, error) {
	if !(s.From >= 1 && s.To >= s.From && s.To <= quantity.MaxBytes) {
		return File{}, fmt.Errorf("sizes from %s to %s; give a range from 1 B up", s.From, s.To)
	}
	// From here on the layer of a level has the level's own gap and overheads.
	m.Levels = list.Map(m.Levels, withCosts)
	for _, l := range m.Levels {
		for _, n := range s.grid() {
			// Errors are relative to the time. Negated, so that NaN fails as well.
			if w := float64(l.Layer.OneWay(n)); !(w > 0) || math.IsInf(w, 0) {
				return File{}, fmt.Errorf("%s: a message of %s takes %v µs one way; "+
					"the time must be above zero", m.Name, n, w)
			}
		}
	}
	var f File
	// No format gets lanes, ports or occupancies from the writers below.
	if m.Shares() {
		f.lose("shared resources: lanes, ports and their occupancy")
	}
	for _, l := range m.Levels {
		if !hasGap(l) {
			f.lose("the gap between messages of level %s, which one-way times do not show: where "+
				"the format has a gap, it is the one-way time; measure a stream (osu_bw, "+
				"ib_send_bw), or fit LogGP", l.Name)
		}
	}
	if err := t.write(&f, m, s); err != nil {
		return File{}, fmt.Errorf("%s in the format of %s: %w", m.Name, t.Name, err)
	}
	return f, nil
}

// Targets lists all formats.
var Targets = []Target{
	{"loggopsim", "its command line", "LogGOPSim 1.1", "ran", loggopsim},
	{"simgrid", "a platform in XML, for smpirun", "SimGrid 3.32, 4.x", "ran 3.32", simgrid},
	{"astra-sim", "a network in YAML", "ASTRA-sim 2.0", "source", astra},
	{"codes", "LogGP by size, like Netgauge", "CODES 1.3", "source", codes},
	{"calculon", `the "networks" of a system`, "Calculon of 2024", "source", calculon},
	{"inference-sim", "keys of hardware_config.json", "inference-sim of 2026", "manual", inference},
	{"perfetto", "one message, the largest", "trace events", "spec", perfetto},
	{"csv", "costs by level and size", "", "", table},
}

// Names are those of all targets.
var Names = list.Map(Targets, func(t Target) string { return t.Name })

// Find returns the target with the name. An unknown name is an error that suggests a known one.
func Find(name string) (Target, error) {
	for _, t := range Targets {
		if t.Name == name {
			return t, nil
		}
	}
	return Target{}, fmt.Errorf("no format %q%s", name, usage.Hint(name, Names))
}

// table writes all costs by level and size.
func table(f *File, m Machine, s Sizes) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	// Scripts read these names, each with the unit of its column.
	w.Write([]string{"level", "size_bytes", "one_way_us", "gap_us", "o_s_us", "o_r_us"})
	for _, l := range m.Levels {
		// Doublings, and the largest size whether it is one or not.
		for n := s.From; ; n = min(2*n, s.To) {
			send, receive := l.Layer.Overheads(n)
			size := fmt.Sprintf("%.0f", float64(n))
			way, gap := exact(l.Layer.OneWay(n)), ""
			if hasGap(l) {
				gap = exact(l.Layer.Gap(n))
			}
			w.Write([]string{l.Name, size, way, gap, exact(send), exact(receive)})
			if n >= s.To {
				break
			}
		}
	}
	w.Flush()
	f.Text = b.String()
	// A csv.Writer keeps the first error of its rows until it is asked.
	return w.Error()
}

// exact prints a time with 12 digits, as all tables for programs do.
func exact(t quantity.Micros) string { return fmt.Sprintf("%.12g", float64(t)) }
