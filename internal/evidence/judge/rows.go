package judge

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A Row is a line of a CSV table, by the names of its columns.
type Row map[string]string

// Number returns the number of a column; NaN if it has none.
func (r Row) Number(column string) float64 {
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// ReadRows reads a CSV table with a header. Lines that begin with # are comments.
func ReadRows(from io.Reader) (rows []Row, err error) {
	in := csv.NewReader(from)
	in.Comment = '#'
	lines, err := in.ReadAll()
	if err == nil && len(lines) < 2 {
		err = fmt.Errorf("a table of %d lines", len(lines))
	}
	if err != nil {
		return nil, err
	}
	for _, line := range lines[1:] {
		r := Row{}
		for i, column := range lines[0] {
			r[column] = line[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}
