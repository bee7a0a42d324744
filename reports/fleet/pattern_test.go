package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// Without a pattern the nodes are those that a likely one gives, and the answer says so; files that
// do not match a given pattern are named before all else.
func TestNodesByGuess(t *testing.T) {
	dir := t.TempDir()
	for a := range 6 {
		for b := a + 1; b < 6; b++ {
			time := 10.0
			if b == 5 {
				time = 11 // node n5 is slow
			}
			text := "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n"
			for i := range 8 {
				size := 1 << (2 * i)
				text += fmt.Sprintf("%d %.3f\n", size, time*(1+float64(size)/2000)+float64(a)/500)
			}
			name := fmt.Sprintf("osu_n%d_n%d.txt", a, b)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	answer := func(o Options) *Answer {
		t.Helper()
		a, err := Question{Files: []string{dir}, Options: o}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := answer(Options{})
	if a.Nodes != 6 || !strings.Contains(a.remarks.Remarks()[0], `"osu_{a}_{b}.txt"`) {
		t.Errorf("%d nodes, the first note is %q", a.Nodes, a.remarks.Remarks()[0])
	}
	a = answer(Options{Name: "osu_{a}_n5.txt"})
	if !strings.Contains(a.remarks.Remarks()[0], `Not tested: 10 files with another name`) {
		t.Errorf("the first note is %q", a.remarks.Remarks()[0])
	}
}
