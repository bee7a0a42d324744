package check

import (
	"testing"
)

// The figures of the papers are all drawn.
func TestPaperFigures(t *testing.T) {
	all, err := PaperFigures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if len(f.Rows().Data) == 0 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
}
