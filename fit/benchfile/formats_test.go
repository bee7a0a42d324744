package benchfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

// summary is a table as one line: what it is, and its first and last sample.
func summary(t Table) string {
	s := fmt.Sprintf("%s | %s | %v", t.Name(), t.Format, t.Kind)
	if c := t.Collective; c != (CollectiveOp{}) {
		s += fmt.Sprintf(" %s/%d%s", c.Name, c.Ranks, c.Algorithm)
		if c.PerRank {
			s += " per rank"
		}
	}
	if len(t.Bursts) > 0 {
		return s + fmt.Sprintf(" | %d bursts", len(t.Bursts))
	}
	first, last := t.Samples[0], t.Samples[len(t.Samples)-1]
	n := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	one := func(x Sample) string {
		text := n(float64(x.Size)) + ":" + n(float64(x.Mean))
		if x.Min != x.Mean || x.Max != x.Mean || math.Abs(float64(x.Median/x.Mean)-1) > 0.01 {
			text += fmt.Sprintf(" (%s %.3g %s)", n(float64(x.Min)), float64(x.Median), n(float64(x.Max)))
		}
		return text
	}
	return s + fmt.Sprintf(" | %d rows, %d sizes | %s … %s", t.Rows, len(t.Samples), one(first), one(last))
}

