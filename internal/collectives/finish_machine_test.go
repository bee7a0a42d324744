package collectives_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// wholeMachine has every number and every layer that a level can have, over several kinds of layers,
// one key in a line.
const wholeMachine = `
[level.socket]
arity = "12"
layer = "cache"
lanes = "2.5"
packet = "2KiB"
reverse = "0.25"
crowd = "0.1us"
eager_threshold = "4KiB"
source = "s"
[level.node]
arity = "2"
layer = "bus"
send = "cpu"
receive = "cpu"
shared = "memory"
ports = "1.5"
routes = "2"
source = "s"
[level.cluster]
arity = "4"
layer = "network"
topology = "torus 2 2"
hop = "0.2us"
link = "wire"
source = "s"
[constant.bandwidth]
value = "12.5GB/s"
source = "s"
[constant.copy]
value = "0.05ns/B"
source = "s"
[constant.combine]
value = "0.2ns/B"
source = "s"
[stage.host]
beta = "0.3us"
tau = "0.08us/KiB"
host = "sender"
source = "s"
[stage.dma]
beta = "0.2us"
tau = "0.09us/KiB"
source = "s"
[layer.cache]
model = "linear"
beta = "0.3us"
tau = "0.07us/KiB"
source = "s"
[layer.cpu]
model = "linear"
beta = "0.1us"
tau = "0.01us/KiB"
source = "s"
[layer.memory]
model = "linear"
beta = "0us"
tau = "0.05us/KiB"
source = "s"
[layer.bus]
model = "pipeline"
stages = ["host", "dma"]
packets = "2KiB"
source = "s"
[layer.wire]
model = "linear"
beta = "0.5us"
tau = "0.3us/KiB"
source = "s"
[layer.network]
model = "loggp"
o_s = "0.3us"
o_r = "0.4us"
L = "0.7us"
g = "0.5us"
G = "1/bandwidth"
source = "s"
`

// changes are new values of the parameters of wholeMachine, as a person writes them.
var changes = map[string]string{
	"level.socket.arity": "3", "level.socket.lanes": "1.25", "level.socket.packet": "16KiB",
	"level.socket.reverse": "0.75", "level.socket.crowd": "0.35us",
	"level.socket.eager_threshold": "512B",
	"level.node.arity":             "3", "level.node.ports": "3.5", "level.node.routes": "3",
	"level.cluster.hop": "0.9us", "constant.bandwidth": "25GB/s",
	"constant.copy": "0.15ns/B", "constant.combine": "0.07ns/B",
	"stage.host.beta": "0.11us", "stage.host.tau": "0.02us/KiB",
	"stage.dma.beta": "0.7us", "stage.dma.tau": "0.3us/KiB",
	"layer.cache.beta": "0.9us", "layer.cache.tau": "0.01us/KiB",
	"layer.cpu.beta": "0.33us", "layer.cpu.tau": "0.07us/KiB",
	"layer.memory.beta": "0.2us", "layer.memory.tau": "0.15us/KiB", "layer.bus.packets": "4KiB",
	"layer.wire.beta": "0.05us", "layer.wire.tau": "0.01us/KiB",
	"layer.network.o_s": "0.1us", "layer.network.o_r": "0.9us", "layer.network.L": "0.31us",
	"layer.network.g": "1.7us", "layer.network.G": "0.03us/KiB",
}

// edited returns a file with another value of the parameter at a path, as an editor would leave it.
func edited(t *testing.T, text, path, value string) string {
	t.Helper()
	at := strings.LastIndexByte(path, '.')
	table, key := path[:at], path[at+1:]
	if strings.HasPrefix(path, "constant.") {
		table, key = path, "value"
	}
	head, rest, found := strings.Cut(text, "["+table+"]\n")
	was, after, has := strings.Cut("\n"+rest, "\n"+key+" = ") // the first one behind the head
	if !found || !has || strings.Contains(was, "\n[") {
		t.Fatalf("the file has no %s", path)
	}
	_, after, _ = strings.Cut(after, "\n")
	return head + "[" + table + "]" + was + "\n" + key + " = \"" + value + "\"\n" + after
}

