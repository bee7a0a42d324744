package platforms

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Every layer of the platforms that come with halfpeak has the same times if a program makes it of
// its model, within the 12 digits of a file.
func TestCompleteHasTheModels(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		made := Platform{Name: p.Name, Default: p.Default}
		for _, l := range p.Layers {
			made.Layers = append(made.Layers, Layer{Name: l.Name, Parts: l.Parts, Timed: l.Timed,
				Model: model.LinesOf(l.Model), Measured: l.Measured, Source: l.Source})
		}
		got, err := made.Complete()
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		for i, l := range p.Layers {
			for n := quantity.Bytes(1); n <= quantity.MiB; n *= 16 {
				was, is := l.OneWay(n), got.Layers[i].OneWay(n)
				// Exact has 12 digits, and a time is a sum of a few numbers.
				if math.Abs(float64(is/was)-1) > 1e-10 {
					t.Errorf("%s, %s: %v, made %v", l.Ref(), n, was, is)
				}
			}
		}
	}
}

// A program makes a platform of values; its file describes the same.
func TestComplete(t *testing.T) {
	small := &model.Linear{Beta: 3, Tau: 0.5 / 1024, GapUnknown: true}
	copies := model.Stage{Name: "copy", Beta: 0.5, Host: model.Sender}
	wire := model.Stage{Name: "wire", Beta: 1, Tau: 1. / 1024, Measured: &model.StageCurve{
		Alone: model.Curve{Sizes: []quantity.Bytes{1024, 4096}, Costs: []quantity.Micros{2, 5}}}}
	p := Platform{
		Name: "made", Title: "a test", Default: "both",
		Params: []Param{{Path: "constant.combine", Text: "1ns/B", Source: "a book"},
			{Path: "stage.copy.beta", PlusMinus: 0.1, Source: "a clock"},
			{Path: "stage.wire.beta", Text: "1us ± 5%"},
			{Path: "layer.eager.beta", PlusMinus: 0.25},
			{Path: "layer.eager.tau", PlusMinus: 0.125 / 1024}},
		Layers: []Layer{
			{Name: "eager", Model: small, Correlation: -0.5, Source: "a fit"},
			{Name: "bulk", Model: &model.Pipeline{Stages: []model.Stage{copies, wire},
				Cut: model.Cut{Rule: model.CutBest}}},
			{Name: "both", Title: "two protocols", Model: &model.Switch{Branches: []model.Branch{
				{Name: "eager", UpTo: 4096, Layer: small}, {Name: "bulk"}}}},
			{Name: "sum", Model: &model.Linear{Beta: 9},
				Timed: Timed{Of: Collective, Collective: "allreduce", Ranks: 4}},
		},
	}
	made, err := p.Complete()
	if err != nil {
		t.Fatal(err)
	}
	text := string(p.Encode(""))
	read, err := Parse("made.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, made, samePlatform); diff != "" {
		t.Errorf("(-read +made)\n%s", diff)
	}
	for _, want := range []string{
		"beta = '3us ± 0.25us'\ntau = '0.5us/KiB ± 0.125us/KiB'\ngap = 'unknown'\n" +
			"correlation = '-0.500'\nsource = 'a fit'\n",
		"branches = [{ layer = 'eager', up_to = '4096B' }, { layer = 'bulk' }]\n",
		"beta = '0.5us ± 0.1us'\ntau = '0us/KiB'\nhost = 'sender'\nsource = 'a clock'\n",
		"beta = '1us ± 5%'\n", "sizes = ['1024B', '4096B']\ntimes = ['2us', '5us']\n",
		"stages = ['copy', 'wire']\n", "packets = 'best'\n",
		"times_of = 'collective'\ncollective = 'allreduce'\nranks = '4'\n",
		"[constant.combine]\nvalue = '1ns/B'\nsource = 'a book'\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	p.Params[3].PlusMinus = math.Inf(1) // no interval
	p.Layers[1].Model.(*model.Pipeline).Stages[0].Beta = -1
	if _, err = p.Complete(); err == nil ||
		err.Error() != `made: stage.copy.beta: "-1us ± 0.1us": a time cannot be negative` {
		t.Errorf("got %v", err)
	}
	read.Layers = append(read.Layers, Layer{Name: "more", Model: &model.Linear{Beta: 7}})
	if read, err = read.Complete(); err != nil {
		t.Fatal(err)
	}
	if l, err := read.Layer("more"); err != nil || l.OneWay(1) != 7 || len(read.Layers) != 5 {
		t.Errorf("%+v, %v", l, err)
	}
}

// A file has one half of an interval. Of one that ends at 0, where it was cut, the whole one is lost
// and the upper half is known.
func TestHalfWidth(t *testing.T) {
	for _, c := range []struct {
		value, low, high float64
		want             float64
	}{
		{3, 2.5, 3.5, 0.5},
		{3, 2.4, 3.8, 0.7}, // by a coarse clock
		{0, 0, 7.5, 7.5},
		{23, 0, 278, 255},
		{3, 3, 3, 0},
		{3, math.NaN(), math.NaN(), 0},
		{3, 0, math.Inf(1), 0},
	} {
		got := HalfWidth(quantity.Interval{Value: c.value, Low: c.low, High: c.high})
		if math.Abs(got-c.want) > 1e-12 { // 3.8 − 2.4 is rounded
			t.Errorf("%v (%v to %v): %v, want %v", c.value, c.low, c.high, got, c.want)
		}
	}
}
