package fit

import (
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A form is a way to turn points into pieces of lines: what results,
// cross-validation and bootstrap have in common.
type form struct {
	name   string // "linear", "piecewise", "envelope", "table"
	method Method
	k      int // segments; 0 lets the criterion choose
	// known are the sizes up to which segments go, where they are not to be found.
	known []quantity.Bytes
}

// A piece is a line over the next points points; it serves sizes up to until, in bytes.
type piece struct {
	line
	points int
	until  float64
}

// fit returns the pieces of the model over points, which are sorted by size.
func (m form) fit(points []Point, quantum float64) ([]piece, []Break) {
	if m.known != nil {
		return fitRegimes(points, m.method, m.known), nil
	}
	switch m.name {
	case "piecewise":
		return fitPiecewise(points, m.k, quantum)
	case "envelope":
		return fitEnvelope(points), nil
	case "table":
		return fitTable(points), nil
	}
	return []piece{{fitLine(points, m.method), len(points), math.Inf(1)}}, nil
}

// minPoints returns the minimum number of points for fitting the model.
func (m form) minPoints() int {
	switch m.name {
	case "piecewise", "envelope":
		return 2 * max(2, m.k)
	}
	return 2
}

// result fits the model to a table.
func (m form) result(t *benchfile.Table) (*Result, error) {
	points, kind, warnings, err := prepare(t)
	if err != nil {
		return nil, err
	}
	pieces, breaks := m.fit(points, resolution(t))
	return newResult(t, m, kind, points, pieces, breaks, warnings), nil
}

// at is the value of pieces at n.
func at(pieces []piece, n float64) float64 {
	for i := range pieces[:len(pieces)-1] {
		if n <= pieces[i].until {
			return pieces[i].at(n)
		}
	}
	return pieces[len(pieces)-1].at(n)
}

func join[S ~string](names []S) string {
	s := make([]string, len(names))
	for i, n := range names {
		s[i] = string(n)
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}
