package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Bounds of values that can be drawn; computing with larger ones overflows.
const (
	largest  = 1e100
	smallest = 1e-100
)

// direction is the direction of an axis.
type direction int

const (
	horizontal direction = iota
	vertical
)

// usable reports whether the axis can show v.
func (a axis) usable(v float64) bool {
	return math.Abs(v) <= largest && (!a.Log || v >= smallest)
}

// limits are the ends of an axis as drawn, in the unit of its values, also on a
// logarithmic axis.
type limits struct{ min, max float64 }

// axes holds the position of a plot on a canvas, and the values at its edges.
type axes struct {
	area vg.Rectangle
	x, y limits
}

// limits chooses the ends of the axis for values that are all usable. Ends that the
// axis states are kept. Otherwise a logarithmic axis ends at round values around the
// data, and a linear one begins at 0, so that heights can be compared, unless its
// values are near each other and far from 0.
func (a axis) limits(values []float64) (limits, error) {
	if a.Max > a.Min {
		if !a.usable(a.Min) || !a.usable(a.Max) {
			return limits{}, fmt.Errorf("the axis %q cannot go from %v to %v",
				a.Label, a.Min, a.Max)
		}
		return limits{a.Min, a.Max}, nil
	}
	lo, hi := slices.Min(values), slices.Max(values)
	if a.Log {
		if a.Bytes || a.Twos { // the ticks are powers of two, and the ends need not be ticks
			// A fortieth of the way beyond each end, at most a fifth more bytes.
			beyond := min(1.2, math.Pow(hi/lo, 1./40))
			if hi < lo*1.001 { // one value, or nearly: it gets the middle
				beyond = 2
			}
			return limits{lo / beyond, hi * beyond}, nil
		}
		if hi < lo*1.001 {
			lo, hi = lo/2, hi*2
		}
		if hi < 2*lo { // powers of ten and their likes are far from both ends
			// At most five steps between the values, and at least a fifth of one beyond them.
			step := niceStep((hi - lo) / 5)
			return limits{step * math.Floor(lo/step-0.2), step * math.Ceil(hi/step+0.2)}, nil
		}
		// 2 % beyond the values, so that a point at 1, 2 or 5 does not lie on the frame.
		return limits{oneTwoFive(lo/1.02, math.Floor), oneTwoFive(hi*1.02, math.Ceil)}, nil
	}
	if a.Near && lo > hi/2 && hi > lo {
		step := niceStep((hi - lo) / 8)
		return limits{step * math.Floor(lo/step-0.2), step * math.Ceil(hi/step+0.2)}, nil
	}
	// From 0 the height of a value can be compared with that of another one.
	lo = min(lo, 0)
	if lo < 0 {
		hi = max(hi, 0)
	}
	if hi == lo {
		hi = lo + 1
	}
	if a.Bytes {
		return limits{lo, hi * 1.02}, nil
	}
	step := niceStep((hi - lo) / 8)
	return limits{step * math.Floor(lo/step*1.01), step * math.Ceil(hi/step*1.01)}, nil
}

// oneTwoFive rounds v, above zero, to 1, 2 or 5 times a power of ten.
func oneTwoFive(v float64, round func(float64) float64) float64 {
	exp := math.Floor(math.Log10(v))
	// The slack of 1e-9 is for a value that is round but for the last bits. round(0.5) is 0 for
	// Floor and 1 for Ceil: functions cannot be compared.
	best := 0.0
	for _, m := range []float64{1, 2, 5, 10} {
		w := m * math.Pow(10, exp)
		if w <= v*(1+1e-9) && round(0.5) == 0 {
			best = w
		}
		if w >= v*(1-1e-9) && round(0.5) == 1 {
			return w
		}
	}
	return best
}

// niceStep returns the smallest 1, 2 or 5 times a power of ten that is at least v.
func niceStep(v float64) float64 { return oneTwoFive(v, math.Ceil) }

// apply sets the range and the ticks of an axis of this length: the densest ticks
// whose labels keep apart. The last candidate is taken whatever it is, so an axis
// always has ticks.
func (l limits) apply(to *plot.Axis, a axis, length vg.Length, dir direction) {
	to.Min, to.Max = l.min, l.max
	if a.Log {
		to.Scale = plot.LogScale{}
	}
	var ticks []plot.Tick
	for _, candidate := range l.candidates(a) {
		// More than eleven labels are crowded, even if they have room.
		if ticks = candidate; apart(ticks, to, length, dir) && labelled(ticks) <= 11 {
			break
		}
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
}

// apart reports whether the labels of the ticks have room beside each other.
func apart(ticks []plot.Tick, axis *plot.Axis, length vg.Length, dir direction) bool {
	last := vg.Length(math.Inf(-1))
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		// Four points at either side keep two numbers from reading as one.
		half := axis.Tick.Label.Rectangle(t.Label).Size().X/2 + 4
		if dir == vertical {
			half = axis.Tick.Label.FontExtents().Height / 2
		}
		at := vg.Length(axis.Norm(t.Value)) * length
		if at-half < last {
			return false
		}
		last = at + half
	}
	return true
}

// labelled counts the ticks with a label.
func labelled(ticks []plot.Tick) (n int) {
	for _, t := range ticks {
		if t.Label != "" {
			n++
		}
	}
	return n
}

