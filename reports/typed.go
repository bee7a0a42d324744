package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// OrAbsent returns v, or nil if it is unknown.
func OrAbsent[T any](v T, known bool) any {
	if !known {
		return nil
	}
	return v
}

func HeadIf(shown bool, text string) string {
	if shown {
		return text
	}
	return ""
}

// A Field is a column of a table, and the cell of a typed row under it.
type Field[T any] struct {
	Column
	Cell func(T) any
}

// TableOf makes the table of typed rows.
func TableOf[T any](all []T, fields ...Field[T]) Rows {
	var rows Rows
	fields = slices.DeleteFunc(slices.Clone(fields), func(f Field[T]) bool { return f.Cell == nil })
	for _, f := range fields {
		rows.Columns = append(rows.Columns, f.Column)
	}
	for _, one := range all {
		row := make([]any, len(fields))
		for i, f := range fields {
			row[i] = f.Cell(one)
		}
		rows.Data = append(rows.Data, row)
	}
	return rows
}

// Col is a column for programs and people; with an empty key or head it is for one of them.
func Col[T any](key, head string, cell func(T) any) Field[T] {
	return Field[T]{Column{Key: key, Head: head}, cell}
}

// Texted is the column with another text for people.
func (f Field[T]) Texted(text func(any) string) Field[T] {
	f.Text = text
	return f
}

// Rounded is the column with so many significant digits for people, see [Column.Digits].
func (f Field[T]) Rounded(digits int) Field[T] {
	f.Digits = digits
	return f
}

// Ranked is the column with a rank among those that a narrow terminal leaves out.
func (f Field[T]) Ranked(rank int) Field[T] {
	f.Rank = rank
	return f
}

// If is the column where the table has it, else one that [TableOf] leaves out.
func (f Field[T]) If(has bool) Field[T] {
	if !has {
		f.Cell = nil
	}
	return f
}

// A Footnotes numbers the remarks of rows, the same remark once.
type Footnotes []string

// Mark is "[1]" for the first remark; for none it is empty.
func (f *Footnotes) Mark(remark string) string {
	if remark == "" {
		return ""
	}
	i := slices.Index(*f, remark)
	if i < 0 {
		i = len(*f)
		*f = append(*f, remark)
	}
	return fmt.Sprintf("[%d]", i+1)
}

// Lines are the notes beneath the table, each with this end.
func (f Footnotes) Lines(end string) []string {
	var lines []string
	for i, remark := range f {
		lines = append(lines, fmt.Sprintf("[%d] %s%s", i+1, remark, end))
	}
	return lines
}

// OrNil is nothing for an empty text.
func OrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// PercentText prints a value with this format, as "%.0f %%", and a minus sign that is one.
func PercentText(format string) func(any) string {
	return func(v any) string { return strings.Replace(fmt.Sprintf(format, v), "-", "−", 1) }
}

// Finite returns v, or 0 if it is not finite.
func Finite(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}

// UnitRows is the vocabulary of units.
func UnitRows() Rows {
	rows := Rows{Columns: []Column{{Head: "unit"}, {Head: "is"}, {Head: "also read"}}}
	for _, e := range quantity.Vocabulary() {
		is := e.Is
		if is == "" {
			is = "the unit inside, of " + e.Of
		}
		rows.Data = append(rows.Data, []any{e.Name, is, e.Aliases})
	}
	return rows
}
