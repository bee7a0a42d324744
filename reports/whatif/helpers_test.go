package whatif

import (
	"context"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// solveFor is what one parameter can do for the target.
func solveFor(d Design, t Target, by Range) (Solution, error) {
	s, err := TargetQuestion{Case: Case{After: d}, Target: t,
		By: []Range{by}}.Ask(context.Background())
	if err != nil {
		return Solution{}, err
	}
	return s.Found[0], nil
}

// sized returns the one-way time of n bytes, for faster.
func sized(n quantity.Bytes) func(Design) ([]Quantity, error) {
	return func(d Design) ([]Quantity, error) {
		q, err := d.quantityOf("one_way", n)
		return []Quantity{q}, err
	}
}

// predictBoth is the uncertainty of the times of the calls of two designs.
func predictBoth(a, b Design) (*Uncertainty, error) {
	times, err := b.Quantities()
	if err != nil {
		return nil, err
	}
	return predictAll([]NamedDesign{{a.Subject(), a}, {b.Subject(), b}}, times, []quantity.Bytes{1},
		Sampling{Samples: 1000, Seed: 1})
}

// largeSweep returns a sweep of 90,000 rows.
func largeSweep(t *testing.T) *Sweep {
	t.Helper()
	return sweep(t, "clip", []quantity.Bytes{64 << 10}, []string{"gap"},
		"host-dma.tau=1us/KiB..8us/KiB/300", "wire.tau=1us/KiB..8us/KiB/300")
}

// figureOf returns the picture of an answer.
func figureOf[P table.Picture](t *testing.T, a table.Answer) P {
	t.Helper()
	picture, err := a.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return picture.(P)
}
