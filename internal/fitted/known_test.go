package fitted

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// measuredOn returns an allreduce by the library's choice on these numbers of nodes, of a few ranks
// each, that takes the given times at all small sizes.
func measuredOn(t *testing.T, perNode int, times map[int]float64) *Result {
	t.Helper()
	d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
	for nodes, us := range times {
		for n := quantity.Bytes(8); n <= 4096; n *= 8 {
			d.Points = append(d.Points, Point{Ranks: nodes * perNode, PerNode: perNode, Size: n,
				Time: quantity.Micros(us), Count: 1})
		}
	}
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The growth beyond the places is the mean of the last octave's and of the known one.
func TestGrown(t *testing.T) {
	b := measuredOn(t, 1, map[int]float64{2: 10, 4: 10, 8: 15}).blend
	got := b.grown(place{32, 32}, 64)
	want := math.Log(15) + 2*(math.Log(1.5)+known.Machines().Collectives.Message)/2
	if math.Abs(got-want) > 1e-9 { // sums of a few doubles
		t.Errorf("%v, want %v", got, want)
	}
	for _, p := range []place{{8, 8}, {4, 4}, {6, 6}} {
		if v := b.grown(p, 64); !math.IsNaN(v) {
			t.Errorf("%v: %v, want NaN", p, v)
		}
	}
}

// Equal times on the only two numbers of nodes are wider at twice as many, and no answer beyond.
func TestFlat(t *testing.T) {
	width := func(second float64) float64 {
		r := measuredOn(t, 1, map[int]float64{4: 33, 8: second})
		far, err := r.predict(32, 64)
		if err != nil {
			t.Fatal(err)
		}
		refused := strings.Contains(far.NoInterval, "does not grow up to 8 nodes: measure 16")
		if refused != (second <= 33) {
			t.Errorf("times of 33 and %v µs: %+v", second, far)
		}
		twice, err := r.predict(16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return twice.High / twice.Value
	}
	flat, falls, grows := width(33), width(25), width(42)
	if !(flat > 1.05*grows) || !(falls > 1.05*grows) {
		t.Errorf("upper ends of %v, %v and %v times the value", flat, falls, grows)
	}
}

// From two numbers of nodes of many ranks each, steps inside them are not known without one node.
func TestMixed(t *testing.T) {
	for perNode, refused := range map[int]bool{4: false, 48: true} {
		r := measuredOn(t, perNode, map[int]float64{2: 10, 4: 14})
		for ranks, none := range map[int]bool{8 * perNode: false, 16 * perNode: refused} {
			p, err := r.predict(ranks, 64)
			if err != nil || (p.NoInterval != "") != none {
				t.Errorf("%d a node, %d ranks: %+v, %v", perNode, ranks, p, err)
			}
		}
	}
}

// An interval too wide to plan with says what to measure.
func TestMeasure(t *testing.T) {
	r := measuredOn(t, 4, map[int]float64{2: 10, 4: 19, 8: 25})
	for ranks, nodes := range map[int]string{64: "", 256: "23 nodes"} {
		p, err := r.predict(ranks, 64)
		if err != nil {
			t.Fatal(err)
		}
		wide := p.High/p.Low > Planable
		if wide != (p.Measure != "") || wide && p.Measure != nodes {
			t.Errorf("%d ranks, %v wide: measure %q, want %q", ranks, p.High/p.Low, p.Measure, nodes)
		}
	}
}
