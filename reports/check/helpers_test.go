package check

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

// A verdict is what a row says of the model.
type verdict string

// The verdicts.
const (
	agrees     verdict = "agrees"      // but for rounding
	knownBound verdict = "known bound" // it differs as far as is known of the formula
	failure    verdict = "failure"     // it differs, and nothing explains it
	unjudged   verdict = "unjudged"    // no formula speaks of the quantity
)

// verdictOf says whether model and engine agree.
func verdictOf(r validated) verdict {
	switch d := r.Difference(); {
	case r.NoFormula:
		return unjudged
	case d == 0:
		return agrees
	case r.Bound != "":
		return knownBound
	}
	return failure
}
