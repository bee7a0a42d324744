package reports

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Interval is a value and its interval, in µs and bytes, as a cell for people:
// "9.050 µs (8.801 to 9.300)". The whole column has one unit. [Shown] makes the cell of a value
// that may have no interval.
type Interval struct {
	Dim quantity.Dimension
	quantity.Interval
}

func (i Interval) dim() quantity.Dimension { return i.Dim }
func (i Interval) numbers() []float64      { return []float64{i.Value, i.Low, i.High} }

// digits returns the number of significant digits that shows different ends of a narrow interval,
// with one to spare for a scale that larger numbers of the column choose.
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
		minus(s.Format(i.Value)), minus(s.Number(i.Low)), minus(s.Number(i.High)))
}

// String formats an interval outside a table, for example in a sentence.
func (i Interval) String() string { return alone(i, nil) }

// In formats the interval like String, with a choice of units.
func (i Interval) In(units quantity.UnitChoice) string { return alone(i, units) }

// A Spread is the columns of a value with its 95 % interval: one for people, who read the ends
// behind the value, and three for programs.
type Spread[T any] struct{ Text, Value, Low, High Field[T] }

// SpreadOf returns the columns of an interval. Keys are made from the name and the dimension, as in
// one_way_us, one_way_low_us and one_way_high_us. An unknown end is absent, and so is the whole
// interval of a value that is NaN.
func SpreadOf[T any](
	name, head string, dim quantity.Dimension, of func(T) quantity.Interval,
) Spread[T] {
	c := dim.Column()
	number := func(part string, one func(quantity.Interval) float64) Field[T] {
		return Col(strings.TrimPrefix(name+part+c.Suffix, "_"), "", func(v T) any {
			in := of(v)
			end := c.Scale * one(in)
			if dim == quantity.DimSize { // where people read it, it has a unit of its own
				return OrAbsent(quantity.Bytes(end), !math.IsNaN(in.Value))
			}
			return OrAbsent(end, !math.IsNaN(in.Value))
		})
	}
	return Spread[T]{
		Text:  Col("", head, func(v T) any { return Shown(dim, of(v)) }),
		Value: number("", func(i quantity.Interval) float64 { return i.Value }),
		Low:   number("_low", func(i quantity.Interval) float64 { return i.Low }),
		High:  number("_high", func(i quantity.Interval) float64 { return i.High }),
	}
}

// Fields returns all columns.
func (s Spread[T]) Fields() []Field[T] { return []Field[T]{s.Text, s.Value, s.Low, s.High} }

// Shown returns the cell of a value for people: with its interval, if that is known.
func Shown(dim quantity.Dimension, in quantity.Interval) any {
	switch {
	case math.IsNaN(in.Value):
		return nil
	case in.Known():
		return Interval{dim, in}
	case dim == quantity.DimTime:
		return quantity.Micros(in.Value)
	case dim == quantity.DimRate:
		return quantity.MBps(in.Value)
	case dim == quantity.DimInverse:
		return quantity.MicrosPerByte(in.Value)
	case dim == quantity.DimSize:
		return quantity.Bytes(in.Value)
	}
	return in.Value
}

// A Change is a value before and after, in µs and bytes: "589.30 → 441.10 µs, −25.1 %".
type Change struct {
	Dim      quantity.Dimension
	From, To float64
}

func (c Change) dim() quantity.Dimension { return c.Dim }
func (c Change) numbers() []float64      { return []float64{c.From, c.To} }

// Three digits of the smaller value: changes of less than 1 % still show in the
// percentage.
func (c Change) digits() int { return 3 }

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

