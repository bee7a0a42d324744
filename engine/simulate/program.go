package simulate

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

// A Program is a schedule made ready to run, any number of times and by several goroutines at once.
type Program struct {
	s      *schedule.Schedule
	ops    []schedule.Op // of s
	nodes  []node        // used by one run at a time; rank and channel never change
	names  int           // number of channels
	wild   map[uint32]*wildRank
	joints []uint32 // the operations of each joint operation, by its number
	cpus   labels
	nics   labels
	msgs   int
	zero   bool // there are messages of 0 bytes
	lent   atomic.Bool

	pairsOnce sync.Once
	pairs     pairs
}

// Pairs numbers the pairs of a sender and a receiver with several messages, from 1 on.
type pairs struct {
	of    []uint32 // by send; 0 for the only message from its rank to its peer
	count int      // of numbers, with 0
}

// pairsOf returns the pairs of the sends. They are only needed where messages share something, so
// they are numbered at the first such run.
func (p *Program) pairsOf() pairs {
	p.pairsOnce.Do(func() {
		of, count := memory.Make[uint32](len(p.ops)), uint32(1)
		seen := make([]uint32, p.s.Ranks()) // by receiver: the first send to it, plus 1
		for rank := range p.s.Ranks() {
			from, to := p.s.Rank(rank)
			for i := from; i < to; i++ {
				op := &p.ops[i]
				if op.Kind != schedule.Send {
					continue
				}
				first := seen[op.Peer]
				if first <= from { // of another sender
					seen[op.Peer] = i + 1
					continue
				}
				if of[first-1] == 0 {
					of[first-1] = count
					count++
				}
				of[i] = of[first-1]
			}
		}
		p.pairs = pairs{of, int(count)}
	})
	return p.pairs
}

// stride returns the number of clocks of a rank.
func (p *Program) stride() int { return len(p.cpus.list) + 2*len(p.nics.list) }

// rank returns the rank of an operation.
func (p *Program) rank(op uint32) uint32 { return p.nodes[op].rank }

// A node is what a run keeps for an operation, beside the operation itself.
type node struct {
	rank    uint32
	channel uint32 // of a send and a receive
	waits   uint32 // number of unfinished dependencies; later one of the states below
	next    uint32 // in the list of its channel; of a receive that has its message: the send
}

// States of an operation whose dependencies have finished. The values are above all numbers of
// dependencies.
const (
	free       uint32 = 1<<32 - 1 - iota // in the queue, or parked
	posted                               // a receive waits for its message
	unexpected                           // a send's message waits for its receive
	flying                               // a send's message is on its way
	granting                             // default rules: a receive answers a request
	requested                            // a send waits for the grant
	granted                              // a send may send its data
	streaming                            // the data is on its way
	// a receive's message is there but for the processor's part
	arriving
	meeting // a joint operation waits for its other ranks
	done
	lastState
)

// Channels of messages that are in no list.
const (
	noChannel   uint32 = 1<<32 - 1 - iota // no receive takes it
	wildChannel                           // the receiving rank, or the message, has wildcards
	maxChannel
)

// runBytes is about what a run takes for an operation beside the schedule, and recordBytes what a
// record of it takes.
const runBytes, recordBytes = 30, 110

// maxOps is the maximum number of operations of a schedule: each has at most four entries, whose
// numbers stay below 2³¹.
const maxOps = 1 << 29

// A channel is the source, tag and context of receives at one rank, or of a message to it.
type channel struct {
	from, tag uint32
	context   uint16
}

// receiveChannel returns the channel of a receive.
func receiveChannel(op *schedule.Op) channel { return channel{op.Peer, op.Tag, op.Context} }

// sendChannel returns the channel of a message from a rank.
func sendChannel(rank uint32, op *schedule.Op) channel { return channel{rank, op.Tag, op.Context} }

// accepts reports whether a receive from channel c accepts a message of that channel.
func (c channel) accepts(m channel) bool {
	// In one expression, since few sources match and the tags of the rest need no look.
	return (c.from == m.from || c.from == schedule.Any) && c.context == m.context &&
		(c.tag == m.tag || c.tag == schedule.Any || m.tag == schedule.Any)
}

// labels numbers the labels that occur, so that a processor with the label 65535 takes no memory
// for unused labels.
type labels struct {
	list []uint16 // label by number, ascending
	of   []uint16 // number by label; nil if each label is its own number
}

func (l *labels) number(label uint16) int {
	if l.of == nil {
		return int(label)
	}
	return int(l.of[label])
}

func numberLabels(used []bool) labels {
	var l labels
	of := make([]uint16, len(used))
	for label, u := range used {
		if u {
			of[label] = uint16(len(l.list))
			l.list = append(l.list, uint16(label))
		}
	}
	if len(l.list) == 0 {
		l.list = []uint16{0}
	}
	if len(l.list) < len(used) {
		l.of = of
	}
	return l
}

