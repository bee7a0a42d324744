package reports

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Format is a way to print a table. It is a flag value of pflag (Set,
// String, Type); its zero value prints as Text.
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

// Set makes f the format named s. The error names the choices.
func (f *Format) Set(s string) error {
	for _, name := range Formats() {
		if s == name {
			*f = Format(s)
			return nil
		}
	}
	return fmt.Errorf("unknown format %q; choose one of %s", s, strings.Join(Formats(), ", "))
}

// String returns the name of the format.
func (f Format) String() string {
	if f == "" {
		return string(Text)
	}
	return string(f)
}

// Type returns the choices, as help prints them.
func (Format) Type() string { return strings.Join(Formats(), "|") }

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
