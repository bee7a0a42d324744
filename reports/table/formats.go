package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Write prints tables, one below the other. CSV and JSON take one table.
//
// JSON is an array of flat objects, one per line, with the keys in column order; CSV always has a
// header. Both print floats with 12 significant digits. An absent value is null in JSON and empty
// in CSV. A slice is an array in JSON and separated by spaces in CSV. A text in CSV that a
// spreadsheet would evaluate (it begins with = + - or @ and is not a number) gets a leading
// apostrophe.
//
// Both spell control characters in a text as \uXXXX, also those that change the direction of
// writing, so that no text from outside can command a terminal. In JSON this is an escape, and the
// text is the same once it is read. In CSV it is text: the cell has six letters in place of the
// character. A line break or a tab in a quoted cell of CSV remains.
//
// In Text and Markdown a cell is formatted by the first of these that applies: its column's Text
// function; for times, rates and inverse bandwidths, the [quantity.Scale] of the column; its String
// method. Other floats have 4 significant digits, bools are yes or no, and an absent value is a
// dash. Columns of numbers are right-aligned. Remarks follow their table, or are chosen from all
// tables (see [Printer.Brief]); the last table's verdict ends the text. A column without any value
// is omitted.
//
// If Text is wider than the printer's width, columns are dropped by Rank, except those that
// distinguish rows; then columns of text are folded. If that is not enough, each record is printed
// upright, with one line per column.
//
// Write returns errors of w, and an error if a row or cell is malformed.
func (v Printer) Write(w io.Writer, tables ...Rows) error {
	// Everything is checked and printed to memory first, so that no error leaves half
	// a table behind.
	for _, r := range tables {
		if err := r.check(); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	switch v.Format {
	case Text, "":
		v.writeText(&b, tables)
	case Markdown:
		v.writeMarkdown(&b, tables)
	case CSV, JSON:
		write := map[TableFormat]func(*bytes.Buffer, Rows){CSV: writeCSV, JSON: writeJSON}[v.Format]
		for _, r := range tables {
			write(&b, r)
		}
	default:
		return fmt.Errorf("unknown format %q; choose one of %s",
			v.Format, strings.Join(TableFormats, ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeTable prints r with the default options of [Printer].
func writeTable(w io.Writer, f TableFormat, r Rows) error { return Printer{Format: f}.Write(w, r) }

// JSON returns what [Printer.Write] prints in that format.
func (r Rows) JSON() ([]byte, error) { return r.bytes(writeJSON) }

// CSV returns what [Printer.Write] prints in that format.
func (r Rows) CSV() ([]byte, error) { return r.bytes(writeCSV) }

// bytes prints to memory; the fields of CSV and JSON do not depend on a terminal or units. It does
// not call Printer.Write, so that the program of the page has no code of other formats.
func (r Rows) bytes(write func(*bytes.Buffer, Rows)) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	write(&b, r)
	return b.Bytes(), nil
}

// writeJSON prints one object per line, so that diff and grep can work on rows. The encoder of the
// standard library would sort the keys.
func writeJSON(b *bytes.Buffer, r Rows) {
	b.WriteByte('[')
	for i, row := range r.Data {
		if i > 0 {
			b.WriteByte(',')
		}
		var fields []string
		for j, v := range row {
			if key := r.Columns[j].Key; key != "" {
				fields = append(fields, jsonString(key)+":"+jsonValue(v))
			}
		}
		b.WriteString("\n{" + strings.Join(fields, ",") + "}")
	}
	if len(r.Data) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
}

// jsonValue prints a cell. Numbers and bools are as in CSV; texts, slices and absent
// values are not.
func jsonValue(v any) string {
	rv := reflect.ValueOf(v)
	switch {
	case absent(v):
		return "null"
	case rv.Kind() == reflect.String:
		return jsonString(rv.String())
	case rv.Kind() == reflect.Slice:
		return "[" + joinElements(rv, ",", jsonValue) + "]"
	}
	return bare(v)
}

// jsonString quotes a text. It leaves <, > and & as they are, since the output is not part of a
// page.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string and a buffer: neither can fail
	return Visible(strings.TrimSuffix(b.String(), "\n"))
}

// writeCSV prints the header even without rows, so that a script finds the columns it reads.
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

// harmless formats a cell for CSV so that a spreadsheet displays and does not evaluate it: the
// names of files and nodes come from outside, and a formula can send a sheet's cells elsewhere.
func harmless(v any) string {
	text := Visible(bare(v))
	isText := reflect.ValueOf(v).Kind() == reflect.String
	if !isText || text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
