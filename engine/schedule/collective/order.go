package collective

import (
	"encoding/binary"
	"unique"
)

// Numbers are a list of numbers that is compared by its contents, so that calls with equal lists
// are equal. The zero value is no list.
type Numbers struct{ list unique.Handle[string] }

// NumbersOf returns the list of numbers from 0 to 2³² − 1.
func NumbersOf(all []int) Numbers {
	text := make([]byte, 0, 4*len(all))
	for _, n := range all {
		text = binary.LittleEndian.AppendUint32(text, uint32(n))
	}
	return Numbers{unique.Make(string(text))}
}

// given reports whether there is a list.
func (n Numbers) given() bool { return n != Numbers{} }

// at returns the i-th number.
func (n Numbers) at(i int) int {
	s := n.list.Value()[4*i:]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// Nodes say how the places of a group lie on nodes.
type Nodes struct {
	// PerNode is the number of consecutive places on each node, of which the last one may have
	// fewer; 0 if they are not known, or if other nodes have fewer. With an order, of places in it.
	PerNode int
	// Order is empty if the places fill one node after the other. Else it has the places node by
	// node, in the order of the first on each, and behind them where each of 0, 1 … is among those.
	Order Numbers
	Rails int // of a node; 0 if they are not known
}

// NodesOf returns the nodes of places, from the node of each.
func NodesOf(places int, node func(place int) int) (n Nodes) {
	number, last := map[int]int{}, -1 // of a node, by its first place; that of the last place
	var counts []int                  // places of each
	ordered := true
	for place, before := 0, 0; place < places; place++ {
		if on := node(place); place == 0 || on != before {
			known := false
			if last, known = number[on]; !known {
				last = len(counts)
				number[on], counts = last, append(counts, 0)
			}
			ordered, before = ordered && !known, on
		}
		counts[last]++
	}
	for i, count := range counts {
		if i == 0 {
			n.PerNode = count
		} else if count > counts[0] || count < counts[0] && i+1 < len(counts) {
			n.PerNode = 0
		}
	}
	if ordered {
		return n
	}
	next := make([]int, len(counts)) // position of the next place of each node
	for i := range counts[1:] {
		next[i+1] = next[i] + counts[i]
	}
	order := make([]int, 2*places)
	for place := range places {
		on := number[node(place)]
		order[next[on]], order[places+place] = place, next[on]
		next[on]++
	}
	n.Order = NumbersOf(order)
	return n
}
