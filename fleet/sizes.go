package fleet

import (
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// wrongLine is the factor of error at the smallest or the largest size above which the parameters
// of a line do not describe the effect.
const wrongLine = 1.5

// ends are the times of curves at the smallest and the largest size, measured and by their lines.
type ends struct{ first, last, lineFirst, lineLast []float64 }

func (e *ends) add(c *Curve) {
	line := Line{float64(c.Beta), float64(c.Tau)}
	e.first, e.last = append(e.first, float64(c.Latency)), append(e.last, float64(c.Longest))
	e.lineFirst, e.lineLast = append(e.lineFirst, line.Time(c.Group.First)), append(e.lineLast, line.Time(c.Group.Last))
}

// bySize sets the effects at the smallest and the largest size for units of the model, if they are
// known: the medians of their times over those of the fleet.
func (m *model) bySize(f *Finding, units []int) {
	f.First, f.Last = math.NaN(), math.NaN()
	if m.curves == nil || m.group.Sizes < 2 {
		return
	}
	if m.ends == nil {
		m.ends = &ends{}
		for _, k := range m.curves {
			m.ends.add(k.curve)
		}
	}
	var own ends
	for _, i := range units {
		key := m.units[i].key
		at, _ := slices.BinarySearchFunc(m.curves, key, func(k keyed, key string) int { return strings.Compare(k.key, key) })
		for ; at < len(m.curves) && m.curves[at].key == key; at++ {
			own.add(m.curves[at].curve)
		}
	}
	over := func(a, b []float64) float64 { return stats.Median(a) / stats.Median(b) }
	first, last := over(own.first, m.ends.first), over(own.last, m.ends.last)
	off := func(measured, line float64) bool { return math.Abs(math.Log(measured/line)) > math.Log(wrongLine) }
	if f.First, f.Last = first-1, last-1; m.quantity != Latency {
		f.Wrong = off(first, over(own.lineFirst, m.ends.lineFirst)) || off(last, over(own.lineLast, m.ends.lineLast))
	}
}
