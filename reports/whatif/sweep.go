//go:build !js

package whatif

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Range is the values that a parameter takes in a sweep, evenly spaced from From to To,
// both included; with Log the ratio between neighbours is even.
type Range struct {
	Param    platforms.Param
	From, To float64 // in µs and bytes
	Steps    int     // the number of values, ≥ 2
	Log      bool
}

// DefaultSteps is the number of values of a range that gives none: steps of a tenth of the range.
const DefaultSteps = 11

// maxSteps bounds one range.
const maxSteps = 1 << 40

// ParseRange reads "NAME=FROM..TO", "NAME=FROM..TO/STEPS" or "NAME=FROM..TO/STEPS/log",
// as in "host-dma.tau=1us/KiB..8us/KiB/100". Sizes are rounded to whole bytes.
func (d Design) ParseRange(text string) (Range, error) {
	r, err := d.parseRange(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", text, err)
	}
	return r, err
}

func (d Design) parseRange(text string) (Range, error) {
	r := Range{Steps: DefaultSteps}
	name, values, ok := strings.Cut(text, "=")
	from, rest, ok2 := strings.Cut(values, "..")
	if !ok || !ok2 {
		return r,
			fmt.Errorf("no range; write NAME=FROM..TO/STEPS, as in " +
				"host-dma.tau=1us/KiB..8us/KiB/100")
	}
	var err error
	if r.Param, err = d.Platform.Find(d.Layer.Name, strings.TrimSpace(name)); err != nil {
		return r, err
	}
	rest, r.Log = strings.CutSuffix(strings.TrimSpace(rest), "/log")
	to := rest
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		if steps := strings.TrimSpace(rest[i+1:]); steps != "" &&
			strings.Trim(steps, "0123456789-") == "" {
			n, err := strconv.ParseInt(steps, 10, 64)
			if err != nil || n < 2 || n > maxSteps {
				return r, fmt.Errorf("%s steps; a range has at least 2 values", steps)
			}
			r.Steps, to = int(n), rest[:i]
		}
	}
	if r.Param.Value.Dim != quantity.DimSize { // a plain size is in bytes
		from = withUnit(strings.TrimSpace(from), strings.TrimSpace(to))
	}
	for _, end := range []struct {
		text string
		to   *float64
	}{{from, &r.From}, {to, &r.To}} {
		v, _, err := d.NewValue(r.Param, '=', strings.TrimSpace(end.text))
		if err != nil {
			return r, err
		}
		*end.to = v.Num
	}
	switch {
	case r.From == r.To:
		return r, fmt.Errorf("the range is empty: it begins and ends at %s", r.format(r.From))
	case r.From > r.To:
		return r,
			fmt.Errorf("the range runs backwards; write %s=%s..%s", name, strings.TrimSpace(to),
				strings.TrimSpace(from))
	case r.From < 0:
		return r, fmt.Errorf("%s cannot be negative", r.Param.Path)
	case r.Log && r.From == 0:
		return r, fmt.Errorf("a range with /log must begin above 0")
	}
	return r, nil
}

// withUnit returns a plain number with the unit that the other end of its range has: 1..20us.
func withUnit(from, to string) string {
	digits := strings.TrimLeft(to, "0123456789.")
	if _, err := strconv.ParseFloat(from, 64); err != nil || digits == to ||
		strings.ContainsAny(digits, "+-*()") {
		return from
	}
	return from + digits
}

func (r Range) format(v float64) string {
	return quantity.Value{Num: v, Dim: r.Param.Value.Dim}.String()
}

// At returns value i, from 0 to Steps−1, in µs and bytes.
func (r Range) At(i int) float64 {
	if i == r.Steps-1 {
		return r.To
	}
	part := float64(i) / float64(r.Steps-1)
	v := r.From + part*(r.To-r.From)
	if r.Log {
		v = r.From * math.Pow(r.To/r.From, part)
	}
	if r.Param.Whole() || r.Param.Value.Dim == quantity.DimSize {
		v = math.Round(v)
	}
	return v
}

// Key names the parameter in a table: "stage.host-dma.tau_us_per_kib".
func (r Range) Key() string { return r.Param.Path + r.Param.Value.Dim.Column().Suffix }

// title names the parameter on an axis: "host-dma.tau (µs/KiB)".
func (r Range) title() string {
	title := r.Param.Short()
	if u := r.Param.Value.Dim.Column().Unit; u != "" {
		title += " (" + u + ")"
	}
	return title
}

// shown returns v in the unit of Key and Title.
func (r Range) shown(v float64) float64 { return v * r.Param.Value.Dim.Column().Scale }

// A Sweep evaluates a design at every combination of values of some parameters, for some sizes.
// The last range varies fastest but for the sizes.
type Sweep struct {
	Design     Design
	Ranges     []Range
	Sizes      []quantity.Bytes
	Quantities []Quantity     // of messages of any size; see [Design.Quantities]
	Watch      []func(*Block) // get each block after what runs the sweep
}

// Rows returns the number of rows of the sweep, +Inf if it exceeds a float64.
func (s *Sweep) Rows() float64 {
	rows := float64(len(s.Sizes))
	for _, r := range s.Ranges {
		rows *= float64(r.Steps)
	}
	return rows
}

