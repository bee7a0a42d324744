package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// manyNumbers is a cell with several numbers of one dimension, for text and Markdown only.
type manyNumbers interface {
	dim() quantity.Dimension
	numbers() []float64
	digits() int // significant digits of the number nearest to zero
	text(s quantity.Scale) string
}

// An Interval is a value and its interval, in µs and bytes, as a cell for people:
// "9.050 µs (8.801 to 9.300)". The whole column has one unit. [Shown] makes the cell of a value
// that may have no interval.
type Interval struct {
	Dim quantity.Dimension
	quantity.Interval
}

func (i Interval) dim() quantity.Dimension { return i.Dim }
func (i Interval) numbers() []float64      { return []float64{i.Value, i.Low, i.High} }

// digits returns the number of significant digits that shows different ends of a narrow interval.
func (i Interval) digits() int {
	ends := math.Round(math.Log10(math.Abs(i.Value) / (i.High - i.Low)))
	if !(ends <= 4) { // no interval, or one narrower than 10⁻⁴ of the value
		return 3
	}
	return max(3, 2+int(ends))
}

// text prints the ends without units, which are those of the value. Sizes have steps of 1,024, so
// each has a unit of its own.
func (i Interval) text(s quantity.Scale) string {
	if i.Dim == quantity.DimSize {
		return fmt.Sprintf("%s (%s to %s)",
			quantity.Bytes(i.Value), quantity.Bytes(i.Low), quantity.Bytes(i.High))
	}
	return fmt.Sprintf("%s (%s to %s)",
		Minus(s.Format(i.Value)), Minus(s.Number(i.Low)), Minus(s.Number(i.High)))
}

// String formats an interval outside a table, for example in a sentence.
func (i Interval) String() string { return ownScale(i, nil) }

// In formats the interval like String, with a choice of units.
func (i Interval) In(units quantity.UnitChoice) string { return ownScale(i, units) }

// A Change is a value before and after, in µs and bytes: "589.30 → 441.10 µs, −25.1 %".
type Change struct {
	Dim      quantity.Dimension
	From, To float64
}

func (c Change) dim() quantity.Dimension { return c.Dim }
func (c Change) numbers() []float64      { return []float64{c.From, c.To} }

func (c Change) digits() int { return TellingDigits(c.numbers()) }

// text leaves the percentage out for sizes, which are chosen from a few and do not shift by per
// cents.
func (c Change) text(s quantity.Scale) string {
	if c.Dim == quantity.DimSize {
		from, to := quantity.Bytes(c.From).String(), quantity.Bytes(c.To).String()
		if from == to {
			return to
		}
		number, unit, _ := strings.Cut(from, " ")
		// The unit is said once: "64 → 128 KiB".
		if strings.HasSuffix(to, " "+unit) {
			from = number
		}
		return from + " → " + to
	}
	from, to := s.Number(c.From), s.Format(c.To)
	part := c.To/c.From - 1
	switch {
	case s.Format(c.From) == to: // an arrow between equal numbers would look like a change
		return to
	// From 0, a change has no percentage.
	case !finite(part):
		return from + " → " + to
	}
	return from + " → " + to + ", " + PercentChange(part)
}

// ownScale formats a cell with a scale of its own, not that of a column.
func ownScale(c manyNumbers, units quantity.UnitChoice) string {
	return c.text(quantity.NewScale(c.dim(), units, c.digits(), c.numbers()...))
}

// scalable returns the dimension, numbers and significant digits of a cell whose column has a
// scale.
func scalable(v any) (dim quantity.Dimension, numbers []float64, digits int, ok bool) {
	switch v := v.(type) {
	case quantity.Micros:
		return quantity.DimTime, []float64{float64(v)}, 3, true
	case quantity.MBps:
		return quantity.DimRate, []float64{float64(v)}, 3, true
	case quantity.MicrosPerByte:
		return quantity.DimInverse, []float64{float64(v)}, 3, true
	case manyNumbers:
		return v.dim(), v.numbers(), v.digits(), true
	}
	return dim, nil, 0, false
}

// maxDigits is the number of digits beyond which values that differ are printed as equal.
const maxDigits = 5

