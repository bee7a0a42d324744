package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// PerSize takes the table as it is, with straight lines between its sizes and the last line beyond:
// parameterised LogP (Kielmann, Bal, Verstoep 2000), without a functional form. It passes through
// every point, so its errors are zero; [Auto] estimates its real error by cross-validation. A
// segment is the line from one size to the next, and its β may be negative.
func PerSize(t *benchfile.Table) (*Result, error) {
	return form{name: "table"}.result(t)
}

func fitTable(points []Point) []piece {
	pieces := make([]piece, 0, len(points)-1)
	for i := 1; i < len(points); i++ {
		p, q := points[i-1], points[i]
		l := line{tau: float64(q.Time-p.Time) / float64(q.Size-p.Size), betaLow: math.Inf(-1), tauLow: math.Inf(-1), betaHigh: math.Inf(1), tauHigh: math.Inf(1)}
		l.beta = float64(p.Time) - l.tau*float64(p.Size)
		l.freeBeta, l.freeTau = l.beta, l.tau
		n := 1
		if i == 1 {
			n = 2 // the first line has both its ends
		}
		pieces = append(pieces, piece{l, n, float64(q.Size)})
	}
	return pieces
}
