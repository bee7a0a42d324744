package mpitrace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// profiled is a rank of a trace with the begin and the end of each call.
type profiled struct {
	*rank
	from, to   int64 // begin and end of the call, in ns
	clock      int64 // end of the previous call
	persistent map[int64]persistent
	joiner     joiner
	made       int64 // number of the communicator that the call makes
}

// persistent is the operation that starting a persistent request adds; none if ok is false.
type persistent struct {
	op       schedule.Op
	ok       bool
	buffer   int64
	buffered bool // a send of MPI_Bsend_init, see [rank.buffered]
}

// gap adds the computation between the previous call and this one.
func (p *profiled) gap() error {
	if p.from < p.clock {
		return fmt.Errorf("the clock goes back: the call begins at %d ns, but the previous one "+
			"ended at %d ns", p.from, p.clock)
	}
	err := p.compute(float64(p.from - p.clock))
	p.clock = p.to
	return err
}

func (p *profiled) sendrecv(a *arguments) error {
	return p.blocking(a, schedule.Send,
		schedule.Recv)
}

// replace is MPI_Sendrecv_replace, which has one buffer for both directions.
func (p *profiled) replace(a *arguments) error {
	send, receive := &a.way[0], &a.way[1]
	receive.count, receive.size, receive.buffer = send.count, send.size, send.buffer
	return p.sendrecv(a)
}

// probe adds no message, since the receive does.
func (p *profiled) probe(*arguments) error { return p.gap() }

func (p *profiled) nonBlocking(a *arguments, kind schedule.Kind) error {
	p.reuse(int64(a.request))
	return p.rank.nonBlocking(a, kind, a.request)
}

// prepare makes a persistent request. This is local, so it counts as computation.
func (p *profiled) prepare(a *arguments, kind schedule.Kind) (err error) {
	x := p.persistent[int64(a.request)]
	x.buffer = a.way[0].buffer
	if x.op, x.ok, err = p.message(kind, a, 0); err == nil {
		p.persistent[int64(a.request)] = x
		p.reuse(int64(a.request))
	}
	return err
}

func (p *profiled) start(a *arguments) error {
	if _, ok := p.persistent[int64(a.request)]; !ok {
		return errors.New("no MPI_Send_init or MPI_Recv_init made the request")
	}
	return p.startRequests([]int64{int64(a.request)})
}

// startRequests starts persistent requests.
func (p *profiled) startRequests(at []int64) error {
	// Null-process messages have persistent requests too, which start nothing.
	at = slices.DeleteFunc(at, func(at int64) bool { return !p.persistent[at].ok })
	p.reuse(at...)
	var qs []request
	var ops, buffered []schedule.Op
	for _, at := range at {
		x := p.persistent[at]
		p.touch(&x.op, x.buffer)
		if x.buffered {
			buffered = append(buffered, x.op)
			continue
		}
		qs = append(qs, request(at))
		ops = append(ops, x.op)
	}
	if err := p.enter(); err != nil {
		return err
	}
	p.Begin(0, buffered...)
	p.begin(qs, ops)
	return nil
}

// reuse frees requests whose addresses are used again. If one has an operation without a wait, a
// test must have found it done, though the trace does not show which.
func (p *profiled) reuse(addresses ...int64) {
	var open []uint32
	for _, at := range addresses {
		if op, ok := p.oldest(request(at)); ok {
			open = append(open, op)
		}
	}
	if len(open) > 0 {
		call := p.call
		// A label of its own: the call itself comes on the same line.
		p.call += "_reuse"
		p.wait(open...)
		p.call = call
	}
}

// waitOne waits for a request. A request without an operation is done already.
func (p *profiled) waitOne(a *arguments) error {
	op, ok := p.oldest(a.request)
	if !ok {
		return nil
	}
	if err := p.gap(); err != nil {
		return err
	}
	p.wait(op)
	return nil
}
