package collective

import "math/bits"

// Letters below: p members; v is a member's place counted from the root on,
// (place − root) mod p.

// BinomialBroadcast brings Bytes bytes from the root to all.
//
// In round k = 0, 1 … the members v < 2^k, which have the data, send it to v + 2^k
// if there is one: ⌈lg p⌉ rounds. So v receives from itself without its highest
// bit, and then sends to v + 2^k for each 2^k > v, the nearest first. That is Open
// MPI's order of children.
func BinomialBroadcast(p *Part) {
	v := p.virtual()
	var recv uint32
	if v > 0 {
		recv = p.Recv(p.Bytes, p.real(v-highest(v)))
	}
	for d := next(v); v+d < p.Size; d *= 2 {
		send := p.Send(p.Bytes, p.real(v+d))
		if v > 0 {
			p.Requires(send, recv)
		}
	}
}

// BinomialReduce combines Bytes bytes of every member at the root: the messages of
// BinomialBroadcast, the other way round. Member v receives from v + 2^k for each
// 2^k > v, and when it has all sends to itself without its highest bit.
func BinomialReduce(p *Part) {
	v := p.virtual()
	send := uint32(0)
	if v > 0 {
		send = p.Send(p.Bytes, p.real(v-highest(v)))
	}
	for d := next(v); v+d < p.Size; d *= 2 {
		recv := p.Recv(p.Bytes, p.real(v+d))
		if v > 0 {
			p.Requires(send, recv)
		}
	}
}

// highest is the highest bit of v > 0.
func highest(v int) int { return 1 << (bits.Len(uint(v)) - 1) }

// next is the lowest power of 2 above v ≥ 0.
func next(v int) int { return 1 << bits.Len(uint(v)) }

// Dissemination lets every member hear of every other (Hensgen, Finkel, Manber,
// Two algorithms for barrier synchronization, 1988): in round k = 0, 1 … ⌈lg p⌉−1
// the member at place i sends Bytes bytes to (i + 2^k) mod p and receives as many
// from (i − 2^k) mod p. A barrier has Bytes of 0.
func Dissemination(p *Part) {
	var rounds rounds
	for d := 1; d < p.Size; d *= 2 {
		rounds.exchange(p, (p.Place+d)%p.Size, (p.Place-d+p.Size)%p.Size)
	}
}

// SchedgenDissemination is Dissemination as LogGOPSim's schedgen writes it: a send
// waits for the receive of the round before alone, so it may pass on that all have
// been heard of before they have. schedgen takes it for barriers and for all
// collectives in which everybody gets something from everybody.
func SchedgenDissemination(p *Part) {
	var recv uint32
	for d := 1; d < p.Size; d *= 2 {
		send := p.Send(p.Bytes, (p.Place+d)%p.Size)
		if d > 1 {
			p.Requires(send, recv)
		}
		recv = p.Recv(p.Bytes, (p.Place-d+p.Size)%p.Size)
	}
}

// RecursiveDoubling combines Bytes bytes of every member at every member
// (allreduce; Thakur, Rabenseifner, Gropp, Optimization of collective
// communication operations in MPICH, 2005, section 4.5): with p = 2^k members,
// place i exchanges all it has with place i XOR 2^j in round j = 0 … k−1.
//
// With r = p − 2^k members more than a power of 2, each even place below 2r first
// sends to the odd one after it, sits out, and gets the result from there.
func RecursiveDoubling(p *Part) {
	power := highest(p.Size)
	extra := p.Size - power
	var rounds rounds
	i := p.Place - extra
	if p.Place < 2*extra {
		if p.Place%2 == 0 {
			p.Send(p.Bytes, p.Place+1)
			p.Recv(p.Bytes, p.Place+1)
			return
		}
		i = p.Place / 2
		rounds.recv(p, p.Place-1)
	}
	for d := 1; d < power; d *= 2 {
		// The places that exchange are numbered anew: 2i+1 is i, up to 2·extra.
		peer := i ^ d
		if peer < extra {
			peer = 2*peer + 1
		} else {
			peer += extra
		}
		rounds.exchange(p, peer, peer)
	}
	if p.Place < 2*extra {
		rounds.send(p, p.Place-1)
	}
}

// rounds are the rounds of an algorithm whose sends carry all that came before:
// what a round sends waits for the receive of the round before, and that for the
// receive before it.
type rounds struct {
	last uint32 // the receive of the round before
	any  bool   // if there is one
}

func (r *rounds) exchange(p *Part, to, from int) {
	r.send(p, to)
	r.recv(p, from)
}

func (r *rounds) send(p *Part, to int) {
	if send := p.Send(p.Bytes, to); r.any {
		p.Requires(send, r.last)
	}
}

func (r *rounds) recv(p *Part, from int) {
	recv := p.Recv(p.Bytes, from)
	if r.any {
		p.Requires(recv, r.last)
	}
	r.last, r.any = recv, true
}

// LinearAlltoall brings Bytes bytes from every member to every other: in step
// s = 1 … p−1 the member at place i sends to (i + s) mod p and receives from
// (i − s) mod p. No step waits for another. As an allgather, a member's messages
// all have the same contents.
func LinearAlltoall(p *Part) {
	for s := 1; s < p.Size; s++ {
		p.Send(p.Bytes, (p.Place+s)%p.Size)
		p.Recv(p.Bytes, (p.Place-s+p.Size)%p.Size)
	}
}

// LinearGather brings Bytes bytes from every other member to the root, which
// receives them one by one.
func LinearGather(p *Part) {
	if p.Place != p.Root {
		p.Send(p.Bytes, p.Root)
		return
	}
	for v := 1; v < p.Size; v++ {
		p.Recv(p.Bytes, p.real(v))
	}
}

// LinearScatter brings Bytes bytes from the root to every other member, one after
// the other.
func LinearScatter(p *Part) {
	if p.Place != p.Root {
		p.Recv(p.Bytes, p.Root)
		return
	}
	for v := 1; v < p.Size; v++ {
		p.Send(p.Bytes, p.real(v))
	}
}
