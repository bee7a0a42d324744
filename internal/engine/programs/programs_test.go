package programs_test

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// sizes are those of the comparison: powers of two, and neighbours of boundaries.
var sizes = []int{1, 2, 16, 63, 256, 257, 1024, 4095, 4096, 4097, 16384, 65536, 1 << 20, 4 << 20}

func close(got, want quantity.Micros, tolerance float64) bool {
	return math.Abs(float64(got-want)) <= tolerance*math.Abs(float64(want))
}

// exact is the one-way time of n bytes. Where pieces follow each other through a pipeline, the
// formula starts the last when the slowest stage is free, whether or not it can be there by then:
// it is short where that piece is. The recurrence over all packets is exact.
func exact(l model.Layer, n quantity.Bytes) quantity.Micros {
	l = model.At(l, n)
	s, ok := l.(*model.Fragmented)
	if !ok || s.Window > 0 {
		return l.OneWay(n)
	}
	p, ok := model.At(s.Below, s.MTU).(*model.Pipeline)
	if !ok || n <= s.MTU {
		return l.OneWay(n)
	}
	var plan model.Plan
	for at := quantity.Bytes(0); at < n; at += s.MTU {
		piece := min(s.MTU, n-at)
		plan = append(plan, model.EqualPlan(piece, p.PacketSize(piece))...)
	}
	return p.OneWayAs(plan)
}

// The engine takes as long as the exact model says, for each layer of each platform.
func TestOneWayIsTheModels(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			s := virtual.Of(p, l)
			for _, n := range sizes {
				const most = 1 << 20 // longer ones only where another protocol takes them
				if n > most && model.At(l.Model, quantity.Bytes(n)) == model.At(l.Model, most) {
					continue
				}
				if piece := int(model.PacketSize(l.Model, quantity.Bytes(n))); n/piece > 3000 || raceEnabled && n > 1<<16 {
					continue
				}
				var got quantity.Micros
				_, err := virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
					r, err := named(t, "latency").Run(ep, programs.Args{Size: n, Count: 1})
					if ep.Node() == 0 {
						got = r.Time
					}
					return err
				})
				want := exact(l.Model, quantity.Bytes(n))
				if err != nil || !close(got, want, 1e-9) {
					t.Errorf("%s, %d bytes: one way %v, the model says %v (%+.3g), %v", l.Ref(), n, got, want, float64(got/want-1), err)
				}
			}
		}
	}
}

// run runs a program on a layer and returns what it measured on node 0.
func run[T any](t *testing.T, p platforms.Platform, l platforms.Layer, c virtual.Config, program func(*engine.Endpoint) (T, error)) (result T) {
	t.Helper()
	s := virtual.Of(p, l)
	_, err := virtual.Run(s, c, func(ep *engine.Endpoint) error {
		r, err := program(ep)
		if ep.Node() == 0 {
			result = r
		}
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", l.Ref(), err)
	}
	return result
}

func named(t *testing.T, name string) programs.Program {
	t.Helper()
	p, err := programs.Find(name, programs.Simulated)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The signature that the engine runs gives LogP's parameters back: all five rows of HP-LAM's table
// 4.2. Apart from 0, each Δ is longer than the longest g there, 13.6 µs: with one just below g it
// takes thousands of messages until credits run out.
func TestSignatureIsThePlatforms(t *testing.T) {
	for _, ref := range []string{"hp-lam/gam", "sun-lam-ss20", "sun-lam-ultra1", "paragon", "meiko-cs2"} {
		d, err := platforms.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		p, l := d.Platform, d.Layer
		c := virtual.Config{Nodes: 2}
		bursts := run(t, p, l, c, func(ep *engine.Endpoint) ([]benchfile.Burst, error) {
			r, err := named(t, "signature").Run(ep, programs.Args{Count: 2048, Deltas: []quantity.Micros{0, 16, 20, 24, 32}})
			return r.Bursts, err
		})
		rtt := run(t, p, l, c, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingPong(ep, 3) })
		table := &benchfile.Table{Title: ref, Kind: benchfile.Interval, Bursts: bursts}
		found, err := fit.LogP(table, rtt)
		if err != nil {
			t.Fatal(err)
		}
		got, want := found.Value, l.Model.(*model.LogGP).LogP
		for _, p := range []struct {
			name      string
			got, want quantity.Micros
		}{
			{"o_s", got.SendOverhead, want.SendOverhead}, {"o_r", got.ReceiveOverhead, want.ReceiveOverhead},
			{"L", got.Latency, want.Latency}, {"g", got.GapTime, want.GapTime}, {"RTT", rtt, 2 * want.OneWay(1)},
		} {
			t.Logf("%-15s %-3s %v of %v", ref, p.name, p.got, p.want)
			if !close(p.got, p.want, 0.005) {
				t.Errorf("%s: %s is %v, the platform's is %v", ref, p.name, p.got, p.want)
			}
		}
	}
}

// A stream of messages has the gap of the model.
func TestStreamIsTheModels(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	// The slowest stage of small messages is not that of large ones.
	made, err := platforms.Parse("made", []byte(`
stage.fixed = {beta="10us", tau="0us/KiB", source="x"}
stage.bytes = {beta="1us", tau="1us/KiB", source="x"}
layer.pipe = {model="pipeline", stages=["fixed", "bytes"], packets="whole", source="x"}
layer.top = {model="series", below="pipe", beta="5us", tau="0us/KiB", source="x"}
layer.pieces = {model="fragmented", below="pipe", mtu="3000B", source="x"}
layer.whole = {model="series", below="pieces", beta="5us", tau="0us/KiB", source="x"}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(all, made) {
		for _, l := range p.Layers {
			for _, n := range []int{1, 16, 256, 4096, 65536} {
				if piece := int(model.PacketSize(l.Model, quantity.Bytes(n))); n/piece > 100 {
					continue
				}
				if retry := l.Protocol.Retry; retry > 0 && l.Model.OneWay(quantity.Bytes(n)) > retry {
					continue // sent again before an acknowledgement can be there
				}
				got := run(t, p, l, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) (quantity.Micros, error) {
					r, err := named(t, "bandwidth").Run(ep, programs.Args{Size: n, Count: 31})
					return r.Time, err
				})
				if want := l.Model.Gap(quantity.Bytes(n)); !close(got, want, 1e-9) {
					t.Errorf("%s, %d bytes: gap %v, the model says %v (%+.3g)", l.Ref(), n, got, want, float64(got/want-1))
				}
			}
		}
	}
}

// Every byte of the torture tests arrives, and none beside its place.
func TestTorture(t *testing.T) {
	for _, ref := range []string{"hp-lam/bulk", "clip/user-buffer", "jam-1394", "mpc/mpi", "parnass/bullfrog"} {
		d, err := platforms.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		p, l := d.Platform, d.Layer
		for _, traffic := range []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll} {
			for _, n := range []int{1, 100, 10000} {
				c := virtual.Config{Nodes: 5}
				for _, name := range []string{"test_xfer", "test_med"} {
					run(t, p, l, c, func(ep *engine.Endpoint) (quantity.Micros, error) {
						r, err := named(t, name).Run(ep, programs.Args{Traffic: traffic, Size: n, Count: 2})
						return r.Time, err
					})
				}
			}
		}
	}
}
