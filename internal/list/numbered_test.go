package list

import (
	"strings"
	"testing"
)

// A number makes a name that no other has, also where a name of its own ends in it.
func TestNumbered(t *testing.T) {
	for _, c := range [][2]string{
		{"a a a", "a a-2 a-3"}, {"a a a-2", "a a-3 a-2"}, {"a-2 a a", "a-2 a a-3"},
		{"a a-2 a a-2", "a a-2 a-3 a-2-2"},
	} {
		if got := strings.Join(Numbered(strings.Fields(c[0]), "-"), " "); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	if got := strings.Join(Numbered([]string{"a", "a_max", "a", "b_max", "b"}, "_", "_max"), " "); got !=
		"a a_max_2 a_2 b_max b_2" {
		t.Error(got)
	}
}
