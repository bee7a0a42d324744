package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Options are the protocol of an endpoint. All nodes of a program must use the same.
//
// Zero is the default of every field, which its comment names. The zero Options are a plain
// protocol for a reliable network: no bound on requests, no checksums, no retry, and a reply to
// every request.
type Options struct {
	// Credits bounds the requests to one node that have no reply yet; sending another one waits.
	// From 1 to 2³¹−1; default: no bound, so a fast sender can fill the receiver's memory. The
	// bandwidth is at most Credits × piece / RTT.
	Credits int
	// CreditBatch is the number of credits that a receiver returns with one message. Credits of
	// requests whose handlers do not reply go back when CreditBatch of them are owed, or when the
	// sender calls [Endpoint.Flush]. 1 to Credits; default 1: each request has its own reply. With
	// all of the credits the sender waits a round trip for each window; half of them avoids that.
	CreditBatch int
	// EagerThreshold is the size in bytes of the largest message that is sent immediately. A larger
	// one is announced by a short request and sent after its reply [mpc, 4.2]: one more round trip.
	// At least 1; default: all messages are sent immediately.
	EagerThreshold int
	// Checksums are added to every packet, so that a damaged one is thrown away and counted.
	// Default: off; then a damaged packet is delivered.
	Checksums bool
	// Retry is the time in µs after which a packet without an acknowledgement is sent again; then
	// twice that, four times … 32 times. Positive and finite; default: never, losses are only
	// counted. If it is less than a round trip, packets are sent again that have arrived.
	Retry quantity.Micros
	// Attempts is the number of consecutive timeouts of a packet after which its receiver is given
	// up with a [PeerError]. At least 1, and only with Retry; default 12.
	Attempts int
	// Rounds makes a receiver that misses a packet start a new round, in which all packets without
	// an acknowledgement are sent again immediately [startjr, 3.2.4]: losses are repaired sooner,
	// at the cost of more packets. Only with Retry; default: off.
	Rounds bool
	// PollEvery is the number of sending calls for each poll. 1 to 65536; default 1: each call
	// polls. Polling less often makes sending cheaper and replies later.
	PollEvery int
}

const (
	// Twelve timeouts take 255 times Retry. If packets and acknowledgements are lost with a
	// probability of 10 % each, twelve in a row have a probability of 0.19¹² = 2·10⁻⁹. At 30 %
	// it is 3·10⁻⁴, which is why package live allows more.
	defaultAttempts = 12
	// 65,536 short messages through shared memory take about 3 ms (docs/live.md), for which the
	// node answers nobody.
	maxPollEvery = 1 << 16
)

// validate checks the options and sets their defaults. The error states the rule that is broken.
func (o *Options) validate() error {
	switch {
	case o.Credits < 0 || o.Credits > math.MaxInt32:
		return fmt.Errorf("option Credits must be 1 to %d, or 0 for no bound (got %d)",
			math.MaxInt32, o.Credits)
	case o.CreditBatch < 0 || o.CreditBatch > math.MaxInt32:
		return fmt.Errorf("option CreditBatch must be 1 to %d, or 0 for 1 (got %d)",
			math.MaxInt32, o.CreditBatch)
	case o.Credits > 0 && o.CreditBatch > o.Credits:
		return fmt.Errorf("option CreditBatch must be at most Credits, or it would never fill "+
			"(got %d with %d Credits)", o.CreditBatch, o.Credits)
	case o.EagerThreshold < 0:
		return fmt.Errorf("option EagerThreshold must be a size in bytes, or 0 for no "+
			"rendezvous (got %d)", o.EagerThreshold)
	case !(o.Retry >= 0) || math.IsInf(float64(o.Retry), 1):
		return fmt.Errorf("option Retry must be a positive time, or 0 for no retry (got %v)",
			o.Retry)
	case o.Attempts < 0:
		return fmt.Errorf("option Attempts must be at least 1, or 0 for %d (got %d)",
			defaultAttempts, o.Attempts)
	case o.Attempts > 0 && o.Retry == 0:
		return fmt.Errorf("option Attempts requires Retry, without which packets are sent once "+
			"(got %d)", o.Attempts)
	case o.Rounds && o.Retry == 0:
		return errors.New("option Rounds requires Retry, which keeps the packets that a round " +
			"sends again")
	case o.PollEvery < 0 || o.PollEvery > maxPollEvery:
		return fmt.Errorf("option PollEvery must be 1 to %d, or 0 for 1 (got %d)", maxPollEvery,
			o.PollEvery)
	}
	o.CreditBatch = max(1, o.CreditBatch)
	o.PollEvery = max(1, o.PollEvery)
	if o.Attempts == 0 {
		o.Attempts = defaultAttempts
	}
	return nil
}
