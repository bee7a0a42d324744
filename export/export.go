// Package export writes what a machine's messages cost in the formats of other programs.
//
// Each of [Targets] is one format, with the version of the program that it was checked against. A
// format holds less than a platform does: [File.Lost] says what is not in the file, and by how much
// the times that the program will get from it differ.
package export

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Machine is what is exported: levels from inside out. Without levels in the platform there is
// one, between all ranks.
type Machine struct {
	Name   string // of the platform, as in "clip/user-buffer"
	Levels []Level
	Shares bool // ranks share memory or an interface, which no format says
}

// A Level is how far two ranks are from each other, and what messages cost over that distance.
type Level struct {
	Name  string
	Units int // how many units of the level inside make one of it; ranks for the innermost
	Layer model.Layer
}

// Ranks is how many ranks the machine has.
func (m Machine) Ranks() int {
	ranks := 1
	for _, l := range m.Levels {
		ranks *= l.Units
	}
	return ranks
}

// outer is the outermost level.
func (m Machine) outer() Level { return m.Levels[len(m.Levels)-1] }

// Sizes are the sizes of messages that a format is to be right for, from Low to High ≥ Low ≥ 1 B.
type Sizes struct{ Low, High quantity.Bytes }

// A Target is a format of another program.
type Target struct {
	Name    string // as in "simgrid"
	Help    string // what is written
	Version string // the program that reads it, with the version
	Checked string // how the format was verified: the program ran, or its source or manual was read
	write   func(f *File, m Machine, s Sizes) error
}

// Targets are all formats.
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

// Names are the names of all targets.
func Names() []string {
	var names []string
	for _, t := range Targets {
		names = append(names, t.Name)
	}
	return names
}

// Find finds a target by its name.
func Find(name string) (Target, error) {
	for _, t := range Targets {
		if t.Name == name {
			return t, nil
		}
	}
	return Target{}, fmt.Errorf("no format %q%s", name, nearest.Hint(name, Names()))
}

// A File is what is written.
type File struct {
	Text string
	Lost []string // what the format cannot hold, a line each
}

func (f *File) printf(format string, args ...any) { f.Text += fmt.Sprintf(format, args...) }

func (f *File) lose(format string, args ...any) {
	f.Lost = append(f.Lost, fmt.Sprintf(format, args...))
}

// comments are what is lost, in lines that begin with a mark.
func (f *File) comments(mark string) string {
	var b strings.Builder
	for _, l := range f.Lost {
		fmt.Fprintf(&b, "%s %s\n", mark, l)
	}
	return b.String()
}

// Write writes the machine in the target's format. It is an error if the format has no place for
// what the machine is.
func (t Target) Write(m Machine, s Sizes) (File, error) {
	if !(s.Low >= 1 && s.High >= s.Low && s.High <= quantity.MaxBytes) {
		return File{}, fmt.Errorf("sizes from %s to %s; give a range from 1 B up", s.Low, s.High)
	}
	for _, l := range m.Levels {
		for _, n := range s.grid() {
			if w := float64(l.Layer.OneWay(n)); !(w > 0) || math.IsInf(w, 0) {
				return File{}, fmt.Errorf("%s: a message of %s takes %v µs one way; programs want a time above zero", m.Name, n, w)
			}
		}
	}
	var f File
	if m.Shares {
		f.lose("what ranks share: lanes, ports and their occupancy")
	}
	if err := t.write(&f, m, s); err != nil {
		return File{}, fmt.Errorf("%s in the format of %s: %w", m.Name, t.Name, err)
	}
	return f, nil
}

// Write writes the file's text. The error is w's.
func (f File) Write(w io.Writer) error {
	_, err := io.WriteString(w, f.Text)
	return err
}

// number prints a number with seven digits, more than a measurement has.
func number(x float64) string { return fmt.Sprintf("%.7g", x) }
