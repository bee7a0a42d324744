package wasm

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
)

// A build that is interrupted leaves no file.
func TestInterrupted(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go to build with")
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Build(ctx, "../.."); err == nil || err.Error() != "interrupted" {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
