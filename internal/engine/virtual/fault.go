package virtual

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Faults are the faults to inject into a run. The first five are probabilities from 0 to
// 1, drawn for each packet when it has crossed the network. The zero Faults inject
// nothing.
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

var faultNames = []string{
	"drop", "duplicate", "corrupt", "reorder", "delay", "late", "stop", "die",
}

// ParseFaults parses a list of faults: "drop=0.01,reorder=0.02,late=100us" or
// "die=1@500us", which is node 1 at 500 µs. Probabilities are 0 to 1, nodes at least 0; reorder and
// delay need late.
func ParseFaults(text string) (Faults, error) {
	f := Faults{Stop: map[int]quantity.Micros{}, Die: map[int]quantity.Micros{}}
	chances := map[string]*float64{
		"drop": &f.Drop, "duplicate": &f.Duplicate, "corrupt": &f.Corrupt,
		"reorder": &f.Reorder, "delay": &f.Delay,
	}
	deaths := map[string]map[int]quantity.Micros{"stop": f.Stop, "die": f.Die}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch chance, known := chances[name]; {
		case known:
			if *chance, err = strconv.ParseFloat(value, 64); err != nil ||
				!(*chance >= 0 && *chance <= 1) {
				return f, fmt.Errorf("%q: a probability from 0 to 1, as in %s=0.01", part, name)
			}
		case name == "late":
			if f.Late, err = quantity.ParseMicros(value); err != nil {
				return f, fmt.Errorf("%q: %w", part, err)
			}
		case deaths[name] != nil:
			node, at, _ := strings.Cut(value, "@")
			id, err := strconv.Atoi(node)
			when, err2 := quantity.ParseMicros(at)
			if err != nil || err2 != nil || id < 0 {
				return f, fmt.Errorf("%q: a node and a time, as in %s=1@500us", part, name)
			}
			deaths[name][id] = when
		default:
			return f, fmt.Errorf("no fault %q%s", name, usage.Hint(name, faultNames))
		}
	}
	// Packets delayed by nothing would overtake nobody: the faults would have no effect.
	if (f.Reorder > 0 || f.Delay > 0) && f.Late == 0 {
		return f, fmt.Errorf("the time by which packets are delayed is missing; add late=100us")
	}
	return f, nil
}

// Add adds the counts of another run.
func (s *FaultStats) Add(o FaultStats) {
	s.Lost += o.Lost
	s.Duplicated += o.Duplicated
	s.Corrupted += o.Corrupted
	s.Delayed += o.Delayed
}

func (s FaultStats) String() string {
	return fmt.Sprintf("%d packets lost, %d duplicated, %d corrupted, %d held back",
		s.Lost, s.Duplicated, s.Corrupted, s.Delayed)
}

func (f *Faults) any() bool { return f.Drop+f.Duplicate+f.Corrupt+f.Reorder+f.Delay > 0 }

func (f *Faults) check(nodes int) error {
	for _, p := range []float64{f.Drop, f.Duplicate, f.Corrupt, f.Reorder, f.Delay} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("the probability of a fault must be 0 to 1 (got %v)", p)
		}
	}
	// Written so that NaN is refused too.
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
