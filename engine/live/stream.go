//go:build linux

package live

import (
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/engine"
)

// streams is a node with a connected stream socket to each other node. It implements link.
type streams struct {
	*port
	*waker
	conns   []*stream // nil for the node itself
	encoder encoder
	turn    int
	only    *stream // to the other one of two nodes; its reads may block for blocksFor
	blocks  bool    // the next sleep may be such a read
}

type stream struct {
	fd       int
	buffer   []byte // what was read: buffer[from:to]
	from, to int
	lent     int    // boxes whose payload lies in the buffer
	filling  box    // a frame whose payload is read to its place
	fills    bool   // there is one
	rest     []byte // of its payload
	old      bool   // it is of an earlier program
	large    bool   // the last frame was: the payload of the next is not read into the buffer
	dry      int    // polls to come that find nothing, and make no call
	poll     int    // index into polls
}

const (
	streamBuffer = 64 << 10
	// directly is the payload size at or above which the part that is not in the buffer yet is read
	// to its place: another system call costs less than copying that much.
	directly = 8 << 10
	// dryPolls is the number of polls after one that emptied a socket that do not look at it,
	// unless a sleep ends because of it. A program polls several times before it waits, and on one
	// processor nothing comes meanwhile.
	dryPolls = 8
	// blocksFor is the longest time of a read that blocks. Meanwhile the runtime cannot stop this
	// thread, and signals of the port are not seen.
	blocksFor = 4 * time.Millisecond
	// longestNap is long: setting a timer that fires before the kernel's next tick costs a
	// microsecond or more.
	longestNap = 20 * time.Millisecond
)

func newStreams(node int, fds []int) (p *port, err error) {
	p = newPort(node, len(fds))
	p.sleepsSoon()
	s := &streams{port: p, conns: make([]*stream, len(fds))}
	polled := 0
	for i, fd := range fds {
		if i != node {
			polled++
			s.conns[i] = &stream{fd: fd, buffer: make([]byte, streamBuffer), poll: polled}
		}
	}
	p.link, p.largest = s, maxPayload
	if s.waker, err = newWaker(node, fds); err != nil || len(fds) > 2 {
		return p, err
	}
	limit := unix.NsecToTimeval(int64(blocksFor))
	if unix.SetsockoptTimeval(fds[1-node], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit) == nil && unix.SetNonblock(fds[1-node], false) == nil {
		s.only = s.conns[1-node]
	}
	return p, nil
}

func (s *streams) release(b *box) {
	if b.lender != nil {
		b.lender.lent--
		b.lender = nil
	}
}

func (s *streams) send(f *engine.Frame) bool {
	c := s.conns[f.Dst]
	for head, data := s.encode(&s.encoder, f); len(head)+len(data) > 0; {
		for i := 0; ; i++ {
			n, err := transfer(unix.SYS_SENDTO, unix.SYS_SENDMSG, c.fd, head, data, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
			if err == 0 {
				head, data = after(head, data, n)
				break
			}
			switch err {
			case unix.EAGAIN:
				s.polls[c.poll].Events |= unix.POLLOUT
				s.stuck(i)
				s.polls[c.poll].Events = unix.POLLIN
			case unix.EINTR:
			default:
				s.fail("node %d is gone: %w", f.Dst, err)
			}
		}
	}
	return true
}

// after returns the rest of two parts of which n bytes have been written.
func after(head, data []byte, n int) (_, _ []byte) {
	if n < len(head) {
		return head[n:], data
	}
	return nil, data[n-len(head):]
}

func (s *streams) receive(b *box) bool {
	for range s.conns {
		src := s.turn
		if c := s.conns[src]; c != nil && s.next(src, c, b) {
			return true
		}
		if s.turn++; s.turn == len(s.conns) {
			s.turn = 0
		}
	}
	return false
}

// next takes the next frame of a connection, if all of it is there.
func (s *streams) next(src int, c *stream, b *box) bool {
	if s.take(src, c, b) {
		return true
	}
	if c.dry > 0 {
		c.dry--
		return false
	}
	for s.read(src, c, unix.MSG_DONTWAIT) {
		if s.take(src, c, b) {
			return true
		}
		if !c.fills || c.dry > 0 {
			break
		}
	}
	return false
}

// read makes one system call, which blocks without flags, and reports whether it read anything. The
// payload of a large frame that follows another one is left for its place.
func (s *streams) read(src int, c *stream, flags uintptr) bool {
	if c.from == c.to && c.lent == 0 {
		c.from, c.to = 0, 0
	}
	if len(c.buffer)-c.from < directly+headerSize { // a frame may not fit behind what is there
		old := c.buffer
		if c.lent > 0 {
			c.buffer = make([]byte, streamBuffer)
		}
		c.to = copy(c.buffer, old[c.from:c.to])
		c.from = 0
	}
	end := len(c.buffer)
	if c.large {
		end = min(end, c.to+headerSize)
	}
	room := len(c.rest) + end - c.to
	n, err := transfer(unix.SYS_RECVFROM, unix.SYS_RECVMSG, c.fd, c.rest, c.buffer[c.to:end], flags)
	if c.dry = 0; n < room && s.spin == 0 {
		c.dry = dryPolls
	}
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return false
	case err != 0:
		s.fail("node %d is gone: %w", src, err)
	case n == 0:
		s.fail("node %d is gone: it closed the connection", src)
	}
	direct := min(n, len(c.rest))
	c.rest = c.rest[direct:]
	c.to += n - direct
	return true
}

