package forecast

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Above the last size the ends are continuous and, as long as the measured times rise, no larger
// message is expected to take less than the largest one may take in another run. A lower end that
// is at least its measured time, once the middle is above that by the difference between runs,
// would hold 1 to 3 of 100 published times fewer.
func TestAboveContinuous(t *testing.T) {
	points := doubling(1, 1<<20, func(n float64) float64 { return 2 + n/7700 })
	last := points[len(points)-1]
	for _, k := range []*Calibration{Latencies(), Streams(), Operations()} {
		c, err := k.New(points, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		before := c.At(last.Size)
		for n := float64(last.Size); n <= 1<<30; n *= 1.01 {
			f := c.At(quantity.Bytes(n))
			checkInvariants(t, quantity.Bytes(n), f)
			if f.Unknown != "" {
				break
			}
			if f.Low < c.At(last.Size).Low {
				t.Fatalf("%v takes from %v, %v takes %v", quantity.Bytes(n), f.Low, last.Size, last.Time)
			}
			// A step of 1 % in size is one of at most 1 % in time, and the intervals grow by up to
			// a factor of 2 in the first octave, fastest at its start.
			for _, r := range []float64{f.Low / before.Low, f.High / before.High} {
				if r < 0.9 || r > 1.12 {
					t.Fatalf("%v: %+v; a size 1 %% smaller %+v", quantity.Bytes(n), f, before)
				}
			}
			before = f
		}
	}
}

// A stream near its 12 GB/s tends to that bandwidth, to 3.5 %: the rise of the rate of a line halves
// with each octave, and that of streams falls more slowly. A roof bounds its rate. A roof below the
// measured rate of the last size, 11.2 GB/s, counts as that.
func TestAboveStream(t *testing.T) {
	stream := func(n float64) float64 { return 0.2 + n/12e3 }
	c, err := Streams().New(doubling(1, 1<<15, stream), 0.01)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1 << 16; n <= 1<<22; n *= 2 {
		if f := c.At(quantity.Bytes(n)); math.Abs(f.Value/stream(float64(n))-1) > 0.035 {
			t.Errorf("%d B: %v, want %v", n, f.Value, stream(float64(n)))
		}
		for _, roof := range []quantity.MBps{11.5e3, 5e3} {
			measured := quantity.MBps((1 << 15) / stream(1<<15))
			f := c.Bounded(roof).At(quantity.Bytes(n))
			checkInvariants(t, quantity.Bytes(n), f)
			rate := quantity.Bytes(n).Over(quantity.Micros(f.Value))
			if rate > max(roof, measured)*(1+1e-9) {
				t.Errorf("%d B at %v, above the roof of %v", n, rate, roof)
			}
		}
	}
}

// The rate of a stream rises by g·q·(1 − q^d)/(1 − q) in d octaves, if the last octave's rise is g.
func TestFade(t *testing.T) {
	k := Streams()
	q := k.Fade
	c, err := k.New(doubling(1, 1<<15, func(n float64) float64 { return 2 + n/5e3 }), 0)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(n float64) float64 { return n / (2 + n/5e3) }
	g := math.Log(rate(1<<15) / rate(1<<14))
	for d := 1; d <= 5; d++ {
		n := quantity.Bytes(int(1) << (15 + d))
		want := rate(1<<15) * math.Exp(g*q*(1-math.Pow(q, float64(d)))/(1-q))
		if got := float64(n) / float64(quantity.Micros(c.At(n).Value)); math.Abs(got/want-1) > 1e-9 || q == 0 {
			t.Errorf("%v: %v MB/s, want %v", n, got, want)
		}
	}
	// Half of what a new protocol costs at its first sizes is recovered in one octave.
	points := doubling(1, 1<<15, func(n float64) float64 { return n / 1e4 })
	points[len(points)-1].Time *= 1.3
	if c, err = k.New(points, 0); err != nil {
		t.Fatal(err)
	}
	want := 1e4 * math.Exp(-math.Log(1.3)/2)
	if got := (1 << 16) / c.At(1<<16).Value; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("after a step: %v MB/s, want %v", got, want)
	}
}

// A curve that is flat at its end is predicted with cheaper bytes, and one in proportion to the size
// at the same bandwidth; see [tail].
func TestTail(t *testing.T) {
	c := curve(t, doubling(1, 1<<20, func(n float64) float64 { return n / 1000 }))
	if got := c.above.at(&c.series, 1<<24); math.Abs(got-math.Log((1<<24)/1000.)) > 1e-9 {
		t.Errorf("in proportion: %v", math.Exp(got))
	}
	// At L = 1,024 B: A = 2.024 µs, τ = 0.001 µs/B, so that of 16 times the size a byte takes
	// 2^(−4s(1−1.024/2.024)) of it.
	c = curve(t, doubling(1, 1024, func(n float64) float64 { return 1 + n/1000 }))
	s := Latencies().Saving
	want := 2.024 + 0.001*15*1024*math.Exp2(-4*s*(1-1.024/2.024))
	if got := math.Exp(c.above.at(&c.series, 16*1024)); math.Abs(got/want-1) > 1e-9 || s == 0 {
		t.Errorf("flat: %v, want %v; saving %v", got, want, s)
	}
}

// Protocols for large messages begin below 256 KiB, so bytes get no cheaper above it.
func TestSavingEnds(t *testing.T) {
	line := func(n float64) float64 { return 500 + n/1000 }
	for last, octaves := range map[float64]float64{1 << 16: 2, 1 << 18: 0, 1 << 20: 0} {
		c := curve(t, doubling(1, last, line))
		n := last
		flat := 1 - n/1000/line(n)
		want := line(n) + n*15/1000*math.Exp2(-octaves*Latencies().Saving*flat)
		if got := math.Exp(c.above.at(&c.series, 16*n)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("from %v B: %v, want %v", last, got, want)
		}
	}
}

// Of a stream, errors where protocols no longer change fade by [Calibration.Fade] an octave: with
// 0.5 the first two octaves count 1 + 0.5. Times of messages count 2.
func TestErrorsFade(t *testing.T) {
	points := doubling(1, 1<<20, func(n float64) float64 { return 5 + n/1000 })
	for fade, want := range map[float64]float64{0: 2, 0.5: 1.5} {
		c, err := (&Calibration{Settled: 18, Fade: fade}).New(points, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Parts(1 << 22).Terms[up][usual]; math.Abs(got-want) > 1e-9 {
			t.Errorf("fade %v: %v octaves, want %v", fade, got, want)
		}
	}
}

// Within a node, where protocols no longer change, times may grow by [outgrown] of a further
// doubling in an octave, and are not shorter than predicted. Between nodes they may be.
func TestWithinNode(t *testing.T) {
	for beta, within := range map[float64]bool{0.2: true, 2: false} {
		c := curve(t, doubling(1, 1<<20, func(n float64) float64 { return beta + n/10_000 }))
		p := c.Parts(1 << 21)
		further := p.Terms[up][other] - (c.above.last + math.Ln2 - p.Middle)
		want := 0.0
		if within {
			want = outgrown * math.Ln2
		}
		if math.Abs(further-want) > 1e-9 || (p.Terms[down][usual] == 0) != within {
			t.Errorf("%v µs: %v further, want %v; %v octaves below", beta, further, want,
				p.Terms[down][usual])
		}
	}
}
