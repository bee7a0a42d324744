package simulate

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// resources returns the number of resources that ranks share: the inside of each unit, its links
// out and its links in, its rails out and in, and the links of the topology.
func (l *levels) resources() int {
	n := l.count * (1 + 2*l.routes + 2*l.rails)
	if l.ways != nil {
		n += l.ways.Topology.Links()
	}
	return n
}

// none is no resource.
const none = -1

// pass calls use with each resource that a message uses, with the opposite direction of that, and
// for how long. One of the two is none where the other has no opposite, as the inside of a unit and
// the links of routes, which may go another way back. It returns the number of links of the
// topology among them.
func (l *levels) pass(from, to uint32, channel uint16, size uint64, c *cost,
	use func(resource, opposite int, o occupancy)) (links int) {
	a, b := l.unitsOf(int(from)), l.unitsOf(int(to))
	level := l.common(a, b)
	out, in := l.count, l.count*(1+l.routes)
	for i, o := range c.occupied {
		if i < level {
			link := l.link(i, a[i], to, to)
			use(out+link, in+link, o)
			link = l.link(i, b[i], to, from)
			use(in+link, out+link, o)
			if rails := l.Levels[i].Rails(); channel > 0 && rails > 1 {
				o, rail := l.railOf(i, channel, size, c), int(channel-1)%rails
				out := l.count * (1 + 2*l.routes)
				in := out + l.count*l.rails
				use(out+int(a[i])*l.rails+rail, none, o)
				use(in+int(b[i])*l.rails+rail, none, o)
			}
		} else {
			use(int(a[i]), none, o)
			if l.enclosed(i) {
				break
			}
		}
	}
	network := l.count * (1 + 2*l.routes + 2*l.rails)
	route := l.route(level, from, to)
	for _, link := range route {
		use(network+link, none, l.ways.occupancy(link, size))
	}
	if reverse := l.Levels[level].Reverse; reverse > 0 {
		for _, link := range l.route(level, to, from) {
			o := l.ways.occupancy(link, size)
			o.reverse = reverse
			use(none, network+link, o)
		}
	}
	return len(route)
}

// link returns the number of the link by which messages to a rank pass the port of a unit. outside
// is the rank of the message that is outside the unit.
func (l *levels) link(level int, unit, to, outside uint32) int {
	link := int(unit) * l.routes
	switch at := l.Levels[level]; {
	case at.Routes > 1:
		link += l.places[to] / l.inner[level] % at.Routes
	case at.Direct > 1:
		link += l.places[outside] / l.inner[level+1] % at.Direct
	}
	return link
}

// route returns the links between two ranks whose common level is given.
func (l *levels) route(level int, from, to uint32) []int {
	if l.ways == nil || level < len(l.Levels)-1 {
		return nil
	}
	return l.ways.Topology.Route(l.ways.units[from], l.ways.units[to])
}

// occupies returns a message's occupancy of units, by level, for ranks with the given common level:
// of the ports of the levels inside it, and of the inside of that level and those around it.
func (l *levels) occupies(level int, size uint64, c *cost) (all []occupancy, err error) {
	for i, at := range l.Levels {
		o, port, _ := at.Occupies(quantity.Bytes(max(size, 1)), c.inMicros(), 0)
		reverse := 0.0 // the inside has no direction
		if i < level {
			o, reverse = port, l.Levels[level].Reverse
			if at.Ports > 0 {
				reverse = max(reverse, at.Reverse)
			}
		}
		if !(o.Each >= 0 && o.Each <= longest) {
			return nil, fmt.Errorf("level %s: a message of %d bytes occupies a shared resource "+
				"for %v µs; times must be 0 to %v µs", at.Name, size, float64(o.Each),
				float64(longest))
		}
		all = append(all, occupancyInTicks(o, reverse))
	}
	return all, nil
}

// railOf returns how long a message of a channel, numbered from 1, occupies its rail at a level.
func (l *levels) railOf(level int, channel uint16, size uint64, c *cost) occupancy {
	at := l.Levels[level]
	_, _, o := at.Occupies(quantity.Bytes(max(size, 1)), c.inMicros(), int(channel))
	return occupancyInTicks(o, 0)
}

// occupancy returns how long a message of size bytes occupies a link, in ticks.
func (w *ways) occupancy(link int, size uint64) occupancy {
	layer := w.LinkAt(link)
	if layer == nil {
		return occupancy{}
	}
	time := func(n quantity.Bytes) float64 { return math.Round(float64(layer.OneWay(n)) * picos) }
	t := time(quantity.Bytes(max(size, 1)))
	return occupancy{each: uint64(t), alone: uint64(t), bytes: uint64(max(t-time(1), 0))}
}

// isShared reports whether a message occupies anything that ranks share.
func (l *levels) isShared(distance int, c *cost) bool {
	level := distance % len(l.Levels)
	if l.ways != nil && level == len(l.Levels)-1 && l.ways.hasLinks() {
		return true
	}
	for i, o := range c.occupied {
		if o.each > 0 {
			return true
		}
		if i >= level && l.enclosed(i) {
			break
		}
	}
	return false
}

// enclosed reports whether messages inside a unit of the level reach nothing outside: its ways out
// are ports, which they do not pass.
func (l *levels) enclosed(level int) bool {
	at := l.Levels[level]
	return at.Rails() > 0
}
