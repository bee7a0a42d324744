package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Regimes fits a line to each range of sizes of a system that is known to change its protocol
// after the sizes upTo, which ascend. Where they are not known, [Piecewise] finds them. Each range
// needs two sizes or more.
func Regimes(t *benchfile.Table, m Method, upTo ...quantity.Bytes) (*Result, error) {
	if !slices.Contains(Methods, m) {
		return nil, fmt.Errorf("no method %q; there are %s", m, join(Methods))
	}
	if !slices.IsSorted(upTo) {
		return nil, fmt.Errorf("%s: the sizes after which the protocol changes do not ascend: %v", t.Name(), upTo)
	}
	sizes := make([]int, len(upTo)+1)
	for _, s := range t.Samples {
		if s.Size > 0 {
			at, _ := slices.BinarySearch(upTo, s.Size)
			sizes[at]++
		}
	}
	if i := slices.IndexFunc(sizes, func(n int) bool { return n < 2 }); i >= 0 {
		return nil, fmt.Errorf("%s: %w: %d sizes in range %d of those between the changes at %v; a line needs 2", t.Name(), ErrNoData, sizes[i], i+1, upTo)
	}
	return form{name: "piecewise", method: m, known: append(slices.Clone(upTo), quantity.Bytes(math.Inf(1)))}.result(t)
}

// fitRegimes returns a line for each range that has points.
func fitRegimes(points []Point, m Method, known []quantity.Bytes) (pieces []piece) {
	for _, upTo := range known {
		end := slices.IndexFunc(points, func(p Point) bool { return p.Size > upTo })
		if end < 0 {
			end = len(points)
		}
		if end > 0 {
			pieces = append(pieces, piece{fitLine(points[:end], m), end, float64(upTo)})
			points = points[end:]
		}
	}
	return pieces
}
