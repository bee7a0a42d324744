package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

// A Method is a way to fit a line to points.
type Method string

const (
	// Relative minimises the squares of the relative errors: a size of 8 bytes counts as much as
	// one of 1 MiB. It is the default.
	Relative Method = "relative"
	// Ordinary minimises the squares of the errors in µs: large sizes decide.
	Ordinary Method = "ordinary"
	// Huber is like Relative, but the influence of a point is limited to that at 1.345 standard
	// deviations.
	Huber Method = "huber"
	// TheilSen is the median slope of all pairs of points; it tolerates arbitrary errors in nearly
	// a third of the points.
	TheilSen Method = "theil-sen"
)

// Methods lists all methods, the default first.
var Methods = []Method{Relative, Ordinary, Huber, TheilSen}

// check returns an error if the method is unknown.
func (m Method) check() error {
	if slices.Contains(Methods, m) {
		return nil
	}
	names := list.Map(Methods, func(n Method) string { return string(n) })
	last := len(names) - 1
	return fmt.Errorf("unknown method %q; choose from %s and %s", m, strings.Join(names[:last], ", "), names[last])
}

// fitLine fits a line to points, which are sorted by size.
func fitLine(points []Point, m Method) line {
	switch m {
	case Ordinary:
		return fitOrdinary(points)
	case Huber:
		return fitHuber(points)
	case TheilSen:
		return fitTheilSen(points)
	}
	return fitRelative(points)
}
