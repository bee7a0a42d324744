package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Step is a measured run of a program.
type Step struct {
	Ranks  int
	Params []string // "NAME=VALUE" of parameters of main
	Time   quantity.Micros
}

// Rates are the rates of a machine's [compute] that explain measured steps of a program.
type Rates struct {
	Name string // of the program
	// Flops are operations a µs, and Memory bytes a µs. The interval of a given rate is that number
	// alone.
	Flops, Memory quantity.Interval
	Given         bool // Memory was given and not fitted
	Steps         []FittedStep
	Design        platforms.Design // the machine with the rates
	// Assumed says that the intervals are those of [stepError], since the steps leave nothing over
	// to judge the fit by.
	Assumed bool
}

// A FittedStep is a measured step with its time by the fitted rates.
type FittedStep struct {
	Step
	Fitted quantity.Micros
}

// FitRates fits the rates of a machine to measured steps of the program of that name, by the least
// squares of the relative errors: Gauss and Newton's steps in the times an operation and a byte. Of
// one step, or if memory is given, memory stays as it is given or as the machine has it.
func FitRates(ctx context.Context, name string, r Reading, steps []Step, memory quantity.MBps,
	on platforms.Design) (*Rates, error) {
	if len(steps) == 0 {
		return nil, errors.New("no measured steps")
	}
	if memory == 0 && len(steps) == 1 {
		memory = on.Costs().Memory
	}
	f := rateFit{ctx: ctx, name: name, reading: r, steps: steps, on: on,
		rates: [2]float64{200e6, 1e6}}
	if f.rates[1] = float64(memory); memory == 0 {
		f.rates[1] = 1e6
	}
	if err := f.find(memory > 0); err != nil {
		return nil, err
	}
	return f.answer(memory > 0)
}

// maxFlops is more than any device computes in a µs.
const maxFlops = 1e13

// A rateFit is a fit under way.
type rateFit struct {
	ctx     context.Context
	name    string
	reading Reading
	steps   []Step
	on      platforms.Design

	rates [2]float64 // operations and bytes a µs
	uses  bool       // the program uses a rate
	free  []int      // of the two, those that the program uses and that are fitted
	times []quantity.Micros
	slope [][2]float64 // of each step's time by the relative time of an operation and of a byte
}

// find moves the rates to the least squares.
func (f *rateFit) find(given bool) (err error) {
	const most = 12
	for range most {
		if err := f.look(given); err != nil {
			return err
		}
		change, err := f.change()
		if err != nil {
			return err
		}
		moved := 0.0
		for _, k := range f.free {
			by := max(1+change[k], 0.2) // of the time of one
			moved = max(moved, math.Abs(by-1))
			f.rates[k] /= by
		}
		if moved < 1e-4 {
			return f.look(given)
		}
	}
	return f.unclear()
}

// look runs the steps with the present rates, and with each a little slower.
func (f *rateFit) look(given bool) (err error) {
	if f.times, err = f.run(f.rates); err != nil {
		return err
	}
	const little = 0.01
	f.free, f.slope = nil, make([][2]float64, len(f.steps))
	for k := range f.rates {
		slower := f.rates
		slower[k] /= 1 + little
		times, err := f.run(slower)
		if err != nil {
			return err
		}
		uses := false
		for i, t := range times {
			f.slope[i][k] = float64(t-f.times[i]) / little / float64(f.steps[i].Time)
			uses = uses || t != f.times[i]
		}
		if uses && !(k == 1 && given) {
			f.free = append(f.free, k)
		}
	}
	if f.uses && len(f.free) == 0 || f.rates[0] > maxFlops {
		return fmt.Errorf("the steps are shorter than %s needs for its bytes at %v, whatever its "+
			"operations take: check the parameters of the steps, or give more memory", f.name,
			quantity.MBps(f.rates[1]))
	}
	f.uses = true
	if len(f.free) == 0 {
		return fmt.Errorf("%s computes nothing by the rates of a machine; write its computations "+
			"as mpi.compute(flops = …) or mpi.compute(bytes = …)", f.name)
	}
	if len(f.free) > len(f.steps) {
		return fmt.Errorf("one step does not tell flops from memory; give the card's bytes of "+
			"memory a second, as in --memory 1.5TB/s, or measure %s with another batch too", f.name)
	}
	return nil
}

// run returns the times of the steps by rates.
func (f *rateFit) run(rates [2]float64) (times []quantity.Micros, err error) {
	d, err := withRates(f.on, rates, [2]float64{}, "")
	if err != nil {
		return nil, err
	}
	for _, s := range f.steps {
		r := f.reading
		r.Ranks, r.Params = []int{s.Ranks}, append(r.Params[:len(r.Params):len(r.Params)],
			s.Params...)
		found, err := Question{Files: []string{f.name}, Reading: r,
			On: []platforms.Design{d}, Table: Scales, Eager: simulate.NoLimit}.Ask(f.ctx)
		if err != nil {
			return nil, err
		}
		times = append(times, found.Scaling.Rows[0].Finish)
	}
	return times, nil
}

