package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// OrAbsent returns v, or nil if it is unknown.
func OrAbsent[T any](v T, known bool) any {
	if !known {
		return nil
	}
	return v
}

// HeadIf returns the head of a column, or no head if it is not shown.
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

// TableOf returns the table of typed rows.
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

// Col returns a column. Without a head it is for programs alone, without a key for people alone.
func Col[T any](key, head string, cell func(T) any) Field[T] {
	return Field[T]{Column{Key: key, Head: head}, cell}
}

// Texted returns the column with another text for people.
func (f Field[T]) Texted(text func(any) string) Field[T] {
	f.Text = text
	return f
}

// Rounded returns the column with this number of significant digits for people; see
// [Column.Digits].
func (f Field[T]) Rounded(digits int) Field[T] {
	f.Digits = digits
	return f
}

// Ranked returns the column with a rank in the order of dropping; see [Column.Rank].
func (f Field[T]) Ranked(rank int) Field[T] {
	f.Rank = rank
	return f
}

// If returns the column if the table has it, otherwise one that [TableOf] leaves out.
func (f Field[T]) If(has bool) Field[T] {
	if !has {
		f.Cell = nil
	}
	return f
}

// Footnotes number the remarks of rows, the same remark once.
type Footnotes []string

// Mark returns "[1]" for the first remark, and nothing for an empty one.
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

// Lines returns the notes beneath the table, each with this end.
func (f Footnotes) Lines(end string) []string {
	var lines []string
	for i, remark := range f {
		lines = append(lines, fmt.Sprintf("[%d] %s%s", i+1, remark, end))
	}
	return lines
}

// OrNil returns the text, or nil if it is empty.
func OrNil(text string) any { return OrAbsent(text, text != "") }

// PercentText returns a text function that prints a value with a format, such as "%.0f %%", and
// with a minus sign in place of the hyphen.
func PercentText(format string) func(any) string {
	return func(v any) string { return Minus(fmt.Sprintf(format, v)) }
}

// Finite returns v, or 0 if it is not finite.
func Finite(v float64) float64 {
	if !finite(v) {
		return 0
	}
	return v
}

// UnitRows returns the vocabulary of units.
func UnitRows() Rows {
	return TableOf(quantity.Vocabulary(),
		Col("", "unit", func(e quantity.Entry) any { return e.Name }),
		Col("", "is", func(e quantity.Entry) any { return cmp.Or(e.Is, "the unit inside, of "+e.Of) }),
		Col("", "also read", func(e quantity.Entry) any { return e.Aliases }))
}
