//go:build linux

package live

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// A relay is between two nodes, with a socket towards each. It loses, repeats, delays and damages
// datagrams on their way, and counts them.
type relay struct {
	rate                             float64 // of each of the four faults
	lost, repeated, delayed, damaged atomic.Int64
}

// connected is [Transport.connected] with the relay between, until the test ends.
func (r *relay) connected(t *testing.T, seed uint64) (nodes [2]int) {
	t.Helper()
	var sockets [2]net.Conn
	for i := range nodes {
		near, far, err := connectedUDP()
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = near
		file := os.NewFile(uintptr(far), "relay")
		sockets[i], err = net.FileConn(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var running sync.WaitGroup
	for i := range nodes {
		running.Go(func() { r.forward(sockets[i], sockets[1-i], rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	t.Cleanup(func() {
		sockets[0].Close()
		sockets[1].Close()
		running.Wait()
	})
	return nodes
}

// forward passes on what comes, until the sockets are closed.
func (r *relay) forward(from, to net.Conn, random *rand.Rand) {
	hit := func(count *atomic.Int64) bool {
		if random.Float64() >= r.rate {
			return false
		}
		count.Add(1)
		return true
	}
	type late struct {
		data []byte
		wait int // for how many datagrams
	}
	var kept []late
	buffer := make([]byte, 64<<10)
	send := func(data []byte) {
		_, _ = to.Write(data) // a node that has closed its socket is none that misses it
		if hit(&r.repeated) {
			_, _ = to.Write(data)
		}
	}
	for {
		n, err := from.Read(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // of what was sent to a node that has closed its socket
			continue
		}
		data := buffer[:n]
		switch {
		case hit(&r.lost):
			data = nil
		case hit(&r.damaged):
			if random.IntN(4) == 0 {
				data = data[:random.IntN(n)]
			} else {
				data[random.IntN(n)] ^= 1 << random.IntN(8)
			}
		}
		if data != nil && hit(&r.delayed) {
			kept = append(kept, late{append([]byte(nil), data...), 1 + random.IntN(5)})
		} else if data != nil {
			send(data)
		}
		left := kept[:0]
		for _, k := range kept {
			if k.wait--; k.wait < 0 {
				send(k.data)
				continue
			}
			left = append(left, k)
		}
		kept = left
	}
}

// lossyPorts are ports of UDP with a relay between them.
func lossyPorts(t *testing.T, r *relay) (ports [nodes]*port) {
	t.Helper()
	for i, fd := range r.connected(t, nodes) {
		var err error
		if ports[i], err = UDP.open(i, fd); err != nil {
			t.Fatal(err)
		}
	}
	return ports
}

// once stores messages to each other node. Each message must run its handler once, in order, with
// its data.
func once(ep *engine.Endpoint, n, messages int) error {
	nodes, me := ep.Nodes(), ep.Node()
	segment := ep.Register(make([]byte, nodes*n))
	next := make([]int, nodes)
	var failed error
	take := ep.Handle(func(m *engine.Message) {
		i := int(m.Words[0])
		if i != next[m.From] {
			failed = errors.Join(failed, fmt.Errorf("message %d of node %d came when %d was due", i, m.From, next[m.From]))
		}
		next[m.From] = i + 1
		for at, b := range m.Data {
			if b != byte(m.From+3*i+5*at) {
				failed = errors.Join(failed, fmt.Errorf("message %d of node %d differs at byte %d", i, m.From, at))
				break
			}
		}
	})
	data := make([]byte, n)
	for i := range messages {
		for at := range data {
			data[at] = byte(me + 3*i + 5*at)
		}
		for to := 1; to < nodes; to++ {
			if err := ep.Store((me+to)%nodes, take, segment, me*n, data, uint32(i)); err != nil {
				return err
			}
			// The segment has room for one message of each node.
			if err := ep.Flush(); err != nil {
				return err
			}
		}
	}
	if err := ep.Barrier(); err != nil {
		return err
	}
	for from, got := range next {
		if from != me && got != messages {
			failed = errors.Join(failed, fmt.Errorf("%d of %d messages of node %d came", got, messages, from))
		}
	}
	return failed
}

// TestLossy runs programs that check all data through relays. All arrives, and once.
//
// At a rate of 30 %, a packet and its acknowledgement both get through undamaged with (0.7²)² = 24
// %, delayed ones included: these are due a few datagrams later. The time runs out 66 times in a
// row (attempts), of which the last five may be lost to delays, with 0.76⁶¹ = 5·10⁻⁸ for each
// packet, and 10⁻⁵ for all 200 of this test at that rate. With 12 times it would be 4 %.
func TestLossy(t *testing.T) {
	if attempts != 66 {
		t.Errorf("%d attempts: is a node given up by chance?", attempts)
	}
	for _, c := range []struct {
		percent  int
		n        int // bytes of a transfer
		messages int
	}{{1, 300_000, 200}, {5, 60_000, 60}, {10, 30_000, 30}, {20, 10_000, 10}, {30, 5_000, 5}} {
		for _, p := range []struct {
			name string
			run  func(ep *engine.Endpoint) error
		}{
			{"test_xfer", ran(t, "test_xfer", programs.Args{Traffic: programs.AllToAll, Size: c.n / 2, Count: 1})},
			{"test_med", ran(t, "test_med", programs.Args{Traffic: programs.AllToAll, Size: c.n, Count: 1})},
			{"thru_bulk", ran(t, "thru_bulk", programs.Args{Size: c.n / 10, Count: 10})},
			{"once", func(ep *engine.Endpoint) error { return once(ep, 100, c.messages) }},
		} {
			t.Run(fmt.Sprintf("%s/%d%%", p.name, c.percent), func(t *testing.T) {
				t.Parallel()
				r := &relay{rate: float64(c.percent) / 100}
				ports := lossyPorts(t, r)
				eps := make([]*engine.Endpoint, nodes)
				err := run(ports, UDP, engine.Options{}, false, func(ep *engine.Endpoint) error {
					eps[ep.Node()] = ep
					return p.run(ep)
				})
				if err != nil {
					t.Fatal(err)
				}
				var all engine.Stats
				garbage := 0
				for i, ep := range eps {
					s := ep.Stats()
					all.Sent += s.Sent
					all.BytesSent += s.BytesSent
					all.Received += s.Received
					all.BytesReceived += s.BytesReceived
					all.Resent += s.Resent
					all.Duplicate += s.Duplicate
					all.Corrupt += s.Corrupt
					all.Reordered += s.Reordered
					all.Malformed += s.Malformed
					garbage += ports[i].link.(*datagrams).garbage
				}
				t.Logf("%d lost, %d repeated, %d delayed, %d damaged; %d garbage, %+v",
					r.lost.Load(), r.repeated.Load(), r.delayed.Load(), r.damaged.Load(), garbage, all)
				if all.Sent != all.Received || all.BytesSent != all.BytesReceived || all.Malformed != 0 {
					t.Errorf("%d packets of %d bytes were sent, %d of %d taken, %d malformed", all.Sent, all.BytesSent, all.Received, all.BytesReceived, all.Malformed)
				}
				// Not all of 20 faults of a kind are of acknowledgements: half of the datagrams
				// are.
				const seen = 20
				if r.lost.Load()+r.damaged.Load() >= seen && all.Resent == 0 {
					t.Error("nothing was sent again")
				}
				if r.repeated.Load() >= seen && all.Duplicate == 0 {
					t.Error("nothing came twice")
				}
				if r.damaged.Load() >= seen && all.Corrupt+int64(garbage) == 0 {
					t.Error("nothing was damaged")
				}
				if c.percent >= 5 && r.lost.Load()+r.repeated.Load()+r.delayed.Load()+r.damaged.Load() == 0 {
					t.Error("the relay did nothing")
				}
			})
		}
	}
}
