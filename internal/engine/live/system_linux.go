package live

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

func connectedTCP() (a, b int, err error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return -1, -1, err
	}
	defer l.Close()
	dialed, err := net.DialTCP("tcp", nil, l.Addr().(*net.TCPAddr))
	if err != nil {
		return -1, -1, err
	}
	defer dialed.Close()
	accepted, err := l.AcceptTCP()
	if err != nil {
		return -1, -1, err
	}
	defer accepted.Close()
	// Any process of the machine may connect to the port before we do.
	if accepted.RemoteAddr().String() != dialed.LocalAddr().String() {
		return -1, -1, errors.New("another process of this machine connected first; try again")
	}
	if a, err = descriptor(dialed); err != nil {
		return -1, -1, err
	}
	if b, err = descriptor(accepted); err != nil {
		return -1, -1, errors.Join(err, unix.Close(a))
	}
	// BBR paces what it sends by a rate that means nothing within a machine, and loses a third of
	// the bandwidth. If reno is refused, tcp is slower and that is all.
	for _, fd := range []int{a, b} {
		_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
	}
	return a, b, nil
}

// descriptor is the connection's socket, which outlives it.
func descriptor(c *net.TCPConn) (fd int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlErr := raw.Control(func(from uintptr) {
		fd, err = unix.FcntlInt(from, unix.F_DUPFD_CLOEXEC, 0)
	})
	return fd, errors.Join(err, controlErr)
}

func connectedUDP() (a, b int, err error) {
	fds := []int{-1, -1}
	var addrs [2]unix.Sockaddr
	const kind = unix.SOCK_DGRAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	for i := 0; i < 2 && err == nil; i++ {
		if fds[i], err = unix.Socket(unix.AF_INET, kind, 0); err == nil {
			// The system may allow less; what does not fit is lost, and sent again.
			_ = unix.SetsockoptInt(fds[i], unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<20)
			loopback := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
			if err = unix.Bind(fds[i], loopback); err == nil {
				addrs[i], err = unix.Getsockname(fds[i])
			}
		}
	}
	if err == nil {
		err = errors.Join(unix.Connect(fds[0], addrs[1]), unix.Connect(fds[1], addrs[0]))
	}
	if err != nil {
		for _, fd := range fds {
			_ = unix.Close(fd) // −1 is none
		}
		return -1, -1, err
	}
	return fds[0], fds[1], nil
}

// newMemory makes cleared memory without a name, which processes share by its descriptor.
func newMemory(size int) (fd int, err error) {
	if fd, err = unix.MemfdCreate("halfpeak", unix.MFD_CLOEXEC); err != nil {
		return -1, fmt.Errorf("shared memory: %w", err)
	}
	// The kernel clears new memory: a ring begins with no valid slot.
	if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("shared memory of %d bytes: %w", size, err)
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// pin keeps the goroutine on one processor until unpin: the node's, among those that the process
// may use. A process that is started meanwhile may only use that one too.
func pin(node int) (unpin func(), err error) {
	runtime.LockOSThread()
	var may, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		return nil, fmt.Errorf("pin: %w", err)
	}
	// With one processor both nodes share it.
	which := node % may.Count()
	for cpu := 0; ; cpu++ {
		if !may.IsSet(cpu) {
			continue
		}
		if which == 0 {
			one.Set(cpu)
			break
		}
		which--
	}
	return func() {
		_ = unix.SchedSetaffinity(0, &may) // as it was, which was allowed
		runtime.UnlockOSThread()
	}, unix.SchedSetaffinity(0, &one)
}

// nanosleep is shorter than [time.Sleep], which waits for whole milliseconds when no goroutine
// runs.
func nanosleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a caller tries again, whatever it was
}
