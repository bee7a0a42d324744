package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Fragmented cuts a message into pieces of at most MTU bytes, each a message of the layer below:
// HP-LAM's 4-KiB pages, Myrinet packets of 8,132 bytes. At most W pieces can await their credit,
// which returns as a message of one byte. With K = ⌈n/MTU⌉ pieces, the last of q bytes,
//
//	T(n) = max( S(K−1) + T_below(q), S(K−2) + T_below(MTU) )
//	S(j) = j·g + ⌊j/W⌋ · max(0, R − W·g)
//	R    = T_below(MTU) + T_below(1)
//
// since a short last piece does not overtake the previous one. S(j) is the start of piece j: a
// window that does not cover the round trip R passes W pieces, and then delays the next one, once
// for each window. Without a window S(j) = j·g.
//
// Where: g = Gap of MTU bytes below in µs; W = Window, the maximum number of pieces without a
// returned credit. A window that does not cover the round trip limits the rate to W·MTU/R: 8
// pieces of 4 KiB and a round trip of 400 µs give at most 81.92 MB/s (an invented example).
//
// T is exact for LogP, LogGP and linear costs below, and for a pipeline if each piece is one
// packet; the last packet may then have to wait for the previous one in any stage. If pieces have
// several packets, T is too short by at most T_below(MTU) − T_below(q), since the formula starts
// the last piece when the slowest stage is free, even if the piece has not yet arrived. The formula
// omits credits that queue on their way back.
type Fragmented struct {
	Below  Layer
	MTU    quantity.Bytes // ≥ 1
	Window int            // ≥ 1; 0: no window
}

// pieces returns the number of pieces before the last, and the size of the last.
func (s *Fragmented) pieces(n quantity.Bytes) (before, last quantity.Bytes) {
	before = quantity.Bytes(packets(n, s.MTU)) - 1
	return before, min(max(n-before*s.MTU, 1), s.MTU) // beyond 2⁵³ bytes the difference is noise
}

// starts computes S for pieces with a gap that take the time full below.
type starts struct {
	gap, wait quantity.Micros // wait: max(0, R − W·g)
	window    float64         // +Inf without a window
}

func (s *Fragmented) starts(gap, full quantity.Micros) starts {
	if s.Window == 0 {
		return starts{gap, 0, math.Inf(1)}
	}
	round := full + s.Below.OneWay(1)
	return starts{gap, max(0, round-quantity.Micros(s.Window)*gap), float64(s.Window)}
}

// startOfPiece returns S(j) in µs.
func (s starts) startOfPiece(j float64) quantity.Micros {
	t := quantity.Micros(j) * s.gap
	if s.wait > 0 {
		t += quantity.Micros(math.Floor(j/s.window)) * s.wait
	}
	return t
}

// OneWay returns T(n).
func (s *Fragmented) OneWay(n quantity.Bytes) quantity.Micros {
	before, last := s.pieces(n)
	if before == 0 {
		return s.Below.OneWay(last)
	}
	full := s.Below.OneWay(s.MTU)
	at := s.starts(s.Below.Gap(s.MTU), full)
	lastStart := at.startOfPiece(float64(before))
	fullStart := at.startOfPiece(float64(before - 1))
	if p, found := s.wholePackets(n, last); found {
		all := Plan{{int(before), s.MTU}, {1, last}}
		switch {
		case at.wait == 0 || float64(before) < at.window: // the window holds nothing back
			return p.OneWayAs(all)
		case float64(before) == at.window: // the pieces before the last do not wait
			return max(lastStart+p.OneWay(last), p.OneWayAs(all))
		}
		// The wait emptied the pipeline, so only the last two pieces can meet in it.
		return max(lastStart+p.OneWay(last), fullStart+p.OneWayAs(Plan{{1, s.MTU}, {1, last}}))
	}
	return max(lastStart+s.Below.OneWay(last), fullStart+full)
}

// wholePackets returns the pipeline below if each piece of n bytes is one packet there. The packets
// of all pieces are then a plan of the pipeline, whose time is exact: the short last packet can
// have to wait in any stage. Above quantity.MaxBytes the number of pieces is not exact.
func (s *Fragmented) wholePackets(n, last quantity.Bytes) (p *Pipeline, found bool) {
	p, found = s.Below.(*Pipeline)
	if !found || n > quantity.MaxBytes {
		return nil, false
	}
	return p, p.PacketSize(s.MTU) == s.MTU && p.PacketSize(last) == last
}

