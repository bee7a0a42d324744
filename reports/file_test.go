package reports

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func say(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	link := filepath.Join(dir, "link.csv")
	check := func(path, want string, perm fs.FileMode) {
		t.Helper()
		if err := WriteFile(path, say(want)); err != nil {
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

	// A fault of write leaves the old file, and nothing beside it.
	fault := errors.New("no data")
	err := WriteFile(path, func(w io.Writer) error {
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

func TestWriteFileErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(path, want string) {
		t.Helper()
		err := WriteFile(path, say("x"))
		if err == nil {
			t.Fatalf("%s: no error", path)
		}
		if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	check(dir, "cannot write DIR: it is a directory; give the name of a file")
	check(dir+"/no/a", "cannot write DIR/no/a: the directory DIR/no does not exist; create it first")
	check(file+"/a", "cannot write DIR/file/a: DIR/file is not a directory")
	check("", "cannot write : the name of the file is empty")
	check(filepath.Join(dir, strings.Repeat("n", 300)), "cannot write DIR/"+strings.Repeat("n", 300)+": the name is too long")
	if _, err := os.Stat("/dev/full"); err == nil {
		check("/dev/full", "cannot write /dev/full: the disk is full; make room or choose another place")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("got files %v", files)
	}
}
