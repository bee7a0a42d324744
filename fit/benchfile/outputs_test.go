package benchfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// osuLog is the output of a latency test whose times begin with t.
func osuLog(t float64) string {
	return fmt.Sprintf("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1                 %.2f\n1024              %.2f\n65536             %.2f\n", t, t+1, t+9)
}

// read returns the names of outputs with the first time of each table, or their errors.
func readOutputs(t *testing.T, text string) (all []string) {
	t.Helper()
	err := outputs(strings.NewReader(text), "x", Options{}, func(f *File, err error) error {
		if damaged := (*Damaged)(nil); errors.As(err, &damaged) {
			all = append(all, "damaged "+damaged.File.Name)
		} else if err != nil {
			all = append(all, "error "+err.Error())
			return nil
		}
		if f == nil {
			return nil
		}
		for _, table := range f.Tables {
			all = append(all, fmt.Sprintf("%s:%d %.2f", f.Name, table.Line, float64(table.Samples[0].Mean)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOutputs(t *testing.T) {
	stamped := func(stamp, text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			b.WriteString(stamp + line)
		}
		return b.String()
	}
	a, b := osuLog(1), osuLog(2)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one":            {a, []string{"x:2 1.00"}},
		"two":            {a + b, []string{"x:2 1.00", "x:7 2.00"}},
		"titles":         {"==> a.log <==\n" + a + "\n==> b.log <==\n" + b, []string{"x!a.log:3 1.00", "x!b.log:10 2.00"}},
		"chatter before": {"loading modules\n\n" + a + "done\n" + b, []string{"x:4 1.00", "x:10 2.00"}},
		"one failed":     {"==> a.log <==\nbash: mpirun: not found\n==> b.log <==\n" + b, []string{"x!b.log:5 2.00"}},
		"none":           {"==> a.log <==\nno\n==> b.log <==\nno\n", []string{"error x!a.log: no table of sizes and times in 2 lines; known formats are " + Known}},
		"ISO stamps":     {stamped("2026-11-21T03:00:01.123456789Z ", a+b), []string{"x:2 1.00", "x:7 2.00"}},
		"stamps of ts":   {stamped("Nov  1 03:00:01 ", a+b), []string{"x:2 1.00", "x:7 2.00"}},
		"syslog":         {stamped("Nov 21 03:00:01 n17 bench[4711]: ", a+b), []string{"x:2 1.00", "x:7 2.00"}},
		"clock":          {stamped("[03:00:01] ", a+b), []string{"x:2 1.00", "x:7 2.00"}},
	} {
		if got := readOutputs(t, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// A file that does not fit into the buffer is divided like a small one.
// A cut line is reported with its own output, not with those after it.
func TestOutputsLongLine(t *testing.T) {
	text := osuLog(1) + strings.Repeat("x", 2*lex.MaxLine) + "\n" + osuLog(2) + osuLog(3)
	var warned []int
	err := outputs(strings.NewReader(text), "x", Options{}, func(f *File, err error) error {
		if err == nil {
			warned = append(warned, len(f.Warnings))
		}
		return err
	})
	if want := []int{1, 0, 0}; err != nil || !slices.Equal(warned, want) {
		t.Errorf("outputs have %v warnings (error %v), want %v", warned, err, want)
	}
}

func TestOutputsStream(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		b.WriteString(osuLog(float64(i + 1)))
	}
	got := readOutputs(t, b.String())
	if len(got) != 2000 || got[1999] != "x:9997 2000.00" {
		t.Errorf("%d outputs, the last %q", len(got), got[len(got)-1])
	}
}

func TestHosts(t *testing.T) {
	f, err := Read(strings.NewReader("# Collective test starting: sendrecv_perf\n"+
		"#  Rank  0 Group  0 Pid 1 on n1 device  0 [0x1b] NVIDIA\n#  Rank  1 Group  0 Pid 2 on n1 device  1 [0x43] NVIDIA\n"+
		"#  Rank  2 Group  0 Pid 3 on n2 device  0 [0x1b] NVIDIA\n#  Rank  3 Group  0 Pid 4 on n2 device  1 [0x43] NVIDIA\n"+
		"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"+
		"      1024   256    float     sum      -1     20.0    0.05   0.05       0     20.1    0.05   0.05    N/A\n"), "x", Options{})
	if err != nil || len(f.Tables) != 2 || !slices.Equal(f.Tables[1].Hosts, []string{"n1", "n2"}) || f.Tables[0].Collective.Ranks != 4 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestLabels(t *testing.T) {
	f, err := Read(strings.NewReader("node_a,node_b,size_bytes,time_us\nn1,n2,8,1\nn1,n2,16,2\nn1,n3,8,1\nn1,n3,16,2\nn2,n3,8,1\nn2,n3,16,2\n"), "x", Options{})
	if err != nil || len(f.Tables) != 3 || !slices.Equal(f.Tables[2].Labels, []Label{{"node_a", "n2"}, {"node_b", "n3"}}) {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Read(strings.NewReader("node_a,node_b,size_bytes,time_us\nn1,n2,8,1\nn1,n3,8,1\n"), "x", Options{Tables: 1, Group: []string{"node_a", "node_b"}}); err == nil {
		t.Error("two tables where one is allowed")
	}
}
