package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Comparison holds the errors of the curve's and of the fitted line's predictions above the last
// size, as absolute logarithms of predicted over measured times: medians of all cases, and of the
// medians of machines.
type Comparison struct {
	Cases, Machines                            int
	Curve, Line, CurveByMachine, LineByMachine float64
	Over                                       int // rates above both r∞ and the last measured one
	// Width is the width that one interval around the curve's middles needs to hold 95 % of the
	// cases, in the mean over machines: that of the narrowest one, chosen on these cases.
	Width float64
}

// A miss is the logarithm of a measured over a predicted time, with the weight of its case.
type miss struct{ off, weight float64 }

// narrowest returns the width of the narrowest interval from −down to up that holds 95 % of the
// weight, relative to its middle.
func narrowest(all []miss) float64 {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b miss) int { return cmp.Compare(a.off, b.off) })
	var total float64
	for _, m := range all {
		total += m.weight
	}
	least := math.Inf(1)
	held, j := 0.0, 0
	for i, low := range all {
		for ; j < len(all) && held < level*total-1e-9; j++ {
			held += all[j].weight
		}
		if held < level*total-1e-9 {
			break
		}
		up, down := max(0, all[j-1].off), max(0, -low.off)
		least = min(least, math.Exp(up)-math.Exp(-down))
		held -= all[i].weight
	}
	return least
}

// logErrors are errors of the two predictions, by case.
type logErrors struct{ curve, line []float64 }

func (l *logErrors) medians() (curve, line float64) {
	return stats.QuantileOf(l.curve, 0.5), stats.QuantileOf(l.line, 0.5)
}

// Compare predicts the cases both from the curve, as [Judge] does, and from the line that "fit"
// would save. Rates of streams are bounded by the upper end of that line's r∞, as in
// [fit.Result.Layer].
func Compare(
	cases []Case, of func(machine string) *forecast.Calibration) (r Comparison, err error) {

	var all logErrors
	misses := map[string][]miss{}
	by := map[string]*logErrors{}
	fits := map[string]*fit.Result{}
	each(cases, of, func(s Case, held forecast.Point, c *forecast.Curve) {
		key := fmt.Sprint(s.Curve.Machine, s.Curve.Name, len(s.Points))
		line := fits[key]
		if line == nil {
			var failed error
			if line, failed = fitLines(s); failed != nil {
				err = fmt.Errorf("%s: %w", s.Curve.Name, failed)
				return
			}
			fits[key] = line
		}
		bounded := *c
		last := s.Points[len(s.Points)-1]
		roof := last.Size.Over(last.Time)
		if tau := line.Segments[len(line.Segments)-1].Tau; Stream(s.Curve) && tau.Low > 0 {
			bounded = c.Bounded(tau.Low.Rate())
			roof = max(roof, tau.Low.Rate())
		} else {
			roof = quantity.MBps(math.Inf(1))
		}
		middle := bounded.At(held.Size).Middle
		if held.Size.Over(middle) > roof*(1+1e-9) {
			r.Over++
		}
		if by[s.Curve.Machine] == nil {
			by[s.Curve.Machine] = &logErrors{}
		}
		off := math.Log(float64(held.Time / middle))
		misses[s.Curve.Machine] = append(misses[s.Curve.Machine], miss{off: off})
		for _, e := range []*logErrors{&all, by[s.Curve.Machine]} {
			e.curve = append(e.curve, math.Abs(off))
			e.line = append(e.line, math.Abs(math.Log(float64(line.Time(held.Size)/held.Time))))
		}
	})
	if err != nil || len(by) == 0 {
		return r, err
	}
	var machines logErrors
	var weighted []miss
	for _, m := range slices.Sorted(maps.Keys(by)) {
		curve, line := by[m].medians()
		machines.curve = append(machines.curve, curve)
		machines.line = append(machines.line, line)
		for _, v := range misses[m] {
			weighted = append(weighted, miss{v.off, 1 / float64(len(misses[m]))})
		}
	}
	r.Cases, r.Machines = len(all.curve), len(by)
	r.Curve, r.Line = all.medians()
	r.CurveByMachine, r.LineByMachine = machines.medians()
	r.Width = narrowest(weighted)
	return r, nil
}

// fitLines returns the model that "fit" chooses for the points of a case.
func fitLines(s Case) (*fit.Result, error) {
	t := &benchfile.Table{Kind: s.Curve.Kind, Quantum: s.Curve.Resolution}
	for _, p := range s.Points {
		t.Samples = append(t.Samples, benchfile.Sample{Size: p.Size, Mean: p.Time, Count: 1})
	}
	return fit.Auto(t)
}

// CompareAll writes a table of the comparisons of all protocols above the given sizes, with the
// curves of [Report].
func CompareAll(w io.Writer, curves []Curve, use func(*Curve) bool,
	of func(machine string) *forecast.Calibration) error {
	few := thin(curves, use)
	measured := func(c *Curve) bool { return few(c) && !c.Planted }
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "held back\tcases\tmachines\tcurve\tline\tcurve by machine\t"+
		"line by machine\tabove r∞\tone interval")
	for _, p := range Protocols {
		cases := p.Cases(curves, measured)
		if len(cases) == 0 || !p.Above {
			continue
		}
		r, err := Compare(cases, of)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%d\t%.0f %%\n", p.Name, r.Cases,
			r.Machines, r.Curve, r.Line, r.CurveByMachine, r.LineByMachine, r.Over, 100*r.Width)
	}
	return t.Flush()
}
