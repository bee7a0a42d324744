package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/table"
)

// answer asks, and fails the test if there is none.
func answer[T any](t *testing.T, x *Explorer, question string, request any) (a T) {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	got := x.Ask(question, text)
	var f failedAnswer
	if json.Unmarshal(got, &f) == nil && f.Error != "" {
		t.Fatalf("%s %s: %s", question, text, f.Error)
	}
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%s %s: %v in %.300s", question, text, err, got)
	}
	return a
}

const times = "size_bytes,time_us\n1,5\n64,5.5\n1024,7\n4096,13\n16384,40\n65536,150\n262144,590\n"

// What cannot be answered is an error of one line.
func TestFailures(t *testing.T) {
	x := New()
	for _, ask := range [][3]string{
		{"nothing", "", `no question "nothing"`},
		{"predict", `{`, "request"},
		{"predict", `[]`, "request"},
		{"predict", `{} {}`, "something follows"},
		{"predict", `{"design": []}`, `unknown field "design"`},
		{"predict", `{"designs": [], "sizes": "1"}`, "0 designs"},
		{"predict", `{"designs": [{"ref": "clap"}], "sizes": "1"}`, `no platform "clap"; did you mean "clip"?`},
		{"predict", `{"designs": [{"ref": "../clip.toml"}], "sizes": "1"}`, "no platform"},
		{"predict", `{"designs": [{"ref": "/etc/passwd"}], "sizes": "1"}`, "no platform"},
		{"predict", `{"designs": [{"ref": "clip", "set": ["stage.host-dma.tau=-1us/KiB"]}], "sizes": "1"}`, "stage.host-dma.tau"},
		{"predict", `{"designs": [{"ref": "clip"}], "sizes": "0"}`, "sizes begin at 1 B"},
		{"predict", `{"designs": [{"ref": "clip"}], "sizes": "1..1GiB/1000"}`, "at most 4096"},
		{"curves", `{"designs": [{"ref": "clip"}], "sizes": "1", "quantity": "x"}`, "no quantity"},
		{"curves", `{"designs": [{"ref": "clip"}], "sizes": "1", "quantity": "gap", "samples": 1000000000}`, "at most"},
		{"pipeline", `{"ref": "hp-lam", "size": "1KiB"}`, "without a pipeline"},
		{"pipeline", `{"ref": "clip", "size": "1TiB"}`, "at most"},
		{"pipeline", `{"ref": "clip", "size": "1KiB", "packet": "many"}`, "packet"},
		{"collective", `{"ref": "clip", "collective": "dance", "ranks": "8", "sizes": "1"}`, "dance"},
		{"collective", `{"ref": "clip", "collective": "bcast", "ranks": "1..131072/64", "sizes": "1..1GiB/16"}`, "at most 10000"},
		{"collective", `{"ref": "clip", "collective": "bcast", "ranks": "8", "sizes": "1", "budget_ms": -1}`, "budget_ms"},
		{"schedule", `{"ref": "clip", "collective": "alltoall", "algorithm": "linear", "ranks": 1024, "size": "1"}`, "operations"},
		{"schedule", `{"ref": "clip", "collective": "bcast", "algorithm": "binomial", "ranks": 1000000000, "size": "1"}`, "1 to 1024"},
		{"schedule", `{"ref": "clip", "collective": "bcast", "algorithm": "binomial", "ranks": 8, "size": "1", "root": 9}`, "root"},
		{"add", `{"name": "", "toml": ""}`, "needs a name"},
		{"add", `{"name": "a.toml", "toml": "nonsense"}`, "a.toml"},
		{"fit", `{"name": "a", "data": "!"}`, "request"},
		{"fit", `{"name": "a", "data": ""}`, "a:"},
		{"fit", `{"name": "a", "data": "", "model": "x"}`, "no model"},
		{"csv", `{"question": "csv", "request": {}}`, "not tables"},
		{"command", `{"question": "nothing"}`, "no command"},
	} {
		var f failedAnswer
		got := x.Ask(ask[0], []byte(ask[1]))
		if err := json.Unmarshal(got, &f); err != nil || !strings.Contains(f.Error, ask[2]) || strings.ContainsAny(f.Error, "\n\r") {
			t.Errorf("%s %s: %.300s; want an error with %q", ask[0], ask[1], got, ask[2])
		}
	}
}

