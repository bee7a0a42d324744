package reports

import (
	"bytes"
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
		if err := (Files{Force: true}).Write(path, say(want)); err != nil {
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

// What halfpeak wrote is replaced; what somebody else wrote is not.
func TestOnlyOwnFilesAreReplaced(t *testing.T) {
	rows := func(f Format, keys ...string) func(io.Writer) error {
		r := Rows{}
		var row []any
		for _, k := range keys {
			r.Columns, row = append(r.Columns, Column{Key: k, Head: k}), append(row, "x")
		}
		r.Data = [][]any{row}
		return func(w io.Writer) error { return Write(w, f, r) }
	}
	picture := func(ext string) func(io.Writer) error {
		f := Figure{Series: []Series{{Kind: Line, X: []float64{1, 2}, Y: []float64{1, 2}}}}
		return func(w io.Writer) error { return f.WriteImage(w, ext, 320, 240) }
	}
	page := func(w io.Writer) error { return brochure().WriteHTML(w) }
	parquet := func(w io.Writer) error {
		p := NewParquet(w, []string{"a"})
		return errors.Join(p.Write([]float64{1}), p.Close())
	}
	for _, c := range []struct {
		name          string
		before, after func(io.Writer) error
		replaced      bool
	}{
		{"a.csv", rows(CSV, "a", "b"), rows(CSV, "a", "b"), true},
		{"a.csv", rows(CSV, "a", "b"), rows(CSV, "a", "c"), false},
		{"a.csv", say("size,time\n1,2\n"), rows(CSV, "a", "b"), false},
		{"a.csv", say(""), rows(CSV, "a", "b"), true},
		{"a.json", rows(JSON, "a", "b"), rows(JSON, "a", "b"), true},
		{"a.json", rows(JSON, "a", "b"), rows(JSON, "a"), false},
		{"a.json", say("[\n1,\n2]\n"), rows(JSON, "a"), false},
		{"a.json", say("[]\n"), rows(JSON, "a"), true},
		{"a.jsonl", say("{\"a\":1}\n"), say("{\"a\":2}\n"), true},
		{"a.jsonl", say("{\"a\":1}\n"), say("{\"b\":2}\n"), false},
		{"a.txt", rows(Text, "a", "b"), rows(Text, "a", "b"), true},
		{"a.txt", say("my notes\n"), rows(Text, "a", "b"), false},
		{"a.md", rows(Markdown, "a"), rows(Markdown, "b"), true},
		{"a.md", say("# Mine\n"), rows(Markdown, "b"), false},
		{"a.png", picture("png"), picture("png"), true},
		{"a.png", picture("svg"), picture("png"), true},
		{"a.pdf", picture("pdf"), picture("pdf"), true},
		{"a.png", say("\x89PNG of a camera"), picture("png"), false},
		{"a.html", page, page, true},
		{"a.parquet", parquet, parquet, true},
		{"a.toml", say("# " + Imprint + " fit.\n"), say("title = 1\n"), true},
		{"a.toml", say("title = 1\n"), say("# " + Imprint + " fit.\n"), false},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		var before bytes.Buffer
		if err := c.before(&before); err != nil {
			t.Fatal(err)
		}
		if c.replaced && before.Len() > 0 { // as halfpeak writes it
			if err := WriteFile(path, c.before); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, before.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, c.after); (err == nil) != c.replaced {
			t.Errorf("%s, %.20q before: replaced is %v, %v", c.name, before.String(), err == nil, err)
		}
		if err := (Files{Force: true}).Write(path, c.after); err != nil {
			t.Error(err)
		}
	}
}
