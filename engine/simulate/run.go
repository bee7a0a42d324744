package simulate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A run is the state of one simulation, whatever the rules.
//
// A rank has a clock for each of its processors, then one for each NIC as a sender, and then one
// for each NIC as a receiver: the time at which it becomes free.
type run struct {
	matching
	clocks
	ctx      context.Context
	borrowed bool                     // nodes are the program's
	stride   int                      // number of clocks of a rank
	plain    bool                     // nothing is parked: clocks may shrink
	eager    uint64                   // S, by LogGOPSim's rules
	num      uint32                   // of the next entry
	order    uint32                   // of entries at one time: 0, or all bits, to reverse it
	fresh    uint32                   // added to the numbers of entries that were not parked
	events   uint64                   // entries processed
	done     uint64                   // operations that are
	proceed  func(e entry, late bool) // does what an entry says; late if it was parked
	here     []uint32                 // operations that are free now, at the rank of the event
	there    []uint32                 // the same at the sender, by LogGOPSim's rules
	sorted   []uint32                 // memory of sort
	list     []uint32                 // memory of startRank
	noise    noise
	err      error // the first one, which ends the run

	// The default rules.
	costs  costs
	shared *sharing
	flows  *flows
	parked uint32   // operations that have waited at a desk
	ready  []uint64 // when what an operation waits for is finished; or an unexpected message came
	// by receiver, when the last messages left that may still be in transit to it, ascending; only
	// where that number is limited
	transit map[uint32][]uint64
	windows map[[2]uint32]*window // by sender and receiver; only where windows limit messages
	out     []uint64              // when the last byte that a rank has sent left its NIC
	marks   []MarkEnd
	joined  []gathering // by the number of a joint operation
	instant bool        // these take no time
	tally   []Parts     // by rank; nil if it is not wanted
	record
	progress

	// The run of a part of a sequence.
	entered              *partState // at its begin; nil: the begin of the program
	leaves               []leave    // by the order of time; nil in other runs
	firstSend, lastEvent uint64

	most uint64 // steps that it may take; 0: any number

	report   func(Progress)
	began    time.Time
	reported time.Duration
}

// A busyNIC is one that is not free when its rank is ready.
type busyNIC struct {
	rank  uint32
	label uint16
	takes bool // as a receiver
	until uint64
}

// A leave is the end of a part on a rank.
type leave struct {
	rank uint32
	time uint64
	by   link // to the step that ends it
}

// A partState is that from which a part runs: ticks since the first rank is ready.
type partState struct {
	ready []uint64 // by rank
	busy  []busyNIC
	order []uint32 // ranks, in the order of their readiness
	slack uint64   // by which times of equal states may differ
	skew  uint64   // the same of times of ranks that are alike
}

// A gathering is the state of a joint operation.
type gathering struct {
	left uint32 // ranks that have not come
	list uint32 // the operation of the rank that came before, plus 1; node.next has the one before
	last struct {
		op             uint32 // of the rank that is ready last
		start, arrival uint64 // with noise between them
		late           bool   // it waited for its processor
	}
}

func newRun(ctx context.Context, p *Program, recorded bool) *run {
	r := &run{ctx: ctx, matching: matching{Program: p, tail: memory.Make[uint32](p.names)}}
	r.borrow(recorded)
	c, k, ranks := len(p.cpus.list), len(p.nics.list), p.s.Ranks()
	r.stride = c + 2*k
	r.clock, r.desks = memory.Make[uint64](ranks*r.stride), memory.Make[desk](ranks)
	for rank := range r.desks {
		r.desks[rank].time = noEntry
	}
	if p.wild != nil {
		r.wild = make(map[uint32]*wildLists, len(p.wild))
		for rank, w := range p.wild {
			r.wild[rank] = &wildLists{wildRank: w, lists: make([]wildList, len(w.list))}
		}
	}
	return r
}

