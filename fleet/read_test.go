package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const pairsTable = "node_a,node_b,size_bytes,time_us\nn1,n2,8,2\nn1,n2,16,3\nn1,n3,8,2\nn1,n3,16,3\nn2,n3,8,2\nn2,n3,16,3\n"

// Nodes have one source: a file's name, or the columns of its table.
func TestNodesOfNameAndColumns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.csv")
	if err := os.WriteFile(file, []byte(pairsTable), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, _, err := Read(t.Context(), []string{file}, Options{Name: "{a}"}, Reader{})
	if err != nil || len(entries) != 1 || len(entries[0].Curves) > 0 || len(entries[0].Skipped) != 1 || !strings.Contains(entries[0].Skipped[0].Reason, "(node_a, node_b)") {
		t.Errorf("%+v, %v", entries, err)
	}
	if _, err := List([]string{file, filepath.Dir(file)}); err == nil || !strings.Contains(err.Error(), "named twice") {
		t.Errorf("a file, and its folder: %v", err)
	}
}