// normal returns the matrix JᵀJ of the free rates, and Jᵀe of the relative errors.
func (f *rateFit) normal() (m [2][2]float64, y [2]float64) {
	for i, s := range f.steps {
		left := float64(s.Time-f.times[i]) / float64(s.Time)
		for _, a := range f.free {
			for _, b := range f.free {
				m[a][b] += f.slope[i][a] * f.slope[i][b]
			}
			y[a] += f.slope[i][a] * left
		}
	}
	return m, y
}

// inverse returns the inverse of the matrix of the free rates.
func (f *rateFit) inverse() (inv [2][2]float64, err error) {
	m, _ := f.normal()
	if len(f.free) == 1 {
		k := f.free[0]
		inv[k][k] = 1 / m[k][k]
		return inv, nil
	}
	det := m[0][0]*m[1][1] - m[0][1]*m[1][0]
	const alike = 1e-6 // of the squares of the slopes: rounding to ns makes that much
	if det <= alike*m[0][0]*m[1][1] {
		return inv, f.unclear()
	}
	return [2][2]float64{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}, nil
}

// change returns by how much the times of an operation and of a byte change, relatively.
func (f *rateFit) change() (by [2]float64, err error) {
	inv, err := f.inverse()
	_, y := f.normal()
	for a := range by {
		by[a] = inv[a][0]*y[0] + inv[a][1]*y[1]
	}
	return by, err
}

func (f *rateFit) unclear() error {
	return fmt.Errorf("the steps do not tell flops from memory: their times are in no ratio that "+
		"two rates explain; measure %s with another batch, hidden size or recomputation, or give "+
		"the card's bytes of memory a second, as in --memory 1.5TB/s", f.name)
}

// answer returns the rates with their intervals.
func (f *rateFit) answer(given bool) (*Rates, error) {
	inv, err := f.inverse()
	if err != nil {
		return nil, err
	}
	out := &Rates{Name: f.name, Given: given, Assumed: len(f.steps) <= len(f.free)}
	sum := 0.0
	for i, s := range f.steps {
		out.Steps = append(out.Steps, FittedStep{s, f.times[i]})
		sum += math.Pow(float64(s.Time-f.times[i])/float64(s.Time), 2)
	}
	deviation, quantile := stepError, 1.96
	if left := len(f.steps) - len(f.free); left > 0 {
		deviation = max(stepError, math.Sqrt(sum/float64(left)))
		quantile = stats.T95(float64(left))
	}
	within := [2]float64{}
	for _, k := range f.free {
		within[k] = min(quantile*deviation*math.Sqrt(inv[k][k]), 1) * f.rates[k]
	}
	interval := func(k int) quantity.Interval {
		return quantity.Interval{Value: f.rates[k], Low: f.rates[k] - within[k],
			High: f.rates[k] + within[k]}
	}
	out.Flops, out.Memory = interval(0), interval(1)
	source := fmt.Sprintf("fitted to %s of %s", steps(len(f.steps)), f.name)
	if given {
		source += "; memory as given"
	}
	out.Design, err = withRates(f.on, f.rates, within, source)
	return out, err
}

func steps(n int) string {
	if n == 1 {
		return "one measured step"
	}
	return fmt.Sprintf("%d measured steps", n)
}

// withRates returns the machine with the rates, and half of their intervals.
func withRates(d platforms.Design, rates, within [2]float64, source string) (platforms.Design,
	error) {
	p := d.Platform
	p.Params = slices.DeleteFunc(slices.Clone(p.Params), func(q platforms.Param) bool {
		return q.Table == "compute"
	})
	for i, of := range [...]struct {
		key, unit string
		scale     float64
	}{{"flops", "Tflop/s", 1e6}, {"memory", "GB/s", 1e3}} {
		p.Params = append(p.Params, platforms.Param{
			Path: "compute." + of.key, Source: source,
			Text: rateText(rates[i], within[i], of.unit, of.scale)})
	}
	p, err := p.Complete()
	if err != nil {
		return d, err
	}
	layer := ""
	if !d.Whole && d.Layer.Model != nil && d.Layer.Name != p.Default {
		layer = d.Layer.Name
	}
	return p.Design(layer)
}

// rateText writes a rate with half of its interval.
func rateText(rate, within float64, unit string, scale float64) string {
	text := fmt.Sprintf("%.6g%s", rate/scale, unit)
	if within > 0 {
		text += fmt.Sprintf(" ± %.3g%s", within/scale, unit)
	}
	return text
}
