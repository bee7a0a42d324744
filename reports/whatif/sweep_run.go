//go:build !js

package whatif

import (
	"context"
	"errors"
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

// A Range is the values that a parameter takes in a sweep, evenly spaced from From to
// To, both included; with Log the ratio between neighbours is even. In other
// questions (a target, a curve) a range with From < To bounds the search, and Steps
// does not count.
type Range struct {
	Param    platforms.Param
	From, To float64 // in µs and bytes
	Steps    int     // the number of values, ≥ 2
	Log      bool
}

// defaultSteps is the number of values of a range that gives none: steps of a tenth
// of the range, which fall on round numbers if its ends are.
const defaultSteps = 11

// maxSteps bounds one range: up to 2^40 values, about a trillion, indices are exact
// as float64.
const maxSteps = 1 << 40

// ParseRange reads "NAME=FROM..TO", "NAME=FROM..TO/STEPS" or "NAME=FROM..TO/STEPS/log",
// as in "host-dma.tau=1us/KiB..8us/KiB/100". Sizes are rounded to whole bytes.
func (d Design) ParseRange(text string) (Range, error) {
	r, err := d.readRange(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", text, err)
	}
	return r, err
}

func (d Design) readRange(text string) (Range, error) {
	r := Range{Steps: defaultSteps}
	name, values, ok := strings.Cut(text, "=")
	from, rest, ok2 := strings.Cut(values, "..")
	if !ok || !ok2 {
		return r,
			fmt.Errorf("no range; write NAME=FROM..TO/STEPS, as in " +
				"host-dma.tau=1us/KiB..8us/KiB/100")
	}
	var err error
	if r.Param, err = d.Find(strings.TrimSpace(name)); err != nil {
		return r, err
	}
	// "/log" and "/STEPS" are taken off the end, since units have slashes too:
	// 1us/KiB..8us/KiB/100.
	rest, r.Log = strings.CutSuffix(strings.TrimSpace(rest), "/log")
	to := rest
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		steps := strings.TrimSpace(rest[i+1:])
		if _, err := strconv.ParseFloat(steps, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			n, err := strconv.Atoi(steps)
			if err != nil || n < 2 || n > maxSteps {
				return r, fmt.Errorf("%s steps; a range has a whole number of 2 to %d values",
					steps, int64(maxSteps))
			}
			r.Steps, to = n, rest[:i]
		}
	}
	// A plain size is in bytes, in all of halfpeak; other plain numbers take the unit
	// of the other end.
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
	// Backwards would be possible, but is a slip more often, such as ends in
	// different units.
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

// Searched reads a parameter to solve for: its name, which leaves the bounds to the search, or a
// range as ParseRange reads it.
func (d Design) Searched(text string) (r Range, err error) {
	if strings.Contains(text, "=") {
		return d.ParseRange(text)
	}
	r.Steps = defaultSteps
	r.Param, err = d.Find(text)
	return r, err
}

// withUnit returns a plain number with the unit that the other end of its range has:
// 1..20us. It leaves formulas alone.
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

// At returns value i, from 0 to Steps−1, in µs and bytes. The last one is To itself,
// without the rounding of the formula, so that a sweep ends where its user said.
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

// Key names the parameter in a table, with its unit: "stage.host-dma.tau_us_per_kib".
func (r Range) Key() string { return r.Param.Path + r.Param.Value.Dim.Column().Suffix }

// Shown returns v in the unit of Key and Title.
func (r Range) Shown(v float64) float64 { return v * r.Param.Value.Dim.Column().Scale }

// A Sweep evaluates a design at every combination of values of some parameters, for
// some sizes. Rows are numbered by this order: the last range varies fastest but for
// the sizes. So any block of rows can be computed by itself, on any processor or
// machine ([Sweep.Evaluator]), and rows of one point set the platform once.
type Sweep struct {
	Design     Design
	Ranges     []Range
	Sizes      []quantity.Bytes
	Quantities []Quantity     // of messages of any size; see [Design.Quantities]
	Watch      []func(*Block) // get each block after what runs the sweep
	Shown      int            // the quantity of a picture
}

// maxRows is the maximum number of rows of a sweep. It stops a mistyped number of steps before the
// rows fill a disk: these would need about 600 GB.
const maxRows = 1e10

// Count returns the number of rows of the sweep, +Inf if it exceeds a float64. It is a
// float64, since ranges multiply beyond an int64; [Sweep.Run] refuses more than maxRows.
func (s *Sweep) Count() float64 {
	rows := float64(len(s.Sizes))
	for _, r := range s.Ranges {
		rows *= float64(r.Steps)
	}
	return rows
}

// Keys names the columns: the parameters, the size, the quantities. Encoders and
// pictures rely on this order.
func (s *Sweep) Keys() []string {
	return slices.Concat(list.Map(s.Ranges, Range.Key), []string{"size_bytes"},
		list.Map(s.Quantities, func(q Quantity) string { return q.Kind.Key() }))
}

// check returns an error if two ranges have the same parameter, if there are more than maxRows
// rows, or if the design cannot answer one of the quantities.
func (s *Sweep) check() error {
	for i, r := range s.Ranges {
		if slices.ContainsFunc(s.Ranges[:i],
			func(q Range) bool { return q.Param.Path == r.Param.Path }) {
			return fmt.Errorf("%s has two ranges; give one", r.Param.Path)
		}
	}
	if rows := s.Count(); rows > maxRows {
		return fmt.Errorf("a sweep has at most %.0e rows (got %.3g); take fewer steps", maxRows,
			rows)
	}
	for _, q := range s.Quantities {
		if _, err := s.Design.ValueOf(q.At(s.Sizes[0])); err != nil {
			return err
		}
	}
	return nil
}

// blockRows returns the number of rows in a block of [Sweep.Run]. A plain row takes
// 0.2 µs (docs/why.md), so 8192 rows are worth a goroutine. A simulated row may
// take a second: small blocks show progress and end soon after an interrupt.
func (s *Sweep) blockRows() int64 {
	if slices.ContainsFunc(s.Quantities, Quantity.simulated) {
		return 4
	}
	return 8192
}

// A Block is consecutive rows of a sweep. It is used again for later rows, so those
// who get it must not keep its slices.
type Block struct {
	First  int64 // row, from 0
	Rows   int
	Values []float64 // row by row, in the order and units of Keys; NaN for an absent parameter
	Text   []byte    // by the encoder of Run
}

// An encoder appends a row of a block to text.
type encoder = func(text []byte, row []float64) []byte

// Run computes all rows and passes them to each and to the sweep's Watch, block by
// block and in order. All processors compute some blocks at once, so that memory does
// not grow with the sweep. Encode and each may be nil. Run ends early with the error
// of ctx or of each; every block passed on until then is complete.
func (s *Sweep) Run(ctx context.Context, encode encoder, each func(*Block) error) error {
	if err := s.check(); err != nil {
		return err
	}
	// The last round is shorter; a block of it may have fewer rows.
	total, size := int64(s.Count()), s.blockRows()
	// Twice as many blocks as processors: while the slowest block of a round ends,
	// the others still have one to do.
	blocks := make([]Block, 2*runtime.GOMAXPROCS(0))
	evaluators := make([]func(b *Block, first, count int64), len(blocks))
	for i := range evaluators {
		evaluators[i] = s.Evaluator(encode)
	}
	// A round computes up to len(blocks) blocks and then hands them over in order.
	// Text is encoded in the round, since it takes longer than the rows themselves.
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

// Evaluator returns a function that computes count rows of the sweep into the block,
// beginning with row first; it overwrites what the block held before. [Sweep.Run] uses
// it, and programs that divide a sweep among machines. encode may be nil. Calls must not
// overlap, because they change one copy of the platform: each goroutine needs a function
// of its own.
func (s *Sweep) Evaluator(encode encoder) func(b *Block, first, count int64) {
	w := &worker{Sweep: s, encode: encode}
	params := list.Map(s.Ranges, func(r Range) platforms.Param { return r.Param })
	// values begins as the platform's own; set overwrites it point by point.
	w.prog, w.values = s.Design.Compile(params...)
	w.scales = list.Map(s.Ranges, func(r Range) float64 { return r.Shown(1) })
	return w.fill
}

// A worker is the state of such a function: one compiled platform.
type worker struct {
	*Sweep
	encode encoder
	prog   *platforms.Program
	values []float64 // of the parameters
	scales []float64 // of the values, for Keys
}

// fill computes rows first to first+count−1.
func (w *worker) fill(b *Block, first, count int64) {
	ranges, sizes := len(w.Ranges), int64(len(w.Sizes))
	width := ranges + 1 + len(w.Quantities)
	b.First, b.Rows, b.Text = first, int(count), b.Text[:0]
	b.Values = slices.Grow(b.Values[:0], int(count)*width)[:int(count)*width]
	possible := false
	var costs platforms.Costs
	for i := range count {
		point, size := (first+i)/sizes, (first+i)%sizes
		// A block may begin in the middle of a point's sizes.
		if i == 0 || size == 0 {
			if possible = w.set(point, i == 0); possible {
				costs = w.prog.Costs()
			}
		}
		row := b.Values[int(i)*width : int(i+1)*width]
		for k, v := range w.values {
			row[k] = v * w.scales[k]
		}
		n := w.Sizes[size]
		row[ranges] = float64(n)
		for k := range w.Quantities {
			// An impossible point keeps its row, with empty cells: row numbers must
			// not depend on values.
			row[ranges+1+k] = math.NaN()
			if possible {
				row[ranges+1+k] = w.Quantities[k].At(n).In(costs)
			}
		}
		if w.encode != nil {
			b.Text = w.encode(b.Text, row)
		}
	}
}

// set gives the parameters the values of a point, and reports whether they are
// possible. It works like an odometer: without all, the point follows the one that
// was set before, so that only the ranges that moved are computed, and a power for a
// /log range is taken rarely.
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
