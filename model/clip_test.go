package model

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// clip is CLIP's pipeline of table 4.2: stages 0–3 are the path to the system
// buffer, with stage 4, which costs what stage 0 does, it ends in the user's.
func clip(stages int) *Pipeline {
	perKiB := func(us float64) quantity.MicrosPerByte { return quantity.Micros(us).Per(quantity.KiB) }
	all := []Stage{
		{"user to system buffer", 3.0, perKiB(5.9), Sender, nil},
		{"host DMA", 0.6, perKiB(7.6), NoHost, nil},
		{"link", 1.3, perKiB(7.5), NoHost, nil},
		{"host DMA", 0.5, perKiB(7.6), NoHost, nil},
		{"system to user buffer", 3.0, perKiB(5.9), Receiver, nil},
	}
	return &Pipeline{Stages: all[:stages]}
}

// near fails unless got is want to the given number of decimals, half a unit of
// which is the printing's own error.
func near[T ~float64](t *testing.T, what string, got, want T, decimals int) {
	t.Helper()
	if math.Abs(float64(got-want)) > 0.5000001*math.Pow10(-decimals) {
		t.Errorf("%s = %.*f, want %.*f", what, decimals+2, float64(got), decimals, float64(want))
	}
}

// readTable returns the rows of a CSV in testdata, by column.
func readTable(t *testing.T, name string) []map[string]float64 {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]float64
	for _, line := range lines[1:] {
		row := map[string]float64{}
		for i, key := range lines[0] {
			if row[key], err = strconv.ParseFloat(line[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// All 42 combinations of a message and a packet that is a power of two.
func TestCLIPSweep(t *testing.T) {
	rows := readTable(t, "clip_sweep.csv")
	if len(rows) != 42 {
		t.Fatalf("%d rows, want 42", len(rows))
	}
	for _, row := range rows {
		n, p := quantity.Bytes(row["size_bytes"]), quantity.Bytes(row["packet_bytes"])
		what := func(s string) string { return s + " of " + n.String() + " in packets of " + p.String() }
		near(t, what("stages 0-2"), clip(3).OneWayIn(n, p), quantity.Micros(row["t3_us"]), 4)
		near(t, what("stages 0-3"), clip(4).OneWayIn(n, p), quantity.Micros(row["t4_us"]), 4)
		near(t, what("stages 0-4"), clip(5).OneWayIn(n, p), quantity.Micros(row["t5_us"]), 4)
		near(t, what("eq. 8"), clip(5).PaperBound(n, p), quantity.Micros(row["eq8_us"]), 4)
		if got := EqualPlan(n, p).Packets(); float64(got) != row["packets"] {
			t.Errorf("%s packets, want %v", what(strconv.Itoa(got)), row["packets"])
		}
	}
}

// The best packet from 1 KiB to 64 KiB, and the paper's.
func TestCLIPBest(t *testing.T) {
	rows := readTable(t, "clip_best.csv")
	if len(rows) != 7 {
		t.Fatalf("%d rows, want 7", len(rows))
	}
	for _, row := range rows {
		n := quantity.Bytes(row["size_bytes"])
		for _, stages := range []int{4, 5} {
			key := "best" + strconv.Itoa(stages)
			p, time := clip(stages).BestPacket(n)
			if p != quantity.Bytes(row[key+"_bytes"]) {
				t.Errorf("%s, %d stages: best packet %v, want %v", n, stages, p, row[key+"_bytes"])
			}
			near(t, "best time of "+n.String(), time, quantity.Micros(row[key+"_us"]), 4)
			if got := clip(stages).PaperPacket(n); got != quantity.Bytes(math.Round(row["eq10_bytes"])) {
				t.Errorf("%s, %d stages: eq. 10 gives %v, want %v", n, stages, got, row["eq10_bytes"])
			}
		}
	}
}

// The table of the design, to its last digit: what the paper's packet takes, the
// best equal packets, the best unequal ones, and the paper's bound, eq. 8.
func TestCLIPTable(t *testing.T) {
	check := func(stages int, n, paper quantity.Bytes, paperTime quantity.Micros, equal quantity.Bytes, equalTime, unequal quantity.Micros) {
		t.Helper()
		l := clip(stages)
		if got := l.PaperPacket(n); got != paper {
			t.Errorf("%d stages, %s: eq. 10 gives %s, want %s", stages, n, got, paper)
		}
		near(t, "time in packets of eq. 10", l.OneWayIn(n, paper), paperTime, 2)
		p, time := l.BestPacket(n)
		if p != equal {
			t.Errorf("%d stages, %s: best packet %s, want %s", stages, n, p, equal)
		}
		near(t, "time in best packets", time, equalTime, 2)
		_, ideal := l.IdealPlan(n)
		near(t, "time in unequal packets", ideal, unequal, 2)
		plan, time := l.BestPlan(n) // whole bytes cost up to two bytes' time more
		checkPlan(t, n, plan, true)
		if time < ideal || time > ideal+0.014 || time > equalTime+0.005 {
			t.Errorf("%d stages, %s: whole bytes take %.4f, want %.4f to 0.014 more", stages, n, float64(time), float64(ideal))
		}
	}
	check(4, 4<<10, 872, 58.84, 700, 58.01, 55.64)
	check(4, 16<<10, 1745, 172.32, 1099, 165.54, 163.92)
	check(4, 64<<10, 3490, 580.18, 2051, 567.35, 556.52)
	check(5, 4<<10, 872, 68.35, 683, 66.08, 66.07)
	check(5, 16<<10, 1745, 186.75, 1093, 175.43, 175.36)
	check(5, 64<<10, 3490, 601.28, 1875, 580.95, 568.93)
	near(t, "eq. 8", clip(5).PaperBound(4<<10, 872), 93.1, 1)
	near(t, "eq. 8", clip(5).PaperBound(16<<10, 1745), 237.7, 1)
	near(t, "eq. 8", clip(5).PaperBound(64<<10, 3490), 690.5, 1)
}

// The comment of PaperBound: how far eq. 8 is above the exact time.
func TestCLIPBoundError(t *testing.T) {
	least, most := math.Inf(1), 0.0
	for _, row := range readTable(t, "clip_sweep.csv") {
		e := row["eq8_us"]/row["t5_us"] - 1
		least, most = min(least, e), max(most, e)
	}
	near(t, "least error of eq. 8 in %", 100*least, 0.7, 1)
	near(t, "largest error of eq. 8 in %", 100*most, 55, 0)
}

// CLIP §4.2.2.2 and §5: the packet that CLIP used gives the peak that it measured, 111.2 MB/s.
func TestCLIPPeak(t *testing.T) {
	l := clip(4)
	l.Cut = Cut{CutFixed, 4096}
	near(t, "64 KiB in packets of 4 KiB", l.OneWay(64<<10), 589.30, 2)
	near(t, "its bandwidth", Bandwidth(l, 64<<10), 111.21, 2)
	near(t, "the paper's bound", quantity.Bytes(64<<10).Over(l.PaperBound(64<<10, 4096)), 95.5, 1)
	// The busiest stage is the send's copy up to 1,088 bytes, the link to 7 KiB, DMA above.
	for _, c := range []struct {
		p    quantity.Bytes
		want int
	}{{1, 0}, {1087, 0}, {1089, 2}, {7167, 2}, {7169, 1}, {65536, 1}} {
		if got := l.Bottleneck(c.p); got != c.want {
			t.Errorf("the bottleneck at %s is stage %d, want %d", c.p, got, c.want)
		}
	}
	send, receive := clip(5).Overheads(64 << 10)
	near(t, "o_s of one packet of 64 KiB", send, 3+5.9*64, 9)
	near(t, "o_r of one packet of 64 KiB", receive, 3+5.9*64, 9)
}

// HP-LAM table 4.2: how far RTT = 2(o_s + L + o_r) is from the round trip that is printed beside
// its parameters. Each is printed to 0.1 µs, so their rounding explains up to 0.3 µs; the rows of
// the SS-20 and of the CS-2 differ by more in the report itself.
func TestLogPTable42(t *testing.T) {
	for _, s := range []struct {
		name                           string
		rtt, latency, os, or, g, above quantity.Micros
	}{
		{"HP-LAM", 28.1, 5.3, 2.9, 5.8, 8.7, -0.1},
		{"Sun-LAM on SS-20", 31.0, 11.2, 2.0, 2.6, 12.4, 0.6},
		{"Sun-LAM on Ultra-1", 25.0, 5.5, 2.0, 5.0, 7.0, 0},
		{"Intel Paragon", 20.0, 6.5, 1.4, 2.2, 7.6, 0.2},
		{"Meiko CS-2", 20.9, 7.5, 1.7, 1.6, 13.6, 0.7},
	} {
		l := &LogP{Latency: s.latency, SendOverhead: s.os, ReceiveOverhead: s.or, GapTime: s.g}
		near(t, s.name+": RTT beyond the printed one", RTT(l, 1)-s.rtt, s.above, 9)
		if got := l.Gap(1); got != s.g {
			t.Errorf("%s: gap %s, printed %s", s.name, got, s.g)
		}
	}
	hp := LogP{Latency: 5.3, SendOverhead: 2.9, ReceiveOverhead: 5.8, GapTime: 8.7}
	near(t, "RTT of HP-LAM", RTT(&hp, 1), 28.0, 9) // printed 28.1: L was rounded
}
