package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// The layer of a result predicts the next measurement, with an interval around its time; at
// measured sizes it is nearer to the measurements than the lines are. Kinds that are not costs of a
// message say what their times are of, or are no layer.
func TestLayer(t *testing.T) {
	p := plant(rand.New(rand.NewPCG(8, 1)), 80, 3)
	tab := p.measure(rand.New(rand.NewPCG(8, 2)), 0.01)
	r := fitted(t)(Auto(tab))
	l, err := r.Layer()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(p.sizes, 3e7) {
		next, err := l.Next(quantity.Bytes(n))
		if err != nil || next == nil {
			t.Fatal(next, err)
		}
		if at := l.OneWay(quantity.Bytes(n)); float64(at) != next.Value || next.Value < next.Low || next.Value > next.High {
			t.Errorf("at %v: %v, next %+v", n, at, next)
		}
	}
	for _, s := range tab.Samples {
		if got := l.OneWay(s.Size); !near(float64(got), float64(s.Mean), 1e-9) {
			t.Errorf("at %v: %v, measured %v", s.Size, got, s.Mean)
		}
	}
	for k, want := range map[benchfile.Kind]platforms.Subject{
		benchfile.OneWay: platforms.Message, benchfile.Gap: platforms.Stream,
		benchfile.Operation: platforms.Operation, benchfile.Collective: platforms.Collective,
		benchfile.SendOverhead: "",
	} {
		r := fitted(t)(Linear(kind(p.measure(rand.New(rand.NewPCG(8, 2)), 0.01), k), Relative))
		l, err := r.Layer()
		if (err == nil) != (want != "") || l.Timed.Of != want {
			t.Errorf("%v: %v, error %v", k, l.Timed, err)
		}
	}
	// Too few sizes make no curve: then the times are those of the lines, without an interval.
	few := fitted(t)(Linear(table([]float64{1, 10, 100}, func(n float64) float64 { return n }), Relative))
	l, err = few.Layer()
	if next, _ := l.Next(10); err != nil || next != nil || l.OneWay(1000) != few.Time(1000) {
		t.Errorf("3 sizes: %v, %v, %v", l.OneWay(1000), next, err)
	}
}

// A stream that reaches 20 GB/s more slowly than a line is predicted near its true rates, and the
// interval of τ includes what it tends to: no rate is above the upper end of r∞.
func TestUnsaturatedStream(t *testing.T) {
	truth := func(n float64) float64 { return n / 2e4 * (1 + math.Pow(6000/n, 0.7)) }
	r := fitted(t)(Auto(kind(table(sizes(16, 1, 1<<15), truth), benchfile.Gap)))
	l, err := r.Layer()
	if err != nil {
		t.Fatal(err)
	}
	roof := quantity.MicrosPerByte(r.Segments[len(r.Segments)-1].Tau.Low).Rate()
	for n := quantity.Bytes(1 << 16); n <= 1<<30; n *= 2 {
		if got := n.Over(l.OneWay(n)); got > roof*(1+1e-9) {
			t.Errorf("%v at %v, above %v", n, got, roof)
		}
	}
	if got, want := float64(l.OneWay(1<<20)), truth(1<<20); math.Abs(got/want-1) > 0.1 {
		t.Errorf("1 MiB takes %v µs, want %v", got, want)
	}
	// A latency has the interval of its line.
	r = fitted(t)(Auto(table(sizes(16, 1, 1<<15), truth)))
	if got := quantity.MicrosPerByte(r.Segments[len(r.Segments)-1].Tau.Low).Rate(); got >= roof {
		t.Errorf("a latency: r∞ of up to %v, a stream: %v", got, roof)
	}
}
