package simulate

import "testing"

// What [Text.Read] is made of, for its tests.
var (
	ParseRules   = parseRules
	ParseLogGOPS = parseLogGOPS
	ParseNoise   = parseNoise
	ReadDetours  = readDetours
)

// SetCrowd sets the number of bundles above which a component is a crowd, and returns the one before.
func SetCrowd(n int) (before int) {
	before, crowd = crowd, n
	return before
}

// ComputedAsRecorded checks that a run that keeps only what it computes has the same computations on
// its critical path as the recorded one.
func ComputedAsRecorded(t *testing.T, p *Program, o Setup, path *Path) {
	t.Helper()
	o.Record, o.Computed = false, true
	r, err := p.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	computing, before, err := r.Computed()
	if err != nil || computing != path.Shares.Compute || before != path.Shares.Noise {
		t.Errorf("computing %d, %d before it, %v; recorded: %+v", computing, before, err, path.Shares)
	}
}