// Keys names the columns: the parameters, the size, the quantities.
func (s *Sweep) Keys() []string {
	return slices.Concat(list.Map(s.Ranges, Range.Key), []string{"size_bytes"},
		list.Map(s.Quantities, func(q Quantity) string { return q.of.Key() }))
}

// Check returns an error if two ranges have the same parameter, or if the design cannot answer one
// of the quantities.
func (s *Sweep) Check() error {
	for i, r := range s.Ranges {
		if slices.ContainsFunc(s.Ranges[:i],
			func(q Range) bool { return q.Param.Path == r.Param.Path }) {
			return fmt.Errorf("%s has two ranges; give one", r.Param.Path)
		}
	}
	for _, q := range s.Quantities {
		if err := q.At(s.Sizes[0]).check(s.Design); err != nil {
			return err
		}
	}
	return nil
}

// blockRows returns the number of rows in a block of [Sweep.Run]: few if a row takes long.
func (s *Sweep) blockRows() int64 {
	if slices.ContainsFunc(s.Quantities, Quantity.simulated) {
		return 4
	}
	return 8192
}

// A Block is consecutive rows of a sweep.
type Block struct {
	First  int64 // row, from 0
	Rows   int
	Values []float64 // row by row, in the order and units of Keys; NaN for an absent parameter
	Text   []byte    // by the encoder of Run
}

// An encoder appends a row of a block to text.
type encoder func(text []byte, row []float64) []byte

// Run computes all rows and passes them to each and to the sweep's Watch, block by block and in
// order. All processors compute some blocks at once, so that memory does not grow with the sweep.
// Encode and each may be nil. Run ends early with the error of ctx or of each; every block passed
// on until then is complete.
func (s *Sweep) Run(ctx context.Context, encode encoder, each func(*Block) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	total, size := int64(s.Rows()), s.blockRows()
	blocks := make([]Block, 2*runtime.GOMAXPROCS(0))
	evaluators := make([]Evaluator, len(blocks))
	for i := range evaluators {
		evaluators[i] = s.Evaluator(encode)
	}
	for at := int64(0); at < total; at += int64(len(blocks)) * size {
		n := int(min(int64(len(blocks)), (total-at+size-1)/size))
		err := parallel.Each(ctx, n, 0, func(_ context.Context, i int) error {
			from := at + int64(i)*size
			evaluators[i](&blocks[i], from, min(size, total-from))
			return nil
		})
		for i := 0; i < n && err == nil; i++ {
			if err = context.Cause(ctx); err == nil && each != nil {
				err = each(&blocks[i])
			}
			for _, watch := range s.Watch {
				if err == nil {
					watch(&blocks[i])
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// An Evaluator computes count rows of a sweep into the block, beginning with row first. What the
// block held before is overwritten.
type Evaluator func(b *Block, first, count int64)

// Evaluator returns an Evaluator of any rows of the sweep, for [Sweep.Run] and for programs that
// divide a sweep among machines; encode may be nil. Calls must not overlap, because they change
// one copy of the platform: each goroutine needs an Evaluator of its own.
func (s *Sweep) Evaluator(encode encoder) Evaluator {
	w := &worker{Sweep: s, encode: encode}
	params := list.Map(s.Ranges, func(r Range) platforms.Param { return r.Param })
	w.prog, w.values = s.Design.Compile(params...)
	w.scales = list.Map(s.Ranges, func(r Range) float64 { return r.shown(1) })
	return w.fill
}

// A worker is the state of an Evaluator.
type worker struct {
	*Sweep
	encode encoder
	prog   *platforms.Program
	values []float64 // of the parameters
	scales []float64 // of the values, for Keys
}

func (w *worker) fill(b *Block, first, count int64) {
	ranges, sizes := len(w.Ranges), int64(len(w.Sizes))
	width := ranges + 1 + len(w.Quantities)
	b.First, b.Rows, b.Text = first, int(count), b.Text[:0]
	b.Values = slices.Grow(b.Values[:0], int(count)*width)[:int(count)*width]
	possible := false
	for i := range count {
		point, size := (first+i)/sizes, (first+i)%sizes
		if i == 0 || size == 0 {
			possible = w.set(point, i == 0)
		}
		row := b.Values[int(i)*width : int(i+1)*width]
		for k, v := range w.values {
			row[k] = v * w.scales[k]
		}
		n := w.Sizes[size]
		row[ranges] = float64(n)
		for k := range w.Quantities {
			row[ranges+1+k] = math.NaN()
			if possible {
				row[ranges+1+k] = w.Quantities[k].of.Of(w.prog.Layer(), n, n)
			}
		}
		if w.encode != nil {
			b.Text = w.encode(b.Text, row)
		}
	}
}

// set gives the parameters the values of a point, and reports whether they are possible. Without
// all, the point follows the one that was set before.
func (w *worker) set(point int64, all bool) bool {
	for k := len(w.Ranges) - 1; k >= 0; k-- {
		r := &w.Ranges[k]
		index := point % int64(r.Steps)
		w.values[k] = r.At(int(index))
		if index > 0 && !all {
			break // the ranges before it stay
		}
		point /= int64(r.Steps)
	}
	return w.prog.Set(w.values...)
}
