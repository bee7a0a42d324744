package check

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/papers"
)

// The figures of the papers are all drawn.
func TestPaperFigures(t *testing.T) {
	all, err := papers.Figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if drawn, err := Ask(t.Context(), FigureQuestion{f}); err != nil {
			t.Error(err)
		} else if len(drawn.Rows().Data) == 0 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
}