// Gap returns the gap in µs of a stream of messages whose pieces share the window:
//
//	max( (K−1)·g + g_below(q), ((K−1)·R + R_q) / W )        R_q = T_below(q) + T_below(1)
//
// It is exact if all pieces are full, or each message is one piece. Otherwise a stream can be
// slower by at most max(g − g_below(q), (R − R_q)/W) for each message, if more full pieces than
// short ones wait.
func (s *Fragmented) Gap(n quantity.Bytes) quantity.Micros {
	before, last := s.pieces(n)
	count := quantity.Micros(before)
	gap := s.Below.Gap(last)
	if before > 0 {
		gap += count * s.Below.Gap(s.MTU)
	}
	if s.Window == 0 {
		return gap
	}
	credit := s.Below.OneWay(1)
	rounds := s.Below.OneWay(last) + credit
	if before > 0 {
		rounds += count * (s.Below.OneWay(s.MTU) + credit)
	}
	return max(gap, rounds/quantity.Micros(s.Window))
}

// Credits is how a window holds back the pieces of a message, and of messages behind it to the same
// node. Of all pieces that are sent, each starts a gap after the one before, and when the credit of
// the piece a window earlier is back.
type Credits struct {
	Window      int             // W
	Pieces      float64         // K, of this message
	Gap         quantity.Micros // g, between the starts of two pieces
	Round, Last quantity.Micros // R, from the start of a piece to its credit, and that of the last
	Start       quantity.Micros // S(K−1): of the last piece, if no message is before
}

// CreditsOf returns the credits of a message of n bytes; nil without a window, and if the window
// holds no stream of pieces back.
func CreditsOf(l Layer, n quantity.Bytes) *Credits {
	switch l := At(l, n).(type) {
	case *Series:
		c := CreditsOf(l.Below, n)
		if c != nil { // what is added lengthens the gap of the message: see Series.Gap
			more := l.Added.Gap(n) * quantity.Micros(float64(c.Window)/c.Pieces)
			c.Round, c.Last = c.Round+more, c.Last+more
		}
		return c
	case *Fragmented:
		before, last := l.pieces(n)
		if l.Window == 0 {
			c := CreditsOf(l.Below, min(n, l.MTU))
			if c != nil {
				c.Pieces *= float64(before + 1)
			}
			return c
		}
		full, credit := l.Below.OneWay(l.MTU), l.Below.OneWay(1)
		if full+credit <= quantity.Micros(l.Window)*l.Below.Gap(1) {
			return nil
		}
		gap := l.Below.Gap(min(n, l.MTU))
		return &Credits{
			Window: l.Window, Pieces: float64(before + 1), Gap: gap,
			Round: full + credit, Last: l.Below.OneWay(last) + credit,
			Start: l.starts(gap, full).startOfPiece(float64(before)),
		}
	}
	return nil
}

// Overheads returns the overheads in µs of all pieces together.
func (s *Fragmented) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	before, last := s.pieces(n)
	send, receive = s.Below.Overheads(s.MTU)
	lastSend, lastReceive := s.Below.Overheads(last)
	return quantity.Micros(before)*send + lastSend, quantity.Micros(before)*receive + lastReceive
}

// PacketSize returns the MTU, or n if that is less.
func (s *Fragmented) PacketSize(n quantity.Bytes) quantity.Bytes { return min(n, s.MTU) }

// resources returns the resources of the layer below, used once by each piece.
func (s *Fragmented) resources() Resources { return Pieces{s.MTU, s.Window, s.Below.resources()} }

var fragmentedKind = &Kind{
	Name: "fragmented", zero: &Fragmented{},
	Cost:  "pieces of at most mtu bytes, each a message of the layer below",
	Parts: []Part{{Key: "below", At: func(l Layer) *Layer { return &l.(*Fragmented).Below }}},
	Fields: []Field{
		{
			Key: "mtu", Measure: Size, Phrase: "size of the pieces",
			At: func(l Layer) any { return &l.(*Fragmented).MTU },
		},
		{
			Key: "window", Measure: Count, Optional: true,
			Phrase: "pieces without a credit returned",
			At:     func(l Layer) any { return &l.(*Fragmented).Window },
		},
	},
}

func (*Fragmented) kind() *Kind { return fragmentedKind }

// HasWindow reports whether the layer or one of its parts is [Fragmented] with a window.
func HasWindow(l Layer) bool {
	return contains(l, func(l Layer) bool {
		f, ok := l.(*Fragmented)
		return ok && f.Window > 0
	})
}
