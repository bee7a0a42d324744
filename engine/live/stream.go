//go:build linux

package live

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/engine"
)

// streams is a node with a connected stream socket to each other node. It implements link.
type streams struct {
	*port
	conns []*stream // nil for the node itself
	waker
	turn int
}

// A stream is a connection.
type stream struct {
	fd       int
	buffer   []byte // what was read: buffer[from:to]
	from, to int
	lent     int // boxes whose payload lies in the buffer
	poll     int // index into polls
}

const streamBuffer = 2 * (maxPayload + headerSize)

func newStreams(node int, fds []int) (p *port, err error) {
	p = newPort(node, len(fds))
	p.spin, p.yield, p.adapts = mostPolls, 0, true // sleep is a system call that a message ends
	s := &streams{port: p, conns: make([]*stream, len(fds))}
	polled := 0
	for i, fd := range fds {
		if i != node {
			polled++
			s.conns[i] = &stream{fd: fd, buffer: make([]byte, streamBuffer), poll: polled} // after the event
		}
	}
	p.link = s
	s.waker, err = newWaker(node, fds)
	return p, err
}

func (s *streams) piece(n int) int { return maxPayload }

func (s *streams) room(b *box, n int) bool { b.memory(n); return true }

func (s *streams) release(b *box) {
	if b.lender != nil {
		b.lender.lent--
		b.lender = nil
	}
}

func (s *streams) send(b *box) bool {
	c := s.conns[b.Dst]
	data := b.own[:headerSize+len(b.Payload)]
	encode(data, &b.Frame, s.epoch)
	for i := 0; len(data) > 0; {
		n, err := write(c.fd, data)
		switch {
		case err == unix.EAGAIN:
			s.take()
			s.polls[c.poll].Events |= unix.POLLOUT
			s.idle(s.spin+i, forever)
			s.polls[c.poll].Events = unix.POLLIN
			i++
		case err == unix.EINTR:
		case err != 0:
			s.fail("node %d is gone: %w", b.Dst, err)
		default:
			data, i = data[n:], 0
		}
	}
	s.free = append(s.free, b)
	return true
}

func (s *streams) receive() *box {
	for range s.conns {
		src := s.turn
		if c := s.conns[src]; c != nil {
			if b := s.next(src, c); b != nil {
				return b
			}
		}
		if s.turn++; s.turn == len(s.conns) {
			s.turn = 0
		}
	}
	return nil
}

// next returns the next frame of a connection, if all of it is there.
func (s *streams) next(src int, c *stream) *box {
	if b := s.parse(src, c); b != nil {
		return b
	}
	if c.from == c.to && c.lent == 0 {
		c.from, c.to = 0, 0
	}
	if len(c.buffer)-c.from < maxPayload+headerSize { // a frame may not fit behind what is there
		old := c.buffer
		if c.lent > 0 {
			c.buffer = make([]byte, streamBuffer)
		}
		c.to = copy(c.buffer, old[c.from:c.to])
		c.from = 0
	}
	n, err := read(c.fd, c.buffer[c.to:])
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil
	case err != 0:
		s.fail("node %d is gone: %w", src, err)
	case n == 0:
		s.fail("node %d is gone: it closed the connection", src)
	}
	c.to += n
	return s.parse(src, c)
}

// parse takes a frame out of the buffer, with its payload in place.
func (s *streams) parse(src int, c *stream) *box {
	have := c.to - c.from
	if have < headerSize {
		return nil
	}
	var f engine.Frame
	n, epoch, err := decode(c.buffer[c.from:c.to], &f)
	if err != nil {
		s.fail("node %d sent garbage: %w", src, err)
	}
	if have < headerSize+n {
		return nil
	}
	payload := c.buffer[c.from+headerSize : c.from+headerSize+n]
	c.from += headerSize + n
	if epoch != s.epoch {
		return nil
	}
	b := s.box()
	b.Frame, b.Payload = f, payload
	b.Src, b.Dst = int32(src), int32(s.node)
	c.lent++
	b.lender = c
	return b
}

func (s *streams) sleep(d time.Duration) { s.waker.sleep(d, s.alone) }

func (s *streams) close() {
	_ = unix.Close(s.event)
	for _, c := range s.conns {
		if c != nil {
			_ = unix.Close(c.fd)
		}
	}
}

// waker is what sockets are slept on with: one more descriptor, which a signal makes readable.
type waker struct {
	polls []unix.PollFd
	event int
}

func newWaker(node int, fds []int) (w waker, err error) {
	if w.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return w, err
	}
	w.polls = []unix.PollFd{{Fd: int32(w.event), Events: unix.POLLIN}}
	for i, fd := range fds {
		if i != node {
			w.polls = append(w.polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	return w, nil
}

// nap is long: a timer before the next tick of the kernel would cost a microsecond or more to set.
func (w *waker) nap(int) time.Duration { return 20 * time.Millisecond }

func (w *waker) wake() { _, _ = write(w.event, []byte{1, 0, 0, 0, 0, 0, 0, 0}) } // full: it is readable

// sleep waits until a socket has something to read. A process with one node sleeps without telling
// Go's scheduler, which would hand the processor to another thread and take it back.
func (w *waker) sleep(d time.Duration, alone bool) {
	t := unix.NsecToTimespec(int64(d))
	if alone {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&w.polls[0])), uintptr(len(w.polls)), uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	} else {
		_, _ = unix.Ppoll(w.polls, &t, nil)
	}
	if w.polls[0].Revents != 0 {
		_, _ = read(w.event, make([]byte, 8))
	}
}

// read and write do not tell the scheduler either: the sockets do not block.
func read(fd int, into []byte) (n int, errno unix.Errno) { return transfer(unix.SYS_READ, fd, into) }

func write(fd int, data []byte) (n int, errno unix.Errno) { return transfer(unix.SYS_WRITE, fd, data) }

func transfer(call uintptr, fd int, data []byte) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
	return int(r), errno
}
