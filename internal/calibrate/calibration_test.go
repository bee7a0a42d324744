package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// planted writes what calibrate.c would of 4 nodes with 4 ranks each: messages inside a node take
// 0.5 µs and 10,000 MB/s, between nodes 2 µs and 5,000 MB/s, of which a node's NIC carries no more,
// with 0.3 µs for each message, and a fifth more if both directions are used; overheads are 0.1 and
// 0.2 µs up to the eager threshold of 8,000 B.
func planted() string {
	var b strings.Builder
	b.WriteString(Header + "\n# 2026-11-22, 16 ranks, rank 0 on n0, clock of 0.02 us\n# some MPI\n" +
		"# level node holds 4\n# level cluster holds 4\n# places 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" + strings.Join(calibrationColumns, ",") + "\n")
	row := func(measure, level, way string, pairs, n int, t float64) {
		for pass := 1; pass <= 3; pass++ { // the first is not disturbed
			noisy := t * (1 + 0.01*float64(pass-1))
			fmt.Fprintf(&b, "%s,%s,%s,%d,%d,0,%d,10,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,0\n", measure, level, way, pairs, n, pass, noisy, noisy, noisy, noisy, noisy, noisy)
		}
	}
	for _, l := range []struct {
		name       string
		base, rate float64
	}{{"node", 0.5, 10000}, {"cluster", 2, 5000}} {
		for n := 1; n <= 1<<20; n *= 4 {
			bytes := float64(n) / l.rate
			row(PingPong, l.name, "in", 1, n, l.base+bytes)
			row(Stream, l.name, "in", 1, n, 0.3+bytes)
			both := bytes
			if n > 2048 { // fair shares of the NIC
				both = 1.2 * (0.3 + bytes)
			}
			row(Exchange, l.name, "in", 1, n, l.base+both)
			if n <= 4096 {
				row(Send, l.name, "in", 1, n, 0.1)
				row(Receive, l.name, "in", 1, n, 0.2)
			}
		}
		fmt.Fprintf(&b, "# level %s eager 8000\n", l.name)
	}
	for _, n := range []int{8, 4096, 65536, 1 << 20} {
		for _, k := range []int{2, 4} {
			row(Stream, "node", "out", k, n, float64(k)*(0.3+float64(n)/5000))
		}
		row(Stream, "node", "in", 2, n, 0.3+float64(n)/10000)
		row(Stream, "cluster", "in", 2, n, 0.3+float64(n)/5000)
	}
	row(Combine, "", "in", 1, 1<<20, float64(1<<20)*1e-4)
	row(Copy, "", "in", 1, 1<<20, float64(1<<20)*2e-4)
	row("allreduce", "", "in", 16, 64, 7)
	return b.String() + "# 60.0 s\n"
}

