package whatif

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Where a file cannot grow, complete rows stay. Where not even a row fits, nothing stays.
func TestFileWithoutRoom(t *testing.T) {
	// In a process of its own: the limit holds for all that a process writes, go test's log too.
	const alone = "HALFPEAK_TEST_LIMIT"
	if os.Getenv(alone) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestFileWithoutRoom$")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "part.csv")
	if err := WriteSweep(t.Context(), largeSweep(t), whole, "csv"); err != nil {
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
		return WriteSweep(t.Context(), largeSweep(t), path, "csv")
	}
	if err := limited(10_000); err == nil || !strings.Contains(err.Error(), "file too large") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
	// Lines of 30 to 40 bytes in blocks of 8192 rows: two blocks.
	if err := limited(700_000); err == nil || !strings.Contains(err.Error(), "file too large: 16384 of 90000 rows are complete in ") {
		t.Error(err)
	}
	want, _ := os.ReadFile(whole)
	got, _ := os.ReadFile(path + ".partial")
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !bytes.HasPrefix(want, got) || len(left) != 2 {
		t.Errorf("the rows are not the first of the whole file, or are beside %q", left)
	}
}
