package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/reports"
)

// A field is a column of a table, and the cell of a typed row under it.
type field[T any] struct {
	reports.Column
	cell func(T) any
}

// tableOf makes the table of typed rows.
func tableOf[T any](all []T, fields ...field[T]) reports.Rows {
	var rows reports.Rows
	for _, f := range fields {
		rows.Columns = append(rows.Columns, f.Column)
	}
	for _, one := range all {
		row := make([]any, len(fields))
		for i, f := range fields {
			row[i] = f.cell(one)
		}
		rows.Data = append(rows.Data, row)
	}
	return rows
}

// col is a column for programs and people; with an empty key or head it is for one of them.
func col[T any](key, head string, cell func(T) any) field[T] {
	return field[T]{reports.Column{Key: key, Head: head}, cell}
}

// texted is the column with another text for people.
func (f field[T]) texted(text func(any) string) field[T] {
	f.Text = text
	return f
}

// ranked is the column with a rank among those that a narrow terminal leaves out.
func (f field[T]) ranked(rank int) field[T] {
	f.Rank = rank
	return f
}

// A footnotes numbers the remarks of rows, the same remark once.
type footnotes []string

// mark is "[1]" for the first remark; for none it is empty.
func (f *footnotes) mark(remark string) string {
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

// lines are the notes beneath the table, each with this end.
func (f footnotes) lines(end string) []string {
	var lines []string
	for i, remark := range f {
		lines = append(lines, fmt.Sprintf("[%d] %s%s", i+1, remark, end))
	}
	return lines
}

// orNil is nothing for an empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// percentText prints a value with this format, as "%.0f %%", and a minus sign that is one.
func percentText(format string) func(any) string {
	return func(v any) string { return strings.Replace(fmt.Sprintf(format, v), "-", "−", 1) }
}

// finite is v, or 0 where it is no number.
func finite(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}
