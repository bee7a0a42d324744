package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func say(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
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
		err := Write(path, say("x"))
		if err == nil {
			t.Fatalf("%s: no error", path)
		}
		if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	check(dir, `cannot write "DIR": it is a directory; give the name of a file`)
	check(dir+"/no/a", `cannot write "DIR/no/a": the directory "DIR/no" does not exist; create it first`)
	check(file+"/a", `cannot write "DIR/file/a": "DIR/file" is not a directory`)
	check("", `cannot write "": the name of the file is empty`)
	check(filepath.Join(dir, strings.Repeat("n", 300)), `cannot write "DIR/`+strings.Repeat("n", 300)+`": the name is too long`)
	if _, err := os.Stat("/dev/full"); err == nil {
		check("/dev/full", `cannot write "/dev/full": the disk is full; make room or choose another place`)
	}
	if _, err := os.Stat("/proc/self"); err == nil { // it exists, and takes no files
		check("/proc/x", `cannot write "/proc/x": the system does not let a file be created in "/proc"; choose another place`)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("got files %v", files)
	}
}

// An incomplete file has a name of its own, and leaves the complete one as it was.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := Write(path, say("old\n")); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("half\n")); err != nil {
		t.Fatal(err)
	}
	part, err := f.Keep()
	if err != nil || part != path+".partial" {
		t.Errorf("%q, %v", part, err)
	}
	for name, want := range map[string]string{path: "old\n", part: "half\n"} {
		if got, err := os.ReadFile(name); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("got files %v", files)
	}
}
