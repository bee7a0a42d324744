package fits

import (
	"github.com/halfpeak/halfpeak/fit"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A number makes a name that no other table has, also where a table's own name ends in it.
func TestNumbered(t *testing.T) {
	for _, c := range [][2]string{
		{"a a a", "a a-2 a-3"}, {"a a a-2", "a a-3 a-2"}, {"a-2 a a", "a-2 a a-3"},
		{"a a-2 a a-2", "a a-2 a-3 a-2-2"},
	} {
		if got := strings.Join(numbered(strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

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
