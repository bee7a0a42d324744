package machine

import (
	"fmt"
	"slices"
	"strings"
)

// A Presence names the ranks that must be inside the messaging library while a part of a large
// message proceeds. A rank that computes is outside; one that posts, tests or waits is inside.
type Presence uint8

const (
	NotMeasured Presence = iota // taken as Independent
	Independent                 // of both ranks, as with a NIC that makes progress by itself
	AtSender
	AtReceiver
	AtBoth
)

var presences = [...]string{
	NotMeasured: "",
	Independent: "independent",
	AtSender:    "sender",
	AtReceiver:  "receiver",
	AtBoth:      "both",
}

// String returns the word of a platform file; "" if it was not measured.
func (p Presence) String() string { return presences[p] }

// UnmarshalText reads a word of a platform file; "" is NotMeasured.
func (p *Presence) UnmarshalText(text []byte) error {
	i := slices.Index(presences[:], string(text))
	if i < 0 {
		return fmt.Errorf("must be one of %s (got %q)",
			strings.Join(presences[Independent:], ", "), text)
	}
	*p = Presence(i)
	return nil
}

// OfSender and OfReceiver report whether the sender, or the receiver, must be inside.
func (p Presence) OfSender() bool   { return p == AtSender || p == AtBoth }
func (p Presence) OfReceiver() bool { return p == AtReceiver || p == AtBoth }
