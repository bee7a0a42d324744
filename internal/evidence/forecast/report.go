package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/forecast"
)

// A Score summarises the errors of predictions. Coverage is the share of measurements within their
// intervals; errors and widths are relative, as fractions: 0.1 is 10 %.
type Score struct {
	Machine           string // empty: all
	Cases, Machines   int
	Coverage          float64
	MedianError, P90  float64
	MedianWidth       float64 // (High − Low) / Middle
	ByMachine         []Score
	CoverageByMachine float64 // the mean over machines
}

// Judge predicts the cases, each with the calibration for its machine. It counts how
// often the intervals that a user gets contain the measured time.
func Judge(cases []Case, of func(machine string) *forecast.Calibration) Score {
	by := map[string][]judged{}
	var all []judged
	each(cases, of, func(s Case, held forecast.Point, c *forecast.Curve) {
		f := c.At(held.Size)
		j := judged{f.Low <= held.Time && held.Time <= f.High,
			math.Abs(float64(f.Middle/held.Time) - 1), float64((f.High - f.Low) / f.Middle)}
		all, by[s.Curve.Machine] = append(all, j), append(by[s.Curve.Machine], j)
	})
	total := summary(all)
	total.Machines = len(by)
	for _, m := range slices.Sorted(maps.Keys(by)) {
		s := summary(by[m])
		s.Machine = m
		total.ByMachine = append(total.ByMachine, s)
		total.CoverageByMachine += s.Coverage / float64(len(by))
	}
	return total
}

// judged is a prediction beside its measurement.
type judged struct {
	in           bool
	error, width float64
}

func summary(all []judged) (s Score) {
	var errors, widths []float64
	for _, o := range all {
		if o.in {
			s.Coverage += 1 / float64(len(all))
		}
		errors, widths = append(errors, o.error), append(widths, o.width)
	}
	at := func(values []float64, p float64) float64 {
		if len(values) == 0 {
			return math.NaN()
		}
		return stats.Select(values, int(p*float64(len(values))))
	}
	s.Cases = len(all)
	s.MedianError, s.P90, s.MedianWidth = at(errors, 0.5), at(errors, 0.9), at(widths, 0.5)
	return s
}

// folds is the number of groups of machines of [LeaveOut].
const folds = 5

// fold returns the group of a machine, by a hash of its name.
func fold(machine string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(machine)) // never fails
	return h.Sum32() % folds
}

// LeaveOut returns a calibration for each machine, made without it and the others of its group:
// coverage on machines that the calibration has seen says nothing about a user's. With known, only
// the predictions above the last size are made anew; see [Train].
func LeaveOut(curves []Curve, use func(*Curve) bool,
	known *forecast.Calibration) func(machine string) *forecast.Calibration {
	var made [folds]*forecast.Calibration
	return func(machine string) *forecast.Calibration {
		f := fold(machine)
		if made[f] == nil {
			made[f] = Train(curves, use, func(m string) bool { return fold(m) == f }, known)
		}
		return made[f]
	}
}

// Report writes a table of all protocols, or of those above the given sizes, and of the machines of
// each if machines is set. Of a machine it takes at most 12 curves, as training does, so that
// repeats of one count no more.
func Report(w io.Writer, curves []Curve, use func(*Curve) bool,
	of func(machine string) *forecast.Calibration, above, machines bool) error {
	few := thin(curves, use)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "held back\tcases\tmachines\tcoverage\tmean over machines\tmedian error\t"+
		"90th percentile\tmedian width")
	for _, p := range Protocols {
		cases := p.Cases(curves, few)
		if len(cases) == 0 || above && !p.Above {
			continue
		}
		planted := func(s Case) bool { return s.Curve.Planted }
		measured := slices.DeleteFunc(slices.Clone(cases), planted)
		s := Judge(measured, of)
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.0f %%\n",
			p.Name, s.Cases, s.Machines, 100*s.Coverage, 100*s.CoverageByMachine,
			100*s.MedianError, 100*s.P90, 100*s.MedianWidth)
		if !machines {
			continue
		}
		for _, m := range Judge(cases, of).ByMachine {
			fmt.Fprintf(t, "  %q\t%d\t\t%.1f %%\t\t%.1f %%\t%.1f %%\t%.0f %%\n", m.Machine, m.Cases,
				100*m.Coverage, 100*m.MedianError, 100*m.P90, 100*m.MedianWidth)
		}
	}
	return t.Flush()
}
