// Package table holds rows and figures as data, and writes rows as text, Markdown, CSV and JSON. It
// does no modelling, and of the other packages it knows only the units of model/quantity and the
// notes of internal/remark.
//
// # Tables
//
// A package that answers a question declares its columns once, with [Col] and [TableOf], and
// returns [Rows]; [Printer.Write] prints them. Keys and their order are an interface: scripts read
// CSV and JSON by them. Heads, units, widths and notes are for people and may change. Read
// rows.go (the table), cells.go and number.go (from values to texts), then text.go (fitting a
// terminal), formats.go (CSV, JSON) and stream.go (rows of a sweep, one by one).
//
// # Pictures
//
// A [Picture] is data: a [Figure], a [HeatMap] and so on, all declared in picture.go. Package draw
// draws them.
//
// # Documents
//
// A [Document] holds paragraphs, facts, tables and drawings; document.go writes Markdown, and
// package draw HTML.
//
// # Invariants
//
// The same input gives the same bytes: no clock, no order of a map, and at most 12 significant
// digits, which agree between processors that fuse a product with a sum and those that do not.
// Texts from outside, such as names of files and nodes, pass [OneLine], escapeMarkdown or harmless
// before they are printed: a terminal or a spreadsheet would obey them.
package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
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
	Data    [][]any // one slice per row, one cell per column
	// RowRank returns, by the index of a row, the order in which a brief text leaves out rows that
	// the screen has no room for: the highest first. Nil: 0. If those of rank 0 are still too many,
	// some of the sizes are left out, or of the numbers of ranks, or of the rows.
	RowRank func(i int) int
	// AskedRank is the rank up to which rows stay if sizes or ranks were asked for one by one.
	AskedRank int
	List      bool // of what there is, which is shown whole on any screen

	// Notes and the verdict are printed in Text and Markdown only. A terminal has room for a few
	// notes: doubts come first, then advice; see [Printer.Brief].
	Notes   []Note
	Verdict Sentence // the answer in a line; it stands last
}

// A Note is a remark on the rows: why they may be wrong, how to read them, or what to do next.
type Note = remark.Note

// Add adds notes, each once.
func (r *Rows) Add(notes ...Note) { r.Notes = remark.Add(r.Notes, notes...) }

// Remarks returns the notes as lines: doubts, then what the rows are of, then advice.
func (r Rows) Remarks() []string { return remark.Texts(r.Notes) }

// A Column describes the cells under it.
type Column struct {
	Key  string             // in CSV and JSON, with the unit: one_way_us; empty: omitted there
	Head string             // in Text and Markdown; empty: the column is omitted there
	Text func(v any) string // of a cell that is not absent, in Text and Markdown; nil: see Write

	// Digits is the number of significant digits of each time, rate or inverse bandwidth in Text
	// and Markdown; 0: three, or up to five if they tell values of the column apart.
	Digits int

	quantity string // columns of one quantity have one scale; empty: a scale of its own

	// Rank is the order of dropping columns on a narrow terminal: the highest first, 0
	// never. Columns that identify a row come before those with results.
	Rank int
}

// A Printer prints tables in one format.
type Printer struct {
	Format TableFormat
	Units  quantity.UnitChoice // for times, rates and inverse bandwidths in Text and Markdown
	Width  int                 // of a line of Text, in letters; 0: any width fits
	Height int                 // of the screen, in lines; 0: any height fits
	Color  bool                // heads and the verdict in bold

	// Brief, if not empty, prints at most two lines of notes of all tables: doubts, or else advice.
	// If the text is longer than Height, it leaves out rows by [Rows.RowRank]. Brief says how to
	// ask for the rest, as "--notes".
	Brief string
	Asked bool // sizes or ranks were asked for one by one: Brief leaves out none of them
	Whole bool // all rows were: Brief leaves out none

	// Saved, if not empty, is a line of Text above the verdict: about files that were written.
	Saved string
}

// A TableFormat is a way to print a table; the zero value is Text.
type TableFormat string

