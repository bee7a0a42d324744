//go:build linux

package live

import (
	"errors"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longestNap is long: setting a timer that fires before the kernel's next tick costs a microsecond
// or more.
const longestNap = 20 * time.Millisecond

// A waker sleeps on a socket and on one more descriptor, which a signal makes readable.
type waker struct {
	polls  [2]unix.PollFd // the descriptor, and the socket
	event  int
	mu     sync.Mutex // a signal may come while the port is closed
	closed bool
}

// newWaker returns a waker for a socket, which it closes if it cannot.
func newWaker(fd int) (w *waker, err error) {
	w = &waker{}
	if w.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	w.polls[0] = unix.PollFd{Fd: int32(w.event), Events: unix.POLLIN}
	w.polls[1] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
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

// sleep waits until the socket has something to read. A process with a single node sleeps without
// telling Go's scheduler, which would hand the processor to another thread and take it back.
func (w *waker) sleep(d time.Duration, alone bool) {
	t := unix.NsecToTimespec(int64(d))
	if alone {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&w.polls[0])), uintptr(len(w.polls)), uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	} else {
		_, _ = unix.Ppoll(w.polls[:], &t, nil)
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
