package halfpeak_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	collectives "github.com/halfpeak/halfpeak/reports/collective"
	themessage "github.com/halfpeak/halfpeak/reports/message"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Sizes of no message are errors of all that has costs, and so are no ranks and no sizes.
func TestSizesOfNoMessage(t *testing.T) {
	d, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []float64{0, -1, 0.5, math.NaN(), math.Inf(1), 1e300} {
		sizes := []quantity.Bytes{quantity.Bytes(n)}
		on := []platforms.Design{d.Design}
		_, costs := themessage.CostQuestion{On: on, Sizes: sizes}.Ask(t.Context())
		_, compared := themessage.CompareQuestion{On: on, Sizes: sizes}.Ask(t.Context())
		_, cuts := themessage.CutQuestion{On: on, Sizes: sizes}.Ask(t.Context())
		for _, err := range []error{costs, compared, cuts} {
			if err == nil || !strings.HasSuffix(err.Error(), "a message has 1 to 2⁵³ whole ones") {
				t.Errorf("%v bytes: error %v", n, err)
			}
		}
	}
	none := collectives.Calls{Collective: "bcast", Algorithm: "binomial"}
	one := none
	one.Ranks = []int{4}
	for c, want := range map[*collectives.Calls]string{&none: "bcast: no number of ranks; give at least one", &one: "bcast: no size; give at least one"} {
		if _, err := d.Times(t.Context(), halfpeak.Collectives{Calls: *c}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A program takes the measured times of its collectives, as in simulate: 446.2 µs for an allreduce
// of 64 MiB on 32 GPUs, behind the computation. It may be read without the design, and asked about
// twice.
func TestProgramOfMeasuredCollectives(t *testing.T) {
	d, err := halfpeak.Fit([]string{"internal/demo/files/nccl.log"}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "step.star")
	text := "def main(mpi):\n    mpi.compute(100, \"us\")\n    mpi.allreduce(64 << 20)\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, designs := range [][]halfpeak.Design{{d}, nil} {
		p, err := halfpeak.Read(t.Context(), []string{file},
			theprogram.Reading{Ranks: []int{32}}, designs...)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			e, err := d.Ask(t.Context(), p)
			if err != nil || math.Abs(e.Value-546.2) > 1e-9 {
				t.Errorf("%v, %v, want 546.2 µs", e, err)
			}
		}
		s, err := d.Study(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := s.Now(); err != nil || math.Abs(float64(now)-546.2) > 1e-9 {
			t.Errorf("the study begins with %v, %v", now, err)
		}
		found, err := s.Target(540, "network.tau")
		if err != nil || len(found.Found) != 1 || !found.Found[0].Reached {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

// Calls that no machine makes, such as those whose fields were forgotten, are errors that say what
// is missing.
func TestCallsOfNoSense(t *testing.T) {
	allreduce := func(ranks int, size float64) halfpeak.Call {
		return halfpeak.Collective{Name: "allreduce", Ranks: ranks, Size: quantity.Bytes(size)}
	}
	message := func(size float64) halfpeak.Call {
		return halfpeak.Message{Size: quantity.Bytes(size)}
	}
	calls := func(c collectives.Calls) halfpeak.Call {
		c.Collective, c.Ranks, c.Sizes = "allreduce", []int{4}, []quantity.Bytes{1024}
		return halfpeak.Collectives{Calls: c}
	}
	for _, ref := range []string{"clip", "hp-lam", "parnass"} {
		d, err := halfpeak.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			call halfpeak.Call
			want string
		}{
			{halfpeak.Collective{}, "no collective"},
			{allreduce(0, 8), "0 ranks: a collective has 1 to 1048576"},
			{allreduce(-1, 8), "-1 ranks"},
			{allreduce(1<<40, 8), "1099511627776 ranks"},
			{allreduce(4, -5), "-5 bytes: a collective has 0 to 2⁵³"},
			{allreduce(4, math.NaN()), "NaN bytes"},
			{allreduce(4, math.Inf(1)), "+Inf bytes"},
			{message(0), "0 bytes: a message has 1 to 2⁵³"},
			{message(-1), "-1 bytes"},
			{message(100.7), "100.7 bytes: a message has 1 to 2⁵³ whole ones"},
			{allreduce(4, 0.5), "0.5 bytes: a collective has 0 to 2⁵³ whole ones"},
			{nil, "no call"},
			{message(math.NaN()), "NaN bytes"},
			{message(math.Inf(1)), "+Inf bytes"},
			{halfpeak.Program{}, "schedule"},
			{halfpeak.Program{Schedule: &schedule.Schedule{}}, "schedule"},
			{calls(collectives.Calls{PerNode: -1}), "-1 ranks on each node"},
			{calls(collectives.Calls{Groups: -1}), "-1 groups"},
			{calls(collectives.Calls{Operations: -1}), "schedules of -1 operations"},
			{calls(collectives.Calls{Statistic: "x"}), `no statistic "x"`},
			{calls(collectives.Calls{Segments: []quantity.Bytes{-4}}), "segments of -4 bytes"},
			{calls(collectives.Calls{Segments: []quantity.Bytes{quantity.Bytes(math.NaN())}}),
				"segments of NaN bytes"},
			{calls(collectives.Calls{Call: collective.Call{Gamma: math.NaN()}}), "finite (got NaN"},
			{calls(collectives.Calls{Call: collective.Call{Root: -1}}), "no parameter root"},
			{calls(collectives.Calls{Algorithm: "ring", Call: collective.Call{Channels: -1}}),
				"1 to 64 (got -1)"},
			{halfpeak.Message{Size: 8, Level: "node"}, "one layer, without levels"},
			{halfpeak.Message{Size: 8, From: 0, To: 1}, "one layer, without levels"},
		} {
			_, err := d.Ask(t.Context(), c.call)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: %v, want %q", ref, c.call, err, c.want)
			}
			if _, err := d.Study(t.Context(), c.call); err == nil {
				t.Errorf("%s, %+v: a study without an error", ref, c.call)
			}
		}
	}
}

// What was forgotten, such as the design, is an error, and not a panic.
func TestNothingGiven(t *testing.T) {
	var none halfpeak.Design
	clip, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	errs := map[string]error{}
	for _, c := range []halfpeak.Call{nil, halfpeak.Message{Size: 8}, halfpeak.Collectives{},
		halfpeak.Collective{Name: "bcast", Ranks: 4, Size: 8},
		halfpeak.Program{Schedule: &schedule.Schedule{}}} {
		var e halfpeak.Estimate
		e, errs[fmt.Sprintf("asks %T", c)] = none.Ask(t.Context(), c)
		_, errs[fmt.Sprintf("studies %T", c)] = none.Study(t.Context(), c)
		if e.String() != "no estimate" {
			t.Errorf("%T: %v", c, e)
		}
	}
	_, errs["sets"] = none.Set("L=1us")
	_, errs["cuts otherwise"] = none.Recut("1KiB")
	size := []quantity.Bytes{1024}
	_, errs["costs"] = themessage.CostQuestion{
		On: []platforms.Design{clip.Design, none.Design}, Sizes: size}.Ask(t.Context())
	_, errs["comparison"] = themessage.CompareQuestion{
		On: []platforms.Design{none.Design}, Sizes: size}.Ask(t.Context())
	_, errs["crossovers"] = whatif.CrossoverQuestion{Designs: []platforms.Design{none.Design, clip.Design}}.Ask(t.Context())
	_, errs["cuts of no size"] = themessage.CutQuestion{
		On: []platforms.Design{clip.Design}}.Ask(t.Context())
	_, errs["cuts"] = themessage.CutQuestion{
		On: []platforms.Design{none.Design}, Sizes: size}.Ask(t.Context())
	_, errs["fit"] = halfpeak.Fit(nil, fit.Options{Runs: true})
	var s halfpeak.Study
	_, errs["now"] = s.Now()
	_, errs["sensitivities"] = s.Sensitivities()
	_, errs["target"] = s.Target(1)
	_, errs["sweep"] = s.Sweep("L=1us..2us")
	_, errs["uncertainty"] = s.Uncertainty(whatif.Sampling{Samples: 100})
	_, errs["breakdown"] = s.Breakdown()
	for what, err := range errs {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A program that was read runs the schedule that it was given since.
func TestGivenScheduleRuns(t *testing.T) {
	d, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	var ends []quantity.Micros
	var last *schedule.Schedule
	for _, calc := range []string{"1000", "1000000"} {
		path := filepath.Join(t.TempDir(), "a.goal")
		text := "num_ranks 1\nrank 0 {\nl1: calc " + calc + "\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := halfpeak.Read(t.Context(), []string{path}, theprogram.Reading{}, d)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			p.Schedule = last
		}
		last = p.Schedule
		e, err := d.Ask(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, e.Time())
	}
	if ends[0] != 1 || ends[1] != 1 {
		t.Errorf("finishes at %v; want 1 µs, that of the first schedule, twice", ends)
	}
}

// A message crosses one level of a machine, that of its name or of its ranks.
func TestLevelsOfNoSense(t *testing.T) {
	d, err := halfpeak.Open("internal/demo/files/rack.toml") // 256 cores
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		message halfpeak.Message
		want    string
	}{
		{halfpeak.Message{Size: 8}, "name the one that the message crosses"},
		{halfpeak.Message{Size: 8, From: 2, To: 2}, "or its two ranks"},
		{halfpeak.Message{Size: 8, From: -1, To: 3}, "has ranks 0 to 255"},
		{halfpeak.Message{Size: 8, To: 256}, "has ranks 0 to 255"},
		{halfpeak.Message{Size: 8, Level: "no"}, `no level "no"; choose from socket, node, cluster`},
		{halfpeak.Message{Size: 8, Level: "node", To: 1}, "give the level or the ranks"},
	} {
		_, err := d.Ask(t.Context(), c.message)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.message, err, c.want)
		}
	}
}

// Rates, times and samples that cannot be are errors, and not answers.
func TestStudiesOfNoSense(t *testing.T) {
	d, err := halfpeak.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"bulk_bandwidth=-1MB/s":   "cannot be negative",
		"bulk_bandwidth=0MB/s":    "must be finite",
		"bulk_bandwidth*=NaN":     `no parameter, constant or function "NaN"`,
		"bulk_bandwidth=1e400B/s": "too large",
		"bulk_bandwidth=5us":      "takes a rate",
	} {
		if _, err := d.Set(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
	s, err := d.Study(t.Context(), halfpeak.Message{Size: 1024})
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
		if _, err := s.Target(quantity.Micros(most)); err == nil {
			t.Errorf("a target of %v µs", most)
		}
	}
	for _, by := range []whatif.Sampling{{}, {Samples: -1}, {Samples: 10, Assumed: -0.1},
		{Samples: 10, Assumed: math.NaN()}} {
		if _, err := s.Uncertainty(by); err == nil || errors.Is(err, whatif.ErrExact) {
			t.Errorf("%+v: %v", by, err)
		}
	}
}

// A target that is met as it is differs from one that no parameter alone can reach.
func TestTargetMetOrImpossible(t *testing.T) {
	d, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Study(t.Context(), halfpeak.Message{Size: 1024})
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Now()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		most         quantity.Micros
		met, reached bool
	}{{2 * now, true, false}, {0.9 * now, false, true}, {now / 1e6, false, false}} {
		found, err := s.Target(c.most)
		if err != nil {
			t.Fatal(err)
		}
		reached := len(found.Found) > 0 && found.Found[0].Reached
		if found.Met != c.met || reached != c.reached || found.Now.Value != float64(now) {
			t.Errorf("%v: %+v", c.most, found)
		}
	}
}

