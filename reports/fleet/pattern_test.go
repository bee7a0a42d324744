package fleet

import "testing"

// The pattern of file names is found where it is clear which parts are nodes.
func TestSuggestPattern(t *testing.T) {
	for _, c := range []struct {
		want  string
		paths []string
	}{
		{"osu_{a}_{b}.txt", []string{"x/osu_n01_n02.txt", "x/osu_n01_n03.txt", "x/osu_n02_n03.txt"}},
		{"{a}-{b}.out", []string{"nid001-nid002.out", "nid003-nid004.out"}},
		{"latency-{a}-{b}_*.csv", []string{"latency-a1-a2_run1.csv", "latency-a2-a3_run2.csv"}},
		{"pair.{a}.{b}.log", []string{"pair.1.2.log", "pair.2.3.log"}},
		{"stream_{a}.txt", []string{"stream_n1.txt", "stream_n2.txt"}},
		{"", []string{"lat_1_2_3.txt", "lat_2_3_4.txt"}}, // three numbers
		{"", []string{"lat_n1_x1.txt", "lat_n2_x2.txt"}},
		{"", []string{"osu_n1_n2.txt", "imb.txt"}},
		{"", []string{"one_n1_n2.txt"}},
		{"", []string{"a_n1.txt", "b_n1.txt"}},
	} {
		if got := suggestPattern(c.paths); got != c.want {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}
