// Package reports writes rows as tables (text, Markdown, CSV, JSON), values as pictures (PNG, SVG,
// PDF), and both as documents (HTML, Markdown). It does no modelling; it only formats and draws its
// input.
package reports

import (
	"fmt"
	"reflect"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Rows is a table. JSON and CSV print unformatted values under the keys of the columns; text and
// Markdown print formatted values under the heads.
//
// A cell is a string, a bool, an integer, a float, a slice of numbers, or absent (nil, or a float
// that is not finite). Named types of these kinds are allowed. A column without a key may also hold
// an [Interval] or a [Change].
type Rows struct {
	Columns []Column
	Data    [][]any  // one slice per row, one cell per column
	Notes   []string // remarks, printed in Text and Markdown only
}

// A Column describes the cells under it.
type Column struct {
	Key  string             // in CSV and JSON, with the unit: one_way_us; empty: omitted there
	Head string             // in Text and Markdown; empty: the column is omitted there
	Text func(v any) string // formats a cell that is not absent for Text and Markdown; nil: see Write

	// Digits is the number of significant digits of each time, rate or inverse bandwidth in Text
	// and Markdown; 0: as many decimals in the whole column as its smallest value needs.
	Digits int

	// Rank is the order of dropping columns on a narrow terminal: the highest first, 0
	// never. Columns that identify a row come before those with results.
	Rank int
}

// A View holds the options for printing a table.
type View struct {
	Format Format
	Units  quantity.UnitChoice // for times, rates and inverse bandwidths in Text and Markdown
	Width  int                 // of the terminal, in letters; 0: not a terminal, any width fits
	Color  bool                // heads in bold
}

// A Format is a way to print a table; the zero value is Text.
type Format string

// The formats of Write.
const (
	Text     Format = "text"     // for eyes: aligned columns
	Markdown Format = "markdown" // for documents
	CSV      Format = "csv"      // for programs: bare numbers under a header of keys
	JSON     Format = "json"     // for programs: an array of flat objects
)

// Formats lists every Format, in the order of help.
func Formats() []string {
	return []string{string(Text), string(Markdown), string(CSV), string(JSON)}
}

// manyNumbers is a cell with several numbers of one dimension, for text and Markdown only.
type manyNumbers interface {
	dim() quantity.Dimension
	numbers() []float64
	digits() int // significant digits of the number nearest to zero
	text(s quantity.Scale) string
}

// check returns an error for the first malformed row or cell.
func (r Rows) check() error {
	for i, row := range r.Data {
		if len(row) != len(r.Columns) {
			return fmt.Errorf("row %d has %d cells; the table has %d columns", i+1, len(row), len(r.Columns))
		}
		for j, v := range row {
			if _, several := v.(manyNumbers); !isCell(v) && !(several && r.Columns[j].Key == "") {
				return fmt.Errorf("row %d: a %T under %q is not a value of a table", i+1, v, r.Columns[j].Key)
			}
		}
	}
	return nil
}

func isCell(v any) bool {
	if v == nil {
		return true
	}
	t := reflect.TypeOf(v)
	switch t.Kind() {
	case reflect.String, reflect.Bool:
		return true
	case reflect.Slice:
		t = t.Elem()
	}
	return isNumber(t)
}

func isNumber(t reflect.Type) bool {
	k := t.Kind()
	return reflect.Int <= k && k <= reflect.Float64 && k != reflect.Uintptr
}

// absent reports whether v is nil, a nil slice, or a float that is not finite.
func absent(v any) bool {
	rv := reflect.ValueOf(v)
	return v == nil || rv.CanFloat() && !finite(rv.Float()) || rv.Kind() == reflect.Slice && rv.IsNil()
}
