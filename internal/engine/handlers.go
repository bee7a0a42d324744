package engine

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// New opens an endpoint on a port. The error names the rule that the options break.
func New(port Port, o Options) (*Endpoint, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	e := &Endpoint{
		port: port, node: int32(port.Node()), options: o, peers: make([]peer, port.Nodes()),
		due: quantity.Micros(math.Inf(1)), // no packet awaits a retry
	}
	e.limited, _ = port.(Limited)
	e.eager = e.limited == nil && o.Retry == 0
	e.short = -1
	if s, ok := port.(Short); ok && e.eager {
		e.short = s.Short()
		if o.EagerThreshold > 0 {
			e.short = min(e.short, o.EagerThreshold)
		}
	}
	e.out.Src = e.node
	e.message.Endpoint = e
	if d, ok := port.(Direct); ok && o.Retry == 0 {
		d.Direct(e.place)
	}
	e.handlers = []Handler{
		NoHandler:    nil,
		getHandler:   (*Message).get,
		meetHandler:  func(*Message) { e.met++ },
		askHandler:   func(m *Message) { _ = m.Reply(grantHandler) }, // a first reply cannot fail
		grantHandler: func(*Message) { e.grants++ },
		payHandler:   func(m *Message) { e.pay(m.From) },
		paidHandler: func(m *Message) {
			if p := &e.peers[m.From]; len(m.Words) > 0 {
				p.out -= int32(min(m.Words[0], uint32(p.out)))
			}
		},
	}
	return e, nil
}

// Handle puts a handler into the table. All nodes must do so in the same order, before they call
// anything that polls. It panics after 249 handlers: the table has 256 places, 7 of which are
// taken.
func (e *Endpoint) Handle(h Handler) HandlerID {
	if len(e.handlers) > math.MaxUint8 {
		panic("engine: more than 249 handlers")
	}
	e.handlers = append(e.handlers, h)
	return HandlerID(len(e.handlers) - 1)
}

// get answers a request of [Endpoint.Get] with data of a segment.
func (m *Message) get() {
	e := m.Endpoint
	if len(m.Words) != headerWords || m.frame.Flags.has(WordsInside) {
		e.stats.Malformed++
		return
	}
	segment, h := int(m.Words[0]>>8), HandlerID(m.Words[0])
	from, n := int(m.Words[1]), int(m.Words[2])
	if segment >= len(e.segments) || from+n > len(e.segments[segment]) {
		e.stats.Malformed++ // the library still replies, without data, and returns the credit
		return
	}
	data := e.segments[segment][from : from+n]
	d := delivery{h, int(m.frame.Segment), int(m.frame.Addr), data, nil}
	// It cannot fail: this request has not been replied to.
	_ = m.replyBulk(d, part{m.frame.Message, int(m.frame.At), int(m.Words[3])})
}