// candidates returns sets of ticks, the densest first. Powers of two are for sizes
// and ranks; 1, 2, 5 for everything else.
func (l limits) candidates(a axis) [][]plot.Tick {
	var sets [][]plot.Tick
	switch {
	case a.Log && (a.Bytes || a.Twos) && l.max >= 2*l.min:
		label := byteLabel
		if !a.Bytes {
			label = numberLabel
		}
		// Values up to 1e100 have exponents of two up to 332, so the last steps leave a tick or
		// two.
		for step := 1; step <= 512; step += max(1, step/4) {
			sets = append(sets, l.powers(2, step, label, nil))
		}
	case a.Log && l.max >= 5*l.min:
		minor := []float64{2, 3, 4, 5, 6, 7, 8, 9}
		// Over more than about five decades, ticks at 2 and 5 as well would be too many for any
		// picture.
		if l.max < 5e4*l.min {
			sets = append(sets, l.powers(10, 1, a.tick, []float64{2, 5}))
		}
		for step := 1; step <= 128; step += max(1, step/4) {
			// Ticks between powers of ten that are not all labelled would run into a grey bar.
			if step > 1 || l.max > 1e8*l.min {
				minor = nil
			}
			sets = append(sets, l.withMinor(l.powers(10, step, a.tick, nil), minor))
		}
	case a.Bytes:
		step := math.Max(1, math.Exp2(math.Floor(math.Log2((l.max-l.min)/16))))
		for range 8 {
			sets = append(sets, l.multiples(step, byteLabel))
			step *= 2
		}
	default:
		step := niceStep((l.max - l.min) / 12)
		for range 8 {
			sets = append(sets, l.multiples(step, numberLabel))
			// 1.5 times a nice step lies below the next one: 1 gives 2, 2 gives 5, 5 gives 10.
			step = niceStep(step * 1.5)
		}
	}
	return sets
}

// powers returns ticks at base^(k·step), and at these times each factor of between.
func (l limits) powers(
	base float64, step int, label func(float64) string, between []float64,
) []plot.Tick {
	var ticks []plot.Tick
	log := math.Log(base)
	first := int(math.Floor(math.Log(l.min)/log/float64(step))) * step
	for k := first; ; k += step {
		v := math.Pow(base, float64(k))
		if v > l.max*(1+1e-9) {
			return ticks
		}
		for _, factor := range append([]float64{1}, between...) {
			if w := v * factor; l.holds(w) {
				ticks = append(ticks, plot.Tick{Value: w, Label: label(w)})
			}
		}
	}
}

// withMinor adds ticks without labels at the factors times powers of ten.
func (l limits) withMinor(ticks []plot.Tick, factors []float64) []plot.Tick {
	for _, t := range l.powers(10, 1, func(float64) string { return "" }, factors) {
		// Powers of ten themselves are among the ticks already, or left out on purpose.
		if m := t.Value / math.Pow(10, math.Floor(math.Log10(t.Value)+1e-9)); m > 1.5 {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// multiples returns ticks at the multiples of step.
func (l limits) multiples(step float64, label func(float64) string) []plot.Tick {
	var ticks []plot.Tick
	// Counted in steps, since sums of a step such as 0.1 drift from its multiples.
	first := math.Ceil(l.min/step - 1e-9)
	for i := range 64 {
		v := (first + float64(i)) * step
		if l.holds(v) {
			ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
		}
	}
	return ticks
}

// holds allows for the last bits of a tick at the end of the axis.
func (l limits) holds(v float64) bool {
	slack := 1e-9 * (l.max - l.min)
	// On a logarithmic axis the range is that of the large end, far above the values at the small
	// end.
	if l.min > 0 {
		slack = 1e-9 * l.min
	}
	return v >= l.min-slack && v <= l.max*(1+1e-9)
}

// byteLabel prints a size; one that no machine holds, as a plain number.
func byteLabel(v float64) string {
	if v > float64(quantity.MaxBytes) {
		return numberLabel(v) + " B"
	}
	return quantity.Bytes(v).String()
}

// numberLabel prints a tick in full, without trailing zeros. Numbers of many digits have an
// exponent, as in 5e−7: nobody counts zeros, and their labels would not fit beside each other.
func numberLabel(v float64) string {
	abs := math.Abs(v)
	if v == 0 || abs < 1e7*(1-1e-9) && abs >= 1e-5*(1-1e-9) {
		return table.Minus(table.SignificantPlain(v, 12))
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 5, 64), "e")
	if strings.Contains(digits, ".") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	n, _ := strconv.Atoi(exponent) // it is a number
	return table.Minus(digits) + "e" + table.Minus(strconv.Itoa(n))
}

// tick returns the label of a number on the axis.
func (a axis) tick(v float64) string {
	if !a.apart {
		return numberLabel(v)
	}
	unit, one := a.Dim.Column().Unit, 1.
	for _, u := range axisUnits[a.Dim] { // the largest first
		if of, _ := quantity.Unit(u.name); of.Num > 1 && v >= of.Num*(1-1e-9) {
			unit, one = u.name, of.Num
			break
		}
	}
	return numberLabel(v/one) + " " + unit
}

// checkMiddles returns an error if the axis cannot show the middles of cells, or they do not rise.
func (a axis) checkMiddles(middles []float64) error {
	for i, v := range middles {
		if !a.usable(v) || i > 0 && v <= middles[i-1] {
			return fmt.Errorf("the axis %q cannot show %v, or not in this order", a.Label, v)
		}
	}
	return nil
}