// A slider that is set to its platform's own value changes nothing. Each layer has all of its sliders
// looked at, and every third of them set: a platform's layers have the same kinds.
func TestParameters(t *testing.T) {
	x, count := New(), 0
	for _, p := range answer[platformList](t, x, "platforms", nothing{}).Platforms {
		for _, l := range p.Layers {
			d := design{Ref: l.Ref}
			for _, q := range answer[platformAnswer](t, x, "platform", d).Parameters {
				if q.Value == nil || !q.Used {
					continue
				}
				if q.Changed || *q.Value != *q.File.Value || float64(q.From) > float64(*q.Value) && !q.Zero || float64(q.To) < float64(*q.Value) {
					t.Errorf("%s %s: %+v", l.Ref, q.Path, q)
				}
				if count++; count%3 != 0 {
					continue
				}
				set := design{l.Ref, []string{fmt.Sprintf("%s=%v%s", q.Path, float64(*q.Value), q.Unit)}, ""}
				for _, now := range answer[platformAnswer](t, x, "platform", set).Parameters {
					if now.Path == q.Path && (math.Abs(float64(*now.Value / *q.Value)-1) > 1e-11 && *q.Value != 0 || !now.Changed || now.Text != q.Text) {
						t.Errorf("%s: set to %v %s it is %v: %s, not %s", q.Path, *q.Value, q.Unit, *now.Value, now.Text, q.Text)
					}
				}
			}
		}
	}
}

// The shares of the parameters add up to the whole.
func TestShares(t *testing.T) {
	x := New()
	for _, ref := range []string{"clip", "hp-lam", "parnass", "mpc"} {
		a := answer[shares](t, x, "shares", sizedRequest{design{Ref: ref}, "64KiB"})
		sum := 0.0
		var parts []struct {
			Percent float64 `json:"one_way_percent"`
		}
		if err := json.Unmarshal(a.Parts, &parts); err != nil {
			t.Fatal(err)
		}
		for _, s := range parts {
			sum += s.Percent
		}
		if math.Abs(sum-100) > 1e-4 { // derivatives by differences of 10⁻⁶
			t.Errorf("%s: %v %%", ref, sum)
		}
	}
}

