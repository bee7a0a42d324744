package table

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

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

// scales returns the scale of each dimension in column j, so that all its cells have one unit and
// can be compared at a glance. Most columns have one dimension or none.
func (r Rows) scales(j int, units quantity.UnitChoice) map[quantity.Dimension]quantity.Scale {
	numbers, digits := map[quantity.Dimension][]float64{}, map[quantity.Dimension]int{}
	for k, c := range r.Columns {
		if k != j && (c.quantity == "" || c.quantity != r.Columns[j].quantity || !r.seen(k)) {
			continue
		}
		singles := map[quantity.Dimension][]float64{}
		for _, row := range r.Data {
			if dim, ns, d, ok := scalable(row[k]); ok {
				numbers[dim], digits[dim] = append(numbers[dim], ns...), max(digits[dim], d)
				if len(ns) == 1 {
					singles[dim] = append(singles[dim], ns[0])
				}
			}
		}
		for dim, ns := range singles {
			digits[dim] = max(digits[dim], TellingDigits(ns))
		}
	}
	scales := map[quantity.Dimension]quantity.Scale{}
	for dim, ns := range numbers {
		d := max(digits[dim], 3)
		if of := r.Columns[j].Digits; of > 0 {
			d = of
		}
		scales[dim] = quantity.NewScale(dim, units, d, ns...)
	}
	return scales
}

// scaling returns the scales of the columns that people see.
func (r Rows) scaling(units quantity.UnitChoice) scaling {
	return func(dim quantity.Dimension, v float64) (scale quantity.Scale, ok bool) {
		for j := range r.Columns {
			if r.Columns[j].Text != nil || !r.seen(j) {
				continue
			}
			for _, row := range r.Data {
				if d, numbers, _, is := scalable(row[j]); is && d == dim &&
					slices.Contains(numbers, v) {
					return r.scales(j, units)[dim], true
				}
			}
		}
		return scale, false
	}
}

// printedRows holds the cells of a table as they are printed. [OneLine] has made its texts safe.
type printedRows struct {
	Heads   []string
	Numbers []bool // by column: it holds only numbers
	Cells   [][]string
	Values  [][]string // the numbers behind the cells, as CSV has them; empty: text
	Missing [][]bool   // cells without a value
}

// Printed returns the columns and texts that [Printer.Write] prints in Markdown.
func (r Rows) Printed() (printedRows, error) {
	if err := r.check(); err != nil {
		return printedRows{}, err
	}
	s, _ := r.printed(nil, OneLine)
	return s, nil
}

// printed returns the visible columns as printed, and their indices in r.Columns.
func (r Rows) printed(
	units quantity.UnitChoice, clean func(string) string,
) (s printedRows, columns []int) {
	s.Cells, s.Values = make([][]string, len(r.Data)), make([][]string, len(r.Data))
	s.Missing = make([][]bool, len(r.Data))
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
			s.Missing[i] = append(s.Missing[i], absent(row[j]))
			value := ""
			if !absent(row[j]) && isNumber(reflect.TypeOf(row[j])) {
				value = bare(row[j])
			}
			s.Values[i] = append(s.Values[i], value)
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
		return scales[dim].Format(numbers[0])
	}
	if n, ok := v.(quantity.Bytes); ok {
		return sizeText(n)
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	switch rv := reflect.ValueOf(v); {
	case rv.CanFloat():
		return Significant(rv.Float(), 4)
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
