package simulate_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// sizes of messages, in bytes: nothing, little, and both sides of what LogGOPSim
// sends eagerly by default and of what tests are likely to choose.
var sizes = []uint64{0, 1, 2, 8, 100, 1000, 1001, 4095, 4096, 65535, 65536, 100000}

var lengths = []uint64{0, 1, 10, 100, 700, 3000, 5000, 50000, 1000000}

// An action is an operation with what it waits for, by place in its rank.
type action struct {
	op       schedule.Op
	after    []int // requires
	afterBeg []int // irequires
	// Nothing may wait for the end of a send that can be taken by another
	// receive than the one that belongs to it.
	noEnd bool
}

// How the receives of a rank name what they take. Whatever they name is a class:
// within it, which receive takes which message depends on times.
type taking int

const (
	exactly   taking = iota // source and tag
	anySource               // tag alone
	anyTag                  // source alone
	anything
	takings
)

// A taken is what one receive could take: messages to a rank from a source with
// a tag, either of which may be Any.
type taken struct{ to, from, tag uint32 }

// randomProgram is a program of so many ranks and messages that always ends, whatever
// the times are. The same arguments give the same program. It has several CPUs
// and NICs, computations, wildcards, messages of 0 bytes, eager ones and long
// ones, messages of a rank to itself, both kinds of dependencies, some twice,
// operations of which many become free at once, and ranks without operations.
//
// It ends because there is an order of all operations in which each waits only for earlier ones: a
// message's send and receive are neighbours in it, and the receive waits for nothing that the send
// may hold up. Where one receive can take several messages, receives are posted in their order, and
// nothing waits for the end of such a send.
func randomProgram(seed uint64, ranks, messages int) *schedule.Schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	return build(r, draw(r, ranks, messages, safe))
}

// A freedom is what a random program may have.
type freedom int

const (
	exact freedom = iota // no wildcards
	safe                 // it ends
	wild                 // anything
	roomy                // anything, but receives have room for any message; up to two contexts
)

func draw(r *rand.Rand, ranks, messages int, free freedom) [][]action {
	program := make([][]action, ranks)
	cpus, nics, tags := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(4)
	contexts := 1 // of messages
	if free == roomy {
		contexts += messages % 2
	}
	busy := max(1, ranks-r.IntN(2)) // the last rank may do nothing
	take := make([]taking, ranks)
	for i := range take {
		if free > exact {
			take[i] = taking(r.IntN(int(takings)))
		}
	}
	waits := []float64{0, 0.3, 0.8, 1}[r.IntN(4)] // how often an operation waits
	hub := r.IntN(3) == 0                         // whether many wait for the same
	started := []float64{0, 0.2, 0.5}[r.IntN(3)]  // how often for a start instead of an end
	computes := []float64{0, 0.3, 1.5}[r.IntN(3)] // computations for each message
	sameSize := map[taken]uint64{}                // of the messages of a class that has several
	last := map[taken]int{}                       // its last receive
	seen := map[taken]bool{}                      // exact ones
	places := func() (cpu, nic uint16) { return uint16(r.IntN(cpus)), uint16(r.IntN(nics)) }

	// add appends an operation that waits for some of the first n of its rank.
	add := func(rank, n int, it action) int {
		for n > 0 && r.Float64() < waits && len(it.after)+len(it.afterBeg) < 4 {
			before := r.IntN(n)
			if hub {
				before = min(before, r.IntN(n), r.IntN(n), r.IntN(n))
			}
			if program[rank][before].noEnd || r.Float64() < started {
				it.afterBeg = append(it.afterBeg, before)
			} else {
				it.after = append(it.after, before)
			}
			if r.IntN(3) > 0 {
				break
			}
		}
		program[rank] = append(program[rank], it)
		return len(program[rank]) - 1
	}
	compute := func() {
		rank := r.IntN(busy)
		cpu, _ := places()
		add(rank, len(program[rank]), action{op: schedule.Op{Kind: schedule.Calc, Size: lengths[r.IntN(len(lengths))], CPU: cpu}})
	}

	for m := range messages {
		for c := computes; r.Float64() < c; c-- {
			compute()
		}
		from, to := r.IntN(busy), r.IntN(busy)
		send := schedule.Op{Kind: schedule.Send, Peer: uint32(to), Tag: uint32(r.IntN(tags)), Size: sizes[r.IntN(len(sizes))]}
		recv := schedule.Op{Kind: schedule.Recv, Peer: uint32(from), Tag: send.Tag}
		if free == roomy {
			send.Context = uint16(m % contexts)
			recv.Context = send.Context
		}
		send.CPU, send.NIC = places()
		recv.CPU, recv.NIC = places()
		named := take[to]
		if free >= wild && r.IntN(4) == 0 {
			named = taking(r.IntN(int(takings)))
		}
		switch named {
		case exactly:
			if c := (taken{uint32(to), uint32(from), send.Tag}); seen[c] && free < wild {
				send.Tag = uint32(tags + m) // one message a class
				recv.Tag = send.Tag
			} else {
				seen[c] = true
			}
		case anySource:
			recv.Peer = schedule.Any
		case anyTag:
			recv.Tag = schedule.Any
		case anything:
			recv.Peer, recv.Tag = schedule.Any, schedule.Any
			if r.IntN(10) == 0 {
				send.Tag = schedule.Any
			}
		}
		several := named != exactly && free < wild
		c := taken{uint32(to), recv.Peer, recv.Tag}
		if several {
			if size, ok := sameSize[c]; ok {
				send.Size = size
			}
			sameSize[c] = send.Size
		}
		recv.Size = send.Size
		if free >= wild && r.IntN(10) == 0 {
			recv.Size = sizes[r.IntN(len(sizes))]
		}
		if free == roomy {
			recv.Size = 100000
		}
		before := len(program[to]) // the receive waits for none of what comes now
		add(from, len(program[from]), action{op: send, noEnd: several})
		it := action{op: recv}
		if several {
			if prev, ok := last[c]; ok {
				it.afterBeg = append(it.afterBeg, prev)
			}
		}
		last[c] = add(to, before, it)
	}
	compute()
	return program
}

