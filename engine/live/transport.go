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

// Switches are the sizes in bytes above which the transport treats data in another way. Shared
// memory has it in the ring, then in one block, then in several. A stream has it in
// its buffer, then reads the rest of it to its place, then does so again and again. Datagrams are
// one, then several.
func (t Transport) Switches() []int {
	switch t {
	case Shm:
		return []int{beside, blockSize}
	case UDP:
		return []int{maxDatagram}
	}
	return []int{directly, streamBuffer - headerSize}
}

// Options configure a run. As in [engine.Options], zero means the default.
type Options struct {
	// Credits bounds the requests to one node that have no reply yet. From 1; default 64, which
	// keep shared memory busy: one for each slot of a ring.
	Credits int
	// CreditBatch is the number of credits that a receiver returns with one message: 1, which the
	// LogP signature needs, to Credits; default: half of the credits.
	CreditBatch int
	// Checksums seal every packet. Default: off, as memory and the kernel's streams deliver what
	// was sent; datagrams always have them.
	Checksums bool
	// Pin keeps node i on processor i, modulo their number. Default: off, the system moves them.
	Pin bool
}

const (
	defaultCredits = 64
	pollEvery      = 8 // messages: more often, polls that find nothing take time from sending
)

func (o Options) endpoint(p *port, t Transport) (*engine.Endpoint, error) {
	e := engine.Options{Credits: o.Credits, Checksums: o.Checksums || t == UDP, CreditBatch: o.CreditBatch, PollEvery: pollEvery}
	if e.Credits == 0 {
		e.Credits = defaultCredits
	}
	if e.CreditBatch == 0 {
		e.CreditBatch = (e.Credits + 1) / 2
	}
	if t == UDP {
		e.Retry, e.Attempts = retry, attempts
	}
	if s, ok := p.link.(*shared); ok { // whose methods are the port's, but faster
		return engine.New(s, e)
	}
	return engine.New(p, e)
}

// retry is the time in µs after which an unacknowledged datagram is sent again: long for a machine
// on which nothing else runs, short for one where the other node waits for a processor.
const retry = 2000

// attempts is the number of timeouts until the peer has been silent for Patience: after 2, 4 … 64
// ms, then every 64 ms.
const attempts = 6 + int(Patience/time.Microsecond-63*retry)/(32*retry)

// guard runs f, and returns the error if its port gave up.
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
