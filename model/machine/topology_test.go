package machine

import (
	"slices"
	"testing"
)

// Numbers of links as SimGrid 3.32 routes them: a torus of 4 × 4, and a dragonfly of 2 groups, 4
// chassis, 2 routers and one unit each, whose one-way times differ by 0.5 µs a link.
func TestTopologyRoutes(t *testing.T) {
	for _, test := range []struct {
		text string
		a, b int
		want int
	}{
		{"torus 4 4", 0, 1, 1}, {"torus 4 4", 0, 2, 2}, {"torus 4 4", 0, 3, 1}, {"torus 4 4", 0, 15, 2}, {"torus 4 4", 1, 11, 4}, {"torus 3", 0, 2, 1},
		{"dragonfly 2 4 2 1", 0, 1, 3}, {"dragonfly 2 4 2 1", 0, 2, 3}, {"dragonfly 2 4 2 1", 0, 3, 4},
		{"dragonfly 2 4 2 1", 0, 8, 4}, {"dragonfly 2 4 2 1", 1, 8, 3}, {"dragonfly 2 4 2 1", 2, 15, 7}, {"dragonfly 2 2 2 4", 0, 3, 2},
	} {
		top, err := ParseTopology(test.text)
		if err != nil {
			t.Fatal(err)
		}
		links := top.Route(test.a, test.b)
		if len(links) != test.want || slices.Min(links) < 0 || slices.Max(links) >= top.Links() {
			t.Errorf("%s: links %v from %d to %d; want %d links below %d", test.text, links, test.a, test.b, test.want, top.Links())
		}
		if top.String() != test.text {
			t.Errorf("%q is written as %q", test.text, top)
		}
	}
	for _, text := range []string{"", "torus", "torus 0", "mesh 4", "dragonfly 2 4 2", "dragonfly 4 1 2 1", "torus 100000 100000"} {
		if _, err := ParseTopology(text); err == nil {
			t.Errorf("%q is a topology", text)
		}
	}
}

// Each link begins where the link before ends: routes of all pairs use a link in one direction only
// once, and the way back is as long on a torus.
func TestTopologyLinks(t *testing.T) {
	for _, text := range []string{"torus 4 3 2", "dragonfly 3 2 4 2"} {
		top, _ := ParseTopology(text)
		used := map[int]bool{}
		for a := range top.Units() {
			for b := range top.Units() {
				if a == b {
					continue
				}
				links := top.Route(a, b)
				for i, l := range links {
					used[l] = true
					if slices.Contains(links[:i], l) {
						t.Fatalf("%s: from %d to %d twice through link %d", text, a, b, l)
					}
				}
				if back := len(top.Route(b, a)); top.kind == "torus" && back != len(links) {
					t.Errorf("%s: %d links from %d to %d, %d back", text, len(links), a, b, back)
				}
			}
		}
	}
}
