package whatif

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func designOf(t *testing.T, ref string) Design {
	t.Helper()
	d, err := Find(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sizesOfText(t *testing.T, text string) []quantity.Bytes {
	t.Helper()
	sizes, err := quantity.ParseSizes(text)
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}
