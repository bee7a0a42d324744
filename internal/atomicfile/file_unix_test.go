//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file keeps its permissions, a new one has 0644 less the umask, a link stays a link, and a fault
// leaves the old file.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	link := filepath.Join(dir, "link.csv")
	check := func(path, want string, perm fs.FileMode) {
		t.Helper()
		if err := Write(path, say(want)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != perm {
			t.Errorf("got mode %v, %v, want %v", info.Mode(), err, perm)
		}
	}
	umask := syscall.Umask(0o022)
	defer syscall.Umask(umask)
	check(path, "new\n", 0o644)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	check(path, "old permissions stay\n", 0o666)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	check(link, "through a link\n", 0o666)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}

	// Nor is a link replaced that leads to no file yet, or to another such link.
	for name, to := range map[string]string{"first": "second", "second": "new.csv"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	check(filepath.Join(dir, "first"), "through two links\n", 0o644)
	if got, err := os.ReadFile(filepath.Join(dir, "new.csv")); err != nil || string(got) != "through two links\n" {
		t.Errorf("behind the links: %q, %v", got, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "first")); err != nil || to != "second" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := Write(loop, say("nowhere")); err == nil {
		t.Error("a link to itself was replaced")
	}
	for _, name := range []string{"first", "second", "new.csv", "loop"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}

	// A fault of write leaves the old file, and nothing beside it.
	fault := errors.New("no data")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return fault
	})
	if err != fault {
		t.Errorf("got error %v, want %v", err, fault)
	}
	if got, _ := os.ReadFile(path); string(got) != "through a link\n" {
		t.Errorf("got %q", got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("got files %v", files)
	}
}
