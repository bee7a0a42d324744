package fits

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// imbFile is a file of IMB with these operations in this order, each of so many microseconds.
func imbFile(t *testing.T, name string, times map[string]float64, order ...string) string {
	t.Helper()
	text := "# Intel(R) MPI Benchmarks 2019\n"
	for _, operation := range order {
		text += fmt.Sprintf("\n# Benchmarking %s \n# #processes = 4 \n#----------------------------------------------------------------\n"+
			"       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n", operation)
		for n := 1; n <= 1<<12; n *= 2 {
			v := times[operation] * (1 + float64(n)/1024)
			text += fmt.Sprintf("%13d %12d %12.2f %12.2f %12.2f\n", n, 1000, v, v, v)
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Runs, and what is compared, go together by the names of the tables, in whatever order files have
// them.
func TestTablesByName(t *testing.T) {
	times := map[string]float64{"Bcast": 10, "Allreduce": 1000, "Reduce": 50, "Alltoall": 70}
	first := imbFile(t, "a.txt", times, "Bcast", "Allreduce", "Reduce")
	second := imbFile(t, "b.txt", times, "Allreduce", "Bcast", "Alltoall")

	f, err := Question{Files: []string{first, second}, Options: fit.Options{Runs: true}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curves()) != 2 {
		t.Fatalf("%d curves of runs, want 2", len(f.Curves()))
	}
	for _, c := range f.Curves() {
		operation := "Bcast"
		if strings.Contains(c.Table.Name(), "Allreduce") {
			operation = "Allreduce"
		}
		if p := c.Points[0]; p.Count != 2 || p.Deviation != 0 {
			t.Errorf("%s: %+v, want two runs that are alike", c.Table.Name(), p)
		}
		near(t, c.Table.Name(), float64(c.Points[0].Time), times[operation]*(1+1./1024), 1e-3)
	}

	g, err := Question{Files: []string{first}, Options: fit.Options{Compare: second}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Result.(*Comparison).Changes {
		if before, after := operationOf(c.Before), operationOf(c.After); before != after {
			t.Errorf("%q is compared with %q", before, after)
		}
	}
	for _, notes := range [][]string{remark.Texts(f.Notes), remark.Texts(g.LeftOut)} {
		for _, name := range []string{"Reduce", "Alltoall"} {
			if !slices.ContainsFunc(notes, func(n string) bool {
				return strings.Contains(n, ": "+name) && strings.HasSuffix(n, "has no partner and is skipped")
			}) {
				t.Errorf("no note of %s in %q", name, notes)
			}
		}
	}

	other := imbFile(t, "c.txt", times, "Alltoall", "Reduce")
	if _, err := (Question{Files: []string{imbFile(t, "d.txt", times, "Bcast", "Allreduce"), other}, Options: fit.Options{Runs: true}}).Ask(t.Context()); err == nil || !strings.Contains(err.Error(), "must have the same tables") {
		t.Errorf("runs without a table in common: %v", err)
	}
}

func operationOf(name string) string { return name[strings.LastIndex(name, ": ")+1:] }

// Pairs of nodes in one file are runs of one measurement: each size has their mean and deviation.
// Other columns still tell tables apart.
func TestPairsAreRuns(t *testing.T) {
	text := "node_a,node_b,transport,size_bytes,time_us\n"
	for i, factor := range []float64{1, 1.1, 1.2} {
		for n := 1; n <= 1<<10; n *= 2 {
			for _, transport := range []string{"ib", "tcp"} {
				text += fmt.Sprintf("n%d,n9,%s,%d,%.4f\n", i, transport, n, factor*(10+float64(n)/100))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "pairs.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}, Options: fit.Options{Runs: true}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curves()) != 2 || f.Curves()[0].Table.Title != "3 pairs of nodes transport=ib" {
		t.Fatalf("%d curves, the first %q", len(f.Curves()), f.Curves()[0].Table.Title)
	}
	p := f.Curves()[1].Points[0]
	near(t, "mean", float64(p.Time), 1.1*10.01, 1e-3)
	near(t, "deviation", p.Deviation, 0.1/1.1, 1e-3) // of 1, 1.1 and 1.2
	if p.Count != 3 {
		t.Errorf("%d runs", p.Count)
	}
}

// A benchmark that a job ran three times into one file has three runs of each table.
func TestRepeatsAreRuns(t *testing.T) {
	text := ""
	for _, factor := range []float64{1, 1.1, 1.2} {
		for _, title := range []string{"# OSU MPI Latency Test v5.8\n# Size Latency (us)\n",
			"# OSU MPI Bandwidth Test v5.8\n# Size Bandwidth (MB/s)\n"} {
			text += title
			for n := 1; n <= 1<<10; n *= 2 {
				text += fmt.Sprintf("%d %.4f\n", n, factor*(10+float64(n)/100))
			}
		}
	}
	q := Question{Text: strings.NewReader(text), Name: "job.out", Options: fit.Options{Runs: true}}
	f, err := q.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curves()) != 2 || f.Curves()[0].Name != "OSU MPI Latency Test v5.8" {
		t.Fatalf("%d curves, the first %q", len(f.Curves()), f.Curves()[0].Name)
	}
	p := f.Curves()[0].Points[0]
	near(t, "mean", float64(p.Time), 1.1*10.01, 1e-3)
	if p.Count != 3 {
		t.Errorf("%d runs", p.Count)
	}
}

// A name that its file itself ends with "(2)" is no second run.
func TestNumberInAName(t *testing.T) {
	text := "mode,size,time_us\n"
	for _, mode := range []string{"a", "a (2)", "b"} {
		for n := 1; n <= 1<<12; n *= 2 {
			text += fmt.Sprintf("%s,%d,%g\n", mode, n, 10+float64(n)/1024)
		}
	}
	path := filepath.Join(t.TempDir(), "modes.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}, Options: fit.Options{Compare: path}}.Ask(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no table is in it twice") {
		t.Errorf("error %v, changes %v", err, f)
	}
}

// Two tables of one file are before and after, if they may be of one measurement.
func TestTwoTablesOfOneFile(t *testing.T) {
	text := "mode,size,time_us\n"
	for i, run := range []string{"before", "after"} {
		for n := 1; n <= 1<<12; n *= 2 {
			text += fmt.Sprintf("%s,%d,%g\n", run, n, float64(i+1)*(10+float64(n)/1024))
		}
	}
	path := filepath.Join(t.TempDir(), "two.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}, Options: fit.Options{Compare: path, Network: fit.Fabric}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Result.(*Comparison); len(c.Changes) != 1 || c.Changed() != 1 {
		t.Fatalf("changes %+v", c.Changes)
	}
}

// Tables of one size have a ratio, and no line.
func TestAgainstOneSize(t *testing.T) {
	folder := t.TempDir()
	file := func(name, rate string) string {
		path := filepath.Join(folder, name)
		text := "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n4194304   " + rate + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f, err := Question{Files: []string{file("before", "12000.00")},
		Options: fit.Options{Compare: file("after", "10000.00")}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Result.(*Comparison); len(c.Changes) != 1 ||
		math.Abs(c.Changes[0].Ratio.Value-1.2) > 1e-9 {

		t.Errorf("got %+v, want a ratio of 1.2", c.Changes)
	}
}