func saved(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// asked returns the time that the command collective prints, of the machine in a file.
func asked(t *testing.T, text string, calls collectives.Calls) float64 {
	t.Helper()
	d, err := platforms.Open(saved(t, text))
	if err != nil {
		t.Fatal(err)
	}
	calls.Simulated = true
	times, err := calls.On(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for _, c := range times.Times {
		best = min(best, float64(c.Time))
	}
	return best
}

// A change of any parameter of any level or layer gives, to the last bit, the time that collective
// gives for a file with the new number: whether the design is changed, or a program of it as in a
// sweep, or the changed design is saved. Ranks are placed by every way.
func TestFinishIsCollective(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulations, on one goroutine")
	}
	d, err := platforms.Open(saved(t, wholeMachine))
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]string, 12)
	for i := range nodes {
		nodes[i] = string(rune('a' + i%4))
	}
	moved := map[string]bool{}
	for _, calls := range []collectives.Calls{
		{Collective: "allreduce", Algorithm: "ring", Sizes: []quantity.Bytes{36000}},
		{Collective: "alltoall", Algorithm: "pairwise", Sizes: []quantity.Bytes{3000}, Map: machine.Placement{By: "node"}},
		{Collective: "bcast", Algorithm: "logp-optimal", Sizes: []quantity.Bytes{8}, Map: machine.Placement{Nodes: nodes}},
		{Collective: "allgather", Algorithm: "best", Sizes: []quantity.Bytes{9000}, Map: machine.Placement{By: "socket"}},
	} {
		calls.Ranks = []int{12}
		_, prepared, err := calls.Prepare(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		with := whatif.Of(d, prepared...)
		// The table also has the parameter that limits the time, for which each one is changed. So it
		// is asked once.
		printed := func(d whatif.Design) float64 {
			answer, err := whatif.ChangeQuestion{Case: whatif.Case{Before: d, After: d}}.Ask(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rows := answer.Rows()
			for i, c := range rows.Columns {
				if c.Key == "before_us" {
					return rows.Data[0][i].(float64)
				}
			}
			t.Fatal("no column before_us")
			return 0
		}
		value := func(d whatif.Design) float64 {
			finish, err := d.Quantities()
			if err != nil {
				t.Fatal(err)
			}
			v, err := d.ValueOf(finish[len(finish)-1])
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		now := value(with)
		if table := printed(with); table != now {
			t.Errorf("%s: %v µs in the table, want %v", calls.Collective, table, now)
		}
		if want := asked(t, wholeMachine, calls); now != want {
			t.Fatalf("%s: %v µs as it is, collective says %v", calls.Collective, now, want)
		}
		uses := map[string]bool{}
		for _, p := range with.Uses() {
			uses[p.Path] = true
			if p.Path == "level.cluster.arity" {
				continue // the topology has as many units
			}
			text, has := changes[p.Path]
			if !has {
				t.Fatalf("no change of %s", p.Path)
			}
			changed, err := with.Set(p.Path + "=" + text)
			if err != nil {
				t.Fatal(err)
			}
			want := asked(t, edited(t, wholeMachine, p.Path, text), calls)
			if got := value(changed); got != want {
				t.Errorf("%s, %s = %s: %v µs, collective of the edited file says %v", calls.Collective, p.Path, text, got, want)
			}
			saved, err := changed.Encode("")
			if err != nil {
				t.Fatal(err)
			}
			if got := asked(t, string(saved), calls); got != want {
				t.Errorf("%s, %s = %s: the saved file gives %v µs, want %v", calls.Collective, p.Path, text, got, want)
			}
			prog, _ := with.Compile(p)
			to, err := changed.Find(p.Path)
			if err != nil || !prog.Set(to.Value.Num) {
				t.Fatal(p.Path, err)
			}
			// A program is what a sweep runs, whose first row has the new value.
			s := &whatif.Sweep{Design: with, Sizes: []quantity.Bytes{1}, Ranges: []whatif.Range{{Param: p,
				From: to.Value.Num, To: 2 * to.Value.Num, Steps: 2}}}
			if s.Quantities, err = with.Quantities(); err != nil {
				t.Fatal(err)
			}
			var b whatif.Block
			s.Evaluator(nil)(&b, 0, 1)
			if got := b.Values[len(b.Values)-1]; got != want {
				t.Errorf("%s, %s = %s: a sweep gives %v µs, want %v", calls.Collective, p.Path, text, got, want)
			}
			moved[p.Path] = moved[p.Path] || want != now
		}
		for path := range changes {
			if !uses[path] {
				t.Errorf("%s is not a parameter of the machine", path)
			}
		}
	}
	// The test is of little use for a parameter that decides nothing in any of the calls.
	for path := range changes {
		if !moved[path] {
			t.Errorf("%s moves none of the calls", path)
		}
	}
}

// Of a measured collective, the time is the fitted one, and a change multiplies it by the ratio of
// two simulations. The interval has that of the measurement, and holds the time if what is not
// simulated stays as it is. A time of the library is simulated as the nearest algorithm, though
// another one is faster.
func TestMeasuredFinish(t *testing.T) {
	calls := collectives.Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{12}, Sizes: []quantity.Bytes{16384}}
	measured := func(factor float64, algorithm string) string {
		var times []string
		for _, n := range []quantity.Bytes{1024, 4096, 16384, 65536} {
			at := calls
			at.Algorithm, at.Sizes = "ring", []quantity.Bytes{n}
			times = append(times, fmt.Sprintf("%.9gus", factor*asked(t, wholeMachine, at)))
		}
		return wholeMachine + "[collective.own]\ncollective = \"allreduce\"\n" + algorithm + "statistic = \"slowest\"\n" +
			"ranks = [\"12\"]\nranks_per_node = [\"12\"]\nsizes = [\"1KiB\", \"4KiB\", \"16KiB\", \"64KiB\"]\n" +
			"times = [\"" + strings.Join(times, " ") + "\"]\nsource = \"s\"\n"
	}
	const ring = "algorithm = \"ring\"\n"
	answer := func(text string, set ...string) (cell map[string]float64, quantityName string) {
		t.Helper()
		d, err := platforms.Open(saved(t, text))
		if err != nil {
			t.Fatal(err)
		}
		_, prepared, err := calls.Prepare(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		with := whatif.Of(d, prepared...)
		changed, err := with.Set(set...)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := whatif.ChangeQuestion{Case: whatif.Case{Before: with, After: changed}}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows := answer.Rows()
		cell = map[string]float64{}
		for i, c := range rows.Columns {
			if v, ok := rows.Data[0][i].(float64); ok {
				cell[c.Key] = v
			}
			if c.Key == "quantity" {
				quantityName = fmt.Sprint(rows.Data[0][i])
			}
		}
		return cell, quantityName
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	d, err := platforms.Open(saved(t, measured(1.25, ring)))
	if err != nil {
		t.Fatal(err)
	}
	fit, err := calls.On(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	before, after := asked(t, wholeMachine, calls), asked(t, edited(t, wholeMachine, "layer.cache.tau", "0.035us/KiB"), calls)
	in := fit.Times[0].Within
	m, low, high := in.Value, in.Low, in.High
	cell, _ := answer(measured(1.25, ring), "cache.tau*=0.5")
	near("before", cell["before_us"], m)
	near("after", cell["after_us"], m*after/before)
	// A fifth of the measured time is not simulated: at best it halves as well, at worst it stays.
	stays := m * (1 + before/m*(after/before-1))
	if !(cell["after_low_us"] < low*after/before && stays < cell["after_high_us"]) {
		t.Errorf("%v to %v leave out %v or %v", cell["after_low_us"], cell["after_high_us"], low*after/before, stays)
	}
	if cell["after_high_us"] > high {
		t.Errorf("up to %v after a change to cheaper messages; before, up to %v", cell["after_high_us"], high)
	}
	// Without a change, 2 % are left of the errors of ratios, beside those of the measurement.
	cell, _ = answer(measured(1.25, ring))
	near("low", cell["after_low_us"], m*math.Exp(-math.Hypot(math.Log(m/low), 0.02)))
	near("high", cell["after_high_us"], m*math.Exp(math.Hypot(math.Log(high/m), 0.02)))

	calls.Algorithm = "best"
	cell, name := answer(measured(0.99, ""), "cache.tau*=0.5")
	near("after, like ring", cell["after_us"], cell["before_us"]*after/before)
	if !strings.Contains(name, "allreduce like ring") {
		t.Errorf("the library's time is that of %s", name)
	}
	// So is an algorithm that has no schedule here, though the library's own choice was measured too.
	both := measured(1.2, "") + strings.Replace(measured(0.99, "library_algorithm = \"hier\"\n")[len(wholeMachine):], "own", "hier", 1)
	calls.Algorithm = "hier"
	cell, name = answer(both, "cache.tau*=0.5")
	near("before, hier", cell["before_us"], 0.99*before)
	near("after, hier like ring", cell["after_us"], 0.99*after)
	if !strings.Contains(name, "allreduce hier like ring") {
		t.Errorf("the time of hier is that of %s", name)
	}
	calls.Algorithm = "best"
	if fastest := asked(t, wholeMachine, calls); fastest > 0.9*before {
		t.Errorf("the fastest algorithm takes %v µs and ring %v: the test needs a faster one", fastest, before)
	}
	for factor, algorithm := range map[float64]string{3: "ring", 1: "rabenseifner"} {
		d, err := platforms.Open(saved(t, measured(factor, ring)))
		if err != nil {
			t.Fatal(err)
		}
		calls.Algorithm = algorithm
		if _, _, err := calls.Prepare(t.Context(), d); err == nil {
			t.Errorf("%s with times of %v times the simulated ones is predicted", algorithm, factor)
		}
	}
}

// One's own schedule takes the time of the algorithm that it was made by, also where ranks copy
// their own data, and so does the run that is drawn.
func TestOwnScheduleCopies(t *testing.T) {
	d, err := platforms.Open(saved(t, edited(t, wholeMachine, "constant.copy", "0.5ns/B")))
	if err != nil {
		t.Fatal(err)
	}
	calls := collectives.Calls{Collective: "allgather", Algorithm: "ring", Ranks: []int{4},
		Sizes: []quantity.Bytes{1 << 20}}
	times, err := calls.On(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	run, err := calls.Simulate(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	ringCall, err := collective.Find("allgather", "ring")
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := ringCall.Schedule(4, collective.Call{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := times.AddSchedule(t.Context(), "own", schedule); err != nil {
		t.Fatal(err)
	}
	ring, own := times.Times[0], times.Times[1]
	// Averages are sums of the same times in another order.
	near := func(a, b quantity.Micros) bool { return math.Abs(float64(a/b-1)) < 1e-12 }
	if own.Time != ring.Time || !near(own.Average, ring.Average) || run.Time != ring.Time ||
		run.Copying < 500 {
		t.Errorf("ring takes %v, %v on average; its schedule %v, %v; drawn %v, of which %v copies",
			ring.Time, ring.Average, own.Time, own.Average, run.Time, run.Copying)
	}
}
