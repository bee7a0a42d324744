package message

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// HP-LAM, table 4.2: o_s 2.9, o_r 5.8, L 5.3, g 8.7 µs, 24 MB/s, of a link of 80 MB/s.
func TestCompare(t *testing.T) {
	compared, err := CompareQuestion{Sizes: []quantity.Bytes{1, 4096},
		On: []platforms.Design{sharedtest.Must(t, platforms.Open, "hp-lam"),
			sharedtest.Must(t, platforms.Open, "clip/user-buffer")}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := compared.Costs
	if len(all) != 4 {
		t.Fatalf("%d rows; want two sizes of two layers", len(all))
	}
	hp := all[0]
	near(t, "o_s", float64(hp.SendOverhead), 2.9, 1e-9)
	near(t, "o_r", float64(hp.ReceiveOverhead), 5.8, 1e-9)
	near(t, "RTT", float64(hp.RTT), 28.0, 1e-9)
	near(t, "gap", float64(hp.Gap), 8.7, 1e-9)
	near(t, "r∞", float64(hp.Peak.Asymptote), 24, 1e-9)
	near(t, "share of the roof", hp.RoofShare, 24./80, 1e-9)
	if hp.BestPacket != 0 || hp.Roof.Name != "link" {
		t.Errorf("%+v", hp)
	}
	// The best equal packet of 4 KiB through five stages is 683 bytes, by a search over whole
	// bytes.
	if clip := all[3]; clip.Size != 4096 || clip.BestPacket != 683 || clip.SendOverhead != 0 &&
		clip.ReceiveOverhead == 0 {
		t.Errorf("%+v", clip)
	}
}

func cutsOn(d platforms.Design, sizes ...quantity.Bytes) CutQuestion {
	return CutQuestion{On: []platforms.Design{d}, Sizes: sizes}
}

// CLIP at 64 KiB through five stages, as searched over whole bytes: 3490 bytes by eq. 10 take
// 601.28 µs, the best equal ones, 1875 bytes, 580.95 µs, and no plan beats 568.93 µs.
func TestCuts(t *testing.T) {
	clip := sharedtest.Must(t, platforms.Open, "clip/user-buffer")
	all, err := cutsOn(clip, 64<<10).Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cuts := all.Cuts
	want := []struct {
		method  string
		largest quantity.Bytes
		time    float64
	}{{"paper", 3490, 601.28}, {"equal", 1875, 580.95}, {"unequal", 0, 568.93},
		{"unequal-whole", 0, 568.93}, {"single", 64 << 10, 2216.4}}
	for i, w := range want {
		if cuts[i].Method != w.method || w.largest > 0 && cuts[i].Plan.Largest() != w.largest {
			t.Errorf("%+v; want %+v", cuts[i], w)
		}
		near(t, w.method, float64(cuts[i].OneWay), w.time, 2e-5) // printed digits
	}
	hp := sharedtest.Must(t, platforms.Open, "hp-lam")
	if _, err := cutsOn(hp, 1<<10).Ask(t.Context()); err == nil ||
		!strings.Contains(err.Error(),
			"hp-lam/gam sends no message of these sizes through a pipeline") {
		t.Errorf("a layer without a pipeline: %v", err)
	}
}

// An interrupt leaves the cuts of the sizes before it.
func TestCutsInterrupted(t *testing.T) {
	clip, err := platforms.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	ctx := &ending{Context: t.Context(), after: 2}
	all, err := cutsOn(clip, 1<<10, 2<<10, 4<<10).Ask(ctx)
	if err == nil || len(all.Cuts) == 0 || all.Cuts[len(all.Cuts)-1].Size != 2<<10 {
		t.Errorf("%v, %+v", err, all)
	}
}

// An ending context ends after some questions.
type ending struct {
	context.Context
	after int
}

func (e *ending) Err() error {
	if e.after--; e.after < 0 {
		return context.Canceled
	}
	return nil
}
