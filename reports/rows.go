// Package reports turns rows into tables (text, Markdown, CSV, JSON), values
// into pictures (PNG, SVG, PDF), and both into documents (HTML, Markdown). It
// knows no platform and computes no model: what it prints and draws is what it
// is given.
package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Rows is a table. JSON and CSV print its values bare, under the keys of the
// columns; text and Markdown print them for eyes, under the heads.
//
// A cell holds a string, a bool, an integer, a float, a slice of numbers, or
// nothing (nil, or a float that is not finite); named types of these kinds
// are welcome.
type Rows struct {
	Columns []Column
	Data    [][]any  // one slice per row, one cell per column
	Notes   []string // remarks; Write prints them in Text and Markdown only
}

// A Column says how the cells under it are named and read.
type Column struct {
	Key  string             // for programs, with the unit: one_way_us; empty: the column is left out of CSV and JSON
	Head string             // for people; empty: the column is left out of Text and Markdown
	Text func(v any) string // how a person reads a cell that is not absent; nil: see Write
}

// Write prints r in the format f.
//
// JSON is an array of flat objects, one to a line, with the keys in the order
// of the columns; CSV always has its header. Both print floats at 12
// significant digits; an absent value is null in JSON and empty in CSV; a
// slice is an array in JSON and separated by spaces in CSV.
//
// In Text and Markdown a cell prints as its column's Text says, else as its
// String method says, else floats have 4 significant digits and bools are yes
// or no; an absent value is "–". Columns of numbers are right aligned. The notes follow the table.
//
// The errors are those of w, and a row or cell that is no part of a table.
func Write(w io.Writer, f Format, r Rows) error {
	if err := r.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	switch f {
	case Text, "":
		writeText(&b, r)
	case Markdown:
		writeMarkdown(&b, r)
	case CSV:
		writeCSV(&b, r)
	case JSON:
		writeJSON(&b, r)
	default:
		return new(Format).Set(string(f))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// check returns the first row or cell that is no part of a table.
func (r Rows) check() error {
	for i, row := range r.Data {
		if len(row) != len(r.Columns) {
			return fmt.Errorf("row %d has %d cells; the table has %d columns", i+1, len(row), len(r.Columns))
		}
		for j, v := range row {
			if !isCell(v) {
				return fmt.Errorf("row %d: a %T under %q is no value of a table", i+1, v, r.Columns[j].Key)
			}
		}
	}
	return nil
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
				record = append(record, bare(v))
			}
		}
		_ = w.Write(record)
	}
	w.Flush()
}

func writeText(b *bytes.Buffer, r Rows) {
	t := newTable(r, func(s string) string { return strings.Map(noControl, s) })
	style := table.StyleDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Box.MiddleHorizontal = "─"
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	b.WriteString(t.Render())
	b.WriteByte('\n')
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Map(noControl, note))
		b.WriteByte('\n')
	}
}

func writeMarkdown(b *bytes.Buffer, r Rows) {
	b.WriteString(newTable(r, escapeMarkdown).RenderMarkdown())
	b.WriteByte('\n')
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s\n", escapeMarkdown(note))
	}
}

// newTable hands the columns that have a head to go-pretty, as clean strings.
func newTable(r Rows, clean func(string) string) table.Writer {
	t := table.NewWriter()
	var head table.Row
	var configs []table.ColumnConfig
	var shown []int
	for j, c := range r.Columns {
		if c.Head == "" {
			continue
		}
		shown = append(shown, j)
		head = append(head, clean(c.Head))
		align := text.AlignLeft
		if numeric(r.Data, j) {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: len(shown), Align: align, AlignHeader: align})
	}
	t.AppendHeader(head)
	t.SetColumnConfigs(configs)
	for _, row := range r.Data {
		var cells table.Row
		for _, j := range shown {
			cells = append(cells, clean(forEyes(r.Columns[j], row[j])))
		}
		t.AppendRow(cells)
	}
	return t
}

// numeric reports whether column j holds numbers and nothing else.
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

// noControl keeps a cell on its line and a terminal unmoved.
func noControl(c rune) rune {
	if unicode.IsControl(c) {
		return ' '
	}
	return c
}

// escapeMarkdown makes s read as it is; go-pretty escapes the bar.
func escapeMarkdown(s string) string {
	var b strings.Builder
	runes := []rune(strings.Map(noControl, s))
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, c := range runes {
		if strings.ContainsRune("\\`*<[", c) || c == '_' && !(inWord(i-1) && inWord(i+1)) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// forEyes prints a cell for people.
func forEyes(c Column, v any) string {
	if absent(v) {
		return "–"
	}
	if c.Text != nil {
		return c.Text(v)
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Float64, reflect.Float32:
		return significant(rv.Float(), 4)
	case reflect.Bool:
		if rv.Bool() {
			return "yes"
		}
		return "no"
	case reflect.Slice:
		parts := make([]string, rv.Len())
		for i := range parts {
			parts[i] = forEyes(c, rv.Index(i).Interface())
		}
		return strings.Join(parts, " ")
	default:
		return bare(v)
	}
}

// significant prints v with the given number of significant digits, trailing
// zeros kept and digits before the point never dropped. Only what nobody
// wants to count the zeros of has an exponent: below 1e-4, from 1e9.
func significant(v float64, digits int) string {
	e := strconv.FormatFloat(v, 'e', digits-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	switch {
	case v == 0:
		return "0"
	case exp < -4 || exp >= 9:
		return e
	default:
		return strconv.FormatFloat(v, 'f', max(0, digits-1-exp), 64)
	}
}

// bare prints a cell for programs: floats at 12 significant digits, nothing
// for an absent value.
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

// bareFloat prints v at 12 significant digits: enough for any measurement,
// and few enough to be the same on machines that fuse x*y+z.
func bareFloat(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	abs := math.Abs(v)
	switch {
	case abs == 0:
		return "0"
	case abs < 1e-6 || abs >= 1e21:
		return strconv.FormatFloat(v, 'e', -1, 64)
	default:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
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

// absent reports whether v is no value: nil, a nil slice, a float that is not finite.
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