// wildProgram is a program like randomProgram's, but without what makes it end: whatever one
// receive can take may stand beside what others can, the sizes of a message and of
// its receive may differ, a message or a receive may be missing, and operations may
// wait for any others of their rank. Some end, some do not.
func wildProgram(seed uint64, ranks, messages int) *schedule.Schedule {
	return freeProgram(seed, ranks, messages, wild)
}

// roomyProgram is wildProgram, with receives that have room for any of its messages, and messages
// of up to two contexts.
func roomyProgram(seed uint64, ranks, messages int) *schedule.Schedule {
	return freeProgram(seed, ranks, messages, roomy)
}

func freeProgram(seed uint64, ranks, messages int, free freedom) *schedule.Schedule {
	r := rand.New(rand.NewPCG(seed, 2))
	program := draw(r, ranks, messages, free)
	for _, items := range program {
		if len(items) == 0 {
			continue
		}
		if i := r.IntN(len(items)); r.IntN(40) == 0 { // as good as missing
			items[i].op = schedule.Op{Kind: schedule.Calc, Size: 10}
		}
		if i, before := r.IntN(len(items)), r.IntN(len(items)); r.IntN(10) == 0 {
			items[i].after = append(items[i].after, before)
		}
	}
	return build(r, program)
}

// A trouble is why a program cannot end.
type trouble int

const (
	circle     trouble = iota // operations of a rank that wait for each other
	noReceive                 // a message that nobody takes
	noMessage                 // a receive for which no message comes
	rendezvous                // two ranks that both wait until their long messages are taken, before they take the other's
	troubles                  // how many there are
)

// stuckProgram is a program like randomProgram's, but with at least 2 ranks and without
// wildcards, that has one trouble besides. It is in operations of ranks 0 and 1
// that no other operation is like: calcs of 1,234,567 ns of rank 0 (circle), else
// messages with the tag 1,000,000, which have 1 GiB in rendezvous.
func stuckProgram(seed uint64, ranks, messages int, why trouble) *schedule.Schedule {
	const tag, long = 1000000, 1 << 30
	r := rand.New(rand.NewPCG(seed, 3))
	program := draw(r, max(ranks, 2), messages, exact)
	add := func(rank int, op schedule.Op, after ...int) int {
		program[rank] = append(program[rank], action{op: op, after: after})
		return len(program[rank]) - 1
	}
	send := func(size uint64, to uint32) schedule.Op {
		return schedule.Op{Kind: schedule.Send, Size: size, Peer: to, Tag: tag}
	}
	recv := func(size uint64, from uint32) schedule.Op {
		return schedule.Op{Kind: schedule.Recv, Size: size, Peer: from, Tag: tag}
	}
	switch why {
	case circle:
		calc := schedule.Op{Kind: schedule.Calc, Size: 1234567}
		first := add(0, calc)
		program[0][first].after = []int{add(0, calc, first)}
	case noReceive:
		add(0, send(8, 1))
	case noMessage:
		add(1, recv(8, 0))
	case rendezvous:
		add(1, recv(long, 0), add(1, send(long, 0)))
		add(0, recv(long, 1), add(0, send(long, 1)))
	default:
		panic(fmt.Sprintf("no trouble %d", why))
	}
	return build(r, program)
}

// build puts the operations of each rank, and the lines of their dependencies, in
// an order of chance.
func build(r *rand.Rand, program [][]action) *schedule.Schedule {
	b := schedule.NewBuilder(len(program))
	for _, items := range program {
		b.NextRank()
		order := make([]int, len(items))
		for i := range order {
			order[i] = i
		}
		if r.IntN(2) == 0 {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		index := make([]uint32, len(items))
		for _, i := range order {
			index[i] = b.Add(items[i].op)
		}
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			for _, before := range items[i].after {
				b.Requires(index[i], index[before])
				if r.IntN(20) == 0 {
					b.Requires(index[i], index[before])
				}
			}
			for _, before := range items[i].afterBeg {
				b.IRequires(index[i], index[before])
			}
		}
	}
	s, err := b.Build()
	if err != nil {
		panic(err) // a mistake of this file
	}
	return s
}
