package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/halfpeak/halfpeak/reports"
)

// A question reads its request and answers it.
type question func(*Explorer, []byte) (any, error)

// asks returns the question whose request is a T.
func asks[T, A any](answer func(*Explorer, T) (A, error)) question {
	return func(x *Explorer, request []byte) (any, error) {
		var r T
		if err := read(request, &r); err != nil {
			return nil, err
		}
		return answer(x, r)
	}
}

// read reads a request, which is one JSON value without unknown keys. Nothing at all is {}.
func read(request []byte, to any) error {
	if len(bytes.TrimSpace(request)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("request: something follows the JSON value")
	}
	return nil
}

// tabled returns the question whose answer is a table of these rows.
func tabled[T any](rows func(*Explorer, T) (reports.Rows, error)) question {
	return asks(func(x *Explorer, r T) (Table, error) { return tableOf(rows(x, r)) })
}

// tableOf returns a table as a command prints it.
func tableOf(rows reports.Rows, err error) (Table, error) {
	if err != nil {
		return Table{}, err
	}
	text, err := rows.JSON()
	if err != nil {
		return Table{}, err
	}
	s, err := rows.Sheet(nil)
	t := Table{Rows: text, Heads: s.Heads, Numeric: s.Numbers, Cells: s.Cells, Notes: rows.Notes}
	if t.Notes == nil {
		t.Notes = []string{}
	}
	return t, err
}
