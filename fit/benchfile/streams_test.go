package benchfile

import (
	"math"
	"testing"
)

// What a benchmark adds up over directions and pairs is divided by them; where the file does not
// say how many pairs there were, the times are no stream's. Times are those of the first row.
func TestStreams(t *testing.T) {
	const rdma = "  #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536 1000 0 0 0.5\n"
	for _, c := range []struct {
		name, text string
		kind       Kind
		micros     float64
	}{
		{"osu_bibw", "# OSU MPI Bi-Directional Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n1000  400.00\n", Gap, 5},
		{"osu_put_bibw", "# OSU MPI_Put Bi-directional Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n1000  400.00\n", Gap, 5},
		{"osu_bw", "# OSU MPI Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n1000  400.00\n", Gap, 2.5},
		{"osu_mbw_mr", "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# [ pairs: 8 ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n8  32.00  4000000.00\n", Gap, 2},
		{"osu_mbw_mr without pairs", "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# Size   MB/s   Messages/s\n8  32.00  4000000.00\n", SharedGap, 0.25},
		{"osu_mbw_mr without a title", "# Size        MB/s   Messages/s\n8  32.00  4000000.00\n", SharedGap, 0.25},
		{"perftest -b", "  Send Bidirectional BW Test\n" + rdma, Gap, 4},
		{"perftest", "  Send BW Test\n" + rdma, Gap, 2},
		{"Uniband", "# Benchmarking Uniband \n# #processes = 8 \n #bytes #repetitions   Mbytes/sec      Msg/sec\n 8 1000 32.00 4000000\n", Gap, 1},
		{"Biband", "# Benchmarking Biband \n# #processes = 8 \n #bytes #repetitions   Mbytes/sec      Msg/sec\n 8 1000 32.00 4000000\n", Gap, 2},
		{"Biband without processes", "# Benchmarking Biband \n #bytes #repetitions   Mbytes/sec      Msg/sec\n 8 1000 32.00 4000000\n", SharedGap, 0.25},
		{"qperf rc_bi_bw", "rc_bi_bw:\n    bw  =  2 GB/sec\n    msg_size  =  1000 bytes\n", SharedGap, 0.5},
		{"iperf3 -P 4", `{"start":{"test_start":{"protocol":"TCP","num_streams":4,"blksize":1000}},"intervals":[{"sum":{"bits_per_second":8e9,"omitted":false}}]}`, Gap, 4},
		// pasted through a chat
		{"single blanks", "# OSU MPI Bandwidth Test v5.6.2\n# Size Bandwidth (MB/s)\n1000 400.00\n", Gap, 2.5},
		{"single blanks, no title", "# Size Bandwidth (MB/s)\n1000 400.00\n", Gap, 2.5},
		{"single blanks, mbw_mr", "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# [ pairs: 8 ] [ window size: 64 ]\n# Size MB/s Messages/s\n8 32.00 4000000.00\n", Gap, 2},
		{"single blanks, full", "# OSU MPI Allreduce Latency Test v5.7\n# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations\n8 4.00 3.00 5.00 1000\n", Collective, 4},
	} {
		f := read(t, c.text, Options{})
		if len(f.Tables) != 1 {
			t.Errorf("%s: %d tables", c.name, len(f.Tables))
			continue
		}
		x := f.Tables[0]
		if got := float64(x.Samples[0].Mean); x.Kind != c.kind || math.Abs(got-c.micros) > 1e-9 {
			t.Errorf("%s: %v of %g µs; want %v of %g", c.name, x.Kind, got, c.kind, c.micros)
		}
	}
}

// The time of a non-blocking collective is that of its communication, not with the computation
// beside it (50.48 and not 70.33).
func TestNonBlockingCollective(t *testing.T) {
	for _, header := range []string{
		"# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)",
		"# Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)",
	} {
		f := read(t, "# OSU MPI Non-blocking Allreduce Latency Test v5.9\n# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"+header+"\n8  70.33  52.10  50.48  60.00\n8  70.33  52.10  50.48  64.00\n", Options{})
		x := f.Tables[0]
		s := x.Samples[0]
		if x.Collective.Name != "iallreduce" || s.Mean != 50.48 || s.Count != 2 {
			t.Errorf("%s: %v, %v of %d rows", header, x.Collective.Name, s.Mean, s.Count)
		}
	}
}

// Ranks, and an allreduce, that a log of nccl-tests does not name follow from busbw/algbw where
// one answer fits.
func TestRanksOfBandwidths(t *testing.T) {
	row := func(alg, bus string) string {
		return " 1048576  262144  float  sum  10.0  " + alg + "  " + bus + "  0e+00  10.0  " + alg + "  " + bus + "  0e+00\n"
	}
	const columns = "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
	for _, c := range []struct {
		header, rows, name string
		ranks              int
	}{
		{"", row("100.00", "175.00"), "allreduce", 8},
		{"# all_gather_perf\n", row("1.00", "0.88") + row("100.00", "87.50"), "allgather", 8},
		{"", row("1.00", "1.75"), "allreduce", 8}, // 7.6 to 8.5
		{"", row("0.10", "0.18"), "allreduce", 0}, // 5.9 and more
		{"", row("100.00", "100.00"), "", 0},      // any rooted collective, or two ranks
		{"", row("100.00", "199.61"), "allreduce", 0},
		{"# broadcast_perf\n", row("100.00", "100.00"), "bcast", 0},
	} {
		op := read(t, c.header+columns+c.rows, Options{}).Tables[0].Collective
		if op.Name != c.name || op.Ranks != c.ranks {
			t.Errorf("%s%s: %s of %d ranks, want %s of %d", c.header, c.rows, op.Name, op.Ranks, c.name, c.ranks)
		}
	}
}
