package check

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// scaled is a layer whose formulas are wrong by a factor.
type scaled struct {
	model.Layer
	oneWay, gap quantity.Micros
}

func (l scaled) OneWay(n quantity.Bytes) quantity.Micros { return l.oneWay * l.Layer.OneWay(n) }

func (l scaled) Gap(n quantity.Bytes) quantity.Micros { return l.gap * l.Layer.Gap(n) }

func verdicts(t *testing.T, o EngineQuestion, ref string) (*Validation, map[verdict]int) {
	t.Helper()
	o.On = []platforms.Design{sharedtest.Must(t, platforms.Open, ref)}
	v, err := o.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	count := map[verdict]int{}
	for _, r := range v.Results {
		count[verdictOf(r)]++
	}
	return v, count
}

// Engine and model agree on CLIP's pipeline and on HP-LAM's LogGP, but where a formula is known
// to leave something out.
func TestValidate(t *testing.T) {
	sizes := []quantity.Bytes{1, 1000, 4096}
	for _, ref := range []string{"clip/no-snoop", "hp-lam", "sun-lam-ss20"} {
		v, count := verdicts(t, EngineQuestion{Sizes: sizes, Nodes: 3}, ref)
		if count[failure] > 0 || count[agrees] < 10 {
			t.Errorf("%s: %v", ref, count)
		}
		for _, r := range v.Results {
			if (verdictOf(r) == knownBound) != (r.Bound != "" && r.Difference() != 0 && !math.IsNaN(r.Difference())) {
				t.Errorf("%+v is %s", r, verdictOf(r))
			}
		}
	}
}

// Every layer of every platform, and layers of each kind that no platform has, such as windows of
// credits: an envelope that took the slower branch failed no other test.
func TestValidateEveryLayer(t *testing.T) {
	var designs []platforms.Design
	add := func(p platforms.Platform) {
		for _, l := range p.Layers {
			designs = append(designs, platforms.Design{Platform: p, Layer: l})
		}
	}
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		add(p)
	}
	text, err := os.ReadFile("testdata/mutants.toml")
	if err != nil {
		t.Fatal(err)
	}
	own, err := platforms.Parse("mutants", text)
	if err != nil {
		t.Fatal(err)
	}
	add(own)
	if len(designs) < 40 {
		t.Fatalf("%d layers", len(designs))
	}
	o := EngineQuestion{
		Programs: []string{"ping_pong", "latency", "bandwidth"},
		Sizes:    []quantity.Bytes{1, 5000}, Measured: true,
	}
	for _, d := range designs {
		o.On = []platforms.Design{d}
		v, err := o.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Results {
			if verdictOf(r) == failure {
				t.Errorf("%s, %s of %v: %s %v, the engine has %v",
					d.Layer.Ref(), r.Program, r.Size, r.Quantity, r.Model, r.Engine)
			}
		}
	}
}

// A paper's bound and a number of other hosts say what they are.
func TestValidateSaysWhoseNumber(t *testing.T) {
	for _, c := range []struct {
		ref      string
		size     quantity.Bytes
		relation string
		noted    bool
	}{
		{"startjr-fm/fm", 1, "<", true},                    // "less than 10 µs" is a vendor's, of no named system
		{"sci/adapter", 4, "", true},                       // half of a read of another host
		{"parnass/bullfrog", 32 * quantity.KiB, "<", true}, // "over 250 Mbit/s" is a time of less
		{"clip/system-buffer", 16 * quantity.KiB, "", false},
	} {
		on := []platforms.Design{sharedtest.Must(t, platforms.Open, c.ref)}
		v, err := EngineQuestion{On: on, Programs: []string{"latency"}, Measured: true}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(v.Results, func(r validated) bool { return r.Size == c.size && r.Printed != nil })
		if i < 0 {
			t.Errorf("%s: no number of %v", c.ref, c.size)
			continue
		}
		if r := v.Results[i]; r.timeRelation() != c.relation || (r.reason() != "") != c.noted {
			t.Errorf("%s: %q %v: %q", c.ref, r.timeRelation(), r.Measured.Value, r.reason())
		}
	}
}

// A formula that is wrong shows: the engine runs the layer as it is.
func TestValidateSeesAWrongFormula(t *testing.T) {
	const ref = "clip/no-snoop"
	l := sharedtest.Must(t, platforms.Open, ref).Layer.Model
	for _, wrong := range []scaled{{l, 1.2, 1}, {l, 1, 1.2}, {l, 0.8, 1}} {
		o := EngineQuestion{Programs: []string{"ping_pong", "latency", "bandwidth"}, Sizes: []quantity.Bytes{4096, 10_000}, Model: wrong}
		v, count := verdicts(t, o, ref)
		if count[failure] == 0 {
			t.Errorf("%v × one way, %v × gap: %v", float64(wrong.oneWay), float64(wrong.gap), count)
		}
		i := slices.IndexFunc(v.Results, func(r validated) bool { return r.Program == "latency" && r.Quantity == "one way" })
		near(t, "engine to model", v.Results[i].Difference(), 1/float64(wrong.oneWay)-1, 1e-6)
	}
}