// TestFormats reads the samples in testdata, which have the oddities of each
// format. The expected values stand in the files; where they are computed from them, the
// comment says how. Every file in testdata must be named here.
func TestFormats(t *testing.T) {
	known := map[string]bool{"README.md": true, "fuzz": true}
	check := func(name string, skipped int, want ...string) {
		t.Helper()
		known[name] = true
		var got []string
		f, err := Open(filepath.Join("testdata", name), Options{})
		if damaged := new(Damaged); errors.As(err, &damaged) {
			f = damaged.File
			got = append(got, damaged.Error())
		} else if err != nil {
			t.Fatal(err)
		}
		for _, w := range f.Warnings {
			got = append(got, "! "+w)
		}
		for _, n := range f.Notes {
			got = append(got, "- "+n)
		}
		for _, table := range f.Tables {
			got = append(got, summary(table))
			for _, w := range table.Warnings {
				got = append(got, "  ! "+w)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if f.Skipped != skipped {
			t.Errorf("%s: %d lines skipped, want %d", name, f.Skipped, skipped)
		}
	}
	check("netpipe-3.7.2-openmpi-4.1.4-sm.np.out", 0, "NetPIPE | netpipe | one-way time | 106 rows, 106 sizes | 1:0.3 … 1.04858e+06:153.49")
	check("netpipe-3.7.2-openmpi-4.1.4-sm.log", 5, "NetPIPE | netpipe | one-way time | 106 rows, 106 sizes | 1:0.3 … 1.04858e+06:153.49")
	check("netpipe-3.7.2-tcp-loopback.np.out", 0, "NetPIPE | netpipe | one-way time | 106 rows, 106 sizes | 1:8.35 … 1.04858e+06:252.4")
	check("netpipe5.np.out", 0, "NetPIPE | netpipe | one-way time | 4 rows, 4 sizes | 1:2.05 … 1.04858e+06:100")
	check("netpipe5.log", 4, // KB and MB of 10³ and 10⁶ bytes
		"NetPIPE | netpipe | one-way time | 3 rows, 3 sizes | 1:0.8453 … 1.049e+06:1000",
		"  ! the log rounds sizes from 1 MB up; np.out has them all",
		"  ! 1 row cut off and left out (the first in line 6)")
	check("osu_mixed.txt", 6,
		"! line 34: OSU MPI Barrier Latency Test v5.7.1 has no column of sizes, and is left out; halfpeak collective barrier predicts one from a fit of latencies",
		"OSU MPI Latency Test v5.8 | osu | one-way time | 5 rows, 5 sizes | 0:1.2 … 1.04858e+06:100.75",
		"OSU MPI Latency Test v7.5 | osu | one-way time | 2 rows, 2 sizes | 1:1.3 (1.3 1.28 1.3) … 65536:12.3 (12.3 12.1 12.3)",
		"OSU MPI Bandwidth Test v7.5 | osu | gap | 2 rows, 2 sizes | 1:1.05263 … 1000:2", // 1/0.95, 1000/500
		"  ! 1 rate printed with fewer than three digits: the times from them are as coarse (the first in line 22)",
		"OSU MPI Bi-Directional Bandwidth Test v5.6.2 | osu | gap | 2 rows, 2 sizes | 1000:2.5 … 2000:2.5", // 1000/(800/2)
		"  ! both directions at once: the gap is that of one, with half of the bandwidth",
		"OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2, pairs: 4, window size: 64 | osu | gap | 2 rows, 2 sizes | 1:1 … 2:1", // 1/(4 per µs)
		"  ! the gap is one pair's while 4 pairs send, with 1/4 of the printed rate",
		"OSU MPI Allreduce Latency Test v5.7 | osu | collective allreduce/0 | 2 rows, 2 sizes | 4:34.31 (33.27 34.3 35.07) … 8:34.1 (33 34.1 34.86)",
		"  ! 1 row cut off and left out (the first in line 40)")
	check("osu_dressed.txt", 0, "OSU MPI Latency Test v5.8 | osu | one-way time | 4 rows, 4 sizes | 8:1.5 … 64:2.25")
	check("imb_suite.txt", 8,
		"! line 39: Barrier, 2 processes has no column of sizes, and is left out; halfpeak collective barrier predicts one from a fit of latencies",
		"PingPong, 2 processes | imb | one-way time | 3 rows, 3 sizes | 0:3.09 … 4.1943e+06:2967.49",
		"Sendrecv, 4 processes | imb | operation | 2 rows, 2 sizes | 1:3.65 (3.6 3.65 3.7) … 1024:5.11 (5 5.11 5.2)",
		"Biband, 2 processes | imb | gap | 2 rows, 2 sizes | 0:0.5 … 1:1", // 2/(4, 2 per µs)
		"  ! both directions at once: the gap is that of one, with half of the bandwidth")
	check("perftest_pair.log", 11,
		"RDMA_Write BW Test | perftest | gap | 2 rows, 2 sizes | 2:0.4 … 1.04858e+06:50", // 1/2.5, 1/0.02
		"  ! 1 row printed twice, as by server and client, counted once (the first in line 14)",
		"Send BW Test | perftest | gap | 1 rows, 1 sizes | 65536:5 … 65536:5", // 1/0.2
		"RDMA_Read Latency Test | perftest | round trip | 2 rows, 2 sizes | 2:5.5 (5.35 5.49 11.78) … 4:5.52 (5.36 5.5 12.1)",
		"Send Latency Test | perftest | one-way time | 1 rows, 1 sizes | 8:0.99 (0.9 0.99 3.1) … 8:0.99 (0.9 0.99 3.1)",
		"my own title | perftest | gap | 1 rows, 1 sizes | 1e+06:953.674 … 1e+06:953.674") // 10⁶/(1000·2²⁰) s
	check("nccl_three.log", 3,
		"out-of-place | nccl-tests | collective /1 | 4 rows, 3 sizes | 0:34 (33 33 35) … 524288:108.3",
		"in-place | nccl-tests | collective /1 | 4 rows, 3 sizes | 0:33 (32 32 34) … 524288:109.4",
		"alltoall_perf out-of-place | nccl-tests | collective alltoall/0 | 2 rows, 2 sizes | 1024:12.5 … 2048:13.5",
		"  ! 1 row cut off and left out (the first in line 19)",
		"alltoall_perf in-place | nccl-tests | collective alltoall/0 | 2 rows, 2 sizes | 1024:11.5 … 2048:12.5")
	// Two rows do not go on: that of 256 KiB, and that of 1 MiB after the first of its times.
	check("nccl_debug.log", 8,
		"out-of-place, tree | nccl-tests | collective allreduce/2tree | 2 rows, 2 sizes | 8:20.1 … 1024:22.5",
		"  ! 2 rows cut off and left out (the first in line 25)",
		"in-place, tree | nccl-tests | collective allreduce/2tree | 2 rows, 2 sizes | 8:20.3 … 1024:22.7",
		"out-of-place, ring | nccl-tests | collective allreduce/2ring | 3 rows, 3 sizes | 65536:40.1 … 524288:130.6",
		"in-place, ring | nccl-tests | collective allreduce/2ring | 3 rows, 3 sizes | 65536:40.4 … 524288:131.2")
	check("netgauge_loggp.out", 2,
		"loggp PRTT(1,0,s) | netgauge | round trip | 3 rows, 3 sizes | 1:4 … 2001:8",
		"  ! 1 row cut off and left out (the first in line 7)",
		"loggp gap | netgauge | gap | 3 rows, 3 sizes | 1:0.5 … 2001:1.5",              // (8.5−4)/9, (21.5−8)/9
		"loggp o_s | netgauge | send overhead | 3 rows, 3 sizes | 1:0.2 … 2001:0.6",    // (41.8−4)/9−4, (85.4−8)/9−8
		"loggp o_r | netgauge | receive overhead | 2 rows, 2 sizes | 1:0.3 … 1001:0.5", // −0.7 cannot be
		"  ! 1 row without a usable size or time left out (the first in line 6)")
	check("netgauge_loggp.stdout", 7,
		"loggp PRTT(1,0,s) | netgauge | round trip | 1 rows, 1 sizes | 1:3 … 1:3",
		"loggp gap | netgauge | gap | 1 rows, 1 sizes | 1001:0.6 … 1001:0.6", // 0.3 + 1000·0.0003
		"  ! from Netgauge's own g and G, which are those of all sizes up to each",
		"  ! 2 rows without a usable size or time left out (the first in line 6)",
		"loggp o_s | netgauge | send overhead | 3 rows, 3 sizes | 1:0.06 … 2001:0.12",
		"loggp o_r | netgauge | receive overhead | 3 rows, 3 sizes | 1:0.3 … 2001:0.8")
	check("netgauge_one_one.txt", 4,
		"one_one | netgauge | one-way time | 2 rows, 2 sizes | 1:2.5 … 1024:4",
		"  ! the times are the shortest of each size",
		"one_one (2) | netgauge | one-way time | 2 rows, 2 sizes | 1:2.7 (2.5 2.6 9) … 1024:4.2 (4 4.1 9)")
	check("ucx_runs.txt", 6,
		"tag_lat | ucx_perftest | one-way time | 2 rows, 2 sizes | 8:1.05 … 30000:16.081",
		"  ! the run of 30000 B has no final line: its last average so far counts",
		"tag match bandwidth | ucx_perftest | gap | 1 rows, 1 sizes | 1024:0.25 … 1024:0.25", // 10⁶/4000000
		"am_lat | ucx_perftest | one-way time | 1 rows, 1 sizes | 1024:0.2 … 1024:0.2",       // 4882.81·2²⁰ B/s for 0.2 µs
		"  ! no command line and no box give the size: it is bandwidth × time of each row")
	check("sockperf_runs.txt", 1,
		"sockperf ping-pong | sockperf | one-way time | 2 rows, 2 sizes | 64:9.017 (4.629 6.22 98.777) … 1024:12.5",
		"sockperf throughput | sockperf | gap | 1 rows, 1 sizes | 1000:2 … 1000:2",
		"sockperf under-load | sockperf | round trip | 1 rows, 1 sizes | 14:20 … 14:20",
		"  ! no -m in the command line: sockperf's 14 bytes are assumed")
	check("qperf_verbose.txt", 5,
		"! qperf: 1 value without a message size (the last in line 15) left out: run qperf -v, which prints it",
		"tcp_lat | qperf | one-way time | 2 rows, 2 sizes | 1:18.2 … 1024:20.5",
		"tcp_bw | qperf | gap | 1 rows, 1 sizes | 65536:65.536 … 65536:65.536") // 65536 B at 1000 B/µs
	check("iperf3_cut.json", 1, // 131072 B at 131.072 and 262.144 B/µs; the first interval is omitted
		"testdata/iperf3_cut.json:45: the JSON that begins in line 1 is cut off here; the complete part counts",
		"iperf3 TCP | iperf3 | gap | 2 rows, 1 sizes | 131072:750 (500 500 1000) … 131072:750 (500 500 1000)")
	check("simgrid.csv", 0,
		"MPI_Recv | simgrid | operation | 3 rows, 2 sizes | 64:10 … 8192:4000 (3800 3.8e+03 4200)",
		"  ! 1 row cut off and left out (the first in line 5)",
		"MPI_Send | simgrid | send overhead | 1 rows, 1 sizes | 8192:1500 … 8192:1500")
	check("own.json", 0,
		"shm pingpong | json | one-way time | 2 rows, 2 sizes | 8:0.25 (0.24 0.249 0.26) … 64:0.5 (0.4 0.49 0.6)")
	check("stages.csv", 1,
		"host-dma | csv | stage | 2 rows, 2 sizes | 1024:8.9 … 4096:26.6",
		"wire | csv | stage | 2 rows, 2 sizes | 1024:8.2 … 4096:31")
	check("packets.csv", 0,
		`- column "packet_bytes" separates tables (1024, 2048); pool=packet_bytes merges them`,
		"packet_bytes=1024 | csv | one-way time | 2 rows, 2 sizes | 4096:60 … 8192:90",
		"packet_bytes=2048 | csv | one-way time | 2 rows, 2 sizes | 4096:65 … 8192:85")
	check("signature.csv", 0, "csv | csv | burst interval | 5 bursts")

	check("netperf_runs.txt", 2,
		"! netperf: TCP_CRR measures no message, and is left out (line 51)",
		"TCP_RR | netperf | round trip | 2 rows, 2 sizes | 64:25 … 1024:50.125", // 1/40000 s; as printed
		"TCP_RR, responses of 4096 B | netperf | operation | 1 rows, 1 sizes | 1:50 … 1:50",
		"  ! requests and responses differ in size: the time is that of both, and not a round trip",
		"TCP_STREAM | netperf | gap | 2 rows, 2 sizes | 1000:1.90735 … 16384:16.384", // 1000/(500·2²⁰), 16384 B at 1000 B/µs
		"UDP_STREAM | netperf | gap | 1 rows, 1 sizes | 1000:10 … 1000:10")           // at 100 B/µs, as received
	check("netperf_selected.txt", 1,
		"UDP_RR | netperf | round trip | 3 rows, 3 sizes | 1:22.5 … 2048:28.072",
		"OMNI_STREAM | netperf | gap | 1 rows, 1 sizes | 4096:2.048 … 4096:2.048", // at 2000 B/µs
		"netperf round trip | netperf | round trip | 2 rows, 2 sizes | 8:20 … 800:40")
	check("sockperf_colours.log", 0,
		"! sockperf: 1 run without a message size (the last in line 14) left out: print the command line with -m before it",
		"sockperf ping-pong | sockperf | one-way time | 1 rows, 1 sizes | 100:3.5 (2.75 3.25 12.5) … 100:3.5 (2.75 3.25 12.5)",
		"sockperf throughput | sockperf | gap | 1 rows, 1 sizes | 1000:2.5 … 1000:2.5")
	check("simgrid_load.csv", 0, // milliseconds; the mean of 9.6, 7.2 and 6.6
		"MPI_Send under load | simgrid | operation | 3 rows, 1 sizes | 4e+06:7800 (6600 7.2e+03 9600) … 4e+06:7800 (6600 7.2e+03 9600)",
		"MPI_Alltoall under load | simgrid | collective alltoall/0 per rank | 2 rows, 1 sizes | 4e+06:52000 (50000 5e+04 54000) … 4e+06:52000 (50000 5e+04 54000)",
		"  ! 1 row cut off and left out (the first in line 6)")
	check("imb_pingpong.csv", 2,
		"PingPong | imb | one-way time | 3 rows, 3 sizes | 0:0.5 … 2:0.52",
		"  ! 1 row cut off and left out (the first in line 7)")
	check("dimensions.csv", 0,
		`- column "nodes" separates tables (2, 4); pool=nodes merges them`,
		`- column "ppn" separates tables (1, 4); pool=ppn merges them`,
		`- column "run" has 2 values for the same sizes, which are merged (group=run separates them)`,
		"nodes=2 ppn=1 n1 | csv | one-way time | 4 rows, 2 sizes | 8:1.6 (1.5 1.5 1.7) … 64:2.6 (2.5 2.5 2.7)",
		"nodes=2 ppn=4 n1 | csv | one-way time | 2 rows, 2 sizes | 8:1.9 … 64:2.9",
		"nodes=4 ppn=1 n1 | csv | one-way time | 2 rows, 2 sizes | 8:3.5 … 64:4.5")
	check("decimal_commas.csv", 0, "csv | csv | one-way time | 3 rows, 3 sizes | 1024:250 … 4096:1000")
	check("unit_remark.csv", 2,
		"! line 3: the header has no unit for the times; it is usec, as line 2 says",
		"csv | csv | one-way time | 2 rows, 2 sizes | 1024:5 … 2048:7")
	check("one_line.json", 0,
		`- column "nodes" separates tables (2, 4); pool=nodes merges them`,
		"nodes=2 | json | one-way time | 2 rows, 2 sizes | 8:1.5 … 64:2.5",
		"nodes=4 | json | one-way time | 2 rows, 2 sizes | 8:3.5 … 64:4.5")
	check("columns.json", 0,
		`- column "ranks" separates tables (16, 32); pool=ranks merges them`,
		"ranks=16 | json | collective allreduce/16 | 2 rows, 2 sizes | 8:1.5 … 64:2.5",
		"ranks=32 | json | collective allreduce/32 | 2 rows, 2 sizes | 8:3.5 … 64:4.5")

	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("testdata/%s is in no test; add check(%q, skipped lines, tables …) above", f.Name(), f.Name())
		}
	}
}

