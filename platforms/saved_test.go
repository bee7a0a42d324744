package platforms

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A layer of every kind, with each of its parameters changed and saved, predicts what it predicts
// before it is saved. Packet sizes and windows are whole, so that a factor need not give a value.
func TestSavedChanges(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	const kinds = "../reports/check/testdata/mutants.toml"
	text, err := os.ReadFile(kinds)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mutants.toml": string(text), "mine.toml": changeable} {
		p, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	seen := map[string]bool{}
	for _, p := range all {
		for _, l := range p.Layers {
			d := Design{Platform: p, Layer: l}
			for i, param := range d.Uses() {
				// Each key of each kind of model, and every third parameter besides.
				kind := l.Kind + param.Table + param.Key + fmt.Sprint(model.LinesOf(l.Model) != l.Model)
				if seen[kind] && i%3 > 0 {
					continue
				}
				for _, factor := range []string{"*=1.7", "*=3"} {
					changed, err := d.Set(param.Path + factor)
					if err != nil {
						continue // a threshold beyond the next, a size that is not whole
					}
					seen[kind], seen[l.Kind] = true, true
					comparePredictions(t, changed, param.Path+factor)
				}
			}
		}
	}
	for _, kind := range model.Kinds {
		if len(kind.Fields) > 0 && !seen[kind.Name] {
			t.Errorf("no layer of kind %s has been changed", kind.Name)
		}
	}
}

// comparePredictions compares a design with what a reader makes of its file.
func comparePredictions(t *testing.T, d Design, change string) {
	t.Helper()
	again, err := Parse("saved.toml", d.Platform.Encode(""))
	if err != nil {
		t.Errorf("%s, %s: %v", d.Layer.Ref(), change, err)
		return
	}
	l, err := again.Layer(d.Layer.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []quantity.Bytes{1, 100, 1500, 10000, 64 << 10, 1 << 20} {
		for what, pair := range map[string][2]quantity.Micros{
			"one way": {d.Layer.Model.OneWay(n), l.Model.OneWay(n)},
			"gap":     {d.Layer.Model.Gap(n), l.Model.Gap(n)},
		} {
			// Scaled times are rounded once more when they are read.
			if was, is := float64(pair[0]), float64(pair[1]); math.Abs(is-was) > 1e-12*was {
				t.Errorf("%s, %s: %s of %v is %v µs, saved %v", d.Layer.Ref(), change, what, n, was, is)
			}
		}
	}
}