// Above a table of measured times, the estimate says how far.
func TestBeyondATable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.toml")
	text := `layer.tab = {model="table", sizes=["1KiB","2KiB"], times=["2us","3us"], source="made up"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := halfpeak.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[quantity.Bytes]float64{512: 2, 1024: 0, 2048: 0, 1 << 30: 1 << 19} {
		if e, err := d.Ask(t.Context(), halfpeak.Message{Size: size}); err != nil ||
			e.Beyond != want {
			t.Errorf("%v: %v times the measured sizes, want %v; %v", size, e.Beyond, want, err)
		}
	}
}

// Calls that are compared have one time only where one of them is the best: Ask takes it, and a
// study of several has none. Segments are compared with whole messages, also of one algorithm.
func TestSeveralCalls(t *testing.T) {
	d := sharedtest.Must(t, halfpeak.Open, "clip")
	calls := halfpeak.Collectives{Calls: collectives.Calls{Collective: "bcast",
		Algorithm: "pipeline", Ranks: []int{8}, Sizes: []quantity.Bytes{1 << 20},
		Segments: []quantity.Bytes{1 << 14}}}
	found, err := d.Times(t.Context(), calls)
	if err != nil || len(found.Times[0].Times) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	times := found.Times[0]
	least := min(times.Times[0].Time, times.Times[1].Time)
	if e, err := d.Ask(t.Context(), calls); err != nil || e.Value != float64(least) ||
		times.Times[0].Time == times.Times[1].Time {
		t.Errorf("%v, %v; want %v of %+v", e, err, least, times.Times)
	}
	s, err := d.Study(t.Context(), calls)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Now(); err == nil || !strings.Contains(err.Error(), "bcast has 2 times") {
		t.Errorf("a study of two times: %v", err)
	}
	calls.Sizes = []quantity.Bytes{1 << 10, 1 << 20}
	both, err := collectives.Question{Crossovers: true,
		On: []collectives.Subject{{Design: d.Design, Calls: calls.Calls}}}.Ask(t.Context())
	if c := both.Crossovers; err != nil || len(c) != 1 {
		t.Errorf("%+v, %v; want one size from which segments are faster", c, err)
	}
	calls.Total = true
	if _, err := d.Times(t.Context(), calls); err == nil {
		t.Error("total sizes of a simulation: no error")
	}
}

// Recut is a change of the packets, for later changes too.
func TestRecutStays(t *testing.T) {
	d := sharedtest.Must(t, halfpeak.Open, "clip/user-buffer")
	of := halfpeak.Message{Size: 4096}
	ask := func(d halfpeak.Design, err error) halfpeak.Estimate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.Ask(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	cut, err := d.Recut("256")
	a, b := ask(cut, err), ask(d.Set("packets=256B"))
	if a.Value != b.Value || !slices.Equal(a.Parts, b.Parts) {
		t.Errorf("recut %v %v, set %v %v", a, a.Parts, b, b.Parts)
	}
	if c := ask(cut.Set("wire.tau*=1.000000000001")); math.Abs(c.Value/a.Value-1) > 1e-9 {
		t.Errorf("changed after the cut: %v, want %v", c, a)
	}
}

// A collective has the interval, the method and the ranks of a node that the command prints: of
// simulations of other machines where none was measured, and of fits beyond what was.
func TestCollectiveAsCommanded(t *testing.T) {
	gpus, err := halfpeak.Fit([]string{"internal/demo/files/nccl.log"}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clip, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d      halfpeak.Design
		call   halfpeak.Collective
		method halfpeak.Method
		beyond float64
	}{
		{clip, halfpeak.Collective{Algorithm: "ring", Ranks: 8, Size: 1024}, halfpeak.Simulated, 0},
		{gpus, halfpeak.Collective{Ranks: 32, Size: 1 << 20}, halfpeak.Measured, 0},
		{gpus, halfpeak.Collective{Ranks: 64, Size: 1 << 20}, halfpeak.Fitted, 2},
		{gpus, halfpeak.Collective{Ranks: 32, PerNode: 4, Size: 1 << 20}, halfpeak.Fitted, 4},
	} {
		c.call.Name = "allreduce"
		e, err := c.d.Ask(t.Context(), c.call)
		if err != nil || e.Method != c.method || e.Beyond != c.beyond || !(e.Low < e.Value) ||
			!(e.High > e.Value) || e.NoInterval != "" {
			t.Errorf("%+v: %+v, %v; want %s, beyond %v, with an interval", c.call, e, err, c.method, c.beyond)
		}
		// The table has the same.
		a, err := c.d.Times(t.Context(), halfpeak.Collectives{Calls: collectives.Calls{
			Collective: "allreduce", Algorithm: c.call.Algorithm, Ranks: []int{c.call.Ranks}, PerNode: c.call.PerNode, Sizes: []quantity.Bytes{c.call.Size}}})
		if err != nil {
			t.Fatal(err)
		}
		shown := a.Times[0].Times[0]
		if in := shown.Within; in != e.Interval && shown.AverageWithin != e.Interval {
			t.Errorf("%+v: the table has %v, not %v", c.call, in, e.Interval)
		}
	}
	_, err = clip.Ask(t.Context(), halfpeak.Collective{Name: "allreduce", Ranks: 8, PerNode: 4, Size: 8})
	if err == nil || !strings.Contains(err.Error(), "clip has none of allreduce") {
		t.Errorf("ranks on a node of clip: %v", err)
	}
}

// A design may be asked from several goroutines, also while its collectives are fitted.
func TestSeveralGoroutines(t *testing.T) {
	d, err := halfpeak.Fit([]string{"internal/demo/files/nccl.log", "internal/demo/files/latency.txt"}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := []halfpeak.Call{halfpeak.Collective{Name: "allreduce", Ranks: 32, Size: 1 << 20},
		halfpeak.Message{Size: 1 << 20}, halfpeak.Collective{Name: "bcast", Algorithm: "best", Ranks: 8, Size: 8}}
	var all sync.WaitGroup
	answers := make([]halfpeak.Estimate, 12)
	for i := range answers {
		all.Go(func() {
			var err error
			if answers[i], err = d.Ask(t.Context(), calls[i%len(calls)]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, e := range answers {
		if first := answers[i%len(calls)]; e.Interval != first.Interval {
			t.Errorf("%v and %v", e, first)
		}
	}
}
