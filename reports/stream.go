//go:build !js

package reports

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
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
			names[i] = "," + string(jsonString(k)) + ":"
		}
		names[0] = "{" + names[0][1:]
		return nil, func(text []byte, row []float64) []byte {
			for i, v := range row {
				text = append(text, names[i]...)
				if finite(v) {
					text = appendNumber(text, v)
				} else {
					text = append(text, "null"...)
				}
			}
			return append(text, "}\n"...)
		}, nil
	}
	return nil, nil, fmt.Errorf("there is no format %q to write row by row; choose one of %s", format, strings.Join(StreamFormats(), ", "))
}

func encodeCSV(text []byte, row []float64) []byte {
	for i, v := range row {
		if i > 0 {
			text = append(text, ',')
		}
		if finite(v) {
			text = appendNumber(text, v)
		}
	}
	return append(text, '\n')
}

func finite(v float64) bool { return v-v == 0 }

// appendNumber appends v as bareFloat prints it, fast and without allocating.
func appendNumber(text []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.AppendInt(text, int64(v), 10)
	}
	abs := math.Abs(v)
	if abs < 1e-6 || abs >= 1e11 {
		return append(text, bareFloat(v)...)
	}
	exp := -6 // 10^exp ≤ abs < 10^(exp+1)
	for exp < 10 && abs >= powers10[exp+1+6] {
		exp++
	}
	// The 12 digits are those of abs·10^(11−exp), which the multiplication rounds by at most 2⁻¹⁴.
	scaled := abs * powers10[11-exp+6]
	n := math.Floor(scaled + 0.5)
	if math.Abs(scaled-math.Floor(scaled)-0.5) < 1e-3 || n < 1e11 || n >= 1e12 {
		return append(text, bareFloat(v)...)
	}
	var digits [12]byte
	last := -1 // that is not 0
	for i, u := len(digits)-1, uint64(n); i >= 0; i, u = i-1, u/10 {
		digits[i] = byte('0' + u%10)
		if last < 0 && digits[i] != '0' {
			last = i
		}
	}
	if v < 0 {
		text = append(text, '-')
	}
	if exp < 0 {
		text = append(text, "0.00000"[:1-exp]...)
		return append(text, digits[:last+1]...)
	}
	text = append(text, digits[:exp+1]...)
	if last > exp {
		text = append(append(text, '.'), digits[exp+1:last+1]...)
	}
	return text
}

// powers10 holds 10⁻⁶ to 10¹⁷; at 1 and above they are exact.
var powers10 = func() (p [24]float64) {
	for i := range p {
		p[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i-6), 64)
	}
	return p
}()
