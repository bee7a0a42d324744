package model

import (
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func TestThreshold(t *testing.T) {
	check := func(what string, l Layer, want quantity.Bytes, wantOK bool) {
		t.Helper()
		if got, ok := threshold(l); got != want || ok != wantOK {
			t.Errorf("%s: threshold %v, %v; want %v, %v", what, got, ok, want, wantOK)
		}
	}
	pio, dma := Linear{Beta: 19, Tau: 0.36}, Linear{Beta: 119, Tau: 0.032}
	envelope := func(a, b Layer) Layer {
		return &Switch{Branches: []Branch{{Name: "a", Layer: a}, {Name: "b", Layer: b}}, Least: true}
	}
	at := func(n quantity.Bytes) Layer {
		return &Switch{Branches: []Branch{{Name: "a", UpTo: n, Layer: &pio}, {Name: "b", Layer: &dma}}}
	}
	// Parnass sec. 4.2.3: 100 µs over 1.44 µs per word less 250 Mbit/s.
	check("BullFrog", envelope(&pio, &dma), 304, true) // 100/(0.36 − 0.032) = 304.88
	check("a switch at a byte", at(1), 1, true)
	check("a switch at 512", at(512), 512, true)
	check("a switch at 513", at(513), 513, true)
	check("two switches: the first counts", &Switch{Branches: []Branch{{Name: "c", UpTo: 100, Layer: at(64)}, {Name: "d", Layer: &dma}}}, 64, true)
	check("no switch", &pio, 0, false)
	check("a switch that never does", envelope(&pio, &Linear{Beta: 20, Tau: 0.36}), 0, false)
}
