package fit

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A form is a method of fitting pieces of lines to points, for results and cross-validation.
type form struct {
	name   string // "linear", "piecewise", "table"
	method Method
	k      int // segments; 0 lets the criterion choose
	// known holds the last sizes of segments if these are given.
	known []quantity.Bytes
}

// fit returns the pieces of the model over points, which are sorted by size, without intervals.
func (m form) fit(points []Point, quantum float64) ([]piece, []Break) {
	if m.known != nil {
		return fitRegimes(points, m.method, m.known), nil
	}
	switch m.name {
	case "piecewise":
		return fitPiecewise(points, m.k, quantum)
	case "table":
		return fitTable(points), nil
	}
	return []piece{{fitLine[m.method](points), len(points), math.Inf(1)}}, nil
}

// unbounded is the interval of a parameter of a line through two points.
var unbounded = quantity.Interval{Low: math.Inf(-1), High: math.Inf(1)}

func fitTable(points []Point) []piece {
	var pieces []piece
	for i := 1; i < len(points); i++ {
		p, q := points[i-1], points[i]
		l := line{beta: unbounded, tau: unbounded}
		l.tau.Value = float64(q.Time-p.Time) / float64(q.Size-p.Size)
		l.beta.Value = float64(p.Time) - l.tau.Value*float64(p.Size)
		l.freeBeta, l.freeTau = l.beta.Value, l.tau.Value
		n := 1
		if i == 1 {
			n = 2 // the first line has both its ends
		}
		pieces = append(pieces, piece{l, n, float64(q.Size)})
	}
	return pieces
}

func fitRegimes(points []Point, m Method, known []quantity.Bytes) (pieces []piece) {
	for _, upTo := range known {
		end := slices.IndexFunc(points, func(p Point) bool { return p.Size > upTo })
		if end < 0 {
			end = len(points)
		}
		if end > 0 {
			pieces = append(pieces, piece{fitLine[m](points[:end]), end, float64(upTo)})
			points = points[end:]
		}
	}
	return pieces
}
