package collective

// MaxChannels is the largest number of channels of a call.
const MaxChannels = 64

// striped returns an algorithm that runs once for each channel of a call, on another share of the
// elements, as NCCL stripes its rings and trees. In channel c of k, the places of a node of g ranks
// are rotated by c·g/k, so that each channel leaves the node from another rank. Its messages take
// the NIC c + 1 of their ranks, which stands for the c-th rail of a node. A message of few elements
// has as many channels as give each at least one for each of its parts. With an order, an algorithm
// takes the places in it.
func striped(a Algorithm, inBlocks bool) Algorithm {
	return func(p *member) {
		order := p.Order
		if p.Blocks != nil { // which are by place
			order = Numbers{}
		}
		if p.Channels <= 1 && !order.given() {
			a(p)
			return
		}
		n, border := p.Call.stripes(p.Size, inBlocks)
		place, call := p.Place, p.Call
		for c := range n {
			p.begin()
			p.turn = turn{order, p.PerNode, p.Size, c, n}
			p.Place, p.Call = p.turn.to(place), call
			p.Bytes, p.Root = border(c+1)-border(c), p.turn.to(call.Root)
			// Double trees use the next tag too, and the barrier of a loop the one after.
			p.Channels, p.Tag = 1, call.Tag+4*uint32(c)
			if call.Channels > 1 {
				p.nic = uint16(c + 1)
			}
			a(p)
		}
		p.Place, p.Call, p.turn, p.nic = place, call, turn{}, 0
	}
}

// stripes returns the number of channels that a call has, and the first byte of the share of each;
// after the last, the end.
func (c Call) stripes(ranks int, inBlocks bool) (n int, border func(int) uint64) {
	parts := uint64(ranks)
	if inBlocks {
		parts = 1
	}
	n = int(min(uint64(max(c.Channels, 1)), max(1, c.elements()/parts)))
	return n, c.shared(0, c.elements(), n)
}
