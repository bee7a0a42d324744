package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// randomLeaf returns a layer that is made of no other.
func randomLeaf(r *rand.Rand) model.Layer {
	time := func() quantity.Micros { return quantity.Micros(1 + r.IntN(20)) }
	perByte := func() quantity.MicrosPerByte { return quantity.MicrosPerByte(1+r.IntN(50)) / 1000 }
	switch r.IntN(3) {
	case 0:
		return &model.Linear{Beta: time(), Tau: perByte()}
	case 1:
		return &model.LogGP{LogP: model.LogP{Latency: time(), SendOverhead: time(),
			ReceiveOverhead: time(), GapTime: time()}, GapPerByte: perByte()}
	}
	// A packet is a piece, so that the formula of a series of pieces is exact.
	return &model.Pipeline{Stages: []model.Stage{
		{Name: "out", Beta: time(), Tau: perByte(), Host: model.Sender},
		{Name: "wire", Beta: time(), Tau: perByte()},
		{Name: "in", Beta: time(), Tau: perByte(), Host: model.Receiver}}}
}

// randomLayer returns a layer of layers, and the sizes at which its formula changes. Below a switch
// it has no window: the engine has the credits of a system, and not of a branch.
func randomLayer(r *rand.Rand, depth int, windows bool) (model.Layer, []quantity.Bytes) {
	if depth == 0 {
		return randomLeaf(r), nil
	}
	switch r.IntN(4) {
	case 0:
		low, a := randomLayer(r, depth-1, false)
		mid, b := randomLayer(r, depth-1, false)
		high, c := randomLayer(r, depth-1, false)
		first, second := quantity.Bytes(50+r.IntN(100)), quantity.Bytes(300+r.IntN(300))
		return &model.Switch{Branches: []model.Branch{{Name: "low", UpTo: first, Layer: low},
				{Name: "mid", UpTo: second, Layer: mid}, {Name: "high", Layer: high}}},
			slices.Concat(a, b, c, []quantity.Bytes{first, second})
	case 1:
		below, limits := randomLayer(r, depth-1, windows)
		return &model.Series{Below: below, Added: randomLeaf(r)}, limits
	}
	l := &model.Fragmented{Below: randomLeaf(r), MTU: quantity.Bytes(20 + r.IntN(200))}
	limits := []quantity.Bytes{l.MTU, 2 * l.MTU, 3 * l.MTU}
	if windows && r.IntN(2) == 0 {
		l.Window = 1 + r.IntN(4)
		of := quantity.Bytes(l.Window) * l.MTU
		limits = append(limits, of, 2*of)
	}
	return l, limits
}

// firstPieces is the part by which a stream through a window may take less than the formula: its
// first pieces, four at most, wait for no credit, and it has 900 or more.
const firstPieces = 4.0 / 900

// difference describes the first result of a layer, at both sides of its limits, that differs from
// the formulas of judged without a known reason; it is empty if there is none. It also reports
// whether none differs for any reason.
func difference(t *testing.T, l, judged model.Layer, limits []quantity.Bytes) (text string,
	exact bool) {
	t.Helper()
	o := EngineQuestion{Programs: []string{"ping_pong", "bandwidth"}, Model: judged}
	if _, gap := judged.(changedGap); gap { // is of no kind, which a round trip asks for
		o.Programs = []string{"bandwidth"}
	}
	for _, at := range append(limits, 99) {
		o.Sizes = append(o.Sizes, at)
		if o.Programs[0] != "bandwidth" {
			o.Sizes = append(o.Sizes, at+1)
		}
	}
	d := platforms.Design{Platform: platforms.Platform{Name: "random"},
		Layer: platforms.Layer{Platform: "random", Name: "layer", Model: l}}
	o.On = []platforms.Design{d}
	v, err := o.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exact = true
	for _, x := range v.Results {
		windowed := model.WindowOf(model.ResourcesOf(l), x.Size) > 0
		if windowed && x.Difference() < 0 && x.Difference() > -firstPieces {
			continue
		}
		exact = exact && x.Difference() == 0
		if verdictOf(x) == failure && text == "" {
			text = fmt.Sprintf("%s of %v: %s %v, the engine has %v", x.Program, x.Size, x.Quantity,
				x.Model, x.Engine)
		}
	}
	return text, exact
}

// At both sides of each limit the formulas of a random layer are those of the engine.
func TestLimits(t *testing.T) {
	exactly := map[string]int{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 61))
		l, limits := randomLayer(r, 1+r.IntN(2), true)
		text, exact := difference(t, l, nil, limits)
		if text != "" {
			t.Errorf("seed %d, %T: %s", seed, l, text)
		}
		if exact {
			exactly[fmt.Sprintf("%T", l)]++
		}
	}
	// Known reasons, which have a side and no size, must not explain everything.
	t.Logf("without any difference: %v", exactly)
	for _, kind := range []string{"*model.Switch", "*model.Series", "*model.Fragmented"} {
		if exactly[kind] < 10 {
			t.Errorf("%s: only %d agree without any difference", kind, exactly[kind])
		}
	}
}

// A changedGap is a layer with another formula of the gap.
type changedGap struct {
	model.Layer
	gap func(n quantity.Bytes) quantity.Micros
}

func (c changedGap) Gap(n quantity.Bytes) quantity.Micros { return c.gap(n) }

// Each of these mistakes in a formula shows on a random layer on which the right one passes.
func TestLimitsSeeMistakes(t *testing.T) {
	for name, mistake := range map[string]func(l model.Layer) (right, wrong model.Layer){
		"a switch with < for <=": func(l model.Layer) (right, wrong model.Layer) {
			s, ok := l.(*model.Switch)
			if !ok {
				return nil, nil
			}
			of := slices.Clone(s.Branches)
			for i := range of {
				of[i].UpTo--
			}
			return s, &model.Switch{Branches: of}
		},
		"a series whose gap is a maximum": func(l model.Layer) (right, wrong model.Layer) {
			s, ok := l.(*model.Series)
			if !ok {
				return nil, nil
			}
			return changedGap{s, s.Gap}, changedGap{s, func(n quantity.Bytes) quantity.Micros {
				return max(s.Below.Gap(n), s.Added.Gap(n))
			}}
		},
		"a fragmented gap without its last round": func(l model.Layer) (right, wrong model.Layer) {
			s, ok := l.(*model.Fragmented)
			if !ok || s.Window == 0 {
				return nil, nil
			}
			return changedGap{s, s.Gap}, changedGap{s, func(n quantity.Bytes) quantity.Micros {
				last := s.Below.OneWay(min(n, s.MTU)) + s.Below.OneWay(1)
				return s.Gap(n) - last/quantity.Micros(s.Window)
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(200) {
				r := rand.New(rand.NewPCG(seed, 61))
				l, limits := randomLayer(r, 1+r.IntN(2), true)
				right, wrong := mistake(l)
				if right == nil {
					continue
				}
				_, agrees := difference(t, l, right, limits)
				if _, also := difference(t, l, wrong, limits); agrees && !also {
					return
				}
			}
			t.Error("no random layer shows it")
		})
	}
}
