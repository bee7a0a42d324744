package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRead is 1,000 files of nccl-tests, as long as those of an all-pairs test; wanted are
// 5,000 files/s on two processors.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		text := pairLog(fmt.Sprintf("n%03d", i%40), fmt.Sprintf("n%03d", 100+i/40), 1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("pair-%04d.log", i)), []byte(text),
			0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		entries, _, err := readFiles(context.Background(), []string{dir}, Options{}, nil)
		if err != nil || len(entries) != 1000 || len(entries[7].curves) != 2 {
			b.Fatal(err, len(entries))
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

// pairLog is the output of nccl-tests on a pair of nodes whose times are slow times the usual.
func pairLog(a, b string, slow float64) string {
	text := "# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902\n# Collective " +
		"test starting: sendrecv_perf\n" +
		"# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 " +
		"iters: 20 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n" +
		"#  Rank  0 Group  0 Pid  1234 on " + a +
		" device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n" +
		"#  Rank  1 Group  0 Pid  1235 on " + b +
		" device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n#\n" +
		"#                                                              out-of-place           " +
		"            in-place\n" +
		"#       size         count      type   redop    root     time   algbw   busbw  #wrong " +
		"    time   algbw   busbw  #wrong\n" +
		"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)         " +
		"    (us)  (GB/s)  (GB/s)\n"
	for n := 8; n <= 128<<20; n *= 4 {
		t := slow * (20 + float64(n)*2.5e-5)
		text += fmt.Sprintf("%12d  %12d    double     sum      -1  %.2f   %.2f   %.2f       0  "+
			"%.2f   %.2f   %.2f    N/A\n", n, n/8, t, float64(n)/t/1e3, float64(n)/t/1e3, 1.01*t,
			float64(n)/t/1e3, float64(n)/t/1e3)
	}
	return text +
		"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 41.2951\n#\n# Collective test " +
		"concluded: sendrecv_perf\n#\n"
}
