package table

import (
	"slices"
	"testing"
)

func TestShortPaths(t *testing.T) {
	for _, test := range [][2][]string{
		{{"a.goal"}, {"a.goal"}},
		{{"/long/way/a.goal", "b.goal"}, {"a.goal", "b.goal"}},
		{{"/x/one/a.goal", "/x/two/a.goal", "c/b.goal"}, {"one/a.goal", "two/a.goal", "b.goal"}},
		{{"a.goal", "x/a.goal", "x/a.goal"}, {"a.goal", "x/a.goal", "x/a.goal"}},
		{{"/a", "a", "./a"}, {"/a", "a", "./a"}},
	} {
		if got := ShortPaths(test[0]); !slices.Equal(got, test[1]) {
			t.Errorf("%q: %q, want %q", test[0], got, test[1])
		}
	}
}
