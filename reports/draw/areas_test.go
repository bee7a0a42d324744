package draw

import (
	"image/color"
	"testing"
)

// Areas of two rounds of the palette look different, and each differs in its shade from the next.
func TestAreaColors(t *testing.T) {
	seen := map[color.NRGBA]int{}
	for k := range 2 * len(palette) {
		if j, ok := seen[areaColor(k)]; ok {
			t.Errorf("areas %d and %d have one colour", j, k)
		}
		seen[areaColor(k)] = k
	}
}
