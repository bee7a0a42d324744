package collective

import (
	"context"
	"fmt"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// channelsOf follows the data of each channel, since each cuts and moves a share of its own.
type channelsOf struct {
	of     []*memoryOf
	now    int
	fresh  func() *memoryOf
	begins map[int]int // by rank, which begin in turn
	rank   int
}

func (c *channelsOf) begin(place, slots int, at func(int) uint64) {
	if c.now = c.begins[c.rank]; c.now == len(c.of) {
		c.of = append(c.of, c.fresh())
	}
	c.begins[c.rank]++
	c.of[c.now].begin(place, slots, at)
}

func (c *channelsOf) sent(op, tag uint32, to int, from []span) { c.of[c.now].sent(op, tag, to, from) }

func (c *channelsOf) received(op, tag uint32, from int, to []span, fold bool, calc uint32) {
	c.of[c.now].received(op, tag, from, to, fold, calc)
}

func (c *channelsOf) moved(to, from span, fold bool, calc uint32) {
	c.of[c.now].moved(to, from, fold, calc)
}

// movesInChannels is moves for a call of several channels: each moves what the collective promises,
// of its share, and the shares are the message.
func movesInChannels(e Entry, p int, c Call) error {
	pr := special(e)
	watch := &channelsOf{begins: map[int]int{}}
	parts := uint64(p)
	if e.InBlocks() {
		parts = 1
	}
	channels := min(max(uint64(c.Channels), 1), max(1, c.elements()/parts))
	channelRoot := func(channel int) int { // its place among those that the channel rotates
		root := c.Root
		if c.Order.given() {
			for root = 0; c.Order.at(root) != c.Root; root++ {
			}
		}
		if c.PerNode == 0 {
			return root
		}
		node := root / c.PerNode * c.PerNode
		size := min(c.PerNode, p-node)
		return node + (root-node+size-channel*size/int(channels))%size
	}
	watch.fresh = func() *memoryOf {
		root := channelRoot(len(watch.of))
		m := &memoryOf{p: p, once: pr.once, at: make([]func(int) uint64, p), slots: make([][]*version, p),
			sends: map[[3]int][][]*version{}, sendOps: map[[3]int][]uint32{}, recvOps: map[[3]int][]uint32{}}
		m.initial = func(place, slot, slots int) value {
			return pr.initial(p, root, place, slot, slots)
		}
		return m
	}
	if err := e.Check(p, c); err != nil {
		return err
	}
	s, err := limits{maxOperations, false}.schedule(context.Background(), func(p *member) {
		watch.rank = p.Place
		e.Algorithm(p)
	}, nil, p, c, 1, watch)
	if err != nil {
		return err
	}
	var bytes uint64
	for channel, m := range watch.of {
		m.finish(s)
		for place, slots := range m.slots {
			for i, v := range slots {
				if place == 0 {
					bytes += v.bytes
				}
				got := m.eval(v)
				want, matters := pr.final(p, channelRoot(channel), place, i, len(slots))
				if v.bytes > 0 && (matters && got != want || got.err != "") {
					return fmt.Errorf("place %d, slot %d: has %+v, want %+v", place, i, got, want)
				}
			}
		}
		if len(m.errs) > 0 {
			return fmt.Errorf("%d mistakes, the first: %s", len(m.errs), m.errs[0])
		}
	}
	want := c.Bytes
	if e.InBlocks() {
		want *= uint64(p)
	}
	if p > 1 && (bytes != want || len(watch.of) != int(channels)) {
		return fmt.Errorf("%d channels have %d bytes, not %d and %d", len(watch.of), bytes, channels, want)
	}
	return nil
}

// Places that take turns on nodes go node by node: each rank does what the rank there does of ranks
// in blocks, with peers that have other numbers.
func TestPlacesGoNodeByNode(t *testing.T) {
	e, err := Find("allreduce", "ring")
	if err != nil {
		t.Fatal(err)
	}
	const ranks, nodes = 12, 3
	turns := NodesOf(ranks, func(place int) int { return place % nodes })
	if turns.PerNode != 4 {
		t.Fatalf("%d places a node, want 4", turns.PerNode)
	}
	nccl := Library{Name: "nccl"}
	for _, rails := range []int{1, 2} {
		turns.Rails = rails
		s, err := e.Schedule(ranks, nccl.OnNodes(e, Call{Bytes: 4800}, turns))
		if err != nil {
			t.Fatal(err)
		}
		full := Nodes{PerNode: 4, Rails: rails}
		blocks, err := e.Schedule(ranks, nccl.OnNodes(e, Call{Bytes: 4800}, full))
		if err != nil {
			t.Fatal(err)
		}
		// Rank 4·n + i of blocks is rank n + 3·i of turns.
		for rank := range ranks {
			lo, hi := blocks.Rank(rank)
			first, end := s.Rank(rank/4 + rank%4*nodes)
			if end-first != hi-lo {
				t.Fatalf("rank %d: %d operations, want %d", rank, end-first, hi-lo)
			}
			for i, want := range blocks.Ops()[lo:hi] {
				if want.Kind != schedule.Calc {
					want.Peer = want.Peer/4 + want.Peer%4*nodes
				}
				if got := s.Ops()[first:end][i]; got != want {
					t.Fatalf("%d rails, rank %d, operation %d: %+v, want %+v", rails, rank, i, got, want)
				}
			}
		}
	}
	// Other libraries know the numbers of ranks alone.
	c := Library{Name: "openmpi"}.OnNodes(e, Call{}, turns)
	if c.PerNode != 0 || c.Order.given() {
		t.Errorf("Open MPI has %+v", c)
	}
}

// Channel c of k leaves a node of eight ranks from rank c·8/k − 1 and enters it at rank c·8/k, and
// its messages take NIC c + 1: the order of NCCL's rings over several NICs.
func TestChannelsLeaveByTheirRanks(t *testing.T) {
	e, err := Find("allreduce", "ring")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Schedule(24, Call{Bytes: 24 * 4 * 100, Channels: 4, PerNode: 8})
	if err != nil {
		t.Fatal(err)
	}
	crossing := map[[3]int]uint64{} // local ranks of sender and receiver, NIC: bytes
	for i, op := range s.Ops() {
		from, to := s.RankOf(uint32(i)), int(op.Peer)
		if op.Kind == schedule.Send && from/8 != to/8 {
			crossing[[3]int{from % 8, to % 8, int(op.NIC)}] += op.Size
		}
	}
	want := uint64(3 * 46 * 100) // of three nodes, 2(p − 1) messages of a share of a channel each
	for c := range 4 {
		if key := [3]int{(2*c + 7) % 8, 2 * c, c + 1}; crossing[key] != want {
			t.Errorf("channel %d: %d bytes from rank %d to rank %d of a node by NIC %d, want %d; all: %v",
				c, crossing[key], key[0], key[1], key[2], want, crossing)
		}
	}
	if len(crossing) != 4 {
		t.Errorf("messages between nodes: %v, want four kinds", crossing)
	}
}
