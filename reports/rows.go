// Package reports writes rows as tables (text, Markdown, CSV, JSON), values as pictures (PNG, SVG,
// PDF), and both as documents (HTML, Markdown). It does no modelling; it only formats and draws its
// input.
package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

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

// Write prints r in format f with default options; see [View.Write].
func Write(w io.Writer, f Format, r Rows) error { return View{Format: f}.Write(w, r) }

// Write prints r.
//
// JSON is an array of flat objects, one per line, with the keys in column order; CSV always has a
// header. Both print floats with 12 significant digits. An absent value is null in JSON and empty
// in CSV. A slice is an array in JSON and separated by spaces in CSV. A text in CSV that a
// spreadsheet would evaluate (it begins with = + - or @ and is not a number) gets a leading
// apostrophe.
//
// In Text and Markdown a cell is formatted by the first of these that applies: its column's Text
// function; for times, rates and inverse bandwidths, the [quantity.Scale] of the column; its String
// method. Other floats have 4 significant digits, bools are yes or no, and an absent value is "–".
// Columns of numbers are right-aligned. Notes follow the table. A column without any value is
// omitted.
//
// If Text is wider than the terminal, columns are dropped by Rank, except those that distinguish
// rows; then columns of text are folded. If that is not enough, each record is printed upright,
// with one line per column.
//
// Write returns errors of w, and an error if a row or cell is malformed.
func (v View) Write(w io.Writer, r Rows) error {
	if err := r.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	switch v.Format {
	case Text, "":
		v.writeText(&b, r)
	case Markdown:
		v.writeMarkdown(&b, r)
	case CSV:
		writeCSV(&b, r)
	case JSON:
		writeJSON(&b, r)
	default:
		return fmt.Errorf("unknown format %q; choose one of %s", v.Format, strings.Join(Formats(), ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
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

// JSON returns what [View.Write] prints in that format.
func (r Rows) JSON() ([]byte, error) { return r.bytes(writeJSON) }

// CSV returns what [View.Write] prints in that format.
func (r Rows) CSV() ([]byte, error) { return r.bytes(writeCSV) }

func (r Rows) bytes(write func(*bytes.Buffer, Rows)) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	write(&b, r)
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, r Rows) {
	b.WriteByte('[')
	for i, row := range r.Data {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n{")
		separator := ""
		for j, v := range row {
			if r.Columns[j].Key == "" {
				continue
			}
			b.WriteString(separator)
			separator = ","
			b.Write(jsonString(r.Columns[j].Key))
			b.WriteByte(':')
			b.Write(jsonValue(v))
		}
		b.WriteByte('}')
	}
	if len(r.Data) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
}

func jsonValue(v any) []byte {
	if absent(v) {
		return []byte("null")
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.String:
		return jsonString(rv.String())
	case reflect.Slice:
		parts := make([][]byte, rv.Len())
		for i := range parts {
			parts[i] = jsonValue(rv.Index(i).Interface())
		}
		return fmt.Appendf(nil, "[%s]", bytes.Join(parts, []byte(",")))
	default:
		return []byte(bare(v))
	}
}

func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string and a buffer: neither can fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func writeCSV(b *bytes.Buffer, r Rows) {
	w := csv.NewWriter(b)
	var record []string
	for _, c := range r.Columns {
		if c.Key != "" {
			record = append(record, c.Key)
		}
	}
	_ = w.Write(record) // a buffer takes everything
	for _, row := range r.Data {
		record = record[:0]
		for j, v := range row {
			if r.Columns[j].Key != "" {
				record = append(record, harmless(v))
			}
		}
		_ = w.Write(record)
	}
	w.Flush()
}

// seen reports whether column j is printed in Text and Markdown: it has a head and, if there are
// rows, a value in at least one.
func (r Rows) seen(j int) bool {
	return r.Columns[j].Head != "" &&
		(len(r.Data) == 0 || slices.ContainsFunc(r.Data, func(row []any) bool {
			return !absent(row[j]) && reflect.ValueOf(row[j]).String() != ""
		}))
}

// numeric reports whether column j holds only numbers.
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

// bare formats a cell for CSV: floats have 12 significant digits, absent values are empty.
func bare(v any) string {
	if absent(v) {
		return ""
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Float64, reflect.Float32:
		return bareFloat(rv.Float())
	case reflect.Slice:
		parts := make([]string, rv.Len())
		for i := range parts {
			parts[i] = bare(rv.Index(i).Interface())
		}
		return strings.Join(parts, " ")
	case reflect.String:
		return rv.String()
	case reflect.Bool:
		return strconv.FormatBool(rv.Bool())
	default:
		if rv.CanInt() {
			return strconv.FormatInt(rv.Int(), 10)
		}
		return strconv.FormatUint(rv.Uint(), 10)
	}
}

// bareFloat formats v with 12 significant digits: enough for any measurement, and few enough to be
// equal on machines that fuse x*y+z.
func bareFloat(v float64) string { return string(appendFloat(nil, v)) }

// appendFloat places the decimal point among the digits of FormatFloat. The result is the shortest
// text for the rounded number, because different numbers of 12 digits are different floats. Below
// 1e-300, where floats have fewer digits, it searches for the shortest.
func appendFloat(b []byte, v float64) []byte {
	if abs := math.Abs(v); abs > 0 && abs < 1e-300 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	var buffer [32]byte
	text := strconv.AppendFloat(buffer[:0], v, 'e', 11, 64) // -d.ddddddddddde±dd
	if text[0] == '-' {
		b, text = append(b, '-'), text[1:]
	}
	exp, _ := strconv.Atoi(string(text[14:]))
	digits := append(text[:1], text[2:13]...)
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	switch {
	case exp < -6 || exp >= 21:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		if b = append(b, 'e'); exp < 0 {
			b, exp = append(b, '-'), -exp
		} else {
			b = append(b, '+')
		}
		if exp < 10 {
			b = append(b, '0')
		}
		return strconv.AppendInt(b, int64(exp), 10)
	case exp < 0:
		b = append(append(b, "0.00000"[:1-exp]...), digits...)
	case exp+1 >= len(digits):
		b = append(append(b, digits...), "00000000000000000000"[:exp+1-len(digits)]...)
	default:
		b = append(append(append(b, digits[:exp+1]...), '.'), digits[exp+1:]...)
	}
	return b
}

// AppendNumber appends v as JSON, with 12 significant digits; null if it is not finite.
func AppendNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return appendFloat(b, v)
}

// harmless formats a cell for CSV so that a spreadsheet displays and does not evaluate it.
func harmless(v any) string {
	text := bare(v)
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) || reflect.ValueOf(v).Kind() != reflect.String {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
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
		return isNumber(t.Elem())
	default:
		return isNumber(t)
	}
}

func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return true
	default:
		return false
	}
}

// absent reports whether v is nil, a nil slice, or a float that is not finite.
func absent(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Float64, reflect.Float32:
		return math.IsNaN(rv.Float()) || math.IsInf(rv.Float(), 0)
	case reflect.Slice:
		return rv.IsNil()
	default:
		return false
	}
}
