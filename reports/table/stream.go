//go:build !js

package table

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

// StreamFormats lists the formats for writing tables of numbers row by row: CSV as [Printer.Write]
// prints it, and one JSON object per line.
var StreamFormats = []string{"csv", "jsonl"}

// NewRowEncoder returns the header of the format csv or jsonl, and a function that appends a row of
// numbers to text; a number that is not finite is absent.
//
// It exists beside [Printer.Write] for sweeps of millions of rows, which a table would hold in
// memory.
func NewRowEncoder(
	format string, keys []string,
) (header []byte, encode func([]byte, []float64) []byte, err error) {
	switch format {
	case "csv":
		columns := list.Map(keys, func(k string) Column { return Column{Key: k} })
		header, err = Rows{Columns: columns}.CSV()
		return header, encodeCSV, err
	case "jsonl":
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = "," + jsonString(k) + ":"
		}
		// The keys are quoted once, with their separators: a sweep writes millions of rows.
		names[0] = "{" + names[0][1:]
		return nil, func(text []byte, row []float64) []byte {
			for i, v := range row {
				text = append(text, names[i]...)
				text = AppendNumber(text, v)
			}
			return append(text, "}\n"...)
		}, nil
	}
	return nil, nil, fmt.Errorf("unknown format %q for writing row by row; choose one of %s",
		format, strings.Join(StreamFormats, ", "))
}

// encodeCSV appends numbers alone, which never need quotes. A number that is not
// finite is empty, as in [Printer.Write].
func encodeCSV(text []byte, row []float64) []byte {
	for i, v := range row {
		if i > 0 {
			text = append(text, ',')
		}
		if finite(v) {
			text = appendFloat(text, v)
		}
	}
	return append(text, '\n')
}
