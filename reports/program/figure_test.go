package program

import (
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Each mark has keys of its own, also if two names have the same letters.
func TestMarkKeys(t *testing.T) {
	names := []string{"α", "β", "a b", "a_b", "A B", "a", "a max"}
	want := []string{"mark__", "mark___2", "mark_a_b", "mark_a_b_2", "mark_a_b_3", "mark_a", "mark_a_max_2"}
	if got := markKeys(names); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// The title names all machines in the order of the question, and each computed point has a marker.
func TestScalingTitle(t *testing.T) {
	s := &Scaling{Name: "a.star", Rows: []Scaled{{Ranks: 4, Machine: "y", Finish: 2}, {Ranks: 8, Machine: "y", Finish: 1},
		{Ranks: 4, Machine: "x", Finish: 2}, {Ranks: 8, Machine: "x", Finish: 1}}}
	p, err := scalingFigure(s)
	if err != nil {
		t.Fatal(err)
	}
	f := p.(table.Figure)
	if f.Title != "a.star on y, x" || f.Series[0].Name != "y" {
		t.Errorf("title %q, first %q", f.Title, f.Series[0].Name)
	}
	for _, name := range []string{"x", "y"} {
		if !slices.ContainsFunc(f.Series, func(s table.Series) bool {
			return s.Name == name && s.Kind == table.Points && len(s.X) == 2
		}) {
			t.Errorf("%s has no points", name)
		}
	}
}

// A hundred steps of computing and waiting are no comb; ten stay as they are.
func TestFractionsOfManySteps(t *testing.T) {
	for _, test := range []struct{ steps, least, most int }{{100, 25, 100}, {5, 400, 400}} {
		spans := func(yield func(simulate.Span) bool) {
			for i := range test.steps {
				at := quantity.Micros(i * 10)
				if !yield(simulate.Span{What: "calc", Start: at, End: at + 5}) ||
					!yield(simulate.Span{What: "wait", Start: at + 5, End: at + 10}) {
					return
				}
			}
		}
		a := fractions(spans, 1, float64(test.steps*10), "")
		if n := len(a.XS); n < test.least || n > test.most || len(a.Parts[0].Y) != n {
			t.Errorf("%d steps: %d parts", test.steps, n)
		}
		for _, p := range a.Parts {
			if swings(p.Y) > 2*10*100 {
				t.Errorf("%d steps: %s goes up and down by %v %%", test.steps, p.Name, swings(p.Y))
			}
		}
	}
}

// Parameters on one number of ranks are no curve.
func TestScalingPicture(t *testing.T) {
	s := &Scaling{Rows: []Scaled{{Ranks: 4, Params: "n=1", Finish: 1}, {Ranks: 4, Params: "n=2", Finish: 2}}}
	if p, err := scalingFigure(s); err == nil {
		t.Errorf("%+v", p)
	}
}
