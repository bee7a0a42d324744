package collectives

import (
	"fmt"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// Where NICs interleave messages, the short last segment of a message, or a small block, arrives
// before the previous one. No rank passes it on before that one, so each segment comes into its own
// receive. Another receive would have no room for it, which the simulation reports.
func TestSegmentsInOrder(t *testing.T) {
	const segment = 64 << 10
	sizes := []uint64{segment + 1, 2*segment + 100, 4*segment - 1, 8*segment + 16384}
	for name, d := range map[string]platforms.Design{"four ports": gpus(t, 64, `ports = "4"`),
		"one port": gpus(t, 64, `port = "nic"`), "eager to 100 KiB": interleaving(t, `eager_threshold = "100KiB"`),
		"deferred, overlapping": interleaving(t, "overlap = \"8KiB\"\ndeferred = \"1B\"")} {
		for p := 2; p <= 17; p++ {
			m, err := placed.Machine(d.Machine(), d.Layer, machine.Placement{}, p, simulate.NoLimit)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range collective.Algorithms {
				if e.Ranks != 0 && e.Ranks != p || e.Bound {
					continue
				}
				for i, n := range sizes {
					c := collective.Call{Bytes: n, Segment: segment, Root: p / 3}
					var blocks []uint64
					switch {
					case e.Params&collective.Segment != 0:
					case e.Params&collective.Blocks != 0 && e.Collective != "alltoall":
						if i > 0 {
							continue
						}
						for q := range p {
							blocks = append(blocks, uint64(q*7%5)*segment/2+1)
						}
					default:
						continue
					}
					b := schedule.NewBuilder(p)
					if p%2 == 1 { // as in programs and traces
						b.Calls()
					}
					for q := range p {
						b.NextRank()
						e.Algorithm.Add(b, collective.Group{Size: p, Place: q, Blocks: blocks}, c)
					}
					s, err := b.Build()
					if err != nil {
						t.Fatal(err)
					}
					program, err := simulate.New(s)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := program.Run(t.Context(), simulate.Setup{Machine: m}); err != nil {
						t.Errorf("%s: %s %s of %d bytes on %d ranks: %v", name, e.Collective, e.Name, n, p, err)
					}
				}
			}
		}
	}
}

// interleaving returns nodes of four ranks whose NICs interleave messages, with further keys.
func interleaving(t *testing.T, keys string) platforms.Design {
	t.Helper()
	return wholeDesign(t, "interleaving", fmt.Appendf(nil, `
title = "Nodes of four"
[level.node]
arity = "4"
layer = "node"
packet = "4KiB"
port = "nic"
%[1]s
source = "a"
[level.cluster]
arity = "8"
layer = "network"
packet = "4KiB"
%[1]s
source = "a"
[layer.node]
model = "loggp"
o = "0.3us"
L = "0.5us"
g = "0.3us"
G = "1/(10GB/s)"
source = "a"
[layer.network]
model = "loggp"
o = "0.5us"
L = "2us"
g = "0.5us"
G = "1/(12GB/s)"
source = "a"
[layer.nic]
model = "linear"
beta = "0us"
tau = "1/(12GB/s)"
source = "a"
`, keys))
}
