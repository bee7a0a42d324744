package fits

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func fansOptions(t *testing.T, fans string) Options {
	t.Helper()
	levels, err := ParseLevels([]string{"node=in", "cluster=out"}, []string{"node=8", "cluster=4"})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Model: "auto", Levels: levels, Fans: FanOut{File: fans, Receivers: "to", Slowest: "max"},
		Trace: benchfile.Options{X: "size:B", Y: "latency:us", Group: []string{"where"}}}
}

// saved returns the platform that the fit writes, read again.
func saved(t *testing.T, f *Fitted) platforms.Platform {
	t.Helper()
	text, err := f.TOML()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("machine", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is shared goes into the file, and comes out again as a machine with intervals.
func TestFans(t *testing.T) {
	times, fans := sharedtest.Fans(t)
	f, err := Fit([]string{times}, fansOptions(t, fans))
	if err != nil {
		t.Fatal(err)
	}
	p := saved(t, f)
	m, ok := p.Machine()
	if !ok || len(m.Levels) != 2 || m.Levels[0].Eager != 1024 || m.Levels[0].Shared == nil || m.Levels[0].Port == nil {
		t.Fatalf("%+v", m)
	}
	if got := float64(m.Levels[0].Send.OneWay(1) + m.Levels[0].Crowd); math.Abs(got-0.5) > 0.01 {
		t.Errorf("an overhead of %v µs among many, want 0.5", got)
	}
	i := contention.IntervalsOf(p)
	if !(i.Any.Low > 0 && i.Any.Low < 1 && i.Any.High > 1 && i.Any.High < 10) {
		t.Errorf("intervals %+v", i)
	}
}

// Without fans, a node's memory and NIC are assumed, and copies in opposite directions delay each
// other. No other level shares anything.
func TestAssumedSharing(t *testing.T) {
	times, _ := sharedtest.Fans(t)
	for _, test := range []struct {
		levels []string
		shares bool
	}{{[]string{"node=in", "cluster=out"}, true}, {[]string{"rack=in", "cluster=out"}, false}} {
		o := fansOptions(t, "")
		o.Levels, _ = ParseLevels(test.levels, nil)
		o.Levels[0].Holds, o.Levels[1].Holds = 8, 4
		f, err := Fit([]string{times}, o)
		if err != nil {
			t.Fatal(err)
		}
		p := saved(t, f)
		m, _ := p.Machine()
		inner := m.Levels[0]
		if copying := contention.LocalWork(p, contention.Copy); copying > 0 != test.shares || copying != contention.LocalWork(p, contention.Combine) {
			t.Errorf("%v: a copy takes %v", test.levels, copying)
		}
		if inner.Shared != nil != test.shares || inner.Port != nil != test.shares || inner.Reverse > 0 != test.shares || m.Levels[1].Shared != nil || m.Levels[1].Packet > 0 {
			t.Errorf("%v: %+v", test.levels, m)
		}
		if said := strings.Contains(strings.Join(f.Notes, "\n"), "3 pairs of ranks at full speed; nothing measured shows it"); said != test.shares {
			t.Errorf("%v: notes %q", test.levels, f.Notes)
		}
	}
}

// Fans are in the order of receivers and then of sizes, also those of a MiB and more.
func TestFansOrder(t *testing.T) {
	fans := filepath.Join(t.TempDir(), "fans.csv")
	text, want := "where,to,size,latency,max\n", 0
	for k := 3; k >= 1; k-- {
		for n := 4 << 20; n >= 1<<20; n >>= 1 {
			text += fmt.Sprintf("in,%d,%d,5,6\n", k, n)
			want++
		}
	}
	if err := os.WriteFile(fans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := fansOptions(t, fans)
	levels := make([]contention.Level, 2)
	if err := (&Fitted{levels: o.Levels}).readFans(levels, o); err != nil {
		t.Fatal(err)
	}
	ordered := slices.IsSortedFunc(levels[0].Fans, func(a, b contention.Fan) int {
		return cmp.Or(cmp.Compare(a.Receivers, b.Receivers), cmp.Compare(a.Size, b.Size))
	})
	if len(levels[0].Fans) != want || !ordered {
		t.Errorf("%+v", levels[0].Fans)
	}
}

func TestFansErrors(t *testing.T) {
	times, fans := sharedtest.Fans(t)
	check := func(want string, change func(*Options)) {
		t.Helper()
		o := fansOptions(t, fans)
		change(&o)
		if _, err := Fit([]string{times}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check("nosuch", func(o *Options) { o.Fans.Receivers = "nosuch" })
	check("no such file", func(o *Options) { o.Fans.File = "nosuch.csv" })
	check("level node: its arity is missing", func(o *Options) { o.Levels[0].Holds = 0 })
}

// broadcastsFile is what the machine with fans would take for binomial broadcasts, changed.
func broadcastsFile(t *testing.T, f *Fitted, change func(i int, t quantity.Micros) quantity.Micros) string {
	t.Helper()
	e, err := collective.Find("bcast", "binomial")
	if err != nil {
		t.Fatal(err)
	}
	machine := f.shared.Machine(contention.Plain())
	places, err := machine.Place("", 32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := simulate.FromMachine(machine, places, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	text, i := "ranks,size,latency,max\n", 0
	for _, ranks := range []int{4, 8, 20, 32} {
		for _, size := range []uint64{1, 256, 4096, 1 << 16} {
			l, err := contention.NewLoop(e, ranks, collective.Call{Bytes: size})
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.Run(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("%d,%d,%.5f,%.5f\n", ranks, size, change(i, c.Average), change(i, c.Max))
			i++
		}
	}
	path := filepath.Join(t.TempDir(), "bcast.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Measured collectives change what is shared, and the intervals: narrow ones of the algorithm, wide
// ones of others, and none if the machine is another than the model's.
func TestSharpen(t *testing.T) {
	times, fans := sharedtest.Fans(t)
	o := fansOptions(t, fans)
	plain, err := Fit([]string{times}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Measured = MeasuredOptions{Collective: "bcast", Algorithm: "binomial"}
	sharpened := func(change func(int, quantity.Micros) quantity.Micros) (*Fitted, contention.Intervals) {
		t.Helper()
		o.Collectives.Paths = []string{broadcastsFile(t, plain, change)}
		f, err := Fit([]string{times}, o)
		if err != nil {
			t.Fatal(err)
		}
		p := saved(t, f)
		return f, contention.IntervalsOf(p)
	}
	f, i := sharpened(func(_ int, t quantity.Micros) quantity.Micros { return 1.3 * t })
	own := i.Of["bcast_binomial"]
	if !(own.Low > 0.7 && own.Low < 1 && own.High < 1.4 && i.Any.Low <= 0.5 && i.Any.High >= 2) {
		t.Errorf("intervals %+v", i)
	}
	if f.factors == contention.Plain() {
		t.Error("collectives a third slower change nothing")
	}
	if note := strings.Join(f.Notes, "\n"); !strings.Contains(note, "16 of 16 measured times of bcast by binomial: median error") {
		t.Error(note)
	}
	f, i = sharpened(func(i int, t quantity.Micros) quantity.Micros { return quantity.Micros(math.Pow(9, float64(i%3))) * t })
	if len(i.Of) > 0 || !math.IsInf(i.Any.High, 1) || f.factors != contention.Plain() {
		t.Errorf("intervals of another machine %+v, factors %+v", i, f.factors)
	}
	if note := strings.Join(f.Notes, "\n"); !strings.Contains(note, "does not describe this machine") {
		t.Error(note)
	}
	o.Measured.Algorithm = ""
	if _, err := Fit([]string{times}, o); err == nil || !slices.Contains(usage.FieldsOf(err), "algorithm") {
		t.Errorf("an unknown algorithm: %v", err)
	}
}
