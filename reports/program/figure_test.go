package program

import (
	"slices"
	"testing"
)

// Each mark has keys of its own, also if two names have the same letters.
func TestMarkKeys(t *testing.T) {
	names := []string{"α", "β", "a b", "a_b", "A B", "a", "a max"}
	want := []string{"mark__", "mark___2", "mark_a_b", "mark_a_b_2", "mark_a_b_3", "mark_a", "mark_a_max_2"}
	if got := markKeys(names); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Parameters on one number of ranks are no curve.
func TestScalingPicture(t *testing.T) {
	s := &Scaling{Rows: []Scaled{{Ranks: 4, Params: "n=1", Finish: 1}, {Ranks: 4, Params: "n=2", Finish: 2}}}
	if p, err := scalingFigure(s); err == nil {
		t.Errorf("%+v", p)
	}
}
