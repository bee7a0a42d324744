package model

import (
	"cmp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Load is the time in µs that a message occupies a resource.
type Load struct {
	Resource string // of a hop, or [Processor]
	Side     Side
	Busy     quantity.Micros
}

// Processor is the resource of the work of processors.
const Processor = "processor"

// Loads returns the time in µs that a message of n bytes occupies each resource. The gap of a cost
// that a [Sum] adds occupies the slowest hop of the message: a Sum does not say where its work is
// done, and there it lengthens the gap of the whole as [Series.Gap] does. Its overheads are work of
// the processors.
func Loads(r Resources, n quantity.Bytes) []Load {
	var all loads
	all.message(r, n, n)
	return all
}

type loads []Load

func (all *loads) add(resource string, side Side, busy quantity.Micros) {
	for i := range *all {
		if l := &(*all)[i]; l.Resource == resource && l.Side == side {
			l.Busy += busy
			return
		}
	}
	*all = append(*all, Load{resource, side, busy})
}

// message adds the loads of n bytes. A [Choice] outside of [Pieces] depends on the whole message,
// one inside of them on the piece.
func (all *loads) message(r Resources, n, whole quantity.Bytes) {
	switch r := r.(type) {
	case Route:
		size := n
		if r.Packets != nil {
			size = r.Packets.PacketSize(n)
		}
		count := packets(n, size)
		last := n - quantity.Bytes(count-1)*size
		of := func(c PacketCost) quantity.Micros {
			return quantity.Micros(count-1)*c.of(size) + c.of(last)
		}
		all.add(Processor, AtSender, of(r.Send))
		for i, hop := range r.Hops {
			busy := hop.load(i == 0, i == len(r.Hops)-1, n, size)
			all.add(hop.Resource, hop.Side, busy)
		}
		all.add(Processor, AtReceiver, of(r.Receive))
	case Choice:
		all.message(r.at(whole), n, whole)
	case Pieces:
		count := packets(n, r.Size)
		last := n - quantity.Bytes(count-1)*r.Size
		var full loads
		full.message(r.Below, min(n, r.Size), min(n, r.Size))
		for _, l := range full {
			all.add(l.Resource, l.Side, quantity.Micros(count-1)*l.Busy)
		}
		all.message(r.Below, last, last)
	case Sum:
		all.message(r.Below, n, whole)
		var added quantity.Micros
		for _, l := range Loads(r.Added, n) {
			added = max(added, l.Busy)
			if l.Resource == Processor {
				all.add(Processor, l.Side, l.Busy)
			}
		}
		if hop, found := slowestHop(r.Below, whole); found {
			all.add(hop.Resource, hop.Side, added)
		}
	}
}

// slowestHop returns the hop of a message's route that sets the pace of a stream of such messages,
// or of its full pieces.
func slowestHop(r Resources, n quantity.Bytes) (slowest Hop, found bool) {
	piece, _, route := innermost(r, n)
	packet := piece
	if route.Packets != nil {
		packet = route.Packets.PacketSize(piece)
	}
	longest := quantity.Micros(0)
	for i, hop := range route.Hops {
		busy := hop.load(i == 0, i == len(route.Hops)-1, piece, packet)
		if i == 0 || busy > longest {
			slowest, longest, found = hop, busy, true
		}
	}
	return slowest, found
}

// innermost follows a message of n bytes down to its route. It returns the size of the pieces
// there, the outermost window on the way (0: no window), and the route.
func innermost(r Resources, n quantity.Bytes) (size quantity.Bytes, window int, route Route) {
	for {
		switch d := r.(type) {
		case Choice:
			r = d.at(n)
		case Pieces:
			r, n, window = d.Below, min(n, d.Size), cmp.Or(window, d.Window)
		case Sum:
			r = d.Below
		default:
			route, _ = r.(Route)
			return n, window, route
		}
	}
}

// FanIn returns the interval between messages of n bytes at one receiver, while senders ≥ 1 nodes
// send as fast as they can:
//
//	max( max_s busy_s / senders, max_r busy_r )
//
// Where: s = the resources of a sender, of which there are senders; r = those of the receiver and
// of the network, which all messages share; busy = the time that a message occupies the
// resource. The slowest resource determines the interval. The formula assumes that messages have no
// replies, queues drop nothing, no window or rendezvous delays a sender, and no timer resends a
// waiting message.
func FanIn(r Resources, senders int, n quantity.Bytes) quantity.Micros {
	var most quantity.Micros
	for _, l := range Loads(r, n) {
		busy := l.Busy
		if l.Side == AtSender {
			busy /= quantity.Micros(senders)
		}
		most = max(most, busy)
	}
	return most
}

// Requests returns the interval between requests of n bytes from one node to another, if each of
// their pieces has a reply of one byte and the sender does not wait for it before the next request:
// HP-LAM's thru_bulk, and the flat part of a LogP signature.
//
//	max( max_i (out_i + back_i), K·(T + T_1)/credits )
//
// Where: out_i and back_i = the times that the pieces and their replies occupy resource i: a
// processor sends the pieces and receives the replies, and a resource of a node or of the network
// serves both directions if their hops name it; K = pieces; T and T_1 = oneWay of a piece and of a
// byte; credits = the maximum number of requests without a reply, 0: unlimited.
//
// It holds for a long stream. In a short one the first replies have not yet arrived, so the
// requests do not share the resources with them.
func Requests(
	r Resources, n quantity.Bytes, credits int, oneWay func(quantity.Bytes) quantity.Micros,
) quantity.Micros {
	piece := pieceSize(r, n)
	count := quantity.Micros(packets(n, piece))
	type place struct {
		resource string
		node     int // 0: the sender of requests, 1: their receiver, 2: the network
	}
	busy := map[place]quantity.Micros{}
	add := func(all []Load, times quantity.Micros, sender int) {
		for _, l := range all {
			node := sender
			switch l.Side {
			case AtReceiver:
				node = 1 - sender
			case AtNetwork:
				node = 2
			}
			busy[place{l.Resource, node}] += times * l.Busy
		}
	}
	add(Loads(r, n), 1, 0)
	add(Loads(r, 1), count, 1)
	var most quantity.Micros
	for _, b := range busy {
		most = max(most, b)
	}
	if credits > 0 {
		last := n - (quantity.Bytes(count)-1)*piece
		round := (count-1)*oneWay(piece) + oneWay(last) + count*oneWay(1)
		most = max(most, round/quantity.Micros(credits))
	}
	return most
}

// pieceSize returns the size of the pieces of a message of n bytes, each a message of its own with
// a credit.
func pieceSize(r Resources, n quantity.Bytes) quantity.Bytes {
	size, _, _ := innermost(r, n)
	return size
}

// WindowOf returns the maximum number of pieces of a message of n bytes without a returned credit;
// 0 is unlimited.
func WindowOf(r Resources, n quantity.Bytes) int {
	_, window, _ := innermost(r, n)
	return window
}

// Placed returns the description with each hop moved to where place puts it.
func Placed(r Resources, place func(Hop) Hop) Resources {
	switch r := r.(type) {
	case Route:
		hops := make([]Hop, len(r.Hops))
		for i, h := range r.Hops {
			hops[i] = place(h)
		}
		r.Hops = hops
		return r
	case Choice:
		ways := make([]Way, len(r.Branches))
		for i, w := range r.Branches {
			ways[i] = Way{w.UpTo, Placed(w.Resources, place)}
		}
		r.Branches = ways
		return r
	case Pieces:
		r.Below = Placed(r.Below, place)
		return r
	case Sum:
		r.Below, r.Added = Placed(r.Below, place), Placed(r.Added, place)
		return r
	}
	return r
}
