//go:build linux

package live

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// streams is a node with a connected stream socket. It implements link.
type streams struct {
	socket
	timed    bool   // reads may block, for blocksFor
	blocks   bool   // the next sleep may be such a read
	buffer   []byte // buffer[from:to] has been read from the socket, and not taken yet
	from, to int
	lent     int    // boxes whose payload lies in the buffer
	filling  box    // a frame whose payload is read to its place
	fills    bool   // there is one
	rest     []byte // of its payload
	old      bool   // it is of an earlier program
	large    bool   // the last frame was: the payload of the next is not read into the buffer
	dry      int    // polls to come that find nothing, and make no call
}

const (
	// A read takes up to seven frames of 8 KiB with one system call.
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
)

func newStreams(node, fd int) (*port, error) {
	s := &streams{buffer: make([]byte, streamBuffer)}
	if err := s.init(node, fd, maxPayload, s); err != nil {
		return nil, err
	}
	// Reads block for at most blocksFor. If the kernel refuses the limit, the socket stays
	// non-blocking, and waits are polls, as without this.
	limit := unix.NsecToTimeval(int64(blocksFor))
	s.timed = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit) == nil &&
		unix.SetNonblock(fd, false) == nil
	return s.port, nil
}

func (s *streams) release(b *box) {
	if b.lent {
		b.lent = false
		s.lent--
	}
}

func (s *streams) send(f *engine.Frame) bool {
	for head, data := s.encoder.encode(f, s.epoch); len(head)+len(data) > 0; {
		// The kernel may take a part of the frame. The rest must follow before any other frame.
		for i := 0; ; i++ {
			n, err := transfer(unix.SYS_SENDTO, unix.SYS_SENDMSG, s.fd, head, data,
				unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
			if err == 0 {
				head, data = unsent(head, data, n)
				break
			}
			switch err {
			// The kernel's buffer is full: wait until it has room, and take in frames meanwhile.
			case unix.EAGAIN:
				s.polls[1].Events |= unix.POLLOUT
				s.stuck(i)
				s.polls[1].Events = unix.POLLIN
			case unix.EINTR:
			default:
				s.fail("node %d is gone: %w", 1-s.node, err)
			}
		}
	}
	return true
}

// unsent returns the rest of two parts after n bytes of them have been written.
func unsent(head, data []byte, n int) (_, _ []byte) {
	if n < len(head) {
		return head[n:], data
	}
	return nil, data[n-len(head):]
}

func (s *streams) receive(b *box) bool {
	if s.take(b) {
		return true
	}
	// The socket was empty a moment ago; a system call to see that again costs more than the
	// poll.
	if s.dry > 0 {
		s.dry--
		return false
	}
	for s.read(unix.MSG_DONTWAIT) {
		if s.take(b) {
			return true
		}
		// Only a large payload that is being filled is worth another call at once.
		if !s.fills || s.dry > 0 {
			break
		}
	}
	return false
}

// read makes one system call, which blocks without flags, and reports whether it read anything. The
// payload of a large frame that follows another one is left for its place.
func (s *streams) read(flags uintptr) bool {
	if s.from == s.to && s.lent == 0 {
		s.from, s.to = 0, 0
	}
	// A frame may not fit into the rest of the buffer.
	if len(s.buffer)-s.from < directly+headerSize {
		old := s.buffer
		// A payload that was lent lies in the old buffer, which must not be overwritten.
		if s.lent > 0 {
			s.buffer = make([]byte, streamBuffer)
		}
		s.to = copy(s.buffer, old[s.from:s.to])
		s.from = 0
	}
	// After a large frame another one is likely. Only its header is read, so that its payload
	// goes to its place and not through the buffer.
	end := len(s.buffer)
	if s.large {
		end = min(end, s.to+headerSize)
	}
	room := len(s.rest) + end - s.to
	n, err := transfer(unix.SYS_RECVFROM, unix.SYS_RECVMSG, s.fd, s.rest, s.buffer[s.to:end], flags)
	// A read that does not fill its room has emptied the socket.
	if s.dry = 0; n < room && s.spin == 0 {
		s.dry = dryPolls
	}
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return false
	case err != 0:
		s.fail("node %d is gone: %w", 1-s.node, err)
	case n == 0:
		s.fail("node %d is gone: it closed the connection", 1-s.node)
	}
	direct := min(n, len(s.rest))
	s.rest = s.rest[direct:]
	s.to += n - direct
	return true
}

// take takes a frame that has been read completely.
func (s *streams) take(b *box) bool {
	if !s.fills {
		return s.parse(b)
	}
	if len(s.rest) > 0 {
		return false
	}
	s.fills = false
	b.Frame = s.filling.Frame
	b.own, s.filling.own = s.filling.own, b.own
	return !s.old
}

// parse takes a frame out of the buffer, with its payload in place. A large payload that is not
// complete yet is read to its place.
func (s *streams) parse(b *box) bool {
	have := s.to - s.from
	if have < headerSize {
		return false
	}
	n, epoch, err := decode(s.buffer[s.from:s.to], &b.Frame)
	if err != nil {
		s.fail("node %d sent garbage: %w", 1-s.node, err)
	}
	// A small frame that is not complete waits in the buffer for its rest.
	if s.large = n >= streamBuffer/2; have < headerSize+n && n < directly {
		return false
	}
	b.Src, b.Dst = int32(1-s.node), int32(s.node)
	payload := s.buffer[s.from+headerSize : min(s.to, s.from+headerSize+n)]
	s.from += headerSize + len(payload)
	if len(payload) < n {
		fill := &s.filling
		fill.Frame = b.Frame
		if fill.Payload = nil; epoch == s.epoch && s.place != nil {
			fill.Payload = s.place(&fill.Frame, n)
		}
		if fill.Payload == nil {
			fill.memory(n)
		}
		s.fills, s.rest = true, fill.Payload[copy(fill.Payload, payload):]
		// A frame of an earlier job is read to its end and thrown away: the stream must stay in
		// step.
		s.old = epoch != s.epoch
		return false
	}
	if epoch != s.epoch {
		return false
	}
	b.Payload, b.lent = payload, true
	s.lent++
	return true
}

// nap lets only the first sleep of a wait be a read: nothing but data ends it before its time.
func (s *streams) nap(i int) time.Duration {
	s.blocks = i == 0 && s.alone && s.timed && s.polls[1].Events == unix.POLLIN
	return longestNap
}

// sleep waits for data in the read itself, if nothing is to be written: it saves a system call for
// each message.
func (s *streams) sleep(d time.Duration) {
	if s.blocks && d == longestNap {
		s.read(0)
		return
	}
	s.socket.sleep(d)
	if s.polls[1].Revents != 0 {
		s.dry = 0
	}
}
