package calibrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// neighbours, and of hosts at a distance, are apart; in dragonflies, links of both classes of routers.
func TestMixedPairsShareLinks(t *testing.T) {
	for _, test := range []struct {
		topology string
		classes  []machine.LinkClass
	}{
		{"torus 2 2 2", []machine.LinkClass{machine.UnitLinks}},
		{"torus 3 2 2", []machine.LinkClass{machine.UnitLinks}},
		{"torus 2 2 2 2", []machine.LinkClass{machine.UnitLinks}},
		{"torus 3 4", []machine.LinkClass{machine.UnitLinks}},
		{"torus 5 3", []machine.LinkClass{machine.UnitLinks}},
		{"torus 4 4", []machine.LinkClass{machine.UnitLinks}},
		{"torus 3 3 3", []machine.LinkClass{machine.UnitLinks}},
		{"torus 4 3 2", []machine.LinkClass{machine.UnitLinks}},
		{"torus 4 8", []machine.LinkClass{machine.UnitLinks}},
		{"torus 4 4 4", []machine.LinkClass{machine.UnitLinks}},
		{"dragonfly 3 1 4 2", []machine.LinkClass{machine.LocalLinks, machine.GlobalLinks}},
		{"dragonfly 4 1 4 2", []machine.LinkClass{machine.LocalLinks, machine.GlobalLinks}},
	} {
		topology, err := machine.ParseTopology(test.topology)
		if err != nil {
			t.Fatal(err)
		}
		var most [machine.GlobalLinks + 1]int
		for draw := 11; draw < 15; draw++ {
			hosts := make([]int, topology.Units())
			for i := range hosts {
				hosts[i] = i
			}
			mix(hosts, draw)
			load := map[int]int{}
			for i := 0; i+1 < len(hosts); i += 2 {
				for _, link := range topology.Route(hosts[i], hosts[i+1]) {
					load[link]++
					class := topology.Class(link)
					most[class] = max(most[class], load[link])
				}
			}
		}
		for _, class := range test.classes {
			if most[class] < 2 {
				t.Errorf("%s: no streams share one of the %s", test.topology, linkNames[class])
			}
		}
	}
}

// Streams of mixed hosts measure a link of a torus in which no others share one.
func TestLinkOfMixedPairs(t *testing.T) {
	torus, err := machine.ParseTopology("torus 2 2 2 2")
	if err != nil {
		t.Fatal(err)
	}
	const link = 0.7 // occupancy in gaps of one pair
	gap := float64(1<<20) / 1e4
	text := calibrationOf(16,
		func(i, j int) float64 { return 0.8 + 0.2*float64(len(torus.Route(i, j))) },
		func(int) float64 { return gap })
	for draw := 11; draw < 15; draw++ {
		text += fmt.Sprintf("mixed_stream,cluster,in,8,1048576,%d,1,9,%[2]g,%[2]g,%[2]g,%[2]g,%[2]g,%[2]g,0\n", draw, max(1, 2*link)*gap)
	}
	m := machineOf(t, calibration(t, text))
	if got := float64(m.Levels[len(m.Levels)-1].Link.OneWay(1<<20)) / gap; math.Abs(got-link) > 0.01 {
		t.Errorf("a link is occupied for %.2f gaps, want %.2f", got, link)
	}
}

// A stream whose route is not that of the topology does not make all links fast.
func TestRoutesOfAnotherKind(t *testing.T) {
	crowds := []crowd{{gap: 2}, {gap: 3}, {gap: 2}, {gap: 1}, {gap: 2.02}}
	for i, n := range []int{2, 3, 2, 2, 2} { // the fourth takes another way
		crowds[i].streams[machine.UnitLinks] = n
	}
	if got := linksOf(crowds)[machine.UnitLinks]; got != 1 {
		t.Errorf("a link is occupied for %.2f gaps, want 1", got)
	}
}

