package fits

import (
	"math"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// texts returns what verdicts say, a line each.
func texts(all []verdict) string {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(v.text + "\n")
	}
	return b.String()
}
