//go:build linux

package live

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/engine"
)

// datagrams is a node with a connected datagram socket. The endpoint repairs losses, repetitions
// and reordering; datagrams that are not frames are discarded. It implements link.
type datagrams struct {
	*port
	*waker
	encoder encoder
	fd      int
	garbage int // datagrams thrown away
}

// maxDatagram is the largest payload of a datagram. A window of 64 of them needs a receive buffer
// of about 300 KiB, more than Linux's usual 208 KiB: connectedUDP asks for 4 MiB.
const maxDatagram = 4 << 10

func newDatagrams(node, fd int) (p *port, err error) {
	p = newPort(node)
	p.sleepsSoon()
	d := &datagrams{port: p, fd: fd}
	p.link, p.largest = d, maxDatagram
	d.waker, err = newWaker(fd)
	return p, err
}

func (d *datagrams) release(*box) {}

// send never waits. A datagram that the kernel does not take is lost, and so are those to a node
// that is gone, which the endpoint gives up when it does not acknowledge.
func (d *datagrams) send(f *engine.Frame) bool {
	head, data := d.encoder.encode(f, d.epoch)
	_, _ = transfer(unix.SYS_SENDTO, unix.SYS_SENDMSG, d.fd, head, data, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	return true
}

func (d *datagrams) receive(b *box) bool {
	if b.own == nil {
		b.own = make([]byte, headerSize+maxDatagram)
	}
	for {
		n, errno := transfer(unix.SYS_RECVFROM, unix.SYS_RECVMSG, d.fd, b.own, nil, unix.MSG_DONTWAIT)
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

func (d *datagrams) sleep(t time.Duration) { d.waker.sleep(t, d.alone) }

func (d *datagrams) close() {
	d.waker.close()
	_ = unix.Close(d.fd)
}
