package sweeps

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

// Where a file cannot grow, whole rows stay, and are gone on with once there is room. Where not even
// a row fits, nothing stays.
func TestPartWithoutRoom(t *testing.T) {
	// In a process of its own: the limit holds for all that a process writes, go test's log too.
	const alone = "HALFPEAK_TEST_LIMIT"
	if os.Getenv(alone) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestPartWithoutRoom$")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	q := Question{Platform: "clip", Vary: []string{"host-dma.tau=1us/KiB..8us/KiB/300", "wire.tau=1us/KiB..8us/KiB/300"}, Sizes: "64KiB", Of: []string{"gap"}}
	dir, which := t.TempDir(), shard.Shard{Index: 1, Count: 2}
	whole, path := filepath.Join(dir, "whole"), filepath.Join(dir, "part-1")
	if err := sweepOf(t, q).Part(t.Context(), reports.Files{}, whole, q, which, nil); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		t.Fatal(err)
	}
	limited := func(bytes uint64) error {
		tight := free
		tight.Cur = bytes
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &tight); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
				t.Fatal(err)
			}
		}()
		return sweepOf(t, q).Part(t.Context(), reports.Files{}, path, q, which, nil)
	}
	if err := limited(10_000); err == nil || !strings.Contains(err.Error(), "file too large") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
	// 4 columns of 8 bytes in blocks of 8192 rows: two blocks.
	if err := limited(700_000); err == nil || !strings.Contains(err.Error(), "file too large: 16384 of 45000 rows are whole in ") {
		t.Error(err)
	}
	if err := sweepOf(t, q).Part(t.Context(), reports.Files{}, path, q, which, func(int64) {}); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(whole)
	got, _ := os.ReadFile(path)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !bytes.Equal(want, got) || len(left) != 2 {
		t.Errorf("another part, beside %q", left)
	}
}
