//go:build linux

package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/list"
)

// A Transport is what messages travel through.
type Transport string

// The transports.
const (
	Shm  Transport = "shm"  // rings in shared memory
	Unix Transport = "unix" // Unix stream sockets
	TCP  Transport = "tcp"
	UDP  Transport = "udp" // with acknowledgement and retry
)

// Transports lists all transports.
var Transports = []Transport{Shm, Unix, TCP, UDP}

// Patience is the longest time to wait for a peer that has to answer. With it, a node that
// hangs is an error within 5 s; see kill_test.go.
const Patience = 4 * time.Second

// ParseTransport returns the transport of a name. An unknown name is an error that lists
// [Transports].
func ParseTransport(name string) (Transport, error) {
	if t := Transport(name); slices.Contains(Transports, t) {
		return t, nil
	}
	names := list.Map(Transports, func(t Transport) string { return string(t) })
	return "", fmt.Errorf("no transport %q; choose from %s", name, strings.Join(names, ", "))
}

// Switches returns the sizes in bytes above which data travel in another way: in shared memory
// first in the ring, then in one block, then in several; from a stream through its buffer, then
// partly to their place in the segment, then so in several reads; in one datagram, then in several.
func (t Transport) Switches() []int {
	switch t {
	case Shm:
		return []int{beside, blockSize}
	case UDP:
		return []int{maxDatagram}
	}
	// Fits divide a curve at these sizes: a line through both sides of one would fit neither.
	return []int{directly, streamBuffer - headerSize}
}

const (
	// One for each slot of a ring: with fewer, a sender would wait for credits while slots are
	// free.
	defaultCredits = 64 // which keep shared memory busy
	pollEvery      = 8  // messages: more often, polls that find nothing take time from sending
)

// endpoint opens an endpoint on the port. By default it has 64 credits and returns half of them at
// a time. Memory and the kernel's streams are reliable; datagrams always have checksums and retry.
func (p *port) endpoint(t Transport, o engine.Options) (*engine.Endpoint, error) {
	o.PollEvery = pollEvery
	o.Credits = cmp.Or(o.Credits, defaultCredits)
	// Half of the credits: with batches of all of them, the sender would stop for a round trip
	// each time; with batches of one, each message would have a reply.
	o.CreditBatch = cmp.Or(o.CreditBatch, (o.Credits+1)/2)
	if t == UDP {
		o.Checksums, o.Retry, o.Attempts = true, retry, attempts
	}
	if s, ok := p.link.(*shared); ok { // whose methods are the port's, but faster
		return engine.New(s, o)
	}
	return engine.New(p, o)
}

// retry is the time in µs after which an unacknowledged datagram is sent again: long for a machine
// on which nothing else runs, short for one where the other node waits for a processor.
const retry = 2000

// attempts is the number of timeouts until the peer has been silent for Patience: after 2, 4 … 64
// ms, then every 64 ms.
const attempts = 6 + int(Patience/time.Microsecond-63*retry)/(32*retry)

// connected returns the descriptors of the two nodes: of memory that they share, or of two sockets
// that are connected to each other.
func (t Transport) connected() (a, b int, err error) {
	switch t {
	case Shm:
		a, err = newMemory(sharedSize)
		return a, a, err
	case Unix:
		fds, err := unix.Socketpair(unix.AF_UNIX,
			unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return -1, -1, err
		}
		return fds[0], fds[1], nil
	case TCP:
		return connectedTCP()
	default:
		return connectedUDP()
	}
}

// open makes a port of the node's descriptor. It closes a socket if it cannot.
func (t Transport) open(node, fd int) (*port, error) {
	switch t {
	case Shm:
		memory, err := unix.Mmap(fd, 0, sharedSize, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			return nil, fmt.Errorf("shared memory of %d bytes: %w", sharedSize, err)
		}
		return newShared(memory, node, func() error { return unix.Munmap(memory) }), nil
	case UDP:
		return newDatagrams(node, fd)
	}
	return newStreams(node, fd)
}
