package program

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// stepColumns are the columns of a table of measured steps that have the time, with a unit in µs.
var stepColumns = map[string]float64{"step_s": 1e6, "step_ms": 1e3, "step_us": 1}

// ReadSteps reads a CSV file of measured steps; ok is false of another file. Its columns are ranks
// (or gpus), step_s, step_ms or step_us, and parameters of the program's main.
func ReadSteps(path string) (steps []Step, ok bool, err error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	text, done, err := benchfile.Text(f)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	const most = 1 << 20 // bytes
	r := csv.NewReader(io.LimitReader(text, most))
	r.Comment, r.TrimLeadingSpace = '#', true
	head, err := r.Read()
	if err != nil {
		return nil, false, nil
	}
	scale := 0.0
	for _, name := range head {
		scale = max(scale, stepColumns[strings.TrimSpace(name)])
	}
	if scale == 0 {
		return nil, false, nil
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, true, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := r.FieldPos(0)
		s, err := stepOf(head, row)
		if err != nil {
			return nil, true, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil, true, fmt.Errorf("%s: no step below its first line", path)
	}
	return steps, true, nil
}

// stepOf reads a row.
func stepOf(head, row []string) (s Step, err error) {
	for i, name := range head {
		name, value := strings.TrimSpace(name), strings.TrimSpace(row[i])
		switch scale := stepColumns[name]; {
		case value == "":
		case name == "ranks" || name == "gpus":
			if s.Ranks, err = strconv.Atoi(value); err != nil || s.Ranks < 1 {
				return s, fmt.Errorf("%s must be a whole number, at least 1 (got %q)", name,
					value)
			}
		case scale > 0:
			t, err := strconv.ParseFloat(value, 64)
			if err != nil || !(t > 0 && t*scale < 1e12) {
				return s, fmt.Errorf("%s must be a time above 0 (got %q)", name, value)
			}
			s.Time = quantity.Micros(t * scale)
		default:
			s.Params = append(s.Params, name+"="+value)
		}
	}
	if s.Ranks == 0 || s.Time == 0 {
		return s, fmt.Errorf("a step needs its ranks and its time, as in the columns ranks,step_ms")
	}
	return s, nil
}
