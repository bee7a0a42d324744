package fits

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
)

// A file that is given twice, under whatever name, is one run.
func TestSameFileTwice(t *testing.T) {
	file := imbFile(t, "a.txt", map[string]float64{"Bcast": 10}, "Bcast")
	link := filepath.Join(filepath.Dir(file), "b.txt")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	in, err := ReadFit([]string{file, link, filepath.Dir(file)}, fit.Options{})
	if err != nil || len(in.Sources) != 1 || len(in.Notes) != 4 ||
		in.Notes[1] != "skipped: "+link+" is the same file as "+file {
		t.Errorf("%d tables, notes %q, %v", len(in.Sources), in.Notes, err)
	}
}
