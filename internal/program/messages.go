package program

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// message returns the message of one direction; ok is false if its peer is None, so that nothing
// is sent.
func (c *comm) message(receive bool, size, peer, tag starlark.Value) (m message, ok bool,
	err error) {
	m = message{receive: receive, context: c.group.context}
	if e, is := size.(*each); is {
		m.size, err = e.vector(0, math.MaxInt64)
		m.each |= eachSize
	} else {
		m.size, err = sizeOf(size, "the size")
	}
	if err != nil {
		return m, false, err
	}
	if e, is := tag.(*each); is {
		m.tag, err = e.vector(1, math.MaxInt32)
		m.each |= eachTag
	} else {
		m.tag, err = tagOf(tag, receive)
	}
	if err != nil {
		return m, false, err
	}
	word := "dest"
	if receive {
		word = "source"
	}
	switch peer := peer.(type) {
	case starlark.NoneType:
		return m, false, nil
	case *each:
		m.each |= eachPeer
		m.peer, err = peer.vector(1, int64(c.group.size)-1)
		return m, true, err
	case anyValue:
		if receive {
			return m, true, nil
		}
	default:
		n, err := wholeNumber(peer, word)
		if err != nil {
			return m, false, fmt.Errorf("%s must be a rank or None (got %s)", word, shown(peer))
		}
		if n < 0 || n >= int64(c.group.size) {
			return m, false, fmt.Errorf("there is no rank %d in the communicator, only 0 to %d", n,
				c.group.size-1)
		}
		m.peer = uint64(c.group.rankAt(int(n))) + 1
		return m, true, nil
	}
	return m, false, errors.New("a message needs a dest; only a receive accepts ANY")
}

// blocking records messages that are done when the call returns.
func (c *comm) blocking(line uint32, messages ...message) (starlark.Value, error) {
	if len(messages) == 0 {
		return starlark.None, nil
	}
	if err := c.r.count(blocking, line); err != nil {
		return nil, err
	}
	c.r.tape.number(uint64(len(messages)))
	for _, m := range messages {
		c.r.tape.message(m)
	}
	return starlark.None, nil
}

func (c *comm) doSend(a *arguments) (starlark.Value, error) {
	return c.one(a, false, a.values[1], a.values[2])
}

func (c *comm) doRecv(a *arguments) (starlark.Value, error) {
	return c.one(a, true, sourceOf(a.values[1]), a.values[2])
}

// sourceOf returns the source of a receive, by default ANY. None is never ANY.
func sourceOf(v starlark.Value) starlark.Value {
	if v == nil {
		return anyValue{}
	}
	return v
}

func (c *comm) one(a *arguments, receive bool, peer, tag starlark.Value) (starlark.Value, error) {
	m, ok, err := c.message(receive, a.values[0], peer, tag)
	if err != nil || !ok {
		return starlark.None, err
	}
	return c.blocking(a.line, m)
}

func (c *comm) doISend(a *arguments) (starlark.Value, error) {
	return c.begin(a, false, a.values[1])
}

func (c *comm) doIRecv(a *arguments) (starlark.Value, error) {
	return c.begin(a, true, sourceOf(a.values[1]))
}

// begin records a non-blocking message.
func (c *comm) begin(a *arguments, receive bool, peer starlark.Value) (starlark.Value, error) {
	m, ok, err := c.message(receive, a.values[0], peer, a.values[2])
	if err != nil {
		return nil, err
	}
	stream, err := streamOf(a.values[3], 0)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &request{rank: c.r, number: noRequest, line: a.line}, nil
	}
	if err := c.r.count(begin, a.line); err != nil {
		return nil, err
	}
	c.r.tape.number(uint64(stream))
	c.r.tape.number(1)
	c.r.tape.message(m)
	return c.r.newRequest(a.line), nil
}

func (c *comm) doSendRecv(a *arguments) (starlark.Value, error) {
	size, dest, source := a.values[0], a.values[1], a.values[2]
	recvSize, tag, recvTag := a.values[3], a.values[4], a.values[5]
	if recvSize == nil {
		recvSize = size
	}
	if recvTag == nil {
		recvTag = tag
	}
	out, sends, err := c.message(false, size, dest, tag)
	if err != nil {
		return nil, err
	}
	in, receives, err := c.message(true, recvSize, source, recvTag)
	if err != nil {
		return nil, err
	}
	var both []message
	if sends {
		both = append(both, out)
	}
	if receives {
		both = append(both, in)
	}
	return c.blocking(a.line, both...)
}

func (c *comm) doWait(a *arguments) (starlark.Value, error) {
	q, ok := a.values[0].(*request)
	if !ok {
		return nil, fmt.Errorf("wait takes a request (got %s)", shown(a.values[0]))
	}
	if q.rank != c.r || !q.settle() {
		return starlark.None, nil
	}
	return starlark.None, c.wait(a.line, q)
}

func (c *comm) doWaitAll(a *arguments) (starlark.Value, error) {
	list, ok := a.values[0].(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("waitall takes a list of requests (got %s)", shown(a.values[0]))
	}
	var all []*request
	for v := range starlark.Elements(list) {
		q, ok := v.(*request)
		if !ok {
			return nil, fmt.Errorf("waitall takes requests (got %s in the list)", shown(v))
		}
		if q.settle() {
			all = append(all, q)
		}
	}
	return starlark.None, c.wait(a.line, all...)
}

func (c *comm) wait(line uint32, all ...*request) error {
	if err := c.r.count(wait, line); err != nil {
		return err
	}
	c.r.tape.number(uint64(len(all)))
	for _, q := range all {
		c.r.tape.number(uint64(q.number))
	}
	return nil
}

// doMark begins a part of the program by its name.
func (c *comm) doMark(a *arguments) (starlark.Value, error) {
	name, ok := a.values[0].(starlark.String)
	if !ok || name == "" {
		return nil, fmt.Errorf("the name of a mark must be a text (got %s)", shown(a.values[0]))
	}
	number, known := c.r.markNumbers[string(name)]
	if !known {
		if len(c.r.marks) == math.MaxUint8 {
			return nil, fmt.Errorf("more than %d names of marks", math.MaxUint8)
		}
		number = uint16(len(c.r.marks))
		c.r.markNumbers[string(name)] = number
		c.r.marks = append(c.r.marks, string(name))
	}
	if err := c.r.count(mark, a.line); err != nil {
		return nil, err
	}
	c.r.tape.number(uint64(number))
	return starlark.None, nil
}
