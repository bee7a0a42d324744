package wasm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A build that is interrupted leaves nothing in the cache.
func TestInterrupted(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go to build with")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Build(ctx); err == nil || err.Error() != "interrupted" {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*", "build-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What killed programs leave is removed once nobody can be at work on it.
func TestForget(t *testing.T) {
	cache := t.TempDir()
	for name, age := range map[string]time.Duration{"build-1.wasm": 48 * time.Hour, "build-2.wasm": 0, "pack-1": 48 * time.Hour, "other": 48 * time.Hour} {
		path := filepath.Join(cache, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	forget(cache)
	for name, kept := range map[string]bool{"build-1.wasm": false, "build-2.wasm": true, "pack-1": false, "other": true} {
		if _, err := os.Stat(filepath.Join(cache, name)); (err == nil) != kept {
			t.Errorf("%s: %v, want it kept: %v", name, err, kept)
		}
	}
}
