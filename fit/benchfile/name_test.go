package benchfile

import "testing"

// The name of a file names its collective, in every spelling.
func TestCollectiveOfFileName(t *testing.T) {
	for name, want := range map[string]string{"reduce-scatter.csv": "reduce_scatter", "reduce_scatter.csv": "reduce_scatter",
		"h100-all-to-all-8.txt": "alltoall", "my-reduce.csv": ""} {
		if got := fromFileName(name).Name; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
