//go:build !js

package reports

import (
	"bytes"
	"fmt"
	"strings"
)

// StreamFormats lists the formats for writing tables of numbers row by row: CSV as [Write] prints
// it, one JSON object per line, and Parquet.
func StreamFormats() []string { return []string{"csv", "jsonl", "parquet"} }

// A RowEncoder appends a row of numbers to text; a number that is not finite is absent.
type RowEncoder func(text []byte, row []float64) []byte

// NewRowEncoder returns the encoder of rows in the format csv or jsonl, and the header.
func NewRowEncoder(format string, keys []string) (header []byte, encode RowEncoder, err error) {
	switch format {
	case "csv":
		var b bytes.Buffer
		columns := make([]Column, len(keys))
		for i, k := range keys {
			columns[i].Key = k
		}
		writeCSV(&b, Rows{Columns: columns})
		return b.Bytes(), encodeCSV, nil
	case "jsonl":
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = "," + jsonString(k) + ":"
		}
		names[0] = "{" + names[0][1:]
		return nil, func(text []byte, row []float64) []byte {
			for i, v := range row {
				text = append(text, names[i]...)
				text = AppendNumber(text, v)
			}
			return append(text, "}\n"...)
		}, nil
	}
	return nil, nil, fmt.Errorf("unknown format %q for writing row by row; choose one of %s", format, strings.Join(StreamFormats(), ", "))
}

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
