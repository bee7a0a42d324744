package fits

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}
