package calibrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// calibrationOf writes what calibrate.c prints of hosts whose byte takes distance(i, j) µs, and
// whose pairs at a distance of d hosts take gap(d) µs for 1 MiB.
func calibrationOf(hosts int, distance func(i, j int) float64, gap func(d int) float64) string {
	var b strings.Builder
	b.WriteString(Header + "\n# job\n# library\n# distances ")
	for i := range hosts {
		for j := range i {
			fmt.Fprintf(&b, "%.3f,", distance(i, j))
		}
	}
	text := strings.TrimSuffix(b.String(), ",")
	b.Reset()
	fmt.Fprintf(&b, "%s\n# level cluster holds %d\n# places 0", text, hosts)
	for i := 1; i < hosts; i++ {
		fmt.Fprintf(&b, ",%d", i)
	}
	b.WriteString("\n")
	row := func(measure string, pairs, size, variant int, t float64) {
		fmt.Fprintf(&b, "%s,cluster,in,%d,%d,%d,1,9,%g,%g,%g,%g,%g,%g,0\n", measure, pairs, size, variant, t, t, t, t, t, t)
	}
	for _, n := range []int{1, 1 << 20} {
		row(PingPong, 1, n, 0, distance(0, 1)+float64(n)/1e4)
		row(PingPong, 1, n, 1, distance(0, hosts-1)+float64(n)/1e4)
		row(Stream, 1, n, 0, float64(n)/1e4)
	}
	for d := 1; d < hosts; d *= 2 {
		row(Stream, hosts/2, 1<<20, d, gap(d))
	}
	b.WriteString("# 9 s\n")
	return b.String()
}

// A torus is found by its distances, with the latency of a link and what it carries; distances that
// levels explain, or nothing does, are left to levels.
func TestNetworkFromDistances(t *testing.T) {
	torus, err := machine.ParseTopology("torus 4 8")
	if err != nil {
		t.Fatal(err)
	}
	x := uint64(1)
	noise := func() float64 {
		x = x*6364136223846793005 + 1442695040888963407
		return 1 + 0.02*float64(x>>40)/(1<<24)
	}
	for _, test := range []struct {
		name     string
		want     string
		distance func(i, j int) float64
	}{
		{"torus", "torus 4 8", func(i, j int) float64 { return (0.8 + 0.2*float64(len(torus.Route(i, j)))) * noise() }},
		{"crossbar", "", func(i, j int) float64 { return noise() }},
		{"noisy crossbar", "", func(i, j int) float64 { return 1 + 50*(noise()-1) }},
	} {
		// Pairs two apart share the link between them, of a row or a column; those four apart of a
		// column share one four at a time.
		crowd := map[int]float64{1: 1, 2: 2, 4: 1, 8: 2, 16: 4}
		text := calibrationOf(32, test.distance, func(d int) float64 { return crowd[d] * float64(1<<20) / 1e4 })
		c := calibration(t, text)
		if c.network.Topology.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, c.network.Topology, test.want)
			continue
		}
		m := machineOf(t, c)
		outer := m.Levels[len(m.Levels)-1]
		if test.want == "" {
			continue
		}
		if math.Abs(float64(outer.Hop)-0.2) > 0.01 || outer.Layer.OneWay(1) > 1.1 {
			t.Errorf("%s: %v a hop, the nearest %v; want 0.2 and 1.0 to 1.02 µs", test.name, outer.Hop, outer.Layer.OneWay(1))
		}
		if got, want := outer.Link.OneWay(1<<20), quantity.Micros(float64(1<<20)/1e4); math.Abs(float64(got/want)-1) > 0.01 {
			t.Errorf("%s: 1 MiB occupies a link for %v, want %v", test.name, got, want)
		}
	}
}

// Two messages of a root share its NIC from the size on at which the second delays the first. If
// they leave by links of their own, as in a torus, they say nothing about that.
func TestPacketFromFans(t *testing.T) {
	const twoLinks = -1
	base := calibrationOf(2, func(i, j int) float64 { return 1 }, func(int) float64 { return 100 })
	for _, test := range []struct {
		fair int // from this size on
		want quantity.Bytes
	}{{0, 32}, {4096, 2048}, {1 << 30, 65536}, {twoLinks, defaultPacket}} {
		text := base
		for n := 512; n <= 65536; n *= 2 {
			gap := float64(n) / 1e4
			first, second := 2+gap, 2+2*gap
			if test.fair == twoLinks {
				second = first
			} else if n >= test.fair {
				first += gap
			}
			for _, row := range []struct {
				measure string
				pairs   int
				time    float64
			}{{FanOut, 1, 2 + gap}, {FanOut, 2, second}, {fanFirst, 2, first}} {
				text += fmt.Sprintf("%s,cluster,in,%d,%d,0,1,9,%g,%g,%g,%g,%g,%g,0\n", row.measure, row.pairs, n, row.time, row.time, row.time, row.time, row.time, row.time)
			}
		}
		c := calibration(t, text)
		if got := c.packet(0); got != test.want {
			t.Errorf("fair from %d B on: packets up to %.0f B, want %.0f", test.fair, float64(got), float64(test.want))
		}
	}
}

