package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// occupancies are the times for which messages occupy the resources that ranks share.
type occupancies struct {
	*levels
	known    map[key][]occupancy
	last     key
	occupied []occupancy // of last
	fail     func(format string, args ...any)
}

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
func (s *occupancies) pass(from, to uint32, channel uint16, size uint64, c *cost,
	use func(resource, opposite int, o occupancy)) (links int) {
	a, b := s.unitsOf(int(from)), s.unitsOf(int(to))
	level := s.common(a, b)
	out, in := s.count, s.count*(1+s.routes)
	for i, o := range s.occupies(level, size, c) {
		if i < level {
			link := s.link(i, a[i], to, to)
			use(out+link, in+link, o)
			link = s.link(i, b[i], to, from)
			use(in+link, out+link, o)
			if rails := s.Levels[i].Rails(); channel > 0 && rails > 1 {
				o, rail := s.railOf(i, channel, size, c), int(channel-1)%rails
				out := s.count * (1 + 2*s.routes)
				in := out + s.count*s.rails
				use(out+int(a[i])*s.rails+rail, none, o)
				use(in+int(b[i])*s.rails+rail, none, o)
			}
		} else {
			use(int(a[i]), none, o)
			if s.enclosed(i) {
				break
			}
		}
	}
	network := s.count * (1 + 2*s.routes + 2*s.rails)
	route := s.route(level, from, to)
	for _, link := range route {
		use(network+link, none, s.ways.occupancy(link, size))
	}
	if reverse := s.Levels[level].Reverse; reverse > 0 {
		for _, link := range s.route(level, to, from) {
			o := s.ways.occupancy(link, size)
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

// An occupancy is a message's use of a shared resource in ticks. The message takes the part reverse
// of each from the opposite direction.
type occupancy struct {
	each, alone, bytes uint64
	reverse            float64
}

// occupies returns a message's occupancy of units, by level, for ranks with the given common level:
// of the ports of the levels inside it, and of the inside of that level and those around it.
func (s *occupancies) occupies(level int, size uint64, c *cost) []occupancy {
	k := key{size, int32(level)}
	if s.occupied != nil && s.last == k {
		return s.occupied
	}
	all, ok := s.known[k]
	if !ok {
		cost := machine.Cost{Gap: inMicros(c.gap), Serialization: inMicros(c.stream)}
		for i, l := range s.Levels {
			o, port, _ := l.Occupies(quantity.Bytes(max(size, 1)), cost, 0)
			reverse := 0.0 // the inside has no direction
			if i < level {
				o, reverse = port, s.Levels[level].Reverse
				if l.Ports > 0 {
					reverse = max(reverse, l.Reverse)
				}
			}
			if !(o.Each >= 0 && o.Each <= longest) {
				s.fail("level %s: a message of %d bytes occupies a shared resource for %v µs; "+
					"times must be 0 to %v µs", l.Name, size, float64(o.Each), float64(longest))
				return nil
			}
			ticks := func(t quantity.Micros) uint64 {
				return uint64(math.Round(float64(t) * picos))
			}
			all = append(all, occupancy{ticks(o.Each), ticks(o.Alone), ticks(max(o.Bytes, 0)),
				reverse})
		}
		if len(s.known) < 1<<16 {
			s.known[k] = all
		}
	}
	s.last, s.occupied = k, all
	return all
}

// railOf returns how long a message of a channel, numbered from 1, occupies its rail at a level.
func (s *occupancies) railOf(level int, channel uint16, size uint64, c *cost) occupancy {
	cost := machine.Cost{Gap: inMicros(c.gap), Serialization: inMicros(c.stream)}
	_, _, o := s.Levels[level].Occupies(quantity.Bytes(max(size, 1)), cost, int(channel))
	ticks := func(t quantity.Micros) uint64 { return uint64(math.Round(float64(t) * picos)) }
	return occupancy{each: ticks(o.Each), alone: ticks(o.Alone), bytes: ticks(max(o.Bytes, 0))}
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

// isShared reports whether a message of size bytes occupies anything that ranks share.
func (s *occupancies) isShared(distance int, size uint64, c *cost) bool {
	level := distance % len(s.Levels)
	if s.ways != nil && level == len(s.Levels)-1 && s.ways.hasLinks() {
		return true
	}
	for i, o := range s.occupies(level, size, c) {
		if o.each > 0 {
			return true
		}
		if i >= level && s.enclosed(i) {
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