// fail ends the run with an error, unless it has one.
func (r *run) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// borrow gets the nodes of the program, or a copy if another run has them or if they must be kept.
func (r *run) borrow(keep bool) {
	if !keep && r.lent.CompareAndSwap(false, true) {
		r.nodes, r.borrowed = r.Program.nodes, true
	} else {
		r.nodes = memory.Make[node](len(r.ops))
		for i := range r.nodes {
			from := &r.Program.nodes[i]
			r.nodes[i].rank, r.nodes[i].channel = from.rank, from.channel
		}
	}
	// All are cleared first: an operation may have a smaller number than one that it waits for.
	for i := range r.nodes {
		r.nodes[i].waits = 0
	}
	for i := range r.nodes {
		for _, after := range r.s.AfterDone(uint32(i)) {
			r.nodes[after].waits++
		}
		for _, after := range r.s.AfterStarted(uint32(i)) {
			r.nodes[after].waits++
		}
	}
}

func (r *run) giveBack() {
	if r.borrowed {
		r.nodes, r.borrowed = nil, false
		r.lent.Store(false)
	}
}

// The clocks of an operation's labels at a rank, by index.

func (r *run) cpuOf(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + r.cpus.number(op.CPU)
}

func (r *run) sendNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + len(r.cpus.list) + r.nics.number(op.NIC)
}

func (r *run) receiveNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + len(r.cpus.list) + len(r.nics.list) + r.nics.number(op.NIC)
}

// Progress reports how far a run has come.
type Progress struct {
	Done, Total uint64        // operations; a deadlock keeps some from being done
	Elapsed     time.Duration // since the run began
}

// name returns the label of op and the operation itself, shortened and quoted if necessary. The
// line of a program, or else the position in the rank of an op without a label, takes its place.
func (r *run) name(op uint32) string {
	label := r.s.Line(op)
	if label == "" {
		label = r.s.Label(op)
	}
	if label == "" {
		lo, _ := r.s.Rank(int(r.nodes[op].rank))
		label = "operation " + strconv.FormatUint(uint64(op-lo)+1, 10)
	}
	if len(label) > 40 {
		label = label[:40] + "…"
	}
	return fmt.Sprintf("%s (%s)", strings.Trim(strconv.Quote(label), `"`), r.ops[op])
}

type costs struct {
	machine Machine
	near    [256]struct {
		key
		*cost
	}
	all map[key]*cost
}

// messageCost returns the cost of a message in ticks. If check finds an error, the run fails.
func (r *run) messageCost(from, to uint32, size uint64) *cost {
	c := &r.costs
	k := key{size, int32(c.machine.Level(int(from), int(to)))}
	h := (size ^ size>>8 ^ size>>16 ^ uint64(k.level)*37) & 255
	near := &c.near[h]
	if near.cost != nil && near.key == k {
		return near.cost
	}
	found, ok := c.all[k]
	if !ok {
		l, leveled := c.machine.(*levels)
		level := int(k.level)
		var f machine.Cost // zero for a handshake that the times of its message include
		switch {
		case size != handshake:
			f = c.machine.Cost(level, size)
		case !leveled || !(l.levelAt(level).Eager > 0):
			f = c.machine.Cost(level, 1)
		}
		if err := check(f); err != nil {
			r.fail("a message of %d bytes from rank %d to rank %d: %w", size, from, to, err)
			return &cost{}
		}
		if size == handshake {
			f.Relay, f.Fresh = 0, 0 // no memory of the program's
		}
		ticks := inTicks(f)
		found = &ticks
		if leveled && size != handshake {
			at := l.levelAt(level)
			found.handshake, found.data = at.Handshake, at.Data
			found.joint = l.joint(level, size)
			found.nic = l.ownGap(level, size, found.gap, 0)
			found.railNIC = l.ownGap(level, size, found.gap, 1)
			found.deferred = !found.rendezvous && l.levelAt(level).Defers(quantity.Bytes(size))
			found.interleaved = found.stream > 0 && l.interleaved(level, size)
			found.overlaps = l.overlaps(level, size)
			found.flows = found.interleaved ||
				r.shared != nil && r.shared.isShared(level, size, found)
		}
		if c.all == nil {
			c.all = map[key]*cost{}
		}
		if len(c.all) < 1<<16 {
			c.all[k] = found
		}
	}
	near.key, near.cost = k, found
	return found
}

// costOf returns the cost of the message of a send, whose first byte has come.
func (r *run) costOf(send uint32) *cost {
	if r.flows != nil {
		return r.flows.transits[send].cost
	}
	op := &r.ops[send]
	return r.messageCost(r.nodes[send].rank, op.Peer, op.Size)
}
