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
	units []uint32 // of each rank, from inside out: the unit that it is in, numbered through all levels
	count int      // of the units that have ranks
}

// FromMachine is a machine of levels with ranks at those places: a message costs what the level
// says at which its two ranks meet. The rest is as for [FromLayer], eager limit and errors
// included, and it is an error if the machine is none, or if a place is no core of it.
//
// # Sharing
//
// A unit has a clock for what carries messages inside it, one for its port out and one for its port
// in. A message whose send begins at t, whose bytes flow for s, moves the clock C of each unit that
// it uses. It delays others there by w, a if it is alone (see [machine.Occupancy]), and is the Nth
// since the clock was last behind the time:
//
//	C' = max(C, t) + w        held back by min(C', t + N·w) − (t + max(s, a)), if that is above zero
//
// The largest of these delays is added to its way; a message alone takes what its level says. It
// uses the inside of the units that hold both ranks, from the level on at which they meet; the ports
// out of the units around the sender that do not hold the receiver; and the ports into those around
// the receiver that do not hold the sender.
//
// So up to c transfers at once through c lanes are as fast as one, and of k > c equal ones the last
// takes k/c times as long, as with fair shares; the others end earlier than with these. N·w
// keeps a short message from waiting for all of the long ones before it: with fair shares each of
// them takes no more from it than it needs itself.
//
// # Rendezvous of a level
//
// Where a level's own [machine.Level.Eager] makes a message wait, the request and the grant
// take no time, as it is in the level's times: the bytes flow when both ranks are there, and the send
// is finished when the last byte is at the receiver.
func FromMachine(m machine.Machine, on machine.Places, eager quantity.Bytes) (Machine, error) {
	if !(eager >= 0) {
		return nil, fmt.Errorf("an eager limit of %v bytes", float64(eager))
	}
	if len(m.Levels) == 0 {
		return nil, fmt.Errorf("a machine has at least one level")
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
	return l, nil
}

// unitsOf are the units that a rank is in, from inside out.
func (l *levels) unitsOf(rank int) []uint32 {
	n := len(l.Levels)
	return l.units[rank*n : (rank+1)*n]
}

// Level is the innermost whose unit holds both ranks.
func (l *levels) Level(from, to int) int {
	a, b := l.unitsOf(from), l.unitsOf(to)
	i := 0
	for a[i] != b[i] { // they are one on the last level
		i++
	}
	return i
}

// Cost is that of the level. Sizes of 0 cost what 1 byte does.
func (l *levels) Cost(level int, n uint64) Cost {
	return costAt(l.Levels[level], n, l.eager)
}

// costAt is what a message of n bytes costs at the level.
func costAt(l machine.Level, n uint64, eager quantity.Bytes) Cost {
	size := quantity.Bytes(max(n, 1))
	c := l.Cost(size)
	return Cost{Send: c.Send, Latency: c.Latency, Serialization: c.Serialization, Receive: c.Receive, Gap: c.Gap, ReceiveGap: c.ReceiveGap,
		Rendezvous: c.Rendezvous || size > eager}
}

// joint reports whether a message of n bytes waits for its receive with the hand-shake in its time.
func (l *levels) joint(level int, n uint64) bool {
	most := l.Levels[level].Eager
	return most > 0 && quantity.Bytes(n) > most
}

// ranks is how many have a place.
func (l *levels) ranks() int { return len(l.units) / len(l.Levels) }

// A sharing has the clocks of what the ranks of a unit share. It is nil on machines where they
// share nothing.
type sharing struct {
	*levels
	inside, out, in []unitClock // by unit
	known           map[key][]occupancy
	last            key
	occupied        []occupancy       // of last
	held            map[uint32]uint64 // of recorded sends: for how long their messages were held back
}

func newSharing(m Machine) *sharing {
	l, ok := m.(*levels)
	if !ok || !l.Shares() && !l.flows() {
		return nil
	}
	clocks := func() []unitClock { return make([]unitClock, l.count) }
	return &sharing{levels: l, inside: clocks(), out: clocks(), in: clocks(), known: map[key][]occupancy{}, held: map[uint32]uint64{}}
}

// An occupancy is [machine.Occupancy] in ticks.
type occupancy struct{ each, alone uint64 }

// occupies returns what a message between ranks that meet at a level takes of the units: of the
// levels below, their ports; from there on, their insides.
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
				return nil, fmt.Errorf("level %s: a message of %d bytes occupies what is shared for %v µs; a time is from 0 to %v µs", l.Name, size, float64(o.Each), float64(longest))
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

// A unitClock is how far what a unit carries is taken, and by how many messages since it was free.
type unitClock struct{ until, messages uint64 }

// pass lets a message through, and returns for how long it is held back.
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

// pass lets a message that is sent then through all units that it uses, and returns for how long
// it is held back.
func (s *sharing) pass(from, to uint32, size uint64, c *cost, begin uint64) (held uint64, err error) {
	a, b := s.unitsOf(int(from)), s.unitsOf(int(to))
	level := 0
	for a[level] != b[level] {
		level++
	}
	occupied, err := s.occupies(level, size, c.gap)
	if err != nil {
		return 0, err
	}
	for i, o := range occupied {
		if i < level {
			held = max(held, s.out[a[i]].pass(begin, c.stream, o), s.in[b[i]].pass(begin, c.stream, o))
		} else {
			held = max(held, s.inside[a[i]].pass(begin, c.stream, o))
		}
	}
	return held, nil
}
