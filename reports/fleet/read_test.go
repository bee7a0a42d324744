package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/stats"
)

const pairsTable = "node_a,node_b,size_bytes,time_us\nn1,n2,8,2\nn1,n2,16,3\n" +
	"n1,n3,8,2\nn1,n3,16,3\nn2,n3,8,2\nn2,n3,16,3\n"

// Nodes have one source: a file's name, or the columns of its table.
func TestNodesOfNameAndColumns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.csv")
	if err := os.WriteFile(file, []byte(pairsTable), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, _, err := readFiles(t.Context(), []string{file}, Options{Name: "{a}"}, nil)
	if err != nil || len(entries) != 1 || len(entries[0].curves) > 0 ||
		len(entries[0].skipped) != 1 ||
		!strings.Contains(entries[0].skipped[0].reason, "(node_a, node_b)") {
		t.Errorf("%+v, %v", entries, err)
	}
	if _, err := listFiles([]string{file, filepath.Dir(file)}); err == nil ||
		!strings.Contains(err.Error(), "named twice") {
		t.Errorf("a file, and its folder: %v", err)
	}
}

// What could not be read is counted by file, not by output, and that of before apart.
func TestFleetFaults(t *testing.T) {
	good := curveSummary{Group: Group{Benchmark: "b", Sizes: 1, First: 8, Last: 8}, Latency: 1}
	broken := []skippedFile{{reason: "x", fault: true}, {reason: "y", fault: true}, {reason: "z"}}
	in := reading{
		now: []fileSummary{{path: "a", curves: []curveSummary{good}, skipped: broken},
			{path: "b", skipped: broken[2:]}},
		before: []fileSummary{{path: "a", curves: []curveSummary{good}}},
	}
	for _, want := range []string{"1 file could not be read to the end",
		"1 file of now and 1 of before could not be read to the end"} {
		if a, err := analyse(in, Options{}); err != nil || a.Broken == nil ||
			a.Broken.Error() != want {
			t.Errorf("%v, %v, want %q", a, err, want)
		}
		in.before[0].skipped = broken
	}
	// The band over the fleet has the quantiles of the table: type 7.
	if q := stats.Quantile([]float64{1, 2, 4}, 0.25); q != 1.5 {
		t.Error(q)
	}
}