// Fair shares of two messages begin when the second is under way, and the way to the second receiver
// may be longer.
func TestPacketOnALongerWay(t *testing.T) {
	const longer = 1.5
	text := calibrationOf(2, func(i, j int) float64 { return 1 }, func(int) float64 { return 100 })
	for n := 512; n <= 65536; n *= 2 {
		gap := float64(n) / 1e4
		one, second := 2+gap, 2+longer+gap
		delay := max(gap-longer, 0) / 2 // of the rest, the first gets two thirds
		for _, row := range []struct {
			measure string
			pairs   int
			time    float64
		}{{FanOut, 1, one}, {FanOut, 2, max(second, one+gap+longer)}, {fanFirst, 2, one + delay}} {
			text += fmt.Sprintf("%s,cluster,in,%d,%d,0,1,9,%[4]g,%[4]g,%[4]g,%[4]g,%[4]g,%[4]g,0\n", row.measure, row.pairs, n, row.time)
		}
	}
	if got := calibration(t, text).packet(0); got != 32 {
		t.Errorf("packets up to %.0f B, want 32", float64(got))
	}
}

// What all pairs share slows an exchange; that is not the NICs' loss of both directions.
func TestExchangeThroughABackbone(t *testing.T) {
	for _, test := range []struct{ each, both, want float64 }{{0.6, 1.2, 0}, {0.6, 1.3, 0.1}, {0, 1.1, 0.1}} {
		text := calibrationOf(8, func(i, j int) float64 { return 2 }, func(int) float64 {
			return max(4*test.each, 1) * float64(1<<20) / 1e4
		})
		for _, n := range []float64{1, 1 << 20} {
			text += fmt.Sprintf("exchange,cluster,in,1,%.0f,0,1,9,%[2]g,%[2]g,%[2]g,%[2]g,%[2]g,%[2]g,0\n", n, 2+test.both*n/1e4)
		}
		m := machineOf(t, calibration(t, text))
		if got := m.Levels[len(m.Levels)-1].Reverse; math.Abs(got-test.want) > 0.01 {
			t.Errorf("%v of a gap for each of all pairs, both directions %v: reverse %.3f, want %v", test.each, test.both, got, test.want)
		}
	}
}

// Two messages to one rank share the NICs from the size on from which the second delays the first.
func TestOverlap(t *testing.T) {
	base := calibrationOf(2, func(i, j int) float64 { return 2 }, func(int) float64 { return 100 })
	for _, from := range []int{1, 4096, 1 << 30} {
		text := base
		for n := 512; n <= 65536; n *= 2 {
			gap := float64(n) / 1e4
			first := 2 + gap
			if n >= from {
				first += gap
			}
			for measure, time := range map[string]float64{FanOut: 2 + gap, twoFirst: first} {
				text += fmt.Sprintf("%s,cluster,in,1,%d,0,1,9,%g,%g,%g,%g,%g,%g,0\n", measure, n, time, time, time, time, time, time)
			}
		}
		want := quantity.Bytes(max(from, 1024)) // a gap of 512 B is too short to show
		if from > 65536 {
			want = 0
		}
		if got := machineOf(t, calibration(t, text)).Levels[0].Overlap; got != want {
			t.Errorf("from %d B on: from %.0f B on, want %.0f", from, float64(got), float64(want))
		}
	}
}

// Three clusters of two hosts have links in pairs if messages to both others, and from both, pass at
// once. If either wait for each other, the links are those of a port.
func TestDirectLinks(t *testing.T) {
	for _, passes := range [][2]bool{{}, {true}, {false, true}, {true, true}} {
		direct := passes[0] && passes[1]
		text := "level switch holds 2\n# level cluster holds 3\n# places 0,1,2,3,4,5\n"
		text = Header + "\n# job\n# library\n# " + text
		row := func(measure, level, way string, pairs, n, variant int, t float64) {
			text += fmt.Sprintf("%s,%s,%s,%d,%d,%d,1,9,%g,%g,%g,%g,%g,%g,0\n", measure, level, way, pairs, n, variant, t, t, t, t, t, t)
		}
		for _, n := range []int{1, 1 << 16, 1 << 20} {
			gap := float64(n) / 1e3
			for level, latency := range map[string]float64{"switch": 1, "cluster": 20} {
				row(PingPong, level, "in", 1, n, 0, latency+gap)
				row(Stream, level, "in", 1, n, 0, gap)
			}
			for pairs := 1; pairs <= 2; pairs++ {
				row(Stream, "switch", "out", pairs, n, 0, gap*float64(pairs))
			}
			for i, pass := range passes {
				apart := 2 * gap
				if pass {
					apart = gap
				}
				row(Stream, "switch", "out", 2, n, scattered+i, apart)
			}
		}
		want := 0
		if direct {
			want = 3
		}
		m := machineOf(t, calibration(t, text+"# 9 s\n"))
		if got := m.Levels[0].Direct; got != want || len(m.Levels[0].Port) == 0 {
			t.Errorf("to, from several at once %v: links to %d units, want %d", passes, got, want)
		}
	}
}