// What differs on the wrong side of a known bound is a failure.
func TestBoundsHaveASide(t *testing.T) {
	for _, c := range []struct {
		side   side
		engine float64
		want   verdict
	}{{slower, 12, knownBound}, {slower, 8, failure}, {faster, 8, knownBound}, {faster, 12, failure}, {either, 8, knownBound}, {slower, 10, agrees}} {
		r, err := newRun(&Validation{}, EngineQuestion{}, sharedtest.Must(t, platforms.Open, "hp-lam"))
		if err != nil {
			t.Fatal(err)
		}
		row := r.add("p", 1, "q", 10, c.engine, "µs", bound{"left out", c.side})
		if got := verdictOf(*row); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := verdictOf(validated{Model: math.NaN(), NoFormula: true, Engine: 1}); got != unjudged {
		t.Errorf("without a formula: %s", got)
	}
}

// The measured sizes run too, and their times stand beside the engine's.
func TestValidateMeasured(t *testing.T) {
	v, _ := verdicts(t, EngineQuestion{Programs: []string{"latency"}, Sizes: []quantity.Bytes{4096}, Measured: true}, "clip")
	for _, r := range v.Results {
		// Table 5.1: 16,384 bytes at 96.47 MB/s, known to 10 µs.
		if r.Size == 16384 && r.Quantity == "one way" {
			near(t, "measured", r.Measured.Value, 16384/96.47, 1e-9)
			near(t, "low", r.Measured.Low, 16384/96.47-10, 1e-9)
			return
		}
	}
	t.Error("16 KiB was measured, and is not run")
}

// The search finds the best packet also where it is far from equal ones: with one packet or two,
// the last is often much shorter.
func TestValidatePacketOfFew(t *testing.T) {
	random := rand.New(rand.NewPCG(64, 1999))
	far := 0
	for range 16 {
		const n = 5000
		l := &model.Pipeline{Cut: model.Cut{Rule: model.CutBest}}
		for _, name := range []string{"a", "b", "c"} {
			// 2 to 3 packets are best where β is about a tenth of nτ.
			tau := random.Float64()
			l.Stages = append(l.Stages, model.Stage{Name: name,
				Beta: quantity.Micros(tau * n * random.Float64() / 5),
				Tau:  quantity.MicrosPerByte(tau)})
		}
		d := platforms.Design{Platform: platforms.Platform{Name: "random"},
			Layer: platforms.Layer{Platform: "random", Name: "pipeline", Model: l}}
		v, err := EngineQuestion{On: []platforms.Design{d},
			Programs: []string{"packet"}, Sizes: []quantity.Bytes{n}}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Results {
			if verdictOf(r) == failure || r.Unit == "µs" && math.Abs(r.Difference()) > 1e-9 {
				t.Errorf("%+v: %s is %v by the formula, %v in the search", l.Stages, r.Quantity,
					r.Model, r.Engine)
			}
			equal := n / math.Ceil(n/r.Engine)
			if r.Unit == "B" && r.Engine > 1.1*equal {
				far++
			}
		}
	}
	if far < 2 {
		t.Errorf("%d packets are far from equal ones; want 2 or more", far)
	}
}

// A message that outlasts the retry is sent again though nothing is lost. It is left out,
// since a stream of them is mostly repetitions.
func TestValidateLongerThanRetry(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, p := range all {
		for _, l := range p.Layers {
			if l.Protocol.Retry == 0 {
				continue
			}
			sizes := []quantity.Bytes{1024, 64 * quantity.KiB}
			r, err := newRun(&Validation{}, EngineQuestion{Sizes: sizes},
				platforms.Design{Platform: p, Layer: l})
			if err != nil {
				t.Fatal(err)
			}
			latency, err := programs.Find("latency", programs.Simulated)
			if err != nil {
				t.Fatal(err)
			}
			kept := r.sizesOf(latency.Sizes)
			left += len(sizes) - len(kept)
			if len(r.Notes) != len(sizes)-len(kept) {
				t.Errorf("%s: sizes %v with notes %q", l.Ref(), kept, r.Notes)
			}
			for _, n := range kept {
				r.oneWay(latency, n)
			}
			for _, row := range r.Results {
				if verdictOf(row) == failure {
					t.Errorf("%s: %+v", l.Ref(), row)
				}
			}
		}
	}
	if left == 0 {
		t.Error("64 KiB in one packet of jam-1394/reply-dma-block are not left out")
	}
}

// A formula that gives no number is a failure, and no bound excuses it.
func TestValidateSeesANaN(t *testing.T) {
	d := sharedtest.Must(t, platforms.Open, "hp-lam")
	o := EngineQuestion{Programs: []string{"latency", "bandwidth"}, Sizes: []quantity.Bytes{1000}}
	o.On, o.Model = []platforms.Design{d}, scaled{d.Layer.Model, quantity.Micros(math.NaN()), quantity.Micros(math.NaN())}
	v, err := o.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Results {
		if math.IsNaN(r.Model) != (verdictOf(r) == failure) {
			t.Errorf("%+v is %s", r, verdictOf(r))
		}
	}
	if len(v.Results) < 2 || verdictOf(v.Results[0]) != failure {
		t.Errorf("%+v", v.Results)
	}
}
