// Costfigure draws what cost.awk writes: the processor time of an event against the number of
// ranks. It reads the CSV from its input and writes the picture into the file that it is given.
//
//	go run ./tools/costfigure docs/simulate.png < docs/simulate.csv
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/reports"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "costfigure: give the file to draw into, and the CSV as input")
		os.Exit(2)
	}
	f, err := figure(os.Stdin)
	if err == nil {
		err = atomicfile.Files{}.Write(os.Args[1], func(w io.Writer) error { return reports.WriteImage(w, f, filepath.Ext(os.Args[1]), 800, 500) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "costfigure:", err)
		os.Exit(1)
	}
}

// figure has a line for each pattern and rules.
func figure(r io.Reader) (reports.Figure, error) {
	f := reports.Figure{
		X:     reports.Axis{Label: "ranks", Scale: reports.Log},
		Y:     reports.Axis{Label: "processor time of an event (ns)"},
		Notes: []string{"Reading the schedule aside; the least of three rounds, on one processor."},
	}
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return f, err
	}
	for _, row := range rows[min(1, len(rows)):] {
		name := row[0] + ", " + row[2] + " rules"
		ranks, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return f, err
		}
		ns, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			return f, err
		}
		at := -1
		for i, s := range f.Series {
			if s.Name == name {
				at = i
			}
		}
		if at < 0 {
			at = len(f.Series)
			f.Series = append(f.Series, reports.Series{Name: name, Kind: reports.Line})
		}
		s := &f.Series[at]
		s.X, s.Y = append(s.X, ranks), append(s.Y, ns)
	}
	return f, nil
}
