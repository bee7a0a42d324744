package benchmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// A file that is given twice, under whatever name, is one run.
func TestSameFileTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte(osu), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(file), "b.txt")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	in, err := Read([]string{file, link, filepath.Dir(file)}, fit.Options{})
	if err != nil || len(in.Sources) != 1 || len(in.Notes) != 3 ||
		in.Notes[0].Text != "skipped: "+link+" is the same file as "+file {
		t.Errorf("%d tables, notes %q, %v", len(in.Sources), in.Notes, err)
	}
}

// Of a folder, a text about the results is left out, whatever its tables are.
func TestFolderWithReadme(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "| bytes | us |\n|---|---|\n| 8 | 052 sends |\n",
		"a.csv":     "bytes,us\n8,1.5\n1024,2.5\n65536,40\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Read([]string{folder}, fit.Options{})
	if err != nil || in.Broken != nil || len(in.Sources) != 1 {
		t.Fatalf("%d tables, error %v, broken %v", len(in.Sources), err, in.Broken)
	}
	if notes := strings.Join(remark.Texts(in.Notes), "\n"); !strings.Contains(notes, "skipped: ") || !strings.Contains(notes, "README.md") {
		t.Errorf("notes: %s", notes)
	}
}
