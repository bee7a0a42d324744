package benchfile

import (
	"fmt"
	"strings"
	"testing"
)

// Lines with a "#" name the program, or a rank and its host.
func TestNCCLLines(t *testing.T) {
	for line, want := range map[string]string{
		"# Collective test starting: sendrecv_perf": "sendrecv_perf",
		"# NCCL Tests: all_reduce_perf of 2024":     "all_reduce_perf",
		"# all_gather_perf":                         "all_gather_perf",
		"# _perform":                                "",
		"#  all_gather_perf":                        "",
		"# performance of all_gather_perf":          "",
		"# nThread 1 nGpus 1 minBytes 4":            "",
	} {
		if got := string(ncclName([]byte(line))); got != want {
			t.Errorf("%q: the name is %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]struct {
		rank float64
		host string
		ok   bool
	}{
		"#   Rank  0 Pid 2163724 on      node1 device  0 [0x27] GPU":        {0, "node1", true},
		"#  Rank  3 Group  0 Pid  1234 on host-a device  3 [0xc3] NVIDIA A": {3, "host-a", true},
		"#  Rank 17 Pid 12 on on host":                                      {17, "host", true},
		"#  Rank  4 Group  0 Pid  1234 device  3":                           {4, "", true},
		"#  Rank  4 Pid on":                                                 {4, "", true},
		"#  Rank  x Pid 3 on host":                                          {},
		"#  Rank  4":                                                        {},
		"# using device  0 on host":                                         {},
		"#":                                                                 {},
	} {
		rank, _, host, ok := ncclRank([]byte(line))
		if ok != want.ok || ok && (rank.Value != want.rank || string(host) != want.host) {
			t.Errorf("%q: %v on %q, %t, want %v", line, rank.Value, host, ok, want)
		}
	}
}

// NCCL up to 2.22 numbers algorithms, and does not name the collective; a launcher labels the
// lines. Newer versions log the block of a rank for allgather, whose rows have the whole buffer.
// Without such lines the rows are one table.
func TestNCCLLogs(t *testing.T) {
	const header = "#  Rank  0 Group  0 Pid 7 on a device 0 [0x1b] GPU\n" +
		"#  Rank  1 Group  0 Pid 8 on b device 0 [0x1b] GPU\n" +
		"#    size   count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
	log := func(text string) string { return "a:7:7 [0] NCCL INFO " + text + "\n" }
	check := func(text string, want ...string) {
		t.Helper()
		f, err := Read(strings.NewReader(text), "x.log", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, table := range f.Tables {
			if table.Series == "in-place" {
				continue
			}
			line := fmt.Sprintf("%s %s:", table.Collective.Name, table.Collective.Algorithm)
			for _, s := range table.Samples {
				line += fmt.Sprintf(" %.0f=%g", float64(s.Size), float64(s.Mean))
			}
			got = append(got, line)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	old := header + "131072 32768 float sum -1" + log("131072 Bytes -> Algo 0 proto 1 time 51.603912") +
		log("131072 Bytes -> Algo 0 proto 1 time 51.603912") + "345.6 0.38 0.71 0\n344.1 0.38 0.71 0\n" +
		"262144 65536 float sum -1" + log("262144 Bytes -> Algo 1 proto 2 time 54.7") +
		"281.5 0.93 1.79 0" + log("262144 Bytes -> Algo 1 proto 2 time 54.7") + "281.6 0.93 1.79 0\n"
	check(old, " tree: 131072=345.6", " ring: 262144=281.5")
	labelled := "[0] " + strings.ReplaceAll(old, "\n", "\n[0] ")
	labelled = strings.ReplaceAll(labelled, "-1a:7", "-1[0] a:7")
	check(strings.TrimSuffix(labelled, "[0] "), " tree: 131072=345.6", " ring: 262144=281.5")
	check(header+"131072 32768 float sum -1"+log("AllGather: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}")+
		"34.5 3.80 1.90 0 34.6 3.80 1.90 0\n65536 16384 float sum -1"+
		log("AllGather: 32768 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..1}")+
		"30.5 2.14 1.07 0 30.6 2.14 1.07 0\n",
		"allgather ring: 131072=34.5", "allgather nvlstree: 65536=30.5")
	// Other lines of the log name no algorithm, and a number beyond the known ones is none.
	check(header+"131072 32768 float sum -1"+log("131072 Bytes -> Algo 9 proto 1 time 5")+
		"345.6 0.38 0.71 0 344.1 0.38 0.71 0\n"+log("Launch mode Parallel")+
		"262144 65536 float sum -1 281.5 0.93 0.93 0 281.6 0.93 0.93 0\n", " : 131072=345.6 262144=281.5")
}

// Versions without titles are named by the last command line before each output.
func TestNCCLCommands(t *testing.T) {
	run := func(program string) string {
		return "./" + program + " -b 8 -e 16 -f 2 -g 2\n# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor)\n" +
			"#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n" +
			"           8             2   float     9.10    0.00    0.00  0e+00     9.05    0.00    0.00  0e+00\n"
	}
	check(t, run("all_gather_perf")+run("broadcast_perf"),
		"all_gather_perf out-of-place: collective allgather/0/0 8=9.1", "all_gather_perf in-place: collective allgather/0/0 8=9.05",
		"broadcast_perf out-of-place: collective bcast/0/0 8=9.1", "broadcast_perf in-place: collective bcast/0/0 8=9.05")
}
