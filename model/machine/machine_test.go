package machine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// small is two nodes of two sockets of two caches of two cores.
func small() Machine {
	line := func(beta float64) model.Layer { return &model.Linear{Beta: quantity.Micros(beta), Tau: 0.001} }
	return Machine{Levels: []Level{
		{Name: "cache", Arity: 2, Layer: line(1)},
		{Name: "socket", Arity: 2, Layer: line(2)},
		{Name: "node", Arity: 2, Layer: line(3)},
		{Name: "cluster", Arity: 2, Layer: line(4)},
	}}
}

// The places are those that Debian's Open MPI 4.1.4 printed for two nodes of this shape, with
//
//	mpirun -np 5 --map-by … --bind-to core --display-map --do-not-launch
//
// and its simulator of allocations (ras_simulator_num_nodes 2); what it calls l3cache is our cache.
func TestPlacesOfOpenMPI(t *testing.T) {
	for by, want := range map[string]Places{
		"socket": {0, 4, 1, 5, 2},
		"cache":  {0, 2, 4, 6, 1},
		"node":   {0, 8, 1, 9, 2},
		"core":   {0, 1, 2, 3, 4},
	} {
		got, err := small().Place(Placement{By: by}, len(want))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("by %s: %v, %v; want %v", by, got, err, want)
		}
	}
}

// By hand: a machine that is full, in the order of ranks; and at which level ranks 0 and r meet.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		by    string
		want  Places
		meets string // of rank 0 with each: the first letter of the level
	}{
		{"core", Places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, "ccssnnnnCCCCCCCC"},
		{"cache", Places{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}, "csnncsnnCCCCCCCC"},
		{"socket", Places{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}, "cncnsnsnCCCCCCCC"},
		{"node", Places{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}, "cCcCsCsCnCnCnCnC"},
		{"15, 0..2", Places{15, 0, 1, 2}, "cCCC"},
	} {
		m := small()
		got, err := m.Place(Placement{By: c.by}, len(c.want))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("by %s: %v, %v; want %v", c.by, got, err, c.want)
			continue
		}
		meets := ""
		for _, core := range got {
			level := commonLevel(m, got[0], core)
			if back := commonLevel(m, core, got[0]); back != level {
				t.Errorf("by %s: %d and %d meet at %d, and the other way at %d", c.by, got[0], core, level, back)
			}
			meets += string("csnC"[level])
		}
		if meets != c.meets {
			t.Errorf("by %s: rank 0 meets the others at %s, want %s", c.by, meets, c.meets)
		}
	}
}

// Without a level called node, units of the whole machine take turns.
func TestPlacesWithoutNodes(t *testing.T) {
	m := small()
	m.Levels[2].Name = "board"
	if got, err := m.Place(Placement{By: "socket"}, 5); err != nil || !slices.Equal(got, Places{0, 4, 8, 12, 1}) {
		t.Errorf("%v, %v", got, err)
	}
}

// Every way to place ranks gives each core once.
func TestPlacesAreDifferent(t *testing.T) {
	for holds := 1; holds <= 3; holds++ {
		m := small()
		m.Levels[1].Arity, m.Levels[2].Arity = holds, 4-holds
		for _, by := range append(m.ways(), "cluster") {
			places, err := m.Place(Placement{By: by}, m.Cores())
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(places)
			for i, core := range places {
				if i != core {
					t.Fatalf("by %s: %v", by, places)
				}
			}
		}
	}
}

func TestPlaceErrors(t *testing.T) {
	for _, c := range []struct {
		by    string
		ranks int
		want  string
	}{
		{"core", 17, "17 ranks on 16 cores (2 node × 2 socket × 2 cache × 2 core)"},
		{"soket", 2, `did you mean "socket"`},
		{"", 17, "17 ranks on 16 cores"},
		{"0,1", 3, "a list of 2 cores for 3 ranks"},
		{"0,0", 2, "core 0 is listed twice"},
		{"0,1,1", 2, "core 1 is listed twice"},
		{"4..7,0,6", 2, "core 6 is listed twice"},
		{"0..16", 2, "no core 16"},
		{"3..1", 2, `"3..1" is neither a number`},
		{"0,x", 2, `"x" is neither a number`},
		{"0..99999999999999999999", 2, "is neither a number nor a range"},
	} {
		if places, err := small().Place(Placement{By: c.by}, c.ranks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %d ranks: %v, %v; want %q", c.by, c.ranks, places, err, c.want)
		}
	}
	flat := Machine{Levels: small().Levels[:1]}
	if _, err := flat.Place(Placement{By: ""}, 3); err == nil || !strings.Contains(err.Error(), "3 ranks on 2 cores: a rank") {
		t.Errorf("one level: %v", err)
	}
}

