package reports

import (
	"github.com/halfpeak/halfpeak/model/quantity"
)

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