// alone formats a cell with a scale of its own, not that of a column: a sentence has
// no column whose values should be comparable.
func alone(c manyNumbers, units quantity.UnitChoice) string {
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

// scales returns the scale of each dimension in column j, so that all its cells have
// one unit and can be compared at a glance. Most columns have one dimension or none.
func (r Rows) scales(j int, units quantity.UnitChoice) map[quantity.Dimension]quantity.Scale {
	numbers, digits := map[quantity.Dimension][]float64{}, map[quantity.Dimension]int{}
	for _, row := range r.Data {
		if dim, ns, d, ok := scalable(row[j]); ok {
			numbers[dim], digits[dim] = append(numbers[dim], ns...), max(digits[dim], d)
		}
	}
	scales := map[quantity.Dimension]quantity.Scale{}
	for dim, ns := range numbers {
		scales[dim] = quantity.NewScale(dim, units, digits[dim], ns...)
	}
	return scales
}

// PrintedRows holds the cells of a table as they are printed. [OneLine] has made its texts safe.
type PrintedRows struct {
	Heads   []string
	Numbers []bool // by column: it holds only numbers
	Cells   [][]string
}

// Printed returns the columns and texts that [Printer.Write] prints in Markdown.
func (r Rows) Printed(units quantity.UnitChoice) (PrintedRows, error) {
	if err := r.check(); err != nil {
		return PrintedRows{}, err
	}
	s, _ := r.printed(units, OneLine)
	return s, nil
}

// printed returns the visible columns as printed, and their indices in r.Columns.
func (r Rows) printed(
	units quantity.UnitChoice, clean func(string) string,
) (s PrintedRows, columns []int) {
	s.Cells = make([][]string, len(r.Data))
	for j, c := range r.Columns {
		if !r.seen(j) {
			continue
		}
		scales := r.scales(j, units)
		columns = append(columns, j)
		s.Heads = append(s.Heads, clean(c.Head))
		s.Numbers = append(s.Numbers, numeric(r.Data, j))
		for i, row := range r.Data {
			s.Cells[i] = append(s.Cells[i], clean(forEyes(c, row[j], scales)))
		}
	}
	return s, columns
}

// seen reports whether column j is printed in Text and Markdown: it has a head and, if there are
// rows, a value in at least one.
func (r Rows) seen(j int) bool {
	return r.Columns[j].Head != "" &&
		(len(r.Data) == 0 || slices.ContainsFunc(r.Data, func(row []any) bool {
			return !absent(row[j]) && reflect.ValueOf(row[j]).String() != ""
		}))
}

// numeric reports whether column j holds only numbers, and so is aligned to the
// right. A column without any value is not: its heading would stand right for no
// reason.
func numeric(data [][]any, j int) bool {
	some := false
	for _, row := range data {
		if absent(row[j]) {
			continue
		}
		if !isNumber(reflect.TypeOf(row[j])) {
			return false
		}
		some = true
	}
	return some
}

// forEyes formats a cell for text and Markdown, by the order of precedence that
// [Printer.Write] states.
func forEyes(c Column, v any, scales map[quantity.Dimension]quantity.Scale) string {
	if absent(v) {
		return "–"
	}
	if c.Text != nil {
		return c.Text(v)
	}
	if dim, numbers, _, ok := scalable(v); ok {
		if several, ok := v.(manyNumbers); ok {
			return several.text(scales[dim])
		}
		if c.Digits > 0 {
			return scales[dim].Significant(numbers[0], c.Digits)
		}
		return scales[dim].Format(numbers[0])
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	switch rv := reflect.ValueOf(v); {
	case rv.CanFloat():
		return significant(rv.Float(), 4)
	case rv.Kind() == reflect.Bool:
		return map[bool]string{true: "yes", false: "no"}[rv.Bool()]
	case rv.Kind() == reflect.Slice:
		return joinElements(rv, " ", func(v any) string { return forEyes(c, v, scales) })
	}
	return bare(v)
}

// bare formats a cell for CSV: floats have 12 significant digits, absent values are empty.
func bare(v any) string {
	rv := reflect.ValueOf(v)
	switch {
	case absent(v):
		return ""
	case rv.CanFloat():
		return bareFloat(rv.Float())
	case rv.CanInt():
		return strconv.FormatInt(rv.Int(), 10)
	case rv.CanUint():
		return strconv.FormatUint(rv.Uint(), 10)
	case rv.Kind() == reflect.Bool:
		return strconv.FormatBool(rv.Bool())
	case rv.Kind() == reflect.Slice:
		// Spaces, since a comma would have to be quoted and a semicolon separates cells in some
		// countries.
		return joinElements(rv, " ", bare)
	}
	return rv.String()
}

// joinElements returns the texts of a slice's elements with the separator between them.
func joinElements(slice reflect.Value, separator string, text func(v any) string) string {
	parts := make([]string, slice.Len())
	for i := range parts {
		parts[i] = text(slice.Index(i).Interface())
	}
	return strings.Join(parts, separator)
}