// calibration reads what calibrate.c prints.
func calibration(t *testing.T, text string) *Calibration {
	t.Helper()
	c, err := Read(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// machineOf estimates the machine, all of whose levels were measured.
func machineOf(t *testing.T, c *Calibration) machine.Machine {
	t.Helper()
	m, unmeasured, err := c.Machine()
	if err != nil || len(unmeasured) > 0 {
		t.Fatalf("%v, not measured %v", err, unmeasured)
	}
	return m
}

// The costs of other memory are the measured ratios to round trips, at all sizes of these; a fresh
// message has an answer besides. What differs by less than hosts do is left out.
func TestMemory(t *testing.T) {
	text := planted()
	for n := 64; n <= 1<<20; n *= 4 {
		way := 0.5 + float64(n)/10000
		text += fmt.Sprintf("relay,node,in,1,%d,0,1,10,%.6f,0,0,0,0,0,0\n", n, 1.5*way)
		text += fmt.Sprintf("fresh,node,in,1,%d,0,1,10,%.6f,0,0,0,0,0,0\n", n, 1.25*way+0.5)
		text += fmt.Sprintf("relay,cluster,in,1,%d,0,1,10,%.6f,0,0,0,0,0,0\n", n, 1.03*(2+float64(n)/5000))
	}
	m := machineOf(t, calibration(t, text))
	node, cluster := m.Levels[0], m.Levels[1]
	if node.Relay == nil || node.Fresh == nil || cluster.Relay != nil || cluster.Fresh != nil {
		t.Fatalf("layers %v %v %v %v", node.Relay, node.Fresh, cluster.Relay, cluster.Fresh)
	}
	for _, n := range []quantity.Bytes{1, 100, 3000, 1 << 20} {
		way := float64(node.Layer.OneWay(n))
		relay, fresh := float64(node.Relay.OneWay(n))/way, float64(node.Fresh.OneWay(n))/way
		// Round trips are measured with noise of 1 %, and interpolated.
		if math.Abs(relay-1.5) > 0.03 || math.Abs(fresh-1.25) > 0.03 {
			t.Errorf("%v B: ratios %.3f and %.3f, planted 1.5 and 1.25", float64(n), relay, fresh)
		}
	}
}

// Hosts that run at half their speed for a third of a run give the machine of the other two thirds;
// a few disturbed marks are no state, and neither is a slow drift. If 8 B take the same time in
// both, 16 KiB in memory that was sent show them.
func TestTwoStates(t *testing.T) {
	testStates(t, func(slow float64) string { return fmt.Sprintf("%.4f 4", 0.2*slow) }, "0.204 and 0.408 µs for 8 B")
	testStates(t, func(slow float64) string { return fmt.Sprintf("%.4f %.4f", 0.2*math.Sqrt(math.Sqrt(slow)), 2*slow) }, "2.04 and 4.08 µs for 16 KiB")
	drift, tail := make([]float64, 100), make([]float64, 100)
	for i := range drift {
		drift[i], tail[i] = 0.2*(1+float64(i)/100), 0.2
		if i > 80 {
			tail[i] = 0.2 * float64(i-78)
		}
	}
	for _, marks := range [][]float64{drift, tail, nil, {0.2}, {0.2, 0.4}} {
		if between, _, ok := twoStates(marks); ok {
			t.Errorf("two states of %v: below and above %v", marks, between)
		}
	}
}

// If the hosts changed their state during each pass, no pass is of one state, and all are kept.
func TestStatesOfFewPasses(t *testing.T) {
	text := Header + "\n# a day\n# a library\n# level node holds 2\n# places 0,1\n"
	for pass, us := range []int{5, 6, 7, 8} {
		text += fmt.Sprintf("# state %d %[1]d\nbcast,,in,2,8,0,%d,10,%d,1,1,1,1,1,0\n# state %d %[4]d\n", 1+pass%2, pass, us, 2-pass%2)
	}
	c := calibration(t, text+"# 1.0 s\n")
	if len(c.Rows) != 1 || c.Rows[0].Least != 5 || len(c.Notes) > 0 {
		t.Errorf("%+v", c)
	}
}

// testStates reads a run whose hosts have two states; marks are written for a factor of times.
func testStates(t *testing.T, marks func(slow float64) string, note string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(planted(), "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		fields := strings.Split(line, ",")
		slow := i%3 == 0
		if slow && len(fields) == len(calibrationColumns) && fields[0] != "measure" {
			for j := 8; j < 14; j++ {
				var v float64
				fmt.Sscan(fields[j], &v)
				fields[j] = fmt.Sprintf("%.6f", 2*v)
			}
		}
		mark := "# state " + marks(map[bool]float64{true: 2, false: 1}[slow]*(1+0.01*float64(i%5))) + "\n"
		if i < 7 {
			mark = ""
		}
		// A mark before and one behind each row.
		b.WriteString(mark + strings.Join(fields, ",") + "\n" + mark)
	}
	c := calibration(t, b.String())
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0].Text, "two states during the run, with "+note) {
		t.Errorf("notes %q", c.Notes)
	}
	m := machineOf(t, c)
	if got := float64(m.Levels[0].Layer.OneWay(1 << 20)); math.Abs(got/(0.5+(1<<20)/10000.0)-1) > 0.02 {
		t.Errorf("1 MiB takes %.4g µs", got)
	}
}

