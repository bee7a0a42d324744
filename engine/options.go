package engine

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Options are the protocol of an endpoint. All nodes of a program have the same.
//
// Zero means one thing everywhere: the default, which each comment names. The zero Options are a
// plain protocol for a network that delivers what was sent: no bound on requests, no checksums, no
// retry, and every request answered by itself.
type Options struct {
	// Credits bounds the requests to one node that have no reply yet; sending another one waits.
	// From 1 to 2³¹−1; default: no bound, so a fast sender can fill the receiver's memory. The
	// bandwidth is at most Credits × piece / RTT: an invented example, 8 credits for pieces of
	// 4 KiB and a round trip of 400 µs, allows 81.92 MB/s.
	Credits int
	// CreditBatch is how many credits a receiver returns with one message. Requests whose handlers
	// do not reply are counted, and their credits go back when CreditBatch of them are owed, or
	// when the sender calls [Endpoint.Flush]. From 1 to Credits; default 1: each request has a
	// reply of its own. A batch of half the credits saves nearly all of these replies and keeps
	// the sender going; a batch of all of them makes it wait a round trip for each window.
	CreditBatch int
	// Rendezvous is the largest message in bytes that is sent without asking. Before a larger one,
	// a short request asks the receiver and its reply lets the data go [mpc, 4.2]: one round trip
	// more. At least 1; default: none asks.
	Rendezvous int
	// Checksums seal every packet, so that a damaged one is thrown away and counted. Default: off,
	// for a network that delivers what was sent; there a damaged packet is delivered as it is.
	Checksums bool
	// Retry is how long a packet may go unacknowledged before it is sent again, in µs; then twice
	// that, four times … 32 times. Positive and finite; default: never, losses are only counted.
	// Less than a round trip sends packets again that have arrived.
	Retry quantity.Micros
	// Attempts is how many times in a row the time of a packet may run out before its receiver is
	// given up with a [PeerError]. At least 1, and only with Retry; default 12.
	Attempts int
	// Rounds makes a receiver that misses a packet start a new round, in which everything that it
	// has not acknowledged is sent again at once [startjr, 3.2.4]: losses are mended sooner, for
	// more packets. Only with Retry; default: off.
	Rounds bool
	// PollEvery is how many messages are sent for each poll that a sending call makes. From 1 to
	// 65536; default 1: each polls. Polling rarely makes sending cheaper and replies later.
	PollEvery int
}

const (
	defaultAttempts = 12
	maxPollEvery    = 1 << 16
)

// validate checks the options and fills in their defaults. The error names the rule that is broken.
func (o *Options) validate() error {
	switch {
	case o.Credits < 0 || o.Credits > math.MaxInt32:
		return fmt.Errorf("option Credits is %d: it must be 1 to %d, or 0 for no bound", o.Credits, math.MaxInt32)
	case o.CreditBatch < 0:
		return fmt.Errorf("option CreditBatch is %d: it must be at least 1, or 0 for 1", o.CreditBatch)
	case o.Credits > 0 && o.CreditBatch > o.Credits:
		return fmt.Errorf("option CreditBatch is %d with %d Credits: a batch larger than the credits would never fill", o.CreditBatch, o.Credits)
	case o.CreditBatch > math.MaxInt32:
		return fmt.Errorf("option CreditBatch is %d: it must be at most %d", o.CreditBatch, math.MaxInt32)
	case o.Rendezvous < 0:
		return fmt.Errorf("option Rendezvous is %d: it must be a size in bytes, or 0 for no rendezvous", o.Rendezvous)
	case !(o.Retry >= 0) || math.IsInf(float64(o.Retry), 1):
		return fmt.Errorf("option Retry is %v: it must be a positive time, or 0 for no retry", o.Retry)
	case o.Attempts < 0:
		return fmt.Errorf("option Attempts is %d: it must be at least 1, or 0 for %d", o.Attempts, defaultAttempts)
	case o.Attempts > 0 && o.Retry == 0:
		return fmt.Errorf("option Attempts is %d without Retry: nothing is sent again, so nothing is attempted", o.Attempts)
	case o.Rounds && o.Retry == 0:
		return fmt.Errorf("option Rounds needs Retry: a round is sent again from what Retry keeps")
	case o.PollEvery < 0 || o.PollEvery > maxPollEvery:
		return fmt.Errorf("option PollEvery is %d: it must be 1 to %d, or 0 for 1", o.PollEvery, maxPollEvery)
	}
	o.CreditBatch = max(1, o.CreditBatch)
	o.PollEvery = max(1, o.PollEvery)
	if o.Attempts == 0 {
		o.Attempts = defaultAttempts
	}
	return nil
}
