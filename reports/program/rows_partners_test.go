package program

import "testing"

// Equal partners in a row are one, and of many the first stand with the number of all.
func TestListed(t *testing.T) {
	for _, c := range []struct {
		partners []string
		want     any
	}{
		{nil, nil},
		{[]string{"1"}, "1"},
		{[]string{"1", "2", "2", "1"}, "1, 2 (2 ×), 1"},
		{[]string{"1", "2", "3", "4", "5", "6"}, "1, 2, 3, 4, 5, 6"},
		{[]string{"1", "2", "3", "4", "5", "6", "7", "7"}, "1, 2, 3, 4, 5, 6 … (8)"},
	} {
		if got := listed(c.partners); got != c.want {
			t.Errorf("%v: %v, want %v", c.partners, got, c.want)
		}
	}
}