func TestCalibratedMachine(t *testing.T) {
	c := calibration(t, planted())
	m := machineOf(t, c)
	if len(c.Notes) > 0 {
		t.Errorf("notes %q", c.Notes)
	}
	if got := m.String(); got != "4 node × 4 core" {
		t.Errorf("the machine is %s", got)
	}
	node, cluster := m.Levels[0], m.Levels[1]
	for _, want := range []struct {
		what      string
		got, want float64
	}{
		{"one byte inside a node", float64(node.Layer.OneWay(1)), 0.5},
		{"1 MiB between nodes", float64(cluster.Layer.OneWay(1 << 20)), 2 + (1<<20)/5000.0},
		{"send overhead", float64(cluster.Send.OneWay(1024)), 0.1},
		{"receive overhead", float64(cluster.Receive.OneWay(1024)), 0.2},
		{"eager threshold", float64(cluster.Eager), 8000},
		{"NIC, 8 B", float64(node.Port.OneWay(8)), 0.3},
		{"NIC, 1 MiB", float64(node.Port.OneWay(1 << 20)), 0.3 + (1<<20)/5000.0},
		{"γ", float64(c.PerByte(Combine)), 1e-4},
		{"a copy", float64(c.PerByte(Copy)), 2e-4},
		{"both directions", cluster.Reverse, 0.2},
	} {
		if math.Abs(want.got/want.want-1) > 0.015 {
			t.Errorf("%s: %.4g, planted %.4g", want.what, want.got, want.want)
		}
	}
	if node.Shared != nil || cluster.Shared != nil || len(cluster.Port) > 0 {
		t.Error("pairs that are as fast as one pair share nothing")
	}
	checks, err := c.Check(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Summarize(checks) {
		if s.Level >= 0 && s.Worst > 0.05 {
			t.Errorf("%s at level %d: worst error %.0f %% of what it was fitted to", s.Measure, s.Level, 100*s.Worst)
		}
	}
}

// Two ranks alone: a message is delayed by one in the opposite direction, and not by the one before
// it; predicted exchanges are of sizes that were not used.
func TestTwoRanks(t *testing.T) {
	c := calibration(t, strings.NewReplacer("node holds 4", "node holds 2", ",8,9,10,11,12,13,14,15", "", "allreduce,,in,16", "allreduce,,in,8").Replace(planted()))
	m := machineOf(t, c)
	if m.Levels[0].Shared == nil || m.Levels[0].Packet != 8000 {
		t.Fatalf("%+v", m)
	}
	checks, err := c.Check(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	exchanges := 0
	for _, k := range checks {
		if k.Level != 0 || k.Pairs > 1 || k.Measure != Exchange && k.Measure != Stream {
			continue
		}
		if k.Measure == Exchange {
			exchanges++
		}
		if e := math.Abs(float64(k.Predicted/k.Time) - 1); e > 0.05 && k.Size != 1024 { // 1 KiB lies between the two forms
			t.Errorf("%s of %v: %v, planted %v", k.Measure, k.Size, k.Predicted, k.Time)
		}
	}
	c.Rows = append(c.Rows, Measurement{Measure: Exchange, Pairs: 1, Size: 8000, Time: 4}, Measurement{Measure: Exchange, Pairs: 1, Size: 8001, Time: 3})
	if both := c.exchanges(0); both.At(8000) != 4 || both.At(8001) != 3 {
		t.Errorf("exchanges at the eager threshold of 8,000 B are not used: %+v", both)
	}
	if exchanges != 5 {
		t.Errorf("%d exchanges are checked; 5 of 11 are not used", exchanges)
	}
}

// What an interrupted job wrote is a machine all the same, with doubts.
func TestInterruptedCalibration(t *testing.T) {
	text := planted()
	cut := strings.Index(text, "# level cluster eager")
	c := calibration(t, text[:strings.Index(text, "pingpong,cluster")+20])
	if len(c.Notes) != 2 {
		t.Errorf("notes %q; a row that was cut off, and cases that are missing", c.Notes)
	}
	m, unmeasured, err := c.Machine()
	if err != nil || len(unmeasured) != 1 || unmeasured[0] != "cluster" || len(m.Levels) != 2 {
		t.Errorf("%v, not measured %v", err, unmeasured)
	}
	if i := CheckedDeviation(nil, unmeasured); !math.IsInf(i.Ratio.High, 1) {
		t.Error("a machine with a level that was not measured has an interval")
	}
	c = calibration(t, "Welcome to the cluster, please\n"+text[:cut]+"mpirun noticed that\n")
	if _, unmeasured, err := c.Machine(); err != nil || len(unmeasured) > 0 || len(c.Notes) != 2 || !strings.HasPrefix(c.Notes[0].Text, "2 lines") {
		t.Errorf("%v, not measured %v, notes %q", err, unmeasured, c.Notes)
	}
	for text, want := range map[string]string{
		Header + "\n": "before its first measurement",
		Header + "\n# a\n# b\n# level node holds x\n":                    "x:4: invalid number \"x\"",
		Header + "\n" + strings.Repeat("x", 5<<20):                       "x:2: the line is longer than 4 MiB",
		strings.Replace(planted(), "pingpong,node", "pingpong,rack", 1):  "unknown level \"rack\"",
		strings.Replace(planted(), "node,in,1,1,0", "node,in,1,-1,0", 1): "invalid bytes",
		strings.Replace(planted(), "10,0.500100,", "10,much,", 1):        "invalid median_us",
		strings.Replace(planted(), "# places 0,1", "# places 0,one", 1):  "invalid number",
	} {
		if _, err := Read(strings.NewReader(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

// Lines that calibrate does not write are errors with their line, and nothing is computed of them.
func TestHostileCalibration(t *testing.T) {
	text := Header + `
# 2026-11-22, 4 ranks
# An MPI
# level node holds 2
# level cluster holds 2
# places 0,1,2,3
pingpong,node,in,1,1,0,1,10,0.5,0.5,0.5,0.5,0.5,0.5,0
pingpong,node,in,1,1024,0,1,10,0.6,0.6,0.6,0.6,0.6,0.6,0
pingpong,cluster,in,1,1,0,1,10,2,2,2,2,2,2,0
# 60.0 s
`
	if _, err := Read(strings.NewReader(text), "me.csv"); err != nil {
		t.Fatal(err)
	}
	cut := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := Read(cut, "me.csv.gz"); err == nil || !strings.HasPrefix(err.Error(), "me.csv.gz:11: the file is damaged or cut off here") {
		t.Errorf("a file that is cut: %v", err)
	}
	disturbed := strings.Replace(text, "0.6,0.6,0\n", "0.6,-164.8,0\n", 1) // the average
	if _, err := Read(strings.NewReader(disturbed), "me.csv"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"0.5,0.5", "NaN,NaN", `me.csv:7: invalid median_us "NaN"`},
		{"2,2,2,2", "Inf,2,2,2", `me.csv:9: invalid median_us "Inf"`},
		{"0.5,0.5", "-1,0.5", `me.csv:7: invalid median_us "-1"`},
		{",1024,", ",0,", `me.csv:8: invalid bytes "0"`},
		{"node holds 2", "node holds 0", "me.csv:4: level node holds 0"},
		{"node holds 2", "node holds 1073741824", "me.csv:5: level cluster holds 2"},
		{"level node", "level \x1b[31mnode", `me.csv:4: invalid level "\x1b[31mnode"`},
		{"pingpong,cluster,in", "stream,cluster,out", `me.csv:9: no pair leaves a unit of level "cluster", the outermost one`},
		{"pingpong,cluster,in", "exchange,,in", `me.csv:9: unknown level ""`},
		{"# 60.0 s\n", text, "me.csv:10: a second run of calibrate begins here"},
	} {
		_, err := Read(strings.NewReader(strings.Replace(text, c.old, c.new, 1)), "me.csv")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.new, err, c.want)
		}
	}
}

// A message from rest takes longer than in a loop: by what exchanges of its size take longer than
// round trips, beyond those of 8 bytes, up to the eager threshold.
func TestFromRest(t *testing.T) {
	c := &Calibration{Levels: []machine.Level{{Name: "node", Arity: 2, Eager: 4096}}}
	for _, n := range []quantity.Bytes{8, 1024, 4096, 8192} {
		way := quantity.Micros(0.1 + float64(n)/10000)
		c.Rows = append(c.Rows, Measurement{Measure: PingPong, Pairs: 1, Size: n, Time: way},
			Measurement{Measure: Exchange, Pairs: 1, Size: n, Time: way + 0.03 + quantity.Micros(float64(n-8)/20000)})
	}
	for n, want := range map[quantity.Bytes]float64{8: 0, 1024: 1016. / 20000, 4096: 4088. / 20000, 8192: 0} {
		if got := float64(c.fromRest(n)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %v, want %v", n, got, want)
		}
	}
}

// Of a library whose algorithms are not known, a collective that takes as long as one of ours names
// that algorithm; the prediction is still the least time of all.
func TestNearestAlgorithm(t *testing.T) {
	c := calibration(t, planted())
	c.Rows = slices.DeleteFunc(c.Rows, Measurement.IsCollective)
	m := machineOf(t, c)
	on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	e, err := collective.Find("allreduce", "ring")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Schedule(16, collective.Call{Bytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := finish(t.Context(), s, on)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.collective(t.Context(), m, Measurement{Measure: "allreduce", Level: -1, Pairs: 16, Size: 4096, Time: 1.01 * ring})
	if err != nil {
		t.Fatal(err)
	}
	if p.nearest != "ring" || p.least >= ring {
		t.Errorf("nearest %s, least %v; want ring, and less than %v", p.nearest, p.least, ring)
	}
}