// TestPublishedFiles reads what others have published, where it is at hand: as many
// rows as its index counts, or the reason why there are none.
func TestPublishedFiles(t *testing.T) {
	dir := sharedtest.Path(t, "data/formats")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{ // and why
		"osu/omb571_barrier_gcp_impi.txt":                          "no column of sizes",
		"qperf/qperf_tcp_bw_lat_laptop.md":                         "without a message size",
		"ucx_perftest/ucx_perftest_am_lat_progress_issue10532.txt": "",
	}
	other := map[string]int64{ // rows that the index counts otherwise
		"iperf3/iperf3_tcp_json_bb.json":                           10,  // intervals
		"netperf/netperf_tcp_rr_v2_doc.txt":                        1,   // in two tables
		"ucx_perftest/ucx_perftest_am_lat_progress_issue10532.txt": 1,   // of four progress lines the last counts
		"imb/imb41_mpi1_all_juno_aarch64_intranode.txt":            378, // and a barrier
		"perftest/ib_write_bw_loopback_all_sizes_interleaved.log":  23,  // one row stands there twice
		"sockperf/sockperf_pingpong_tcp_doc.txt":                   1,
		"nccl-tests/allreduce_superbench_8a100.log":                34,
		"nccl-tests/allreduce_abci_a_16gpu_oldformat.txt":          24,
		"netgauge/ng_loggp_pinnacles_RoCE1.stdout":                 128,
	}
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		cols := strings.Split(line, "\t")
		name := cols[0]
		f, err := Open(filepath.Join(dir, name), Options{})
		var cut int64
		if damaged := new(Damaged); errors.As(err, &damaged) { // a file without a last line end
			f, err, cut = damaged.File, nil, 1
		}
		if err != nil {
			if why := refused[name]; why == "" || !strings.Contains(err.Error(), why) {
				t.Errorf("%v", err)
			}
			continue
		}
		want, ok := other[name]
		if !ok {
			if want, err = strconv.ParseInt(cols[5], 10, 64); err != nil {
				t.Errorf("%s: the index has %q rows", name, cols[5])
				continue
			}
		}
		var rows, most int64
		for _, table := range f.Tables {
			rows += table.Rows
			most = max(most, table.Rows)
		}
		if strings.HasPrefix(name, "nccl") || strings.HasPrefix(name, "netgauge") {
			rows = most // several tables of one row of the file
		}
		if rows != want-cut {
			t.Errorf("%s: %d rows, want %d", name, rows, want)
		}
	}
}
