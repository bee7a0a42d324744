package study

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

func design(t *testing.T, ref string) whatif.Design {
	t.Helper()
	d, err := whatif.Find(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// made is a design of a layer that no file describes.
func made(name string, l model.Layer) whatif.Design {
	return whatif.Design{Platform: platforms.Platform{Name: name}, Layer: platforms.Layer{Platform: name, Name: "x", Model: l}}
}

func close(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// HP-LAM, table 4.2: o_s 2.9, o_r 5.8, L 5.3, g 8.7 µs, 24 MB/s, of a link of 80 MB/s.
func TestCompare(t *testing.T) {
	all, err := Compare([]quantity.Bytes{1, 4096}, design(t, "hp-lam"), design(t, "clip/user-buffer"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 {
		t.Fatalf("%d rows; want two sizes of two layers", len(all))
	}
	hp := all[0]
	close(t, "o_s", float64(hp.SendOverhead), 2.9, 1e-9)
	close(t, "o_r", float64(hp.ReceiveOverhead), 5.8, 1e-9)
	close(t, "RTT", float64(hp.RTT), 28.0, 1e-9)
	close(t, "gap", float64(hp.Gap), 8.7, 1e-9)
	close(t, "r∞", float64(hp.Asymptote), 24, 1e-9)
	close(t, "share of the roof", hp.RoofShare, 24./80, 1e-9)
	if hp.BestPacket != 0 || hp.Roof.Name != "link" {
		t.Errorf("%+v", hp)
	}
	// The best equal packet of 4 KiB through five stages is 683 bytes, by a search over whole
	// bytes.
	if clip := all[3]; clip.Size != 4096 || clip.BestPacket != 683 || clip.SendOverhead != 0 && clip.ReceiveOverhead == 0 {
		t.Errorf("%+v", clip)
	}
}

// CLIP at 64 KiB through five stages, as searched over whole bytes: 3490 bytes by eq. 10 take
// 601.28 µs, the best equal ones, 1875 bytes, 580.95 µs, and no plan beats 568.93 µs.
func TestCuts(t *testing.T) {
	cuts, err := Cuts([]quantity.Bytes{64 << 10}, design(t, "clip/user-buffer"))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		method  string
		largest quantity.Bytes
		time    float64
	}{{"paper", 3490, 601.28}, {"equal", 1875, 580.95}, {"unequal", 0, 568.93}, {"unequal-whole", 0, 568.93}, {"single", 64 << 10, 2216.4}}
	for i, w := range want {
		if cuts[i].Method != w.method || w.largest > 0 && cuts[i].Plan.Largest() != w.largest {
			t.Errorf("%+v; want %+v", cuts[i], w)
		}
		close(t, w.method, float64(cuts[i].OneWay), w.time, 2e-5) // printed digits
	}
	if _, err := Cuts([]quantity.Bytes{1 << 10}, design(t, "hp-lam")); err == nil || !strings.Contains(err.Error(), "hp-lam/gam sends no message of these sizes through a pipeline") {
		t.Errorf("a layer without a pipeline: %v", err)
	}
}

// 2 µs + 2 ns/B and 6 µs + 1 ns/B cost the same at 4000 bytes.
func TestCrossover(t *testing.T) {
	a, b := made("a", &model.Linear{Beta: 2, Tau: 0.002}), made("b", &model.Linear{Beta: 6, Tau: 0.001})
	c, err := FindCrossover(nil, b, a)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Overtakings) != 1 {
		t.Fatalf("%+v", c)
	}
	o := c.Overtakings[0]
	if o.Below != "a/x" || o.Beyond != "b/x" || o.Size < 3999 || o.Size > 4000 || o.Interval != nil {
		t.Errorf("%+v", o)
	}
	if s := c.Sentences(); len(s) != 1 || !strings.HasPrefix(s[0], "a/x is faster up to ") {
		t.Errorf("%q", s)
	}
	slow := made("slow", &model.Linear{Beta: 7, Tau: 0.003})
	if c, err := FindCrossover(nil, a, slow); err != nil || len(c.Overtakings) > 0 || !slices.Equal(c.Notes, []string{"a/x is faster than slow/x at all sizes up to 1 GiB."}) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := FindCrossover(nil, a, a); err != nil || !slices.Equal(c.Notes, []string{"a/x and a/x cost the same."}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// Shares are of the whole: what the owners have adds up, but for those that are too small to show.
func TestShares(t *testing.T) {
	for _, ref := range []string{"clip", "hp-lam", "parnass", "jam-1394"} {
		for _, cost := range []Cost{OneWay, Gap} {
			a, err := Shares(design(t, ref), cost, sizesOfText(t, "1..1MiB"))
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range a.XS {
				sum := 0.0
				for _, p := range a.Parts {
					sum += p.Y[i]
				}
				if sum < 95 || sum > 100.001 {
					t.Errorf("%s, %s of %v B: %v %%", ref, cost, n, sum)
				}
			}
		}
	}
}

func TestTornado(t *testing.T) {
	q, err := whatif.NewQuantity("one_way", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	tornado, err := Tornado(design(t, "hp-lam"), q)
	if err != nil {
		t.Fatal(err)
	}
	// 1 MiB is all G; a tenth less bandwidth takes a ninth more of 2^20/24 µs.
	first := tornado.Bars[0]
	if !strings.HasPrefix(first.Name, "bulk_bandwidth ") {
		t.Errorf("%+v", tornado.Bars)
	}
	close(t, "with a tenth less bandwidth", first.Low-tornado.Base, (1<<20-1)/24./9, 1e-6)
	if !slices.IsSortedFunc(tornado.Bars[1:], func(a, b reports.Bar) int {
		return cmp.Compare(math.Abs(b.Low-tornado.Base), math.Abs(a.Low-tornado.Base))
	}) {
		t.Errorf("not in order: %+v", tornado.Bars)
	}
}

// An accuracy is what one can count on one's fingers.
func TestAccuracy(t *testing.T) {
	nan := math.NaN()
	row := func(class data.Class, relation string, e float64, met bool) data.Result {
		role := data.Measured
		if class == "" {
			role = data.Stated
		}
		return data.Result{Fact: data.Fact{Role: role, Class: class, Relation: relation, ID: "id", Printed: "1"}, Error: e, Met: met}
	}
	r := Reproduction{
		row(data.Predicted, "=", -0.3, false), row(data.Predicted, "~", 0.1, true), row(data.Predicted, "=", 0.05, false),
		row(data.Predicted, ">", nan, false), row(data.Predicted, "<=", nan, true),
		row(data.Fitted, "=", 0.001, true), row(data.Repeated, "=", 0.002, true), row(data.Repeated, "=", 0, true),
		row("", "=", 0.5, false),
	}
	a := r.Of(data.Predicted)
	if a.Numbers != 5 || len(a.Errors) != 3 || a.Median() != 0.1 || a.Worst() != 0.3 || a.Within(0.1) != 2 || a.Inside != 1 || a.Bounds != 2 || a.BoundsKept != 1 {
		t.Errorf("%+v", a)
	}
	if got := r.others(); got != "1 fitted, 2 repeated" {
		t.Errorf("others: %s", got)
	}
	if none := r.Of(data.Copied); !math.IsNaN(none.Median()) || !math.IsNaN(none.Worst()) || none.sentence() != "" {
		t.Errorf("%+v", none)
	}
	if worst := r.misses(1); len(worst) != 1 || worst[0].Error != -0.3 {
		t.Errorf("%+v", worst)
	}
	if err := r.Unexplained(); err == nil || !strings.Contains(err.Error(), "id (printed 1, ours 0)") {
		t.Errorf("%v", err)
	}
	r[8].Note = "a reason"
	if err := r.Unexplained(); err != nil {
		t.Errorf("%v", err)
	}
}

func TestReproduce(t *testing.T) {
	all, err := Reproduce("")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, paper := range data.Papers() {
		one, err := Reproduce(paper)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(one)
	}
	if sum != len(all) || len(all) < 300 {
		t.Errorf("%d numbers, %d of the papers one by one", len(all), sum)
	}
	if err := all.Unexplained(); err != nil {
		t.Error(err)
	}
	for _, class := range data.Classes {
		if all.Of(class).Numbers == 0 {
			t.Errorf("no number is %s", class)
		}
	}
	if _, err := Reproduce("clip"); err == nil {
		t.Error("papers are spelled as they are")
	}
	if tables := all.Summary(); len(tables) != 2 || len(tables[0].Data) != len(data.Papers())+1 {
		t.Errorf("%d tables", len(tables))
	}
}

// The figures of the papers are all drawn.
func TestPaperFigures(t *testing.T) {
	all, err := PaperFigures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if len(f.Rows().Data) == 0 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
}

// A file that fit saved can be predicted, whatever its points are: where they make no curve, by the
// model.
func TestPredictWithoutCurve(t *testing.T) {
	for name, text := range map[string]string{
		"less than a factor of 2": `sizes = ["1000B", "1100B", "1200B", "1300B", "1400B"]
times = ["11us", "12us", "13us", "14us", "15us"]`,
		"takes 2e+15": `sizes = ["1000B", "2000B", "4000B", "8000B", "16000B"]
times = ["11us", "12us", "13us", "14us", "2000000000s"]`,
	} {
		p, err := platforms.Parse("x", []byte(`default = "fit"
[layer.fit]
model = "linear"
beta = "1us"
tau = "10us/KiB"
measured = "fit"
source = "made up"
[measured.fit]
`+text+`
source = "made up"
`))
		if err != nil {
			t.Fatal(err)
		}
		all, err := Predict([]quantity.Bytes{1024}, whatif.Design{Platform: p, Layer: p.Layers[0]})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := all.Costs[0]; c.Next != nil || c.OneWay != 11 {
			t.Errorf("%s: %+v; want 11 µs by the model", name, c)
		}
		if notes := strings.Join(all.Rows(quantity.UnitChoice{}).Notes, "\n"); !strings.Contains(notes, "no curve to predict from") {
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
}
