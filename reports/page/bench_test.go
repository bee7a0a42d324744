package page

import (
	"fmt"
	"testing"
)

// A slider moves: five designs of which all change, 200 sizes each.
func BenchmarkSlider(b *testing.B) { slide(b, true) }

// The slider rests.
func BenchmarkRest(b *testing.B) { slide(b, false) }

func slide(b *testing.B, plain bool) {
	x := New()
	for i := 0; b.Loop(); i++ {
		request := fmt.Sprintf(`{"plain": %v, "quantity": "bandwidth", "sizes": "1..1MiB/10", "designs": [`, plain)
		for k := range 5 {
			if k > 0 {
				request += ","
			}
			request += fmt.Sprintf(`{"ref": "clip", "set": ["stage.host-dma.tau=%vus/KiB"]}`, 3+1e-6*float64(5*i+k))
		}
		if answer := x.Ask("curves", []byte(request+"]}")); len(answer) < 10000 {
			b.Fatalf("%s", answer)
		}
	}
}