func TestCheck(t *testing.T) {
	if _, _, err := small().Check(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		key    string
		change func(*Machine)
	}{
		{"layer", func(m *Machine) { m.Levels[1].Layer = nil }},
		{"arity", func(m *Machine) { m.Levels[1].Arity = 0 }},
		{"arity", func(m *Machine) { m.Levels[3].Arity = MaxCores / 4 }},
		{"lanes", func(m *Machine) { m.Levels[0].Lanes = 0.5 }},
		{"ports", func(m *Machine) { m.Levels[0].Ports = -1 }},
		{"ports", func(m *Machine) { m.Levels[3].Ports = 1 }},
		{"port", func(m *Machine) { m.Levels[3].Port = Port{m.Levels[3].Layer} }},
		{"lanes", func(m *Machine) { m.Levels[3].Lanes, m.Levels[3].Shared = 1, m.Levels[3].Layer }},
		{"ports", func(m *Machine) { m.Levels[0].Ports, m.Levels[0].Port = 1, Port{m.Levels[0].Layer} }},
	} {
		m := small()
		c.change(&m)
		if _, key, err := m.Check(); err == nil || key != c.key {
			t.Errorf("%s: %s, %v", c.key, key, err)
		}
	}
}

// A level's own overheads take the place of its layer's; the stream is what a message
// takes beyond one of a byte.
func TestCost(t *testing.T) {
	l := small().Levels[0]
	if got, want := l.Cost(1001), (Cost{Latency: 1.001, Serialization: 1, Gap: 2.001}); !close(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	l.Send, l.Receive = &model.Linear{Beta: 0.25, Tau: 0.0001}, &model.Linear{Beta: 0.125}
	if got, want := l.Cost(1001), (Cost{Send: 0.3501, Receive: 0.125, Latency: 0.6259, Serialization: 0.9, Gap: 2.001}); !close(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A message that a switch leaves to a branch costs what it costs in the branch alone: the fixed cost
// of a rendezvous is latency, although one byte does without it.
func TestCostOfBranches(t *testing.T) {
	loggp := func(latency, gap quantity.Micros) model.Layer {
		return &model.LogGP{LogP: model.LogP{Latency: latency, GapTime: gap}, GapPerByte: 0.001}
	}
	eager, rendezvous := loggp(1, 0.5), loggp(4, 2)
	protocols := &model.Switch{Branches: []model.Branch{{UpTo: 8192, Layer: eager}, {Layer: rendezvous}}}
	for _, outer := range []func(model.Layer) model.Layer{
		func(l model.Layer) model.Layer { return l },
		func(l model.Layer) model.Layer {
			return &model.Series{Below: l, Added: &model.Linear{Beta: 0.25}}
		},
	} {
		for n, branch := range map[quantity.Bytes]model.Layer{1: eager, 8192: eager, 8193: rendezvous} {
			got, want := Level{Layer: outer(protocols)}.Cost(n), Level{Layer: outer(branch)}.Cost(n)
			if got != want {
				t.Errorf("%v: %+v, want %+v", n, got, want)
			}
		}
	}
	got := Level{Layer: protocols}.Cost(10001)
	if want := (Cost{Latency: 4, Serialization: 10, Gap: 12}); !close(got, want) || got.GapBytes != 10 || got.ReceiveGapBytes != 10 {
		t.Errorf("%+v, want %+v and 10 µs for the bytes of each gap", got, want)
	}
}

func close(a, b Cost) bool {
	near := func(a, b quantity.Micros) bool { return max(a-b, b-a) < 1e-9 }
	return near(a.Send, b.Send) && near(a.Receive, b.Receive) && near(a.Latency, b.Latency) && near(a.Serialization, b.Serialization) && near(a.Gap, b.Gap)
}

// commonLevel returns the index of the innermost level with a unit that contains both cores; 0 if
// a == b.
func commonLevel(m Machine, a, b int) int {
	for i, size := range m.Sizes() {
		if a/size == b/size {
			return i
		}
	}
	return len(m.Levels) - 1
}

// Messages take longer from 9 ranks of a node on, and no longer than among 64, however many other
// nodes there are. The node is the outermost level with a Crowd.
func TestAmong(t *testing.T) {
	m := Machine{Levels: []Level{{Name: "cache", Arity: 4, Crowd: 0.3}, {Name: "node", Arity: 32, Crowd: 0.6}, {Name: "cluster", Arity: 16}}}
	for _, test := range []struct {
		ranks, stride int
		part          float64
	}{{8, 1, 0}, {16, 1, 1. / 3}, {64, 1, 1}, {128, 1, 1}, {128, 16, 0}, {256, 8, 1. / 3}} {
		var on Places
		for i := range test.ranks {
			on = append(on, i*test.stride)
		}
		got := m.Among(on).Levels
		for i, l := range m.Levels {
			if want := test.part * float64(l.Crowd); math.Abs(float64(got[i].Crowd)-want) > 1e-12 {
				t.Errorf("%d ranks on each %d. core, level %s: %v, want %v", test.ranks, test.stride, l.Name, got[i].Crowd, want)
			}
		}
	}
	l := Level{Layer: &model.LogP{SendOverhead: 1, ReceiveOverhead: 1, Latency: 5, GapTime: 1}, Crowd: 0.5, Eager: 64}
	if eager, late := l.Cost(8), l.Cost(128); eager.Send != 1.5 || eager.Latency != 5.5 || eager.Gap != 1 || late.Send != 1 || late.Latency != 5 {
		t.Errorf("%+v, %+v", eager, late)
	}
}
