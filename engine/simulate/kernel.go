package simulate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

// A kernel is what every run has, by whatever rules: operations that wait for each other, receives
// and messages that wait for each other, processors and NICs, and the queue of what comes next.
//
// A rank has a clock for each of its processors, then one for each NIC as a sender, and then one
// for each NIC as a receiver: the time at which it becomes free.
type kernel struct {
	matching
	clocks
	ctx      context.Context
	borrowed bool     // nodes are the program's
	num      uint32   // of the next entry
	order    uint32   // of entries at one time: 0, or all bits, to reverse it
	fresh    uint32   // added to the numbers of entries that were not parked
	held     bool     // tick is not in the queue yet
	tick     entry    // of the network, behind all else of this moment
	last     uint64   // time of the latest entry
	done     uint64   // operations that are
	ready    []uint64 // when what an operation waits for is finished; or an unexpected message came
	here     []uint32 // operations that are free now
	list     []uint32 // memory of startRank
	noise    noise
	err      error // the first one, which ends the run
	budget
}

// rules say what happens at the time of an entry.
type rules interface {
	// proceed does what an entry says; late is set if its operation has waited at a desk.
	proceed(e entry, late bool)
	// network does what an entry of the network says.
	network(t uint64)
	// queue queues operations that became free together.
	queue(list []uint32)
}

// init makes a kernel ready for a run. It takes the memory of the run before, if there was one.
func (k *kernel) init(ctx context.Context, p *Program, o Setup) {
	ranks, stride := p.s.Ranks(), p.stride()
	*k = kernel{
		matching: matching{Program: p, tail: memory.Again(k.tail, p.names)},
		clocks: clocks{
			clock:  memory.Again(k.clock, ranks*stride),
			stride: stride,
			desks:  memory.Again(k.desks, ranks),
			q:      queue{free: k.q.free},
		},
		ctx:    ctx,
		ready:  k.ready[:0],
		here:   k.here[:0],
		list:   k.list[:0],
		noise:  o.Noise.start(ranks, o.Seed, o.Rules.ticks()/nanos),
		budget: budget{report: o.Progress, began: time.Now(), most: o.Steps},
	}
	k.borrow()
	for rank := range k.desks {
		k.desks[rank].time = noEntry
	}
	if p.wild != nil {
		k.wild = make(map[uint32]*wildLists, len(p.wild))
		for rank, w := range p.wild {
			k.wild[rank] = &wildLists{wildRank: w, lists: make([]wildList, len(w.list))}
		}
	}
}

// borrow gets the nodes of the program, or a copy if another run has them.
func (k *kernel) borrow() {
	if k.lent.CompareAndSwap(false, true) {
		k.nodes, k.borrowed = k.Program.nodes, true
	} else {
		k.nodes = memory.Make[node](len(k.ops))
		for i := range k.nodes {
			from := &k.Program.nodes[i]
			k.nodes[i].rank, k.nodes[i].channel = from.rank, from.channel
		}
	}
	// All are cleared first: an operation may have a smaller number than one that it waits for.
	for i := range k.nodes {
		k.nodes[i].waits = 0
	}
	for i := range k.nodes {
		for _, after := range k.s.AfterDone(uint32(i)) {
			k.nodes[after].waits++
		}
		for _, after := range k.s.AfterStarted(uint32(i)) {
			k.nodes[after].waits++
		}
	}
}

func (k *kernel) giveBack() {
	if k.borrowed {
		k.nodes, k.borrowed = nil, false
		k.lent.Store(false)
	}
}

// fail ends the run with an error, unless it has one.
func (k *kernel) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

// name returns the label of op and the operation itself, shortened and quoted if necessary. The
// line of a program, or else the position in the rank of an op without a label, takes its place.
func (k *kernel) name(op uint32) string {
	label := k.s.Line(op)
	if label == "" {
		label = k.s.Label(op)
	}
	if label == "" {
		lo, _ := k.s.Rank(int(k.nodes[op].rank))
		label = "operation " + strconv.FormatUint(uint64(op-lo)+1, 10)
	}
	if len(label) > 40 {
		label = label[:40] + "…"
	}
	return fmt.Sprintf("%s (%s)", strings.Trim(strconv.Quote(label), `"`), k.ops[op])
}

// push queues an entry.
func (k *kernel) push(at uint64, what uint32) { k.q.push(k.entry(at, what)) }

// entry returns an entry with the next number. Numbers rise, so that entries of one time run in the
// order in which they were made; order turns that round for a run that asks what ties decide, and
// fresh keeps the entries of this moment behind those that waited.
func (k *kernel) entry(at uint64, what uint32) entry {
	e := entry{at, k.num ^ k.order | k.fresh, what}
	k.num++
	return e
}

// startRank queues the operations of a rank without predecessors.
func (k *kernel) startRank(rank int, queue func(list []uint32)) {
	lo, hi := k.s.Rank(rank)
	list := k.list[:0]
	for i := lo; i < hi; i++ {
		if k.nodes[i].waits == 0 {
			k.nodes[i].waits = free
			list = append(list, i)
		}
	}
	k.list = list
	queue(list)
}

// ended counts an operation that is done, and returns those that waited for it.
func (k *kernel) ended(op uint32) []uint32 {
	k.done++
	return k.s.AfterDone(op)
}

// The clocks of an operation's labels at a rank, by index.

func (k *kernel) cpuOf(rank uint32, op *schedule.Op) int {
	return int(rank)*k.stride + k.cpus.number(op.CPU)
}

func (k *kernel) sendNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*k.stride + len(k.cpus.list) + k.nics.number(op.NIC)
}

func (k *kernel) receiveNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*k.stride + len(k.cpus.list) + len(k.nics.list) + k.nics.number(op.NIC)
}
