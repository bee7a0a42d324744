package halfpeak_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/fit"
)

// FitReader makes of calibrate's outputs what Fit makes of their files.
func TestFitReader(t *testing.T) {
	script, err := os.ReadFile("cmd/halfpeak/testdata/script/calibrate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"me.csv", "pipe.csv"} {
		_, text, _ := strings.Cut(string(script), "\n-- "+name+" --\n")
		text, _, _ = strings.Cut(text, "\n-- ")
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		want, err := halfpeak.Fit([]string{path}, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := halfpeak.FitReader(strings.NewReader(text), name, fit.Options{})
		if err != nil || got.Name() != want.Name() || len(got.Platform.Layers) !=
			len(want.Platform.Layers) {
			t.Errorf("%s: %v, want %v (%v)", name, got.Name(), want.Name(), err)
		}
	}
}
