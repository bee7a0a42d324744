package judge

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/whatif"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

func designOf(t *testing.T, ref string) whatif.Design {
	t.Helper()
	d, err := whatif.Find(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