// TellingDigits returns the number of significant digits, from 3, that tell values apart, as far as
// they differ within maxDigits.
func TellingDigits(values []float64) int {
	sorted := slices.Sorted(slices.Values(values))
	text := func(v float64, digits int) string { return strconv.FormatFloat(v, 'e', digits-1, 64) }
	if len(sorted) == 0 {
		return 3
	}
	for d := 3; d < maxDigits; d++ {
		apart := true
		for i, v := range sorted[1:] {
			apart = apart && (text(sorted[i], d) != text(v, d) ||
				text(sorted[i], maxDigits) == text(v, maxDigits))
		}
		if apart {
			return d
		}
	}
	return maxDigits
}

// A Sentence is a text with quantities, which a [Printer] prints in its units. The zero value is no
// sentence.
type Sentence struct {
	format string
	parts  []any
}

// Say returns a sentence by a format of package fmt. Times, rates, inverse bandwidths, an
// [Interval] and a [Change] among the parts are printed as in a table, under the verb %v.
func Say(format string, parts ...any) Sentence { return Sentence{format, parts} }

// sizeText prints a size exactly if it was asked for by value. A size of seven digits or more that
// is no round number is one of a range, or stands beside a round one: "323 MiB", "1 MiB + 3 B".
func sizeText(n quantity.Bytes) string {
	const most = 1e6
	text := n.String()
	bytes, odd := strings.CutSuffix(text, " B")
	if n < most || n > quantity.MaxBytes || !odd || strings.HasSuffix(bytes, "000") {
		return text
	}
	for unit := quantity.Bytes(1 << 40); unit > quantity.KiB; unit /= 1 << 10 {
		whole := unit * quantity.Bytes(math.Floor(float64(n/unit)))
		if rest := n - whole; whole > 0 && rest < quantity.KiB {
			return fmt.Sprintf("%v + %v", whole, rest)
		} else if whole > 0 {
			break
		}
	}
	return About(n)
}

// About prints a size, [quantity.Bytes], in at most four digits where nobody needs its bytes: 46441
// as "45.4 KiB", 3755 as "3755 B".
func About(size any) string {
	n := size.(quantity.Bytes)
	text := n.String()
	if digits, _, _ := strings.Cut(text, " "); len(digits) <= 4 || n < 1000 {
		return text
	}
	if n += 0.5; n == quantity.Bytes(math.Trunc(float64(n))) { // too large for halves
		return Significant(float64(n/(1<<40)), 4) + " TiB"
	}
	return n.String() // no whole number
}

// A scaling returns the scale that a table has for a value: its columns' units and digits.
type scaling func(dim quantity.Dimension, v float64) (quantity.Scale, bool)

// in returns the text of the sentence. A quantity that is in a table is printed as there; another
// one of its dimension, in the unit that the sentence already has.
func (s Sentence) in(units quantity.UnitChoice, as scaling) string {
	used := map[quantity.Dimension]quantity.Scale{}
	s.visit(func(dim quantity.Dimension, v float64) {
		if _, known := used[dim]; !known {
			if scale, ok := as(dim, v); ok {
				used[dim] = scale
			}
		}
	})
	return s.text(func(dim quantity.Dimension, digits int, numbers []float64) quantity.Scale {
		if scale, ok := as(dim, numbers[0]); ok {
			return scale
		}
		if scale, ok := used[dim]; ok {
			return scale
		}
		return quantity.NewScale(dim, units, digits, numbers...)
	})
}

// visit calls f with the first number of each quantity in the sentence.
func (s Sentence) visit(f func(dim quantity.Dimension, v float64)) {
	for _, part := range s.parts {
		if inner, ok := part.(Sentence); ok {
			inner.visit(f)
		} else if dim, numbers, _, ok := scalable(part); ok {
			f(dim, numbers[0])
		}
	}
}

// text formats the sentence, each quantity in its scale.
func (s Sentence) text(
	scaleOf func(quantity.Dimension, int, []float64) quantity.Scale,
) string {
	return fmt.Sprintf(s.format, list.Map(s.parts, func(part any) any {
		if inner, ok := part.(Sentence); ok {
			return inner.text(scaleOf)
		}
		if n, ok := part.(quantity.Bytes); ok {
			return sizeText(n)
		}
		dim, numbers, digits, ok := scalable(part)
		if !ok {
			return part
		}
		scale := scaleOf(dim, digits, numbers)
		several, ok := part.(manyNumbers)
		if !ok {
			return scale.Format(numbers[0])
		}
		// A sentence has brackets enough: "678 µs, 349 to 811".
		return strings.NewReplacer(" (", ", ", ")", "").Replace(several.text(scale))
	})...)
}