// Without streams that share a link, a link carries what one pair sends, and a note says so.
func TestLinksThatNobodyShared(t *testing.T) {
	torus, err := machine.ParseTopology("torus 3 3")
	if err != nil {
		t.Fatal(err)
	}
	c := calibration(t, calibrationOf(9,
		func(i, j int) float64 { return 0.8 + 0.2*float64(len(torus.Route(i, j))) },
		func(int) float64 { return float64(1<<20) / 1e4 }))
	m := machineOf(t, c)
	link := m.Levels[len(m.Levels)-1].Link
	if link == nil || math.Abs(float64(link.OneWay(1<<20))/(float64(1<<20)/1e4)-1) > 0.01 {
		t.Errorf("link %v, want the gap of one pair", link)
	}
	if !strings.Contains(strings.Join(remark.Texts(c.Notes), "; "), "no two measured streams shared one of the links of hosts") {
		t.Errorf("notes %q", c.Notes)
	}
}

// its own time.
func TestLinkClasses(t *testing.T) {
	dragonfly, err := machine.ParseTopology("dragonfly 3 1 4 2")
	if err != nil {
		t.Fatal(err)
	}
	const host, global = 1.0, 0.5 // occupancy in gaps of one pair
	gap := func(d int) float64 {
		load := map[int]float64{}
		slowest := 1.0
		for i := 0; i+d < 24; i++ {
			if i&d != 0 {
				continue
			}
			for _, link := range dragonfly.Route(i, i+d) {
				each := host
				if dragonfly.Class(link) == machine.GlobalLinks {
					each = global
				}
				load[link] += each
				slowest = max(slowest, load[link])
			}
		}
		return slowest * float64(1<<20) / 1e4
	}
	c := calibration(t, calibrationOf(24,
		func(i, j int) float64 { return 0.8 + 0.2*float64(len(dragonfly.Route(i, j))) }, gap))
	m := machineOf(t, c)
	outer := m.Levels[len(m.Levels)-1]
	if outer.Topology.String() != dragonfly.String() {
		t.Fatalf("topology %s", outer.Topology)
	}
	for name, of := range map[string]struct {
		layer model.Layer
		want  float64
	}{"hosts": {outer.Link, host}, "groups": {outer.Global, global}} {
		if got := float64(of.layer.OneWay(1<<20)) / (float64(1<<20) / 1e4); math.Abs(got/of.want-1) > 0.01 {
			t.Errorf("links of %s are occupied for %.2f gaps, want %.2f", name, got, of.want)
		}
	}
}

// The latency of a link may rise with the size: the first host and a far one show by how much.
func TestHopsBySize(t *testing.T) {
	torus, err := machine.ParseTopology("torus 4 8")
	if err != nil {
		t.Fatal(err)
	}
	const hop, long = 0.2, 0.8 // µs, of 1 B and of 1 MiB
	text := calibrationOf(32, func(i, j int) float64 { return 0.8 + hop*float64(len(torus.Route(i, j))) }, func(int) float64 { return 200 })
	farther := torus.Extra(0, 31) - torus.Extra(0, 1)
	for _, change := range []bool{false, true} {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if change && strings.HasPrefix(line, "pingpong,cluster,in,1,1048576,1,") {
				far := 1 + 104.8576 + long*float64(farther)
				line = fmt.Sprintf("pingpong,cluster,in,1,1048576,1,1,9,%g,%g,%g,%g,%g,%g,0\n", far, far, far, far, far, far)
			}
			b.WriteString(line)
		}
		m := machineOf(t, calibration(t, b.String()))
		hops := m.Levels[len(m.Levels)-1].Hops
		if (hops != nil) != change {
			t.Fatalf("the latency changes with the size: %v, found %v", change, hops)
		}
		if change && (math.Abs(float64(hops.OneWay(1)-hop)) > 0.01 || math.Abs(float64(hops.OneWay(1<<20)-long)) > 0.01) {
			t.Errorf("a link takes %v for 1 B and %v for 1 MiB, want %v and %v µs", hops.OneWay(1), hops.OneWay(1<<20), hop, long)
		}
		// A latency four times as high is another protocol's, whose sizes begin where it was measured.
		if change && math.Abs(float64(hops.OneWay(900000)-hop)) > 0.01 {
			t.Errorf("a link takes %v for 900,000 B, want %v µs", hops.OneWay(900000), hop)
		}
	}
}
