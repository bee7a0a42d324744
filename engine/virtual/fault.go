package virtual

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Faults are the faults to inject into a run. The first five are probabilities from 0 to 1, drawn
// for each packet when it has crossed the network.
type Faults struct {
	Seed      uint64
	Drop      float64
	Duplicate float64
	Corrupt   float64 // one bit is flipped
	Reorder   float64 // the packet is delayed by up to Late, so that later packets overtake it
	Delay     float64 // the packet is delayed by ten times Late
	Late      quantity.Micros
	Stop      map[int]quantity.Micros // by node: the time at which it stops polling
	Die       map[int]quantity.Micros // by node: the time at which it stops sending and receiving
}

// FaultStats count the injected faults.
type FaultStats struct {
	Lost       int64 // packets, dropped by a fault, a full queue or a dead node
	Duplicated int64
	Corrupted  int64
	Delayed    int64
}

// Add adds the counts of another run.
func (s *FaultStats) Add(o FaultStats) {
	s.Lost += o.Lost
	s.Duplicated += o.Duplicated
	s.Corrupted += o.Corrupted
	s.Delayed += o.Delayed
}

func (s FaultStats) String() string {
	return fmt.Sprintf("%d packets lost, %d duplicated, %d corrupted, %d held back", s.Lost, s.Duplicated, s.Corrupted, s.Delayed)
}

func (f *Faults) any() bool { return f.Drop+f.Duplicate+f.Corrupt+f.Reorder+f.Delay > 0 }

func (f *Faults) check(nodes int) error {
	for _, p := range []float64{f.Drop, f.Duplicate, f.Corrupt, f.Reorder, f.Delay} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("the probability of a fault must be 0 to 1 (got %v)", p)
		}
	}
	if !(f.Late >= 0) {
		return fmt.Errorf("the time late must be at least 0 (got %v)", f.Late)
	}
	for _, when := range []map[int]quantity.Micros{f.Stop, f.Die} {
		for id := range when {
			if id < 0 || id >= nodes {
				return fmt.Errorf("a fault of node %d: there are %d nodes", id, nodes)
			}
		}
	}
	return nil
}

// faulty is the stage of a packet that has had its faults.
const faulty = 1 << 20

func (n *network) fault(f *packet) bool {
	chance := func(p float64) bool { return p > 0 && n.random.Float64() < p }
	if chance(n.faults.Drop) {
		n.drop(f)
		return false
	}
	if chance(n.faults.Duplicate) {
		n.lost.Duplicated++
		twin := n.packet(&f.Frame)
		twin.route = f.route
		n.deliverLate(twin, n.faults.Late*quantity.Micros(n.random.Float64()))
	}
	if chance(n.faults.Corrupt) {
		n.lost.Corrupted++
		if bit := n.random.Uint32(); len(f.Payload) > 0 {
			f.Payload[int(bit>>3)%len(f.Payload)] ^= 1 << (bit & 7)
		} else {
			f.Words[bit>>5&3] ^= 1 << (bit & 31)
		}
	}
	switch {
	case chance(n.faults.Reorder):
		n.lost.Delayed++
		n.deliverLate(f, n.faults.Late*quantity.Micros(n.random.Float64()))
		return false
	case chance(n.faults.Delay):
		n.lost.Delayed++
		n.deliverLate(f, 10*n.faults.Late)
		return false
	}
	return true
}

func (n *network) deliverLate(f *packet, by quantity.Micros) {
	f.stage, f.held = faulty-1, nothing
	n.schedule(n.now+by, int(f.Dst), event{frame: f})
}