// A size that took ten times as long as twice as many bytes was disturbed.
func TestDisturbedSize(t *testing.T) {
	text := calibrationOf(2, func(i, j int) float64 { return 1 }, func(int) float64 { return 100 })
	text += "pingpong,cluster,in,1,524288,0,1,9,1000,1000,1000,1000,1000,1000,0\n"
	m := machineOf(t, calibration(t, text))
	layer := m.Levels[0].Layer
	if half, whole := layer.OneWay(1<<19), layer.OneWay(1<<20); half > disturbed*whole {
		t.Errorf("512 KiB take %v, 1 MiB %v", half, whole)
	}
}

// A block of hosts whose neighbours get half of a stream each through its port has as many links as
// streams that the port carries.
func TestRoutes(t *testing.T) {
	for _, test := range []struct{ crowd, want float64 }{{2, 2}, {1.6, 0}} {
		text := calibrationOf(8, func(i, j int) float64 { return 1 }, func(d int) float64 {
			if d == 4 {
				return test.crowd * float64(1<<20) / 1e4
			}
			return float64(1<<20) / 1e4
		})
		m := machineOf(t, calibration(t, text))
		if len(m.Levels) != 2 || float64(m.Levels[0].Routes) != test.want {
			t.Errorf("streams %v times as long: %v, %d routes; want a block with %v", test.crowd, m, m.Levels[0].Routes, test.want)
		}
	}
}

// The draws of calibrate.c let streams share a link in small tori too, in which the routes of
// In a dragonfly whose links between groups carry twice as much as those of hosts, each class has
// A port whose gap is not a line has the ratio of its gap to one pair's.
func TestPortOfSteps(t *testing.T) {
	gap := func(n int) float64 { // 64 KiB are sent twice as fast as less
		if n >= 65536 {
			return float64(n) / 2e4
		}
		return float64(n) / 1e4
	}
	text := "level node holds 2\n# level cluster holds 2\n# places 0,1,2,3\n"
	text = Header + "\n# job\n# library\n# " + text
	row := func(measure, level, way string, pairs, size int, t float64) {
		text += fmt.Sprintf("%s,%s,%s,%d,%d,0,1,9,%g,%g,%g,%g,%g,%g,0\n", measure, level, way, pairs, size, t, t, t, t, t, t)
	}
	for n := 1; n <= 1<<20; n *= 4 {
		for _, level := range []string{"node", "cluster"} {
			row(PingPong, level, "in", 1, n, 1+gap(n))
			row(Stream, level, "in", 1, n, gap(n))
		}
	}
	for _, n := range []int{256, 4096, 65536, 1 << 20} {
		row(Stream, "node", "out", 2, n, 2*gap(n))
	}
	m := machineOf(t, calibration(t, text+"# 9 s\n"))
	for _, n := range []int{256, 1024, 16384, 65536, 262144} {
		if got := float64(m.Levels[0].Port.OneWay(quantity.Bytes(n))); math.Abs(got/gap(n)-1) > 0.01 {
			t.Errorf("%d B occupy the port for %.3f µs, want %.3f", n, got, gap(n))
		}
	}
}

// Where a late receive takes as long as the message, messages travel within it.
func TestDeferredFromLateReceives(t *testing.T) {
	for _, test := range []struct {
		late []float64 // as fractions of one way, of 1 B, 64 B, 4 KiB
		want quantity.Bytes
	}{{[]float64{1, 1, 1}, 1}, {[]float64{0.1, 1, 0.98}, 64}, {[]float64{1, 0.9, 0.5}, 0}, {nil, 0}} {
		text := calibrationOf(2, func(i, j int) float64 { return 1 }, func(int) float64 { return 100 })
		for i, part := range test.late {
			n := 1 << (6 * i)
			for measure, t := range map[string]float64{PingPong: 1 + float64(n)/1e4, LateReceive: part * (1 + float64(n)/1e4)} {
				text += fmt.Sprintf("%s,cluster,in,1,%d,0,1,9,%g,%g,%g,%g,%g,%g,0\n", measure, n, t, t, t, t, t, t)
			}
		}
		if got := machineOf(t, calibration(t, text)).Levels[0].Deferred; got != test.want {
			t.Errorf("late receives %v: deferred from %.0f B, want %.0f", test.late, float64(got), float64(test.want))
		}
	}
}
