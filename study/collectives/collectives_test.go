package collectives

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func linearLayer() platforms.Layer {
	return platforms.Layer{Platform: "a", Name: "b", Model: &model.Linear{Beta: 2, Tau: 0.5}}
}

// Binomial takes ⌈lg p⌉(α + nβ), linear (p − 1)(α + nβ), by simulation and by the closed form.
func TestCollectiveTimes(t *testing.T) {
	for _, bound := range []int{0, 1} {
		for _, c := range []struct {
			name string
			want quantity.Micros
		}{{"binomial", 3 * 6}, {"linear", 7 * 6}} {
			got, err := Compute(context.Background(), Question{Collective: "bcast", Algorithm: c.name, Layer: linearLayer(),
				Ranks: []int{8}, Sizes: []quantity.Bytes{8}, Operations: bound})
			if err != nil {
				t.Fatal(err)
			}
			if now := got.Times[0]; math.Abs(float64(now.Time-c.want)) > 1e-5 { // ticks are 1 ps
				t.Errorf("%s, at most %d operations: %v %s, want %v", c.name, bound, now.Time, now.From, c.want)
			}
		}
	}
}

func TestCollectiveRules(t *testing.T) {
	got, err := Compute(context.Background(), Question{Collective: "bcast", Algorithm: "linear", Layer: linearLayer(),
		Ranks: []int{8, 2, 4}, Sizes: []quantity.Bytes{64, 8}, Library: "openmpi"})
	if err != nil {
		t.Fatal(err)
	}
	want := rules.Rule{Collective: "bcast", Algorithm: "linear", Ranks: rules.Range{From: 2, To: 8}, Bytes: rules.Range{From: 8, To: 64}}
	if all := got.Rules(); len(all) != 1 || all[0] != want {
		t.Errorf("rules %+v, want one, %+v", all, want)
	}
}

func TestCollectiveStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := Compute(ctx, Question{Collective: "bcast", Algorithm: "all", Layer: linearLayer(), Ranks: []int{8}, Sizes: []quantity.Bytes{8}})
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}