// A fitted file becomes a platform of the session, whose curve goes through its points.
func TestFit(t *testing.T) {
	x := New()
	f := answer[fitAnswer](t, x, "fit", fileRequest{Name: `C:\data\times.csv`, Data: []byte(times)})
	if f.Platform == nil || f.Platform.Ref != "times.toml" || f.Curve == nil || f.Residuals == nil || len(f.Fits) != 1 || f.Fits[0].Points != 7 {
		t.Fatalf("%+v", f)
	}
	c := answer[table.Figure](t, x, "curves", curvesRequest{Designs: []design{{Ref: "times.toml"}}, Quantity: "latency", Sizes: "1..256KiB"})
	kinds := map[string]int{}
	for _, s := range c.Series {
		kinds[string(s.Kind)]++
	}
	if kinds["line"] != 1 || kinds["points"] != 1 || kinds["band"] == 0 {
		t.Errorf("series %v", kinds)
	}
	// What is saved is the same platform in another explorer.
	y := New()
	answer[platformList](t, y, "add", NewPlatform{"times", f.TOML})
	request := predictRequest{[]design{{Ref: "times.toml"}}, "1..256KiB/3"}
	if a, b := answer[json.RawMessage](t, x, "predict", request), answer[json.RawMessage](t, y, "predict", request); string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// A changed design that is saved and added again is the same design.
func TestSaved(t *testing.T) {
	x := New()
	answer[fitAnswer](t, x, "fit", fileRequest{Name: "times.csv", Data: []byte(times)})
	for _, d := range []design{
		{Ref: "clip", Set: []string{"stage.host-dma.tau=3.8us/KiB", "stage.wire.beta*=1.1"}},
		{Ref: "times.toml", Set: []string{"beta*=1.25"}},
	} {
		text := answer[textFile](t, x, "toml", d)
		answer[platformList](t, x, "add", NewPlatform{text.Name, text.Text})
		curve := func(d design) string {
			c := answer[table.Figure](t, x, "curves", curvesRequest{Designs: []design{d}, Quantity: "latency", Sizes: "1..1MiB/4", Plain: true})
			return fmt.Sprint(c.Series[0].Y)
		}
		if a, b := curve(d), curve(design{Ref: text.Name}); a != b {
			t.Errorf("%s:\n%s\n%s", d.Ref, a, b)
		}
		p := answer[shownTable](t, x, "predict", predictRequest{[]design{{Ref: text.Name}}, "1KiB"})
		if strings.Contains(string(p.Rows), `"from"`) {
			t.Errorf("%s: predicted from what nobody measured: %s", d.Ref, p.Rows)
		}
	}
}

// A budget ends a map, and says what it leaves out.
func TestBudget(t *testing.T) {
	x := New()
	a := answer[fastestMap](t, x, "collective", mapRequest{design: design{Ref: "clip"}, Collective: "allreduce", Ranks: "2..256", Sizes: "8..1MiB/4", Budget: 1})
	if places := len(a.Best) * len(a.Best[0]); a.Left == 0 || a.Left >= places {
		t.Errorf("%d of %d left", a.Left, places)
	}
}

// A timed is a row of the question "places"; null is read as 0.
type timed struct {
	Algorithm string
	Time      float64 `json:"time_us"`
	Average   float64 `json:"average_us"`
}

func places(t *testing.T, x *Explorer, r mapRequest) (rows []timed) {
	t.Helper()
	if err := json.Unmarshal(answer[shownTable](t, x, "places", r).Rows, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// The best of a map is the fastest of its places.
func TestMap(t *testing.T) {
	x := New()
	ranks, sizes := []string{"2", "7", "8"}, []string{"8", "64KiB"}
	request := mapRequest{design: design{Ref: "clip"}, Collective: "bcast", Ranks: strings.Join(ranks, ","), Sizes: strings.Join(sizes, ","), Budget: 60_000}
	a := answer[fastestMap](t, x, "collective", request)
	if a.Left != 0 {
		t.Fatalf("%d left", a.Left)
	}
	for i := range ranks {
		for j := range sizes {
			request.Ranks, request.Sizes = ranks[i], sizes[j]
			fastest, least := "", math.Inf(1)
			for _, r := range places(t, x, request) {
				if r.Time > 0 && r.Time < least {
					fastest, least = r.Algorithm, r.Time
				}
			}
			if got := a.Algorithms[a.Best[i][j]]; got != fastest {
				t.Errorf("%s ranks, %s: the map has %s, the fastest is %s", request.Ranks, request.Sizes, got, fastest)
			}
		}
	}
}

// A tree is called one, and a ring.
func TestShape(t *testing.T) {
	x := New()
	for _, c := range []struct{ collective, algorithm, want string }{
		{"bcast", "binomial", "tree"}, {"bcast", "linear", "tree"}, {"allgather", "ring", "ring"}, {"allreduce", "recursive-doubling", "graph"},
	} {
		s := answer[schedule](t, x, "schedule", callRequest{design: design{Ref: "clip"}, Collective: c.collective, Algorithm: c.algorithm, Ranks: 8, Size: "4KiB"})
		if s.Shape != c.want || len(s.Done) != 8 || len(s.Parents) != 8 {
			t.Errorf("%s %s is a %s, want %s; parents %v", c.collective, c.algorithm, s.Shape, c.want, s.Parents)
		}
	}
}

// Words are quoted for the shell.
func TestCommand(t *testing.T) {
	x := New()
	w := wrapped{"predict", json.RawMessage(`{"designs": [{"ref": "clip", "set": ["stage.host-dma.tau *= 0.5"]}, {"ref": "hp-lam"}], "sizes": "1,2"}`)}
	got := strings.Join(answer[commandLines](t, x, "command", w).Commands, "\n")
	const want = `halfpeak whatif clip --set 'stage.host-dma.tau *= 0.5' --save clip-changed-1.toml
halfpeak predict clip-changed-1.toml hp-lam --size 1,2`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The name of a file is no flag.
func TestCommandOfDash(t *testing.T) {
	w := wrapped{"fit", json.RawMessage(`{"name": "-x.txt", "model": "linear"}`)}
	if got := answer[commandLines](t, New(), "command", w).Commands; len(got) != 1 || got[0] != "halfpeak fit ./-x.txt --model linear" {
		t.Errorf("%q", got)
	}
}

// Every answer is JSON, every error one line, and nothing panics, whatever is asked.
func FuzzAsk(f *testing.F) {
	for question, request := range map[string]string{
		"about":      `{}`,
		"platforms":  `{}`,
		"add":        `{"name": "a.toml", "toml": "[layer.a]\nmodel = \"linear\"\nbeta = \"1us\"\ntau = \"1us/KiB\"\nsource = \"x\"\n"}`,
		"platform":   `{"ref": "clip/pio", "set": ["beta=NaNus"]}`,
		"curves":     `{"designs": [{"ref": "clip", "set": ["stage.wire.tau=1e300us/KiB"]}], "quantity": "gap", "sizes": "1..1TiB/2", "samples": 10}`,
		"predict":    `{"designs": [{"ref": "mpc"}, {"ref": "hp-lam"}], "sizes": "1,18446744073709551615B"}`,
		"shares":     `{"ref": "atm", "set": ["L*=0"], "sizes": "1"}`,
		"pipeline":   `{"ref": "clip", "size": "1GiB", "packet": "1B"}`,
		"collective": `{"ref": "clip", "collective": "bcast", "ranks": "2..16", "sizes": "8,1MiB", "budget_ms": 1}`,
		"places":     `{"ref": "clip", "collective": "barrier", "ranks": "2..16", "sizes": "8"}`,
		"schedule":   `{"ref": "clip", "collective": "allreduce", "algorithm": "ring", "ranks": 4, "size": "1KiB"}`,
		"fit":        `{"name": "a", "data": "MSA1CjIgNgo0IDcKOCA5Cg=="}`,
		"toml":       `{"ref": "clip", "set": ["stage.wire.tau=0us/KiB"]}`,
		"csv":        `{"question": "curves", "request": {"designs": [{"ref": "clip"}], "quantity": "latency", "sizes": "1,2"}}`,
		"command":    `{"question": "pipeline", "request": {"ref": "clip", "size": "1", "packet": "'"}}`,
	} {
		f.Add(question, []byte(request))
	}
	f.Fuzz(func(t *testing.T, question string, request []byte) {
		x := New()
		got := x.Ask(question, request)
		if !json.Valid(got) {
			t.Fatalf("no JSON: %.300s", got)
		}
		var failed failedAnswer
		if err := json.Unmarshal(got, &failed); err == nil && (strings.Contains(failed.Error, "fault in the question") || strings.ContainsAny(failed.Error, "\r\n")) {
			t.Fatalf("%s", failed.Error)
		}
	})
}

// On a machine with levels the times are those that the command of the page prints, and not
// those of the layer alone.
func TestLevels(t *testing.T) {
	text, err := os.ReadFile("../../internal/demo/files/rack.toml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := platforms.Open("../../internal/demo/files/rack.toml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := collective.Calls{Collective: "bcast", Algorithm: "all", Ranks: []int{64},
		Sizes: []quantity.Bytes{1 << 20}}.On(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	x := New()
	answer[platformList](t, x, "add", NewPlatform{"rack.toml", string(text)})
	design := design{Ref: "rack.toml"}
	r := mapRequest{design: design, Collective: "bcast", Ranks: "64", Sizes: "1MiB", Budget: 60_000}
	m := answer[fastestMap](t, x, "collective", r)
	best := slices.IndexFunc(want.Times, func(c collective.Timing) bool { return c.Best })
	if got := m.Algorithms[m.Best[0][0]]; got != want.Times[best].Name {
		t.Errorf("the best is %s, want %s", got, want.Times[best].Name)
	}
	rows := places(t, x, r)
	if len(rows) != len(want.Times) {
		t.Fatalf("%d rows, want %d", len(rows), len(want.Times))
	}
	near := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-11 } // 12 digits are written
	for i, c := range want.Times {
		time := float64(c.Time)
		if rows[i].Algorithm != c.Name || !near(rows[i].Time, time) {
			t.Errorf("%s takes %v, not %v", c.Name, time, rows[i])
		}
		if i < 3 || c.Best {
			s := answer[schedule](t, x, "schedule", callRequest{design: design, Collective: "bcast", Algorithm: c.Name, Ranks: 64, Size: "1MiB"})
			if !near(float64(s.Finish), time) {
				t.Errorf("the schedule of %s takes %v, not %v", c.Name, s.Finish, time)
			}
		}
	}
	// One layer has no levels.
	r.design.Ref = "rack.toml/socket"
	if of := places(t, x, r); near(of[best].Time, rows[best].Time) {
		t.Error("a layer has the time of the machine")
	}
}

// A machine that is changed stays a machine: its sliders are those of all layers and levels, its
// file and its collectives have them all. A single message is one of its first layer, and the
// commands say so.
func TestChangedMachine(t *testing.T) {
	text, err := os.ReadFile("../../internal/demo/files/rack.toml")
	if err != nil {
		t.Fatal(err)
	}
	x := New()
	answer[platformList](t, x, "add", NewPlatform{"rack.toml", string(text)})
	same := design{Ref: "rack.toml", Set: []string{"layer.socket.beta=0.3us", "level.node.lanes=8"}}
	r := mapRequest{design: design{Ref: "rack.toml"}, Collective: "allreduce", Ranks: "64", Sizes: "1KiB"}
	want := places(t, x, r)
	r.design = same
	if got := places(t, x, r); !slices.Equal(got, want) {
		t.Errorf("set to the values that it has: %+v\nwant %+v", got, want)
	}
	var paths []string
	for _, p := range answer[platformAnswer](t, x, "platform", same).Parameters {
		paths = append(paths, p.Path)
	}
	for _, path := range []string{"layer.network.o_s", "level.node.ports"} {
		if !slices.Contains(paths, path) {
			t.Errorf("no slider of %s among %v", path, paths)
		}
	}
	moved := answer[platformAnswer](t, x, "platform", design{Ref: "rack.toml", Set: []string{"node.lanes=2"}})
	if k := slices.IndexFunc(moved.Parameters, func(p parameter) bool { return p.Path == "level.node.lanes" }); *moved.Parameters[k].Value != 2 {
		t.Errorf("the slider of a changed level: %+v", moved.Parameters[k])
	}
	for _, table := range []string{"[level.cluster]", "[layer.network]", "[layer.socket]"} {
		if saved := answer[textFile](t, x, "toml", same).Text; !strings.Contains(saved, table) {
			t.Errorf("no %s in\n%s", table, saved)
		}
	}
	const saves = `halfpeak whatif rack.toml --set 'layer.socket.beta=0.3us' --set 'level.node.lanes=8' ` +
		"--collective barrier --ranks 2 --save rack-changed"
	for question, c := range map[string]struct {
		request any
		want    []string
	}{
		"toml":    {same, []string{saves + ".toml"}},
		"places":  {r, []string{saves + "-1.toml", "halfpeak collective allreduce rack-changed-1.toml --ranks 64 --size 1KiB"}},
		"predict": {predictRequest{[]design{same}, "1"}, []string{saves + "-1.toml", "halfpeak predict rack-changed-1.toml/socket --size 1"}},
		"shares":  {sizedRequest{same, "1"}, []string{saves + "-1.toml", "halfpeak whatif breakdown rack-changed-1.toml/socket --size 1"}},
	} {
		request, _ := json.Marshal(c.request)
		if got := answer[commandLines](t, x, "command", wrapped{question, request}).Commands; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", question, got, c.want)
		}
	}
	curves := answer[table.Figure](t, x, "curves", curvesRequest{Designs: []design{same}, Quantity: "latency", Sizes: "1..1KiB"})
	if !slices.ContainsFunc(curves.Notes, func(n string) bool { return strings.Contains(n, "its layer socket") }) {
		t.Errorf("no note names the layer: %q", curves.Notes)
	}
}

// What was measured of a collective stands before what its layers say, as for the command.
func TestMeasuredCollective(t *testing.T) {
	x := New()
	answer[platformList](t, x, "add", NewPlatform{"m.toml", `[layer.a]
model = "linear"
beta = "1us"
tau = "1us/KiB"
source = "x"
[collective.b]
collective = "bcast"
statistic = "average"
ranks = ["2", "4", "8"]
sizes = ["8B", "1KiB", "64KiB"]
times = ["2us 3us 60us", "4us 6us 120us", "6us 9us 180us"]
source = "x"
`})
	r := mapRequest{design: design{Ref: "m.toml"}, Collective: "bcast", Ranks: "4", Sizes: "1KiB"}
	m := answer[fastestMap](t, x, "collective", r)
	if len(m.Algorithms) != 1 || m.Algorithms[0] != "library's" || m.Best[0][0] != 0 {
		t.Errorf("%+v", m)
	}
	if rows := places(t, x, r); len(rows) != 1 || math.Abs(rows[0].Average/6-1) > 0.2 {
		t.Errorf("%+v", rows)
	}
	if rows := string(answer[shownTable](t, x, "places", r).Rows); !strings.Contains(rows, `"measured"`) {
		t.Error(rows)
	}
	var f failedAnswer
	ask := `{"ref": "m.toml", "collective": "bcast", "algorithm": "binomial", "ranks": 4, "size": "1KiB"}`
	if err := json.Unmarshal(x.Ask("schedule", []byte(ask)), &f); err != nil || !strings.Contains(f.Error, "was measured") || !strings.HasSuffix(f.Error, "name a layer, as in m.toml/a") {
		t.Errorf("%q, %v", f.Error, err)
	}
	// A layer that is named answers by itself.
	r.Ref = "m.toml/a"
	if rows := string(answer[shownTable](t, x, "places", r).Rows); strings.Contains(rows, `"measured"`) {
		t.Error(rows)
	}
	answer[schedule](t, x, "schedule", callRequest{design: r.design, Collective: "bcast", Algorithm: "binomial", Ranks: 4, Size: "1KiB"})
}

// A compressed file that is cut off is fitted until there, and said to be broken.
func TestCutOff(t *testing.T) {
	text := []byte("size_bytes,time_us\n")
	for i := range 400 {
		n := 1 + i/20
		text = fmt.Appendf(text, "%d,%.3f\n", n, 5+0.1*float64(n)+0.001*float64(i*i%89))
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	for _, c := range []struct {
		keep   int
		broken bool
	}{{b.Len(), false}, {b.Len() / 2, true}, {b.Len() - 4, true}} {
		f := answer[fitAnswer](t, New(), "fit", fileRequest{Name: "times.csv.gz", Data: b.Bytes()[:c.keep]})
		if len(f.Fits) != 1 || (f.Broken != "") != c.broken {
			t.Errorf("%d of %d bytes: %d fits, broken: %q", c.keep, b.Len(), len(f.Fits), f.Broken)
		}
	}
	var f failedAnswer
	text, _ = json.Marshal(fileRequest{Name: "a.gz", Data: b.Bytes()[:5]})
	if err := json.Unmarshal(New().Ask("fit", text), &f); err != nil || !strings.Contains(f.Error, "EOF") {
		t.Errorf("%q, %v", f.Error, err)
	}
}

// The slider of a threshold stays between its neighbours, and says whose messages it bounds.
func TestThresholdSliders(t *testing.T) {
	x := New()
	x.Ask("add", []byte(`{"name": "three.toml", "toml": "title = \"three\"\n[layer.all]\nmodel = \"switch\"\nbranches = [{ layer = \"a\", up_to = \"1KiB\" }, { layer = \"b\", up_to = \"16KiB\" }, { layer = \"c\" }]\nsource = \"x\"\n[layer.a]\nmodel = \"linear\"\nbeta = \"1us\"\ntau = \"1us/KiB\"\nsource = \"x\"\n[layer.b]\nmodel = \"linear\"\nbeta = \"2us\"\ntau = \"0.5us/KiB\"\nsource = \"x\"\n[layer.c]\nmodel = \"linear\"\nbeta = \"5us\"\ntau = \"0.25us/KiB\"\nsource = \"x\"\n"}`))
	var p platformAnswer
	if err := json.Unmarshal(x.Ask("platform", []byte(`{"ref": "three.toml"}`)), &p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		phrase   string
		from, to number
	}{{"largest message of a", 16, 16383}, {"largest message of b", 1025, 1 << 20}} {
		if q := p.Parameters[i]; q.Phrase != want.phrase || q.From != want.from || q.To != want.to {
			t.Errorf("%s: %q from %v to %v; want %+v", q.Path, q.Phrase, q.From, q.To, want)
		}
	}
	for ref, want := range map[string]string{"three.toml": "β + nτ", "hp-lam": "o_s + (n−1)G + L + o_r"} {
		var s shares
		if err := json.Unmarshal(x.Ask("shares", []byte(`{"ref": "`+ref+`", "sizes": "64"}`)), &s); err != nil || s.Formula != want {
			t.Errorf("%s: %q, %v; want %q", ref, s.Formula, err, want)
		}
	}
}

// Points with error bars and points without do not contradict each other.
func TestAddNote(t *testing.T) {
	f := table.Figure{}
	for _, note := range []string{"Points: measured.", "Points: measured, with error bars.", "Points: measured.", "A band.", "Lines: model. Points: measured.", "Lines: predicted. Points: measured."} {
		addNote(&f, note)
	}
	if want := []string{"Points: measured, with error bars.", "A band.", "Lines: predicted. Points: measured."}; !slices.Equal(f.Notes, want) {
		t.Errorf("notes %q, want %q", f.Notes, want)
	}
}