// New makes a schedule ready to run. It is an error if the schedule has more than 2²⁹
// operations, or if the clocks of its processors and NICs (ranks times labels) would take far more
// memory than its operations.
func New(s *schedule.Schedule) (*Program, error) {
	p := &Program{s: s, ops: s.Ops()}
	ranks := s.Ranks()
	if len(p.ops) > maxOps {
		return nil, fmt.Errorf("%d operations; at most 2^29 can be simulated", len(p.ops))
	}
	err := memory.Check(fmt.Sprintf("the simulation of %d operations", len(p.ops)),
		float64(len(p.ops))*(schedule.OpBytes+runBytes))
	if err != nil {
		return nil, err
	}
	p.label()
	c, k := len(p.cpus.list), len(p.nics.list)
	if clocks, most := ranks*(c+2*k), 8*len(p.ops)+64*ranks+1<<22; clocks > most {
		return nil, fmt.Errorf("%d ranks with %d CPUs and %d NICs each, for %d operations: "+
			"number them from 0 in every rank",
			ranks, c, k, len(p.ops))
	}
	p.nodes = memory.Make[node](len(p.ops))
	p.connect(p.wildRanks())
	return p, nil
}

// label numbers the processors and NICs.
func (p *Program) label() {
	cpus, nics := make([]bool, p.s.CPUs()), make([]bool, p.s.NICs())
	for i := range p.ops {
		op := &p.ops[i]
		cpus[op.CPU] = true
		if op.Kind == schedule.Joint {
			for int(op.Peer) >= len(p.joints) {
				p.joints = append(p.joints, 0)
			}
			p.joints[op.Peer]++
		}
		if op.Kind < schedule.Calc {
			nics[op.NIC] = true
			if op.Kind == schedule.Send {
				p.msgs++
				p.zero = p.zero || op.Size == 0
			}
		}
	}
	p.cpus, p.nics = numberLabels(cpus), numberLabels(nics)
}

// wildRanks returns the ranks with a receive from any source or with any tag, or to which a
// message with any tag is sent.
func (p *Program) wildRanks() map[uint32]bool {
	wild := map[uint32]bool{}
	for rank := range p.s.Ranks() {
		lo, hi := p.s.Rank(rank)
		for i := lo; i < hi; i++ {
			p.nodes[i].rank = uint32(rank)
			switch op := &p.ops[i]; {
			case op.Kind == schedule.Recv && (op.Peer == schedule.Any || op.Tag == schedule.Any):
				wild[uint32(rank)] = true
			case op.Kind == schedule.Send && op.Tag == schedule.Any:
				wild[op.Peer] = true
			}
		}
	}
	return wild
}

// connect assigns to each receive its channel of its rank, and to each send
// the channel that receives its message. So a run needs no search. Each rank has a table of its
// channels, with open addressing.
func (p *Program) connect(wild map[uint32]bool) {
	ranks := p.s.Ranks()
	start := make([]uint32, ranks+1) // of each rank's table, of a power of two
	for rank := range ranks {
		lo, hi := p.s.Rank(rank)
		n := uint32(0)
		if !wild[uint32(rank)] {
			for i := lo; i < hi; i++ {
				if p.ops[i].Kind == schedule.Recv {
					n++
				}
			}
		}
		size := uint32(0)
		if n > 0 {
			// At most four fifths are taken: a search ends at a free place.
			size = 1 << bits.Len32(n+n/4)
		}
		start[rank+1] = start[rank] + size
	}
	table := memory.Make[place](int(start[ranks]))
	for rank := range ranks {
		lo, hi := p.s.Rank(rank)
		if wild[uint32(rank)] {
			p.wildChannels(uint32(rank), lo, hi)
			continue
		}
		t := table[start[rank]:start[rank+1]]
		for i := lo; i < hi; i++ {
			op := &p.ops[i]
			if op.Kind != schedule.Recv {
				continue
			}
			c := receiveChannel(op)
			at := find(t, c)
			if at.name == 0 {
				p.names++
				*at = place{c, uint32(p.names)}
			}
			p.nodes[i].channel = at.name - 1
		}
	}
	for i := range p.ops {
		op := &p.ops[i]
		if op.Kind != schedule.Send {
			continue
		}
		n := &p.nodes[i]
		t := table[start[op.Peer]:start[op.Peer+1]]
		switch {
		case wild[op.Peer]:
			n.channel = wildChannel
		case len(t) == 0:
			n.channel = noChannel
		default:
			n.channel = noChannel
			if at := find(t, sendChannel(n.rank, op)); at.name != 0 {
				n.channel = at.name - 1
			}
		}
	}
}

// A place is an entry of a table of channels; its name is the channel's number plus 1, or 0 if it
// is free.
type place struct {
	channel
	name uint32
}

// find returns the place of a channel in a rank's table, or a free place for it.
func find(table []place, c channel) *place {
	mask := uint32(len(table) - 1)
	tag := uint64(c.context)<<32 | uint64(c.tag)
	h := uint64(c.from)*0x9E3779B97F4A7C15 + tag*0xD1B54A32D192ED03
	for i := uint32(h>>32) & mask; ; i = (i + 1) & mask {
		at := &table[i]
		if at.name == 0 || at.channel == c {
			return at
		}
	}
}

// A wildRank holds the channels of a rank with wildcards.
type wildRank struct {
	list []channel
	at   map[channel]uint32
}

func (p *Program) wildChannels(rank, lo, hi uint32) {
	if p.wild == nil {
		p.wild = map[uint32]*wildRank{}
	}
	w := &wildRank{at: map[channel]uint32{}}
	for i := lo; i < hi; i++ {
		op := &p.ops[i]
		if op.Kind != schedule.Recv {
			continue
		}
		c := receiveChannel(op)
		n, known := w.at[c]
		if !known {
			n = uint32(len(w.list))
			w.at[c] = n
			w.list = append(w.list, c)
		}
		p.nodes[i].channel = n
	}
	p.wild[rank] = w
}
