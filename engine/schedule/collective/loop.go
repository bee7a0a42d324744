package collective

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Loop returns a program such as OSU's benchmarks: the collective, a barrier, the collective …
// with parts calls in all, barriers included. If parts is odd, each rank's time of the last call is
// its finish time minus its finish time in the loop of parts − 1. That time depends on the order
// in which ranks leave the barrier: after an exchange of two ranks, for example, the receiver of a
// broadcast leaves it one message time before the root.
func (a Algorithm) Loop(ranks int, c Call, barrier Algorithm, parts int) (*schedule.Schedule,
	error) {
	return limits{most: maxOperations}.schedule(context.Background(), a, barrier, ranks, c, parts,
		nil)
}

// DefaultBarrier returns the barrier that Open MPI uses by default: the fixed decision of
// coll/tuned in 4.1 and 5.0.
func DefaultBarrier(ranks int) Algorithm {
	switch {
	case ranks < 4:
		return synchronousDoubling
	case ranks < 8:
		return linearRounds
	case ranks < 64:
		return synchronousDoubling
	case ranks < 256, ranks >= 512 && ranks < 1024, ranks >= 4096:
		return disseminationRounds
	}
	return treeBarrier
}

// exchange is a blocking exchange: later operations wait for both messages.
func (p *member) exchange(to, from int) {
	p.addRecv(0, from)
	p.addSend(0, to)
	p.step()
}

// synchronousDoubling is doublingBarrier as in Open MPI, where the answer to a member above the
// power of two is a synchronous send: its receiver sends an acknowledgement.
func synchronousDoubling(p *member) {
	power := highest(p.Size)
	if p.Place >= power {
		p.exchange(p.Place-power, p.Place-power)
		p.addSend(0, p.Place-power)
		return
	}
	other := p.Place + power
	if other < p.Size {
		p.addRecv(0, other)
		p.step()
	}
	for d := 1; d < power; d *= 2 {
		p.exchange(p.Place^d, p.Place^d)
	}
	if other < p.Size {
		p.addSend(0, other)
		p.step()
		p.addRecv(0, other)
	}
}

// disseminationRounds is dissemination with blocking exchanges.
func disseminationRounds(p *member) {
	for d := 1; d < p.Size; d *= 2 {
		p.exchange(p.shifted(d), p.shifted(-d))
	}
}

// linearRounds is linearBarrier, but the root answers only after it has received all reports.
func linearRounds(p *member) {
	if p.Place > 0 {
		p.addSend(0, 0)
		p.step()
		p.addRecv(0, 0)
		return
	}
	for other := 1; other < p.Size; other++ {
		p.addRecv(0, other)
	}
	p.step()
	for other := 1; other < p.Size; other++ {
		p.addSend(0, other)
	}
}
