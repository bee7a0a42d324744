package benchmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/fitted"
)

const nccl = `# Collective test starting: all_gather_perf
#   Rank  0 Pid 1 on a device  0
#   Rank  3 Pid 1 on a device  3
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024            64   float     sum    18.00    0.00    0.00  1e-07    19.00    0.00    0.00  1e-07
`

const osu = `# OSU MPI Allgather Latency Test v5.8
# Size   Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
256      6.00     5.00    9.00      1000
512      7.00     5.00   11.00      1000
`

func seriesOf(t *testing.T, o fit.Options, files map[string]string) ([]fitted.Data, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Read([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := SeriesOf(in.Sources, o.Measured)
	return all, err
}

// nccl-tests count the whole buffer, OSU the block of a rank; both become blocks. The time counts,
// and not a bandwidth; in and out of place are apart, and so are the average and the slowest rank.
func TestSeries(t *testing.T) {
	all, err := seriesOf(t, fit.Options{}, map[string]string{"a.log": nccl, "np4.txt": osu, "np4-again.txt": osu})
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		name string
		of   fitted.Statistic
		size float64
		time float64
		n    int64
	}
	wants := []want{{"nccl-tests out-of-place", fitted.Average, 256, 18, 1}, {"nccl-tests in-place", fitted.Average, 256, 19, 1},
		{"osu MPI", fitted.Average, 256, 6, 2}, {"osu MPI", fitted.Slowest, 256, 9, 2}}
	if len(all) != len(wants) {
		t.Fatalf("%d series, want %d: %+v", len(all), len(wants), all)
	}
	for i, w := range wants {
		s := all[i]
		p := s.Points[0]
		if s.Of.Collective != "allgather" || s.Name != w.name || s.Statistic != w.of || p.Ranks != 4 || float64(p.Size) != w.size || float64(p.Time) != w.time || p.Count != w.n {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
}

// A column of algorithms keeps them apart: those with a schedule by its name, whatever stands before
// it in the file, and the others by theirs. Their times are not repeats of one call.
func TestAlgorithmsOfAFile(t *testing.T) {
	all, err := seriesOf(t, fit.Options{}, map[string]string{"a.csv": `collective,algorithm,nodes,tasks_per_node,bytes,time_us
allreduce,allreduce_nccl_ring,4,4,1024,60
allreduce,allreduce_nccl_ring,4,4,8192,61
allreduce,allreduce_nccl_tree,4,4,1024,30
allreduce,allreduce_nccl_tree,4,4,8192,31
allreduce,allreduce_hier_bw,4,4,8192,40
allreduce,allreduce_hier_bw,4,4,65536,41
`})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, d := range all {
		got[d.Of.Name+" "+d.Name] = float64(d.Points[0].Time)
		if (d.Foreign == "") == (d.Of.Name == "") {
			t.Errorf("%s: foreign is %q", d.Label(), d.Foreign)
		}
	}
	want := map[string]float64{"ring ": 60, "double-tree ": 30, " allreduce_hier_bw": 40}
	for name, first := range want {
		if got[name] != first {
			t.Errorf("%q: %v µs, want %v; all: %v", name, got[name], first, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d series, want %d: %v", len(got), len(want), got)
	}
}

func TestUnsaid(t *testing.T) {
	for _, c := range []struct {
		o    fit.MeasuredOptions
		want string
	}{
		{fit.MeasuredOptions{}, "does not say how many ranks took part; give their number"},
		{fit.MeasuredOptions{Ranks: []int{4, 8}}, "2 numbers of ranks for 1 tables"},
		{fit.MeasuredOptions{Ranks: []int{4}, Collective: "allgahter"}, `did you mean "allgather"?`},
		{fit.MeasuredOptions{Ranks: []int{4}, Algorithm: "99"}, "has the number 99 in Open MPI"},
		{fit.MeasuredOptions{Ranks: []int{4}, Algorithm: "2"}, ""},
	} {
		all, err := seriesOf(t, fit.Options{Measured: c.o}, map[string]string{"x.txt": osu})
		switch {
		case c.want == "" && (err != nil || all[0].Of.Name != "bruck" || all[0].Points[0].Ranks != 4):
			t.Errorf("%+v: %v", all, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
}
