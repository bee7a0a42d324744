//go:build linux

package live

import (
	"cmp"
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

const (
	defaultCredits = 64 // which keep shared memory busy
	pollEvery      = 8  // messages: more often, polls that find nothing take time from sending
)

// endpoint opens an endpoint on the port. By default it has 64 credits and returns half of them at
// a time. Memory and the kernel's streams deliver what was sent; datagrams always have checksums.
func (p *port) endpoint(t Transport, o engine.Options) (*engine.Endpoint, error) {
	o.PollEvery = pollEvery
	o.Credits = cmp.Or(o.Credits, defaultCredits)
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