// take takes a frame of what has been read, if it is complete.
func (s *streams) take(src int, c *stream, b *box) bool {
	if !c.fills {
		return s.parse(src, c, b)
	}
	if len(c.rest) > 0 {
		return false
	}
	c.fills = false
	b.Frame = c.filling.Frame
	b.own, c.filling.own = c.filling.own, b.own
	return !c.old
}

// parse takes a frame out of the buffer, with its payload in place. A large payload that is not
// complete yet is read to its place.
func (s *streams) parse(src int, c *stream, b *box) bool {
	have := c.to - c.from
	if have < headerSize {
		return false
	}
	n, epoch, err := decode(c.buffer[c.from:c.to], &b.Frame)
	if err != nil {
		s.fail("node %d sent garbage: %w", src, err)
	}
	if c.large = n >= streamBuffer/2; have < headerSize+n && n < directly {
		return false
	}
	b.Src, b.Dst = int32(src), int32(s.node)
	payload := c.buffer[c.from+headerSize : min(c.to, c.from+headerSize+n)]
	c.from += headerSize + len(payload)
	if len(payload) < n {
		fill := &c.filling
		fill.Frame = b.Frame
		if fill.Payload = nil; epoch == s.epoch && s.place != nil {
			fill.Payload = s.place(&fill.Frame, n)
		}
		if fill.Payload == nil {
			fill.memory(n)
		}
		c.fills, c.rest = true, fill.Payload[copy(fill.Payload, payload):]
		c.old = epoch != s.epoch
		return false
	}
	if epoch != s.epoch {
		return false
	}
	b.Payload, b.lender = payload, c
	c.lent++
	return true
}

// nap lets only the first sleep of a wait be a read: nothing but data ends it before its time.
func (s *streams) nap(i int) time.Duration {
	s.blocks = i == 0 && s.alone && s.only != nil && s.polls[1].Events == unix.POLLIN
	return longestNap
}

// sleep waits for data in the read itself, if that is the only connection of the process and
// nothing is to be written: it saves a system call for each message.
func (s *streams) sleep(d time.Duration) {
	if s.blocks && d == longestNap {
		s.read(1-s.node, s.only, 0)
		return
	}
	s.waker.sleep(d, s.alone)
	for _, c := range s.conns {
		if c != nil && s.polls[c.poll].Revents != 0 {
			c.dry = 0
		}
	}
}

func (s *streams) close() {
	s.waker.close()
	for _, c := range s.conns {
		if c != nil {
			_ = unix.Close(c.fd)
		}
	}
}

// A waker sleeps on sockets and on one more descriptor, which a signal makes readable.
type waker struct {
	polls  []unix.PollFd
	event  int
	mu     sync.Mutex // a signal may come while the port is closed
	closed bool
}

// newWaker sleeps on the sockets of a node. It closes them if it cannot.
func newWaker(node int, fds []int) (w *waker, err error) {
	w = &waker{}
	if w.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		closeAll(fds)
		return nil, err
	}
	w.polls = []unix.PollFd{{Fd: int32(w.event), Events: unix.POLLIN}}
	for i, fd := range fds {
		if i != node {
			w.polls = append(w.polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	return w, nil
}

func (w *waker) nap(int) time.Duration { return longestNap }

func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		_, _ = unix.Write(w.event, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // full: it is readable
	}
}

func (w *waker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = unix.Close(w.event)
}

// sleep waits until a socket has something to read. A process with a single node sleeps without
// telling Go's scheduler, which would hand the processor to another thread and take it back.
func (w *waker) sleep(d time.Duration, alone bool) {
	t := unix.NsecToTimespec(int64(d))
	if alone {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&w.polls[0])), uintptr(len(w.polls)), uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	} else {
		_, _ = unix.Ppoll(w.polls, &t, nil)
	}
	if w.polls[0].Revents != 0 {
		_, _ = unix.Read(w.event, make([]byte, 8))
	}
}

// transfer makes one call for both parts; one may be empty. It bypasses Go's scheduler.
func transfer(one, both uintptr, fd int, first, second []byte, flags uintptr) (n int, errno unix.Errno) {
	var r uintptr
	switch {
	case len(first) == 0:
		first = second
		fallthrough
	case len(second) == 0:
		r, _, errno = unix.RawSyscall6(one, uintptr(fd), uintptr(unsafe.Pointer(&first[0])), uintptr(len(first)), flags, 0, 0)
	default:
		parts := [2]unix.Iovec{{Base: &first[0]}, {Base: &second[0]}}
		parts[0].SetLen(len(first))
		parts[1].SetLen(len(second))
		message := unix.Msghdr{Iov: &parts[0]}
		message.SetIovlen(2)
		r, _, errno = unix.RawSyscall(both, uintptr(fd), uintptr(unsafe.Pointer(&message)), flags)
	}
	return int(r), errno
}
