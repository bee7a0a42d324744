package whatif

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// largeSweep has 90,000 rows.
func largeSweep(t *testing.T) *Sweep {
	t.Helper()
	return sweep(t, "clip", []quantity.Bytes{64 << 10}, []string{"gap"}, "host-dma.tau=1us/KiB..8us/KiB/300", "wire.tau=1us/KiB..8us/KiB/300")
}

// A sweep that is interrupted leaves whole rows beside the file's name, which does not exist yet.
// The same command resumes, and the file is that of an uninterrupted sweep.
func TestFileInterrupted(t *testing.T) {
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "part.csv")
	if err := largeSweep(t).File(t.Context(), atomicfile.Files{}, whole, "csv", nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s := largeSweep(t)
	s.Watch = []func(*Block){func(*Block) { stop() }}
	err := s.File(ctx, atomicfile.Files{}, path, "csv", nil)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted: 8192 of 90000 rows are complete in ") {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	before := int64(0)
	if err := largeSweep(t).File(t.Context(), atomicfile.Files{}, path, "csv", func(rows int64) { before = rows }); err != nil || before != 8192 {
		t.Fatal(err, before)
	}
	want, _ := os.ReadFile(whole)
	got, _ := os.ReadFile(path)
	if !bytes.Equal(want, got) {
		t.Error("another file after the interruption")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}
