package machine

import (
	"encoding"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
)

// A key is a row of a level: a key of its table in a platform file, and what it sets. Files,
// changes, help and writers follow from the rows.
type key struct {
	Name    string
	Measure model.Measure // of a number
	Phrase  string        // what the number is
	Help    string        // a row of FORMAT.md; "": the row before tells of this key, too
	// At returns what the key sets: a *model.Layer for the name of a layer, a *[Port] for several,
	// a [Word], or for a number an *int, *float64, *quantity.Micros or *quantity.Bytes.
	At func(l *Level) any
}

// A Word is a value of a level that reads its own text, and prints it; "" for the zero value.
type Word interface {
	fmt.Stringer
	encoding.TextUnmarshaler
}

// Keys lists the keys of a level, in the order of a written file.
var Keys = []key{
	{
		Name: "arity", Measure: model.Count, Phrase: "units of the next inner level",
		Help: "a level of a machine, see below: how many units of the level inside it, or cores, " +
			"make one, `\"16\"`",
		At: func(l *Level) any { return &l.Arity },
	},
	{
		Name: "layer",
		Help: "what a message costs between two ranks that share such a unit, and none of a " +
			"level inside it",
		At: func(l *Level) any { return &l.Layer },
	},
	{
		Name: "send",
		Help: "layers whose times are the overheads of sender and receiver, in place of those " +
			"of `layer`",
		At: func(l *Level) any { return &l.Send },
	},
	{Name: "receive", At: func(l *Level) any { return &l.Receive }},
	{
		Name: "relay",
		Help: "layers in place of `layer` for a message into memory that its receiver has sent " +
			"since, as in a ping-pong with one buffer, and for one of memory that its sender has " +
			"just written",
		At: func(l *Level) any { return &l.Relay },
	},
	{Name: "fresh", At: func(l *Level) any { return &l.Fresh }},
	{
		Name: "eager_threshold", Measure: model.Size,
		Phrase: "largest message that does not wait for its receive",
		Help: "the largest message that is sent at once, `\"8KiB\"`: a larger one waits for its " +
			"receive, with the hand-shake in the times of `layer`",
		At: func(l *Level) any { return &l.Eager },
	},
	{
		Name: "handshake",
		Help: "which ranks must be inside the library, not computing, for a message above the " +
			"eager threshold to begin: `\"independent\"`, `\"sender\"`, `\"receiver\"` or " +
			"`\"both\"`; and which of them for its bytes to move. Without the keys, none",
		At: func(l *Level) any { return &l.Handshake },
	},
	{Name: "data", At: func(l *Level) any { return &l.Data }},
	{
		Name: "deferred", Measure: model.Size,
		Phrase: "smallest eager message that leaves when its receive is posted",
		Help: "the smallest eager message that leaves when its receive is posted, `\"1B\"`, " +
			"though its send ends at once, as in libraries without asynchronous progress; " +
			"without the key all leave at once",
		At: func(l *Level) any { return &l.Deferred },
	},
	{
		Name: "packet", Measure: model.Size,
		Phrase: "largest message that NICs do not interleave",
		Help: "the largest message that the NIC of a rank sends, and takes in, one after the " +
			"other, `\"2KiB\"`; NICs interleave larger ones; without it none",
		At: func(l *Level) any { return &l.Packet },
	},
	{
		Name: "overlap", Measure: model.Size,
		Phrase: "smallest message that NICs interleave with those between the same ranks",
		Help: "the smallest of these that the NIC interleaves with messages between the same two " +
			"ranks as well, `\"1KiB\"`; smaller ones follow each other a gap apart, and all do " +
			"without the key",
		At: func(l *Level) any { return &l.Overlap },
	},
	// Lanes and ports need not be whole: they are rates in units of one transfer's, such as 2.5.
	{
		Name: "lanes", Measure: model.Share,
		Phrase: "transfers inside at full speed at once",
		Help: "one of the two: what messages between two ranks inside a unit share: how many " +
			"it carries at full speed at once, `\"2.5\"`, or a layer whose time is how long a " +
			"message occupies it",
		At: func(l *Level) any { return &l.Lanes },
	},
	{Name: "shared", At: func(l *Level) any { return &l.Shared }},
	{
		Name: "ports", Measure: model.Share,
		Phrase: "transfers out, and in, at full speed at once",
		Help: "one of the two: the same for those that leave a unit, and apart from these for " +
			"those that enter it. Several layers are its rails, `port = [\"nic\", " +
			"\"slow-nic\"]`: channel c of a collective takes the c-th, and other messages any " +
			"that is free",
		At: func(l *Level) any { return &l.Ports },
	},
	{Name: "port", At: func(l *Level) any { return &l.Port }},
	{
		Name: "reverse", Measure: model.Fraction,
		Phrase: "part of the opposite direction that a message takes",
		Help: "the part of its occupancy, `\"0.1\"`, that a message also takes from the " +
			"opposite direction of NICs, ports and links: two large messages in opposite " +
			"directions take 1.1 times as long as one. It is of the level's messages and, " +
			"beside `ports`, of those through them",
		At: func(l *Level) any { return &l.Reverse },
	},
	{
		Name: "by_latency", Measure: model.Fraction,
		Phrase: "power of its latency by which a message has a smaller share",
		Help: "the power of its latency by which a message has a smaller share of NICs, ports " +
			"and links: without it all have equal shares; with `\"1\"`, as between flows of " +
			"TCP, one with twice the latency gets half",
		At: func(l *Level) any { return &l.ByLatency },
	},
	{
		Name: "crowd", Measure: model.Time,
		Phrase: "more time of sender and receiver, each, among many ranks",
		Help: "the time, `\"0.1us\"`, that the sender and the receiver of an eager message " +
			"each need in addition among at least 64 ranks of a node (the outermost level that " +
			"has the key); none among up to 8, and between them with the logarithm of their " +
			"number",
		At: func(l *Level) any { return &l.Crowd },
	},
	{
		Name: "routes", Measure: model.Count, Phrase: "links of a port, by receivers",
		Help: "of equal links that a port consists of, `\"2\"`: a message takes the one that " +
			"the number of its receiver's unit gives, as static routing in fat trees does; " +
			"without it all messages share the port",
		At: func(l *Level) any { return &l.Routes },
	},
	{
		Name: "direct", Measure: model.Count, Phrase: "units, to each of which a unit has a link",
		Help: "the arity of the next outer level, `\"3\"`, if its units are linked in pairs: " +
			"`port` is then the link to one of them; without it all messages share the port",
		At: func(l *Level) any { return &l.Direct },
	},
	{
		Name: "topology",
		Help: "of the outermost level: how its units are linked, `\"torus 4 4 2\"`, or " +
			"`\"dragonfly 2 4 2 1\"`: groups, chassis in a group, routers in a chassis, units " +
			"of a router. `layer` is then what a message costs between the closest units",
		At: func(l *Level) any { return &l.Topology },
	},
	{
		Name: "hop", Measure: model.Time,
		Phrase: "latency of each link beyond the shortest route",
		Help: "of a topology: the latency of each link beyond those between the closest units, " +
			"`\"0.1us\"`, and a layer whose time replaces it, if it changes with the size",
		At: func(l *Level) any { return &l.Hop },
	},
	{Name: "hops", At: func(l *Level) any { return &l.Hops }},
	{
		Name: "link",
		Help: "of a topology: a layer whose time is how long a message occupies a link",
		At:   func(l *Level) any { return &l.Link },
	},
	{
		Name: "local",
		Help: "of a dragonfly: the same as `link` for the links between routers of a group, and " +
			"for those between groups; `link` if missing",
		At: func(l *Level) any { return &l.Local },
	},
	{Name: "global", At: func(l *Level) any { return &l.Global }},
}

// Layers returns the layers of the key; none if it has a number or a word.
func (k key) Layers(l *Level) []model.Layer {
	switch at := k.At(l).(type) {
	case *model.Layer:
		if *at != nil {
			return []model.Layer{*at}
		}
	case *Port:
		return *at
	}
	return nil
}

// IsNumber reports whether the key has a number.
func (k key) IsNumber() bool {
	switch k.At(&Level{}).(type) {
	case *model.Layer, *Port, Word:
		return false
	}
	return true
}
