//go:build linux

package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/engine"
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

// Transports are all there are.
var Transports = []Transport{Shm, Unix, TCP, UDP}

// ParseTransport finds a transport by its name.
func ParseTransport(name string) (Transport, error) {
	var names []string
	for _, t := range Transports {
		if string(t) == name {
			return t, nil
		}
		names = append(names, string(t))
	}
	return "", fmt.Errorf("no transport %q; there are %s", name, strings.Join(names, ", "))
}

// Switches are the sizes in bytes after which the transport handles data in another way: shared memory has
// it in the slot, in one block, in more; a stream has it all in its buffer, reads the rest of it to
// its place, does so again and again; a datagram is one or many.
func (t Transport) Switches() []int {
	switch t {
	case Shm:
		return []int{inline, blockSize}
	case UDP:
		return []int{maxDatagram}
	}
	return []int{directly, streamBuffer - headerSize}
}

// Options are those of a run.
type Options struct {
	// Credits is the number of requests to one node that may be without a reply; 0: 64.
	Credits int
	// Pin keeps node i on processor i, modulo their number.
	Pin bool
	// Check gives each packet a checksum. Datagrams always have one.
	Check bool
	// Singly returns the credit of each request on its own, as the LogP signature wants.
	Singly bool
}

// endpoint opens an endpoint on a port.
func (o Options) endpoint(p *port, t Transport) *engine.Endpoint {
	e := engine.Options{Credits: o.Credits, Unchecked: !o.Check && t != UDP, Together: !o.Singly, Poll: 8}
	if e.Credits == 0 {
		e.Credits = 64
	}
	if t == UDP {
		e.Retry, e.Attempts = retry, attempts
	}
	return engine.New(p, e)
}

// retry is the time in µs after which a datagram without acknowledgement is sent again: long for a
// machine on which nobody else runs, short for one where the other node has to wait for a processor.
const retry = 2000

// attempts is how often the time runs out until the peer was silent for Patience: after 2, 4 … 64 ms, then
// each 64 ms.
const attempts = 6 + int(Patience/time.Microsecond-63*retry)/(32*retry)

// guard runs f, and returns the error with which its port gave up.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			l, ok := r.(lost)
			if !ok {
				panic(r)
			}
			err = l.error
		}
	}()
	return f()
}
