package whatif

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A sweep that is interrupted leaves its complete rows beside the file's name, which does not exist.
func TestFileInterrupted(t *testing.T) {
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "part.csv")
	if err := WriteSweep(t.Context(), largeSweep(t), whole, "csv"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s := largeSweep(t)
	s.Watch = []func(*Block){func(*Block) { stop() }}
	err := WriteSweep(ctx, s, path, "csv")
	if want := fmt.Sprintf("interrupted: 8192 of 90000 rows are complete in %q", path+".partial"); err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	want, _ := os.ReadFile(whole)
	got, _ := os.ReadFile(path + ".partial")
	if !bytes.HasPrefix(want, got) || bytes.Count(got, []byte("\n")) != 1+8192 {
		t.Error("the rows are not the first of the whole file")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}
