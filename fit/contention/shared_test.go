package contention

import (
	"math"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func bcast(t testing.TB, name string, ranks int, bytes uint64) Point {
	t.Helper()
	e, err := collective.Find("bcast", name)
	if err != nil {
		t.Fatal(err)
	}
	return Point{Entry: e, Ranks: ranks, Call: collective.Call{Bytes: bytes}}
}

// Two ranks in a loop, by hand, with L = 2, o = 0.5 and no bytes that count, in µs. Both leave the
// exchange of the barrier 3 after the later one has entered it. The root hands its message over in
// 0.5 and enters. The receiver has it 3 after the root left the barrier, finds the root's barrier
// message there, has sent its own after 0.5 and received the root's after another 0.5: it leaves 4
// after the root left. The root has its message after 3 + 0.5 + 2 + 0.5 = 6. So the receiver waits
// 2 for the root to leave, and 3 for the message.
func TestLoopOfTwo(t *testing.T) {
	m := simulate.LogGOPS{Latency: 2, Overhead: 0.5, EagerLimit: simulate.NoLimit}
	p := bcast(t, "binomial", 2, 8)
	l, err := NewLoop(p.Entry, p.Ranks, p.Call)
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Run(t.Context(), m)
	if want := (Times{0.5, 2.75, 5}); err != nil || math.Abs(float64(got.Min-want.Min))+math.Abs(float64(got.Average-want.Average))+math.Abs(float64(got.Max-want.Max)) > 1e-6 {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

// two is what was measured on a machine of nodes of 8 cores: the node 1 µs and 10 kB/µs, the
// network 5 µs and 1 kB/µs, roots that hand over in 0.3 and 0.4 µs up to 4 KiB, whose gap among
// many is 0.5 and 0.6 µs.
func two() []Level {
	levels := []Level{{Name: "node", Holds: 16}, {Name: "cluster", Holds: 4}}
	for i, of := range []struct{ latency, rate, send, gap float64 }{{1, 10e3, 0.3, 0.5}, {5, 1e3, 0.4, 0.6}} {
		l := &levels[i]
		for n := 1.0; n <= 1<<20; n *= 4 {
			way := of.latency + n/of.rate
			l.Sizes, l.OneWay = append(l.Sizes, quantity.Bytes(n)), append(l.OneWay, quantity.Micros(way))
			for k := 1.0; k <= 14; k++ {
				f := Fan{Receivers: int(k), Size: quantity.Bytes(n), Times: Times{Average: quantity.Micros(math.NaN())}}
				switch eager := n <= 4096; {
				case k == 1 && eager: // the slower one waits for twice the way, less the overheads
					f.Max = quantity.Micros(2*way - 0.5)
					f.Average = (f.Max + quantity.Micros(of.send)) / 2
				case k == 1: // both wait for each other
					f.Average, f.Max = quantity.Micros(way+1), quantity.Micros(way+1)
				case eager:
					f.Max = quantity.Micros(way + k*of.gap)
				default: // two at once at full speed
					f.Max = quantity.Micros(of.latency + 1 + max(1, k/2)*n/of.rate)
				}
				l.Fans = append(l.Fans, f)
			}
		}
	}
	return levels
}

// The first size that is not sent at once may be a byte above the last that is; equal sizes do not
// rise.
func TestEagerEdge(t *testing.T) {
	levels := two()
	for i := range levels {
		l := &levels[i]
		at := slices.Index(l.Sizes, 4096) + 1
		was := l.Sizes[at]
		l.Sizes[at] = 4097
		for k := range l.Fans {
			if l.Fans[k].Size == was {
				l.Fans[k].Size = 4097
			}
		}
	}
	e, err := New(levels, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range e.Machine(Plain()).Levels[:1] {
		sizes := l.Layer.(*model.Table).Sizes
		if l.Eager != 4096 || len(sizes) != len(levels[0].Sizes) || len(slices.Compact(slices.Clone(sizes))) != len(sizes) {
			t.Errorf("%s: eager %v, sizes %v", l.Name, l.Eager, sizes)
		}
	}
	levels[0].Sizes[1] = levels[0].Sizes[0]
	if _, err := New(levels, 0); err == nil {
		t.Error("equal sizes are no error")
	}
}

// A root that is done after 0.65 of the receiver's time does not wait for it, and one that takes
// 0.75 does: up to where the one is measured, messages inside a node are eager.
func TestWaitingRoot(t *testing.T) {
	levels := two()
	for i := range levels {
		for k := range levels[i].Fans {
			if f := &levels[i].Fans[k]; f.Receivers == 1 {
				share := quantity.Micros(0.65)
				if f.Size > 1024 {
					share = 0.75
				}
				f.Average = f.Max * (1 + share) / 2
			}
		}
	}
	e, err := New(levels, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range e.Machine(Plain()).Levels[:1] {
		if l.Eager != 1024 {
			t.Errorf("%s: eager up to %v, want 1 KiB", l.Name, l.Eager)
		}
	}
}

func TestEstimate(t *testing.T) {
	e, err := New(two(), 0)
	if err != nil {
		t.Fatal(err)
	}
	m := e.Machine(Plain())
	near := func(what string, got quantity.Micros, want float64) {
		t.Helper()
		if math.Abs(float64(got)/want-1) > 0.05 { // rates are seen with a latency of 2 µs in 54
			t.Errorf("%s is %v, want %v µs", what, got, want)
		}
	}
	node, cluster := m.Levels[0], m.Levels[1]
	// Between nodes the bytes of 8 KiB take 4 µs, and a handshake 10.
	if node.Eager != 4096 || cluster.Eager != 16384 {
		t.Errorf("eager thresholds %v and %v, want 4 and 16 KiB", node.Eager, cluster.Eager)
	}
	near("the overhead in a node", node.Send.OneWay(1), 0.3)
	near("what a sender needs more among many", node.Crowd, 0.2)
	near("the one-way time in a node", node.Layer.OneWay(1), 1)
	near("the gap in a node", node.Layer.Gap(1), 0.5)
	near("the overhead of the network", cluster.Send.OneWay(1), 0.4)
	near("the gap of the network", cluster.Layer.Gap(1), 0.6)
	near("the one-way time of the network", cluster.Layer.OneWay(1), 5)
	near("a rendezvous in a node", node.Layer.OneWay(1<<20), 2+(1<<20)/10e3)
	near("the memory of a node", node.Shared.OneWay(1<<20), (1<<20)/20e3)
	near("the port of a node for a byte", node.Port.OneWay(1), math.Sqrt(0.4*0.6))
	near("the port of a node", node.Port.OneWay(1<<20), (1<<20)/2e3+0.5)
	if m.Levels[1].Port != nil || m.Levels[1].Shared != nil {
		t.Error("the whole machine shares something")
	}

	plain := two()
	plain[0].Fans, plain[1].Fans = nil, nil
	if e, err = New(plain, 0); err != nil {
		t.Fatal(err)
	}
	m = e.Machine(Plain())
	near("half of a one-way time", m.Levels[1].Layer.Gap(1), 2.5)
	near("the assumed memory of a node", m.Levels[0].Shared.OneWay(3<<20), float64(m.Levels[0].Layer.OneWay(1<<20)))
	near("the assumed port of a node", m.Levels[0].Port.OneWay(1<<20), float64(m.Levels[1].Layer.OneWay(1<<20)))
	if m.Levels[0].Eager != 0 {
		t.Errorf("without fans there is a rendezvous: %+v", m.Levels[0])
	}
}

// The search finds factors with which its points were simulated.
func TestSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	e, err := New(two(), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := Factors{Contention: 1.6, EagerPerByte: 1.6, MemoryPerByte: 1.6 * 1.6, NICPerMessage: 1.6, NICPerByte: 1.6}
	var points []Point
	for _, ranks := range []int{5, 12, 16, 33, 64} {
		for _, n := range []uint64{1, 1024, 4096, 1 << 14, 1 << 20} {
			points = append(points, bcast(t, "binomial", ranks, n))
		}
	}
	times, err := predictOn(t, points, e.Machine(want))
	if err != nil {
		t.Fatal(err)
	}
	for i := range points {
		points[i].Times = times[0][i]
	}
	f, err := e.Search(t.Context(), points)
	if err != nil {
		t.Fatal(err)
	}
	if f.After > 0.02 || f.Before < 2*f.After {
		t.Errorf("a median error of %.3f before, %.3f after: %+v", f.Before, f.After, f.Factors)
	}
	if r := f.MemoryPerByte / want.MemoryPerByte; r < 0.8 || r > 1.25 {
		t.Errorf("the memory is found to be %.2f, want %.2f", f.MemoryPerByte, want.MemoryPerByte)
	}
	same, other, err := f.FittedIntervals()
	if err != nil || !(other.Low < same.Low && same.Low < 1 && 1 < same.High && same.High < other.High) {
		t.Errorf("intervals %v and %v (%v)", same, other, err)
	}
	if low, high := same.Of(3); low != 3*quantity.Micros(same.Low) || high != 3*quantity.Micros(same.High) {
		t.Errorf("%v to %v of 3 µs", low, high)
	}

	for i := range points { // a machine on which something else decides
		points[i].Average, points[i].Max = quantity.Micros(1e3*float64(int(1)<<(i%7))), quantity.Micros(math.NaN())
	}
	if f, err = e.Search(t.Context(), points); err != nil {
		t.Fatal(err)
	}
	if _, _, err = f.FittedIntervals(); err == nil {
		t.Errorf("times without sense: %v, %+v", err, f)
	}
}

// What was not measured is not told.
func TestUnseen(t *testing.T) {
	all := two()
	e, err := New(all, 0)
	if err != nil {
		t.Fatal(err)
	}
	if i := e.DefaultInterval(); !(i.Low < 1 && i.High > 2 && i.High < 4) {
		t.Errorf("%+v", i)
	}
	all[0] = Level{Name: "node", Holds: 16}
	if e, err = New(all, 0); err != nil {
		t.Fatal(err)
	}
	if i := e.DefaultInterval(); i.Low != 0 || !math.IsInf(i.High, 1) {
		t.Errorf("nothing is known inside a node: %+v", i)
	}
	for _, wrong := range [][]Level{nil, {{Name: "node", Holds: 2}}, {{Name: "node", Holds: 2, Sizes: []quantity.Bytes{1}, OneWay: []quantity.Micros{1}}}} {
		if _, err := New(wrong, 0); err == nil {
			t.Errorf("%v is a machine", wrong)
		}
	}
}

func TestErrors(t *testing.T) {
	e, err := New(two(), 0)
	if err != nil {
		t.Fatal(err)
	}
	p := bcast(t, "binomial", 65, 8) // the machine has 64 cores
	if _, err := predictOn(t, []Point{p}, e.Machine(Plain())); err == nil {
		t.Error("65 ranks on 64 cores")
	}
	p.Call.Root = 99
	if _, err := loopsOf([]Point{p}); err == nil {
		t.Error("a root beyond the ranks")
	}
	if _, err := predictOn(t, []Point{bcast(t, "binomial", 4, 8)}, machine.Machine{}); err == nil {
		t.Error("no machine")
	}
}

// predictOn returns the times of points on each machine.
func predictOn(t testing.TB, points []Point, machines ...machine.Machine) (times [][]Times, err error) {
	loops, err := loopsOf(points)
	for _, m := range machines {
		if err != nil {
			break
		}
		var got []Times
		got, err = predict(t.Context(), points, loops, m)
		times = append(times, got)
	}
	return times, err
}
