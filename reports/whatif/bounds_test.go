package whatif

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/platforms"
)

func parsed(t *testing.T, text string) Design {
	t.Helper()
	p, err := platforms.Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Design{Design: platforms.Design{Platform: p, Layer: p.Layers[0]}}
}

// A layer is compiled once, however many parameters have intervals: with four times as many, four
// times as much is allocated, and not sixteen times.
func TestPeakKnownOnce(t *testing.T) {
	allocations := func(n int) float64 {
		text, sum := "", []string{}
		for i := range n {
			text += fmt.Sprintf("[constant.c%d]\nvalue = \"1us ± 0.1us\"\nsource = \"made up\"\n", i)
			sum = append(sum, fmt.Sprintf("c%d", i))
		}
		d := parsed(t, text+"[layer.x]\nmodel = \"linear\"\nbeta = \""+strings.Join(sum, " + ")+"\"\ntau = \"1us/KiB\"\nsource = \"made up\"\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if !d.Layer.Peak().Known {
			t.Error("the peak is not known")
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if few, many := allocations(50), allocations(200); many > 8*few {
		t.Errorf("%.0f bytes for 50 parameters, %.0f for 200", few, many)
	}
}

// A time that cannot be longer has no share that could be told: an error, and no wrong numbers.
func TestSharesAtBound(t *testing.T) {
	d := parsed(t, "[layer.x]\nmodel = \"linear\"\nbeta = \"1.7976931e308us\"\ntau = \"1us/KiB\"\nsource = \"made up\"\n")
	if _, err := d.Shares(1024); err == nil || !strings.Contains(err.Error(), "its share cannot be computed") {
		t.Errorf("got %v, want that the share cannot be computed", err)
	}
}
