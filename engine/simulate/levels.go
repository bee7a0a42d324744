package simulate

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// levels is a machine of levels with ranks on its cores.
type levels struct {
	machine.Machine
	eager quantity.Bytes
	units []uint32 // for each rank, its units from the innermost outwards, numbered across all levels
	count int      // number of units with ranks
	ways  *ways    // of the topology of the outermost level, or nil

	places machine.Places
	inner  []int // cores of an inner unit, by level
	routes int   // largest number of links of a port
}

// FromMachine returns a machine of levels with ranks at the given places. A message has the cost of
// the innermost common level of its two ranks. The eager threshold and the errors are those of
// [FromLayer]; it is also an error if the machine is invalid, or if a place is not one of its
// cores.
//
// # Sharing
//
// A unit has three clocks: for transfers inside it, for its port out and for its port in. A message
// whose send begins at t, whose bytes flow for s, moves the clock C of each unit that it uses. It
// delays other messages there by w, takes a if it is alone (see [machine.Occupancy]), and is the
// Nth since the clock was last behind the time:
//
//	C' = max(C, t) + w        held back by min(C', t + N·w) − (t + max(s, a)), if that is above zero
//
// The largest of these delays is added to the message's latency; a message alone has the cost of
// its level. It uses the inside of the units that contain both ranks, from their common level
// outwards; the ports out of the units that contain only the sender; and the ports into the units
// that contain only the receiver.
//
// So up to c transfers at once through c lanes are as fast as one, and of k > c equal ones the last
// takes k/c times as long, as with fair shares; the remaining ones end earlier than
// with fair shares. N·w keeps a short message from waiting for all earlier long ones: with fair
// shares, each of these takes no more from it than it needs itself.
//
// # Rendezvous of a level
//
// Where a level's own [machine.Level.Eager] makes a message wait, the request and the grant
// take no time, since the level's times include them: the bytes flow when both ranks are ready, and
// the send is finished when the last byte is at the receiver.
func FromMachine(m machine.Machine, on machine.Places, eager quantity.Bytes) (Machine, error) {
	if !(eager >= 0) {
		return nil, fmt.Errorf("the eager threshold must be at least 0 bytes (got %v)", float64(eager))
	}
	if len(m.Levels) == 0 {
		return nil, fmt.Errorf("the machine has no level; give at least one")
	}
	if level, key, err := m.Check(); err != nil {
		return nil, fmt.Errorf("level %s: %s %w", m.Levels[level].Name, key, err)
	}
	l := &levels{Machine: m, eager: eager, units: make([]uint32, 0, len(on)*len(m.Levels))}
	for level := range m.Levels {
		for _, n := range probes {
			if err := l.Cost(level, n).check(); err != nil {
				return nil, fmt.Errorf("level %s: a message of %d bytes: %w", m.Levels[level].Name, n, err)
			}
		}
	}
	numbers, cores := map[[2]int]uint32{}, m.Cores()
	for rank, core := range on {
		if core < 0 || core >= cores {
			return nil, fmt.Errorf("rank %d on core %d: the machine has %d cores", rank, core, cores)
		}
		for level := range m.Levels {
			core /= m.Levels[level].Arity
			number, known := numbers[[2]int{level, core}]
			if !known {
				number = uint32(len(numbers))
				numbers[[2]int{level, core}] = number
			}
			l.units = append(l.units, number)
		}
	}
	l.count = len(numbers)
	l.ways, l.places, l.routes = newWays(m, on), on, 1
	for i, size := range m.Sizes() {
		l.inner = append(l.inner, size/m.Levels[i].Arity)
		l.routes = max(l.routes, m.Levels[i].Routes)
	}
	return l, nil
}

func (l *levels) unitsOf(rank int) []uint32 {
	n := len(l.Levels)
	return l.units[rank*n : (rank+1)*n]
}

// Level returns the innermost common level of two ranks. With a topology it adds the number of
// levels for each link beyond the shortest route.
func (l *levels) Level(from, to int) int {
	i := l.common(l.unitsOf(from), l.unitsOf(to))
	if l.ways != nil && i == len(l.Levels)-1 {
		i += len(l.Levels) * l.ways.Topology.Extra(l.ways.units[from], l.ways.units[to])
	}
	return i
}

// link returns the number of the link by which messages to a rank pass the port of a unit.
func (l *levels) link(level int, unit uint32, to uint32) int {
	link := int(unit) * l.routes
	if r := l.Levels[level].Routes; r > 1 {
		link += l.places[to] / l.inner[level] % r
	}
	return link
}

// common returns the innermost level at which two ranks have the same unit.
func (l *levels) common(a, b []uint32) int {
	i := 0
	for a[i] != b[i] { // the outermost level has a single unit
		i++
	}
	return i
}

// at returns the level of a result of Level.
func (l *levels) at(distance int) machine.Level { return l.Levels[distance%len(l.Levels)] }

