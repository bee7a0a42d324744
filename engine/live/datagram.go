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
	waker
	fds     []int // −1 for the node itself
	turn    int
	garbage int // datagrams thrown away
}

// maxDatagram is the most payload of a datagram: 64 of them, as many as the endpoint has on the way,
// fit into the usual receive buffer of 208 KiB that the kernel counts twice.
const maxDatagram = 4 << 10

func newDatagrams(node int, fds []int) (p *port, err error) {
	p = newPort(node, len(fds))
	p.spin, p.yield, p.adapts = mostPolls, 0, true // sleep is a system call that a message ends
	d := &datagrams{port: p, fds: fds}
	p.link, p.largest = d, maxDatagram
	d.waker, err = newWaker(node, fds)
	return p, err
}

// All boxes have memory for the largest datagram, so that none grows when it is used for another.
func (d *datagrams) room(b *box, n int) bool {
	b.memory(maxDatagram)
	b.Payload = b.Payload[:n]
	return true
}

func (d *datagrams) load(b *box, data []byte) bool {
	b.memory(maxDatagram)
	return b.borrow(data)
}

func (d *datagrams) release(*box) {}

func (d *datagrams) send(b *box) bool {
	encode(b.own, &b.Frame, d.epoch)
	// A datagram that the kernel does not take is one that is lost; so are those to a node that is gone,
	// which the endpoint gives up when it does not acknowledge.
	head, data := b.parts()
	_, _ = write(d.fds[b.Dst], head, data)
	b.Payload, b.lent = nil, false
	d.free = append(d.free, b)
	return true
}

func (d *datagrams) receive() *box {
	b := d.box()
	b.memory(maxDatagram)
	for range d.fds {
		src := d.turn
		if src != d.node {
			n, err := read(d.fds[src], b.own, nil)
			if err == 0 {
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

func (d *datagrams) sleep(t time.Duration) { d.waker.sleep(t, d.alone) }

func (d *datagrams) close() {
	_ = unix.Close(d.event)
	for i, fd := range d.fds {
		if i != d.node {
			_ = unix.Close(fd)
		}
	}
}
