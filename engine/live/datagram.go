//go:build linux

package live

import (
	"time"

	"golang.org/x/sys/unix"
)

// datagrams is a node with a connected datagram socket to each other node. What is lost, comes
// twice or out of order, the endpoint mends; what is no frame is thrown away. It implements link.
type datagrams struct {
	*port
	fds   []int // −1 for the node itself
	polls []unix.PollFd
	turn  int
	// Garbage counts what was thrown away.
	garbage int
}

// maxDatagram is the most payload of a datagram: 64 of them, as many as the endpoint has on the way,
// fit into the usual receive buffer of 208 KiB that the kernel counts twice.
const maxDatagram = 4 << 10

func newDatagrams(node int, fds []int) *port {
	p := newPort(node, len(fds))
	p.spin, p.yield = 100, 0
	d := &datagrams{port: p, fds: fds}
	for i, fd := range fds {
		if i != node {
			d.polls = append(d.polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	p.link = d
	return p
}

func (d *datagrams) piece(n int) int { return maxDatagram }

func (d *datagrams) room(b *box, n int) bool { b.memory(n); return true }

func (d *datagrams) release(*box) {}

func (d *datagrams) send(b *box) bool {
	data := b.own[:headerSize+len(b.Payload)]
	encode(data, &b.Frame, d.epoch)
	// A datagram that the kernel does not take is one that is lost; so are those to a node that is gone,
	// which the endpoint gives up when it does not acknowledge.
	_, _ = unix.Write(d.fds[b.Dst], data)
	d.free = append(d.free, b)
	return true
}

func (d *datagrams) receive() *box {
	b := d.box()
	b.memory(maxDatagram)
	for range d.fds {
		src := d.turn
		if src != d.node {
			n, err := unix.Read(d.fds[src], b.own)
			if err == nil {
				size, epoch, err := decode(b.own[:n], &b.Frame)
				if err == nil && size == n-headerSize && epoch == d.epoch {
					b.Payload = b.own[headerSize:n]
					b.Src, b.Dst = int32(src), int32(d.node)
					return b
				}
				d.garbage++
				continue
			}
		}
		if d.turn++; d.turn == len(d.fds) {
			d.turn = 0
		}
	}
	d.free = append(d.free, b)
	return nil
}

func (d *datagrams) sleep(t time.Duration) { pollFor(d.polls, t) }

func (d *datagrams) close() {
	for i, fd := range d.fds {
		if i != d.node {
			_ = unix.Close(fd)
		}
	}
}
