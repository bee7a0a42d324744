package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ways are the routes of the topology of a machine's outermost level.
type ways struct {
	machine.Level
	units []int // of each rank
}

// newWays returns the routes among ranks at places; nil without a topology.
func newWays(m machine.Machine, on machine.Places) *ways {
	w := &ways{Level: m.Levels[len(m.Levels)-1]}
	if w.Topology.Units() < 2 {
		return nil
	}
	inner := m.Cores() / w.Arity
	for _, core := range on {
		w.units = append(w.units, core/inner)
	}
	return w
}

// route returns the links between two ranks whose common level is given.
func (l *levels) route(level int, from, to uint32) []int {
	if l.ways == nil || level < len(l.Levels)-1 {
		return nil
	}
	return l.ways.Topology.Route(l.ways.units[from], l.ways.units[to])
}

// occupancy returns how long a message of size bytes occupies a link, in ticks.
func (w *ways) occupancy(size uint64) occupancy {
	if w.Link == nil {
		return occupancy{}
	}
	t := uint64(math.Round(float64(w.Link.OneWay(quantity.Bytes(max(size, 1)))) * picos))
	return occupancy{t, t}
}