// The formats of Write.
const (
	Text     TableFormat = "text"     // for eyes: aligned columns
	Markdown TableFormat = "markdown" // for documents
	CSV      TableFormat = "csv"      // for programs: bare numbers under a header of keys
	JSON     TableFormat = "json"     // for programs: an array of flat objects
)

// TableFormats lists every TableFormat, in the order of help.
var TableFormats = []string{string(Text), string(Markdown), string(CSV), string(JSON)}

// check returns an error for the first malformed row or cell. A library user may make
// rows by hand, and a wrong number of cells would shift all columns after it without
// a sign.
func (r Rows) check() error {
	for i, row := range r.Data {
		if len(row) != len(r.Columns) {
			return fmt.Errorf("row %d has %d cells; the table has %d columns",
				i+1, len(row), len(r.Columns))
		}
		for j, v := range row {
			key := r.Columns[j].Key
			if _, several := v.(manyNumbers); several && key == "" {
				continue // programs, which want one number, do not see this column
			}
			if !isCell(v) {
				return fmt.Errorf("row %d: a %T under %q is not a value of a table", i+1, v, key)
			}
		}
	}
	return nil
}

// isCell reports whether the formats can print v.
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

// isNumber reports whether t is a kind of integer or float: these kinds follow each other in
// package reflect, with Uintptr between them.
func isNumber(t reflect.Type) bool {
	k := t.Kind()
	return reflect.Int <= k && k <= reflect.Float64 && k != reflect.Uintptr
}

// absent reports whether v is nil, a nil slice, or a float that is not finite: JSON
// has neither NaN nor infinity, and a spreadsheet reads them as text.
func absent(v any) bool {
	switch rv := reflect.ValueOf(v); {
	case v == nil:
		return true
	case rv.CanFloat():
		return !finite(rv.Float())
	default:
		return rv.Kind() == reflect.Slice && rv.IsNil()
	}
}

// OrAbsent returns v, or nil if it is unknown: null in JSON, empty in CSV, a dash for people.
func OrAbsent[T any](v T, known bool) any {
	if !known {
		return nil
	}
	return v
}

// HeadIf returns the head of a column, or no head if it is not shown. A column without a head stays
// in CSV and JSON, whose columns scripts rely on.
func HeadIf(shown bool, text string) string {
	if shown {
		return text
	}
	return ""
}

// A Field is a column of a table, and the function that gives its cell for a row of type T. A
// column and its cells stand together, so neither can be forgotten.
type Field[T any] struct {
	Column
	Cell func(T) any
}

// TableOf returns the table of typed rows. It leaves out the fields that [Field.If] removed.
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
// [Column.Digits]. Columns of one quantity, such as a value and the ends of its interval, have one
// unit and equally many digits.
func (f Field[T]) Rounded(digits int, quantity ...string) Field[T] {
	f.Digits, f.quantity = digits, strings.Join(quantity, " ")
	return f
}

// Ranked returns the column with a rank in the order of dropping; see [Column.Rank].
func (f Field[T]) Ranked(rank int) Field[T] {
	f.Rank = rank
	return f
}

// If returns the column if the table has it, otherwise one that [TableOf] leaves out, also in CSV
// and JSON.
func (f Field[T]) If(has bool) Field[T] {
	if !has {
		f.Cell = nil
	}
	return f
}

// OrNil returns the text, or nil if it is empty.
func OrNil(text string) any { return OrAbsent(text, text != "") }

// PercentText returns a text function that prints a value with a format, such as "%.0f %%", and
// with a minus sign in place of the hyphen. Above 900 %, a format with the sign prints a factor.
func PercentText(format string) func(any) string {
	signed := strings.HasSuffix(format, "%%")
	return func(v any) string {
		if percent := toFloat(v); signed && percent >= manyTimes && finite(percent) {
			return Times(1 + percent/100)
		}
		return Minus(fmt.Sprintf(format, v))
	}
}

// Finite returns v, or 0 if it is not finite.
func Finite(v float64) float64 {
	if !finite(v) {
		return 0
	}
	return v
}