// Cost returns the cost of a message of n bytes at the distance that Level returns. A size of 0
// costs the same as 1 byte.
func (l *levels) Cost(distance int, n uint64) Cost {
	c := costAt(l.at(distance), n, l.eager)
	c.Latency += l.at(distance).Hop * quantity.Micros(distance/len(l.Levels))
	return c
}

func costAt(l machine.Level, n uint64, eager quantity.Bytes) Cost {
	size := quantity.Bytes(max(n, 1))
	c := l.Cost(size)
	return Cost{Send: c.Send, Latency: c.Latency, Serialization: c.Serialization, Receive: c.Receive, Gap: c.Gap, ReceiveGap: c.ReceiveGap,
		Rendezvous: c.Rendezvous || size > eager}
}

// joint reports whether a message of n bytes uses rendezvous and its time includes the handshake.
func (l *levels) joint(level int, n uint64) bool {
	most := l.at(level).Eager
	return most > 0 && quantity.Bytes(n) > most
}

// among returns the machine with the crowd of its first ranks.
func (l *levels) among(ranks int) *levels {
	some := *l
	some.Machine = l.Among(l.places[:ranks])
	return &some
}

func (l *levels) ranks() int { return len(l.units) / len(l.Levels) }

// A sharing holds the clocks of the resources that the ranks of a unit share. It is nil on machines
// without shared resources.
type sharing struct {
	*levels
	clocks   []unitClock // by resource
	known    map[key][]occupancy
	last     key
	occupied []occupancy       // of last
	held     map[uint32]uint64 // by recorded send: the delay of its message, in ticks
}

func newSharing(m Machine) *sharing {
	l, ok := m.(*levels)
	if !ok || !l.Shares() && !l.flows() {
		return nil
	}
	return &sharing{levels: l, clocks: make([]unitClock, l.resources()), known: map[key][]occupancy{}, held: map[uint32]uint64{}}
}

// resources returns the number of resources that ranks share: the inside of each unit, its links
// out and its links in, and the links of the topology.
func (l *levels) resources() int {
	n := l.count * (1 + 2*l.routes)
	if l.ways != nil {
		n += l.ways.Topology.Links()
	}
	return n
}

// pass calls use with each resource that a message uses, and for how long. It returns the number of
// links of the topology among them.
func (s *sharing) pass(from, to uint32, size, gap uint64, use func(resource int, inside bool, o occupancy)) (links int, err error) {
	a, b := s.unitsOf(int(from)), s.unitsOf(int(to))
	level := s.common(a, b)
	occupied, err := s.occupies(level, size, gap)
	for i, o := range occupied {
		if i < level {
			use(s.count+s.link(i, a[i], to), false, o)
			use(s.count*(1+s.routes)+s.link(i, b[i], to), false, o)
		} else {
			use(int(a[i]), true, o)
		}
	}
	route := s.route(level, from, to)
	for _, link := range route {
		use(s.count*(1+2*s.routes)+link, false, s.ways.occupancy(size))
	}
	return len(route), err
}

type occupancy struct{ each, alone uint64 }

// occupies returns a message's occupancy of units, by level, for ranks with the given common level:
// of the ports of the levels inside it, and of the inside of that level and those around it.
func (s *sharing) occupies(level int, size, gap uint64) ([]occupancy, error) {
	k := key{size, int32(level)}
	if s.occupied != nil && s.last == k {
		return s.occupied, nil
	}
	all, ok := s.known[k]
	if !ok {
		for i, l := range s.Levels {
			o, port := l.Occupies(quantity.Bytes(max(size, 1)), quantity.Micros(float64(gap)/picos))
			if i < level {
				o = port
			}
			if !(o.Each >= 0 && o.Each <= longest) {
				return nil, fmt.Errorf("level %s: a message of %d bytes occupies a shared resource for %v µs; times must be 0 to %v µs", l.Name, size, float64(o.Each), float64(longest))
			}
			all = append(all, occupancy{uint64(math.Round(float64(o.Each) * picos)), uint64(math.Round(float64(o.Alone) * picos))})
		}
		if len(s.known) < 1<<16 {
			s.known[k] = all
		}
	}
	s.last, s.occupied = k, all
	return all, nil
}

// A unitClock holds the time until which a unit is taken, and the number of messages since it was
// last free.
type unitClock struct{ until, messages uint64 }

// pass sends a message through the unit and returns the delay of the message in ticks.
func (c *unitClock) pass(begin, stream uint64, o occupancy) uint64 {
	if o.each == 0 {
		return 0
	}
	if c.until <= begin {
		*c = unitClock{until: begin}
	}
	c.until, c.messages = c.until+o.each, c.messages+1
	alone := max(stream, o.alone)
	return max(min(c.until-begin, c.messages*o.each), alone) - alone
}

// delay sends a message through all resources that it uses, from time begin on, and returns the
// largest delay in ticks.
func (s *sharing) delay(from, to uint32, size uint64, c *cost, begin uint64) (held uint64, err error) {
	_, err = s.pass(from, to, size, c.gap, func(resource int, _ bool, o occupancy) {
		held = max(held, s.clocks[resource].pass(begin, c.stream, o))
	})
	return held, err
}
