package check

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// randomLogGP draws parameters, of which some are 0 and some exceed the sum of all others.
func randomLogGP(r *rand.Rand) *model.LogGP {
	some := func(limit float64) quantity.Micros {
		return quantity.Micros([]float64{0, 1, r.Float64() * limit, r.Float64() * 0.1 * limit}[r.IntN(4)])
	}
	return &model.LogGP{LogP: model.LogP{Latency: some(10), SendOverhead: some(10), ReceiveOverhead: some(10), GapTime: some(20)},
		GapPerByte: quantity.MicrosPerByte(some(0.02))}
}

// The engine and the formulas agree on any LogGP parameters, but where a note says why not.
func TestValidateRandomLogGP(t *testing.T) {
	seeds := uint64(100) // of which 1,000 agreed
	if testing.Short() {
		seeds = 10
	}
	o := EngineQuestion{Sizes: []quantity.Bytes{1, 100, 1000}, Nodes: 4}
	rows, bounds := 0, 0
	for seed := range seeds {
		l := randomLogGP(rand.New(rand.NewPCG(seed, 1995)))
		if l.OneWay(1)+l.Gap(1) == 0 {
			continue // a byte takes no time
		}
		d := platforms.Design{Platform: platforms.Platform{Name: "random"}, Layer: platforms.Layer{Platform: "random", Name: "loggp", Model: l}}
		o.On = []platforms.Design{d}
		v, err := o.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Results {
			rows++
			switch verdictOf(r) {
			case failure:
				t.Errorf("seed %d: %+v: %s of %v: %s is %v by the formula, %v in the engine", seed, *l, r.Program, r.Size, r.Quantity, r.Model, r.Engine)
			case knownBound:
				bounds++
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rows, %d with a bound", rows, bounds)
}
