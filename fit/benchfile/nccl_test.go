package benchfile

import "testing"

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
		rank, host, ok := ncclRank([]byte(line))
		if ok != want.ok || ok && (rank.Value != want.rank || string(host) != want.host) {
			t.Errorf("%q: %v on %q, %t, want %v", line, rank.Value, host, ok, want)
		}
	}
}
