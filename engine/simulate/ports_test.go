package simulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A crossing is a message between two units through their ports.
type crossing struct {
	from, to, bytes int
	begins, ends    float64 // µs: the first byte is at the receiver's port; the last is received
}

// crossings runs a message of each rank of the first half of a machine to one of the second, or the
// other way, each rank in one message only, after a computation of up to late µs. Overheads are 0.
func crossings(t *testing.T, m machine.Machine, latency, late float64, random *rand.Rand, sizes []int) []crossing {
	t.Helper()
	half := m.Cores() / 2
	b := schedule.NewBuilder(2 * half)
	all, to := make([]crossing, half), random.Perm(half)
	for i := range all {
		c := crossing{from: i, to: half + to[i], bytes: sizes[random.IntN(len(sizes))]}
		if random.IntN(3) == 0 {
			c.from, c.to = c.to, c.from
		}
		all[i] = c
	}
	for rank := range 2 * half {
		b.NextRank()
		for i := range all {
			switch c := &all[i]; rank {
			case c.from:
				delay := uint64(1000 * late * random.Float64()) // ns
				c.begins = float64(delay)/1000 + latency
				wait := b.Calc(delay)
				b.Requires(b.Send(uint64(c.bytes), uint32(c.to), 1), wait)
			case c.to:
				b.Recv(uint64(c.bytes), uint32(c.from), 1)
			}
		}
	}
	p, on := onFirstCores(t, m, b, 2*half)
	r, err := p.Run(t.Context(), Setup{Machine: on})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].ends = float64(r.Micros(r.Ranks[all[i].to]))
	}
	return all
}

// No link of a port carries more than its capacity, and messages through one port alone take no
// longer than it needs for them. A link of N ports and R routes takes R/N gaps for a message, and
// the part reverse of that for one in the opposite direction, by hand. In any time, the messages
// that begin and end in it take no more of a link than that time and one gap behind a last byte,
// which delays later messages only. Messages with a gap begin together: a later one has its fair
// share of bytes beside a gap that is left, not behind it.
func TestPortsCarryTheirCapacity(t *testing.T) {
	for seed := range uint64(404) {
		random := rand.New(rand.NewPCG(seed, 7))
		const latency, units = 2.0, 8
		g, perByte := float64(random.IntN(4)), 0.001*float64(1+random.IntN(3))
		ports, routes := float64(1+random.IntN(4)), 1+random.IntN(4)
		reverse := []float64{0, 0, 0.5, 1}[random.IntN(4)]
		network := &model.LogGP{LogP: model.LogP{Latency: latency, GapTime: quantity.Micros(g)}, GapPerByte: quantity.MicrosPerByte(perByte)}
		m := machine.Machine{Levels: []machine.Level{
			{Name: "node", Arity: units, Layer: network, Ports: ports, Routes: routes, Reverse: reverse},
			{Name: "cluster", Arity: 2, Layer: network}}}
		sizes := [][]int{{1, 2}, {1, 2, 1000}, {1, 100, 5000}, {20000}, {1, 50000}}[random.IntN(5)]
		late := []float64{0, 5, 30}[random.IntN(3)]
		if g > 0 {
			late = 0
		}
		all := crossings(t, m, latency, late, random, sizes)
		share := float64(routes) / ports
		for link := range routes {
			for _, out := range []bool{true, false} {
				uses := func(c crossing, forward bool) float64 {
					if c.to%routes != link || (c.from < units) != forward {
						return 0
					}
					return share * (g + float64(c.bytes-1)*perByte)
				}
				for _, first := range all {
					for _, last := range all {
						work, gap := 0.0, 0.0
						for _, c := range all {
							if c.begins < first.begins || c.ends > last.ends {
								continue
							}
							if own := uses(c, out) + reverse*uses(c, !out); own > 0 {
								work, gap = work+own, max(share, 1)*g // a gap of a message alone
							}
						}
						if span := last.ends - first.begins; work > 0 && work-gap > span+0.001 {
							t.Fatalf("seed %d: %v ports, %d routes, reverse %v: link %d (out %v) carries %.3f µs of messages in %.3f: %+v",
								seed, ports, routes, reverse, link, out, work-gap, span, all)
						}
					}
				}
			}
		}
	}
}

// Messages that begin together through one port are all there after the work of all, less the gap
// behind the last byte; and a longer message is not there before a shorter one.
func TestGapBehindLastByte(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 11))
		g, perByte := quantity.Micros(random.IntN(5)), quantity.MicrosPerByte(random.IntN(5))/4
		network := &model.LogGP{LogP: model.LogP{Latency: 4, GapTime: g}, GapPerByte: perByte}
		m := machine.Machine{Levels: []machine.Level{
			{Name: "node", Arity: 6, Layer: network, Ports: 1}, {Name: "cluster", Arity: 2, Layer: network}}}
		var messages [][3]int
		work, last := 0.0, 0.0
		for i := range 2 + random.IntN(5) {
			n := 1 + random.IntN(4)
			messages = append(messages, [3]int{i, 6 + i, n})
			work += float64(g) + float64(perByte)*float64(n-1)
		}
		got := ends(t, m, 12, messages)
		for _, a := range messages {
			last = max(last, got[a[1]])
			for _, b := range messages {
				if a[2] < b[2] && got[a[1]] > got[b[1]]+0.001 {
					t.Errorf("g %v, G %v, %v: %d B end at %.3f µs, %d B at %.3f", g, perByte, messages, a[2], got[a[1]], b[2], got[b[1]])
				}
			}
		}
		if want := 4 + work - float64(g); math.Abs(last-want) > 0.001 {
			t.Errorf("g %v, G %v, %v: all are there at %.3f µs, want %.3f", g, perByte, messages, last, want)
		}
	}
}
