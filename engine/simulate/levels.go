package simulate

import (
	"fmt"

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
// A unit has a clock for its lanes, one for the ports through which bytes leave it, and one for
// those through which they enter. A message whose bytes begin to flow at t and alone would do so
// for s, its stream, moves each clock C that it meets, of c lanes or ports, to
//
//	C' = max(C, t) + s/c        and the last byte comes no earlier than C', nor than t + s
//
// It meets the lanes of the unit that both ranks share at their level; the ports out of the
// units around the sender that do not hold the receiver; and, when the receiver takes it in, the
// ports into those around the receiver that do not hold the sender. What holds the message back
// holds back the NIC of the rank likewise. So c equal transfers at once are as fast as one, and k >
// c take k/c times as long for the last of them, as if each had its fair share throughout; the first
// of them end earlier than with fair shares. Messages without a stream, as those of one byte, are
// never held back.
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
			core /= m.Levels[level].Holds
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

// around are the units that a rank is in, from inside out.
func (l *levels) around(rank int) []uint32 {
	n := len(l.Levels)
	return l.units[rank*n : (rank+1)*n]
}

// Level is the innermost whose unit holds both ranks.
func (l *levels) Level(from, to int) int {
	a, b := l.around(from), l.around(to)
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
	return Cost{Send: c.Send, Latency: c.Latency, Stream: c.Stream, Receive: c.Receive, Gap: c.Gap, Rendezvous: size > eager}
}

// ranks is how many have a place.
func (l *levels) ranks() int { return len(l.units) / len(l.Levels) }

// A sharing has the clocks of what the ranks of a unit share. It is nil on machines where they
// share nothing.
type sharing struct {
	*levels
	lanes, out, in []uint64          // by unit
	held           map[uint32]uint64 // of recorded steps: for how long they were held back
}

func newSharing(m Machine) *sharing {
	l, ok := m.(*levels)
	if !ok {
		return nil
	}
	any := false
	for _, level := range l.Levels {
		any = any || level.Lanes > 0 || level.Ports > 0
	}
	if !any {
		return nil
	}
	return &sharing{l, make([]uint64, l.count), make([]uint64, l.count), make([]uint64, l.count), map[uint32]uint64{}}
}

// pass lets bytes through that flow from begin on, alone for so long, and moves the clock of what
// carries so many at once. It tells by how much the last of them comes later than it would alone.
func pass(clock *uint64, begin, stream uint64, carries float64) uint64 {
	*clock = max(*clock, begin) + uint64(float64(stream)/carries)
	if end := begin + stream; *clock > end {
		return *clock - end
	}
	return 0
}

// leave is for how long a message is held back on its way out of the units of its sender, and
// through the unit in which both meet.
func (s *sharing) leave(from, to uint32, begin, stream uint64) (held uint64) {
	if s == nil || stream == 0 {
		return 0
	}
	a, b := s.around(int(from)), s.around(int(to))
	for i := range s.Levels {
		level := &s.Levels[i]
		if a[i] == b[i] {
			if level.Lanes > 0 {
				held = max(held, pass(&s.lanes[a[i]], begin, stream, level.Lanes))
			}
			break
		}
		if level.Ports > 0 {
			held = max(held, pass(&s.out[a[i]], begin, stream, level.Ports))
		}
	}
	return held
}

// enter is for how long a message is held back on its way into the units of its receiver.
func (s *sharing) enter(from, to uint32, begin, stream uint64) (held uint64) {
	if s == nil || stream == 0 {
		return 0
	}
	a, b := s.around(int(from)), s.around(int(to))
	for i := 0; a[i] != b[i]; i++ {
		if ports := s.Levels[i].Ports; ports > 0 {
			held = max(held, pass(&s.in[b[i]], begin, stream, ports))
		}
	}
	return held
}

// note keeps for how long the last recorded step was held back.
func (r *run) heldBack(by uint64) {
	if r.recording && by > 0 {
		r.shared.held[uint32(len(r.acts))] = by
	}
}

// held is for how long a recorded step was held back, by the number of its link.
func (s *sharing) heldAt(act uint32) uint64 {
	if s == nil {
		return 0
	}
	return s.held[act]
}
