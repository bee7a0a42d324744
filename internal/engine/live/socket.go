//go:build linux

package live

import (
	"errors"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// longestNap is long, as data and signals end a sleep. Setting a timer that fires before the
// kernel's next tick costs a microsecond or more. The sleep ends at all so that the port can
// look at the time and give up a silent peer.
const longestNap = 20 * time.Millisecond

// A socket is a port with a connected socket. It sleeps on the socket and on one more descriptor,
// which a signal makes readable.
type socket struct {
	*port
	encoder encoder
	fd      int
	polls   [2]unix.PollFd // the descriptor, and the socket
	event   int
	mu      sync.Mutex // a signal may come while the port is closed
	closed  bool
}

// init makes the port of a link through a socket, which it closes if it cannot. The port sleeps
// soon, as a message ends the system call. With fewer processors than nodes, polling only keeps the
// other node from running.
func (s *socket) init(node, fd, largest int, l link) (err error) {
	s.port, s.fd = newPort(node), fd
	s.link, s.largest, s.spin, s.yield = l, largest, 0, 0
	if nodes <= runtime.NumCPU() {
		s.spin, s.adapts = maxPolls, true
	}
	if err = unix.SetNonblock(fd, true); err == nil {
		s.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	if err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	s.polls[0] = unix.PollFd{Fd: int32(s.event), Events: unix.POLLIN}
	s.polls[1] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	return nil
}

func (s *socket) nap(int) time.Duration { return longestNap }

func (s *socket) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		_, _ = unix.Write(s.event, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // full: it is readable
	}
}

func (s *socket) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	_ = unix.Close(s.event)
	_ = unix.Close(s.fd)
}

// sleep waits until the socket has something to read. A process with a single node sleeps without
// telling Go's scheduler, which would hand the processor to another thread and take it back.
func (s *socket) sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	if s.alone {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&s.polls[0])),
			uintptr(len(s.polls)), uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	} else {
		_, _ = unix.Ppoll(s.polls[:], &t, nil)
	}
	// A signal is read off, or the next sleep would end at once.
	if s.polls[0].Revents != 0 {
		_, _ = unix.Read(s.event, make([]byte, 8))
	}
}

// transfer makes one call for both parts; one may be empty. It bypasses Go's scheduler.
func transfer(
	one, both uintptr, fd int, first, second []byte, flags uintptr,
) (n int, errno unix.Errno) {
	var r uintptr
	switch {
	// A plain call needs no list of parts.
	case len(first) == 0:
		first = second
		fallthrough
	case len(second) == 0:
		r, _, errno = unix.RawSyscall6(one, uintptr(fd), uintptr(unsafe.Pointer(&first[0])),
			uintptr(len(first)), flags, 0, 0)
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

// datagrams is a node with a connected datagram socket. The endpoint repairs losses, repetitions
// and reordering; datagrams that are not frames are discarded. It implements link.
type datagrams struct {
	socket
	garbage int // datagrams thrown away
}

// maxDatagram is the largest payload of a datagram. A window of 64 of them needs a receive buffer
// of about 300 KiB, more than Linux's usual 208 KiB: connectedUDP asks for 4 MiB.
const maxDatagram = 4 << 10

func newDatagrams(node, fd int) (*port, error) {
	d := &datagrams{}
	err := d.init(node, fd, maxDatagram, d)
	return d.port, err
}

func (d *datagrams) release(*box) {}

// send never waits. A datagram that the kernel does not take is lost, and so are those to a node
// that is gone, which the endpoint gives up when it does not acknowledge.
func (d *datagrams) send(f *engine.Frame) bool {
	head, data := d.encoder.encode(f, d.epoch)
	_, _ = transfer(unix.SYS_SENDTO, unix.SYS_SENDMSG, d.fd, head, data,
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	return true
}

func (d *datagrams) receive(b *box) bool {
	if b.own == nil {
		b.own = make([]byte, headerSize+maxDatagram)
	}
	for {
		// An error, such as ECONNREFUSED of a node that is gone, is an empty socket here: the
		// endpoint gives the node up after its timeouts.
		n, errno := transfer(unix.SYS_RECVFROM, unix.SYS_RECVMSG, d.fd, b.own, nil,
			unix.MSG_DONTWAIT)
		if errno != 0 {
			return false
		}
		size, epoch, err := decode(b.own[:n], &b.Frame)
		if err == nil && size == n-headerSize && epoch == d.epoch {
			b.Payload = b.own[headerSize:n]
			b.Src, b.Dst = int32(1-d.node), int32(d.node)
			return true
		}
		d.garbage++
	}
}
