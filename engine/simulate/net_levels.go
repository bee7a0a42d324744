package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// levels is a machine of levels with ranks on its cores.
type levels struct {
	machine.Machine
	eager quantity.Bytes
	// for each rank, its units from the innermost outwards, numbered across all levels
	units []uint32
	count int   // number of units with ranks
	ways  *ways // of the topology of the outermost level, or nil

	places machine.Places
	inner  []int // cores of an inner unit, by level
	routes int   // largest number of links of a port
	rails  int   // largest number of rails of a port

	latency quantity.Micros // least of the levels whose shares depend on it
}

// FromMachine returns a machine of levels with ranks at the given places. A message has the cost of
// the innermost common level of its two ranks. The eager threshold and the errors are those of
// [FromLayer]; it is also an error if the machine is invalid, or if a place is not one of its
// cores.
//
// # Sharing
//
// What the ranks of a unit share is a resource for the transfers inside it, one for its port out
// and one for its port in; links of a topology are resources too. A message uses the inside of the
// units that contain both ranks, from their common level outwards until one has a port, which the
// message does not pass; the ports out of the units that contain only the sender; and the ports
// into the units that contain only the receiver. It occupies each for a time (see
// [machine.occupancy]).
//
// The bytes flow from when the first is at the receiver. Their rates are max-min fair, in bytes
// (Bertsekas, Gallager, Data Networks, §6.5.2), so that no resource is used beyond its capacity. A
// message that no other slows down has the cost of its level. It occupies its resources for as long
// as the longest of these times; what remains of that behind its last byte, the gap, delays later
// messages only. Messages from one rank to another by one NIC use the resources one after the
// other. A message by the NIC c ≥ 1 of its rank is one of channel c − 1: it also occupies the rail
// of that channel, out of and into each unit whose port has several. Messages above
// [machine.Level.Packet] have fair shares of the NICs of both ranks, too, and begin a gap after
// each other; from [machine.Level.Overlap] on they do not wait for that.
//
// # Rendezvous of a level
//
// Where a level's own [machine.Level.Eager] makes a message wait, the request and the grant
// take no time, since the level's times include them: the bytes flow when both ranks are ready, and
// the send is finished when the last byte is at the receiver.
//
// An eager message of at least [machine.Level.Deferred] bytes ends its send at once, too, and its
// bytes leave when its receive is posted, without the processor of the sender. Until then it is
// late for want of a receive; a [Path] counts that time as sharing.
func FromMachine(m machine.Machine, on machine.Places, eager quantity.Bytes) (Machine, error) {
	if !(eager >= 0) {
		return nil,
			fmt.Errorf("the eager threshold must be at least 0 bytes (got %v)", float64(eager))
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
			if err := check(l.Cost(level, n)); err != nil {
				return nil,
					fmt.Errorf("level %s: a message of %d bytes: %w", m.Levels[level].Name, n, err)
			}
		}
	}
	numbers, cores := map[[2]int]uint32{}, m.Cores()
	for rank, core := range on {
		if core < 0 || core >= cores {
			return nil,
				fmt.Errorf("rank %d on core %d: the machine has %d cores", rank, core, cores)
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
		l.routes = max(l.routes, m.Levels[i].Routes, m.Levels[i].Direct)
		l.rails = max(l.rails, m.Levels[i].Rails())
		if t := l.Cost(i, 1).Latency; m.Levels[i].ByLatency > 0 && t > 0 &&
			(l.latency == 0 || t < l.latency) {
			l.latency = t
		}
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

// common returns the innermost common level of two ranks with these units.
func (l *levels) common(a, b []uint32) int {
	i := 0
	for a[i] != b[i] { // the outermost level has a single unit
		i++
	}
	return i
}

// levelAt returns the level of a result of Level.
func (l *levels) levelAt(distance int) machine.Level { return l.Levels[distance%len(l.Levels)] }

// slowness returns by what factor messages between two ranks get less than the nearest ones of what
// they share: the power [machine.Level.ByLatency] of their latency over the least one.
func (l *levels) slowness(from, to int) float64 {
	distance := l.Level(from, to)
	power := l.levelAt(distance).ByLatency
	if power == 0 { // most machines: a cost takes longer than all else of a path
		return 1
	}
	latency := l.Cost(distance, 1).Latency
	if latency == 0 {
		return 1
	}
	return math.Pow(float64(latency/l.latency), power)
}

// Cost returns the cost of a message of n bytes at the distance that Level returns. A size of 0
// costs the same as 1 byte.
func (l *levels) Cost(distance int, n uint64) machine.Cost {
	c := costAt(l.levelAt(distance), n, l.eager)
	at := l.levelAt(distance)
	hop := at.Hop
	if at.Hops != nil {
		hop = at.Hops.OneWay(quantity.Bytes(max(n, 1)))
	}
	c.Latency += hop * quantity.Micros(distance/len(l.Levels))
	return c
}

// joint reports whether a message of n bytes uses rendezvous and its time includes the handshake.
func (l *levels) joint(level int, n uint64) bool {
	most := l.levelAt(level).Eager
	return most > 0 && quantity.Bytes(n) > most
}

// asksAtOnce reports whether requests of a level, or its deferred messages until they leave, take
// no time: without turns they would overtake the eager messages before them.
func (l *levels) asksAtOnce() bool {
	return slices.ContainsFunc(l.Levels, func(l machine.Level) bool {
		return l.Eager > 0 || l.Deferred > 0
	})
}

// firstRanks returns the machine with only its first ranks.
func (l *levels) firstRanks(ranks int) *levels {
	some := *l
	some.Machine = l.Among(l.places[:ranks])
	return &some
}

func (l *levels) ranks() int { return len(l.units) / len(l.Levels) }

// interleaves reports whether NICs of ranks interleave messages of any size.
func (l *levels) interleaves() bool {
	return slices.ContainsFunc(l.Levels, func(l machine.Level) bool { return l.Packet > 0 })
}

// interleaved reports whether NICs interleave messages of n bytes.
func (l *levels) interleaved(level int, n uint64) bool {
	packet := float64(l.levelAt(level).Packet)
	return packet > 0 && float64(n) > packet
}

// portsGap is the least part of a gap that a port must take for all of it to be the port's.
const portsGap = 0.9

// ownGap returns how long a message of n bytes with this gap, in ticks, occupies the NIC of a rank.
// If the gap is that of a port outside the rank, such as a slow link of a cluster of hosts, it is
// the gap of a message that does not pass the port: the NIC sends elsewhere meanwhile. A message of
// a channel passes a rail of the port.
func (l *levels) ownGap(distance int, n, gap uint64, channel int) uint64 {
	size := quantity.Bytes(max(n, 1))
	for i := distance%len(l.Levels) - 1; i >= 0; i-- {
		cost := machine.Cost{Gap: inMicros(gap)}
		_, port, rail := l.Levels[i].Occupies(size, cost, channel)
		if rail.Each > 0 {
			port = rail
		}
		if float64(port.Each) < portsGap*float64(gap)/picos {
			break
		}
		gap = min(gap, inTicks(l.Levels[i].Cost(size)).gap)
	}
	return gap
}

// overlaps reports whether they interleave messages of n bytes with those between the same ranks.
func (l *levels) overlaps(level int, n uint64) bool {
	least := float64(l.levelAt(level).Overlap)
	return least > 0 && float64(n) >= least
}

// EqualUnits returns the number of consecutive ranks in each unit of a machine whose units are
// equal and share nothing, so that ranks that do the same in each end together; 0 if there are
// none, or if ranks are not in the order of their places. Without levels, a unit is a rank.
func EqualUnits(m Machine) int {
	l, ok := m.(*levels)
	if !ok {
		return 1
	}
	outer := len(l.Levels) - 1
	for i, at := range l.Levels {
		routed := at.Routes > 1 || at.Direct > 1 // by the numbers of units
		if routed || i == outer && (at.Shared != nil || at.Lanes > 0 || at.Crowd > 0) {
			return 0
		}
	}
	unit := l.Cores() / l.Levels[outer].Arity
	if l.ways != nil || l.ranks()%unit != 0 {
		return 0
	}
	for rank, core := range l.places {
		if core != rank {
			return 0
		}
	}
	return unit
}

// ways are the routes of the topology of a machine's outermost level.
type ways struct {
	machine.Level
	units []int // of each rank
}

// hasLinks reports whether messages occupy links.
func (w *ways) hasLinks() bool { return w.Link != nil || w.Local != nil || w.Global != nil }

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
