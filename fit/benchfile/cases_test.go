package benchfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// described is a file as one line for each table, with its warnings and notes: "!" and "-".
func described(t *testing.T, name, text string, o Options) (lines []string) {
	t.Helper()
	f, err := Read(strings.NewReader(text), name, o)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	for _, table := range f.Tables {
		line := fmt.Sprintf("%s: %v", table.Name(), table.Kind)
		if c := table.Collective; c.Name != "" {
			line += fmt.Sprintf(" %s/%d/%d%s", c.Name, c.Ranks, c.Nodes, c.Algorithm)
		}
		for _, s := range table.Samples {
			line += fmt.Sprintf(" %.0f=%.5g", float64(s.Size), float64(s.Mean))
		}
		lines = append(lines, line)
		for _, w := range table.Warnings {
			lines = append(lines, "! "+w)
		}
	}
	for _, w := range f.Warnings {
		lines = append(lines, "! "+w)
	}
	for _, n := range f.Notes {
		lines = append(lines, "- "+n)
	}
	return lines
}

func check(t *testing.T, text string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, described(t, "x", text, Options{})); diff != "" {
		t.Errorf("%q (-want +got):\n%s", text, diff)
	}
}

// Each way to label a line is taken off, of every format, and that of several at once.
func TestLineLabels(t *testing.T) {
	plain := map[string]string{
		"osu":      "# OSU MPI Latency Test v7.5\n# Size          Latency (us)\n8                       1.60\n1024                    2.60\n",
		"imb":      "# Benchmarking PingPong\n# #processes = 2\n       #bytes #repetitions      t[usec]   Mbytes/sec\n            8         1000         1.60         0.89\n         1024         1000         2.60         9.89\n",
		"perftest": " Send Latency Test\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n 8       1000          1.50           3.00         1.60     \t       1.60         \t0.10   \t\t1.90    \t\t2.90   \n 1024       1000          1.50           3.00         2.60     \t       2.60         \t0.10   \t\t1.90    \t\t2.90   \n",
		"nccl":     "# nThread 1 nGpus 2 minBytes 8 maxBytes 1024 step: 2(factor)\n#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n           8             2     float     sum      -1     1.60    0.01    0.01       0     1.60    0.01    0.01       0\n        1024           256     float     sum      -1     2.60    0.39    0.39       0     2.60    0.39    0.39       0\n",
		"csv":      "size_bytes,time_us\n8,1.6\n1024,2.6\n",
		"blanks":   "size_bytes time_us\n8 1.6\n1024 2.6\n",
		"netpipe":  "  0:       8 bytes  32103 times -->     38.15 Mbps in       1.60 usec\n  1:    1024 bytes  59994 times -->   3004.81 Mbps in       2.60 usec\n",
	}
	for _, label := range []string{
		"node01: ", "node-01.cluster.local: ", "10.0.0.7: ", "0: ", "[0] ", "[rank0]: ", "[default0]:",
		"[node01] ", "(node01) ", "node01| ", "osu-1  | ", "[stdout] ", "> ", ">", "> > ",
		"2025-01-01T10:00:00.123456789Z stdout F ", "[2025-01-01 10:00:00,123] INFO: ",
		"2025-01-01 10:00:00,123 - root - INFO - ", "[2025-01-01T10:00:00Z][INFO] ", "INFO: ", "[INFO] ",
		"[pod/osu-0/worker] ", "[1,0]<stdout>:", "Jan  1 10:00:00 node01 osu[12]: ", "10:00:00 ",
		"node01: 2025-01-01T10:00:00Z ", "[12:00:01] node01: ", "results/a.log:", "\u00a0\u00a0",
	} {
		for name, text := range plain {
			lines := strings.SplitAfter(text, "\n")
			dressed := strings.Join(lines[:len(lines)-1], label)
			f, err := Read(strings.NewReader(label+dressed), "x", Options{})
			if name == "netpipe" && (label == "0: " || label == "results/a.log:") {
				continue // "0: 0: …" is read, and "a.log:  0: …" is not
			}
			if err != nil {
				t.Errorf("%s with %q: %v", name, label, err)
				continue
			}
			if diff := cmp.Diff([][2]float64{{8, 1.6}, {1024, 2.6}}, pairs(f.Tables[0])); diff != "" {
				t.Errorf("%s with %q: %s", name, label, diff)
			}
		}
	}
	// Escapes and lost signs of web pages.
	for name, text := range plain {
		for what, dressed := range map[string]string{
			"escaped": strings.ReplaceAll(text, "#", `\#`),
			"lost":    strings.ReplaceAll(strings.ReplaceAll(text, "# ", ""), "\n#", "\n"),
			"blanks":  strings.ReplaceAll(text, " ", "\u00a0"),
			"quoted":  "> " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n> ") + "\n",
		} {
			if what == "lost" && name == "perftest" || what == "escaped" && name == "perftest" {
				dressed = strings.ReplaceAll(text, " #bytes #iterations", " bytes #iterations")
			}
			f, err := Read(strings.NewReader(dressed), "x", Options{})
			if err != nil {
				t.Errorf("%s %s: %v", name, what, err)
				continue
			}
			if diff := cmp.Diff([][2]float64{{8, 1.6}, {1024, 2.6}}, pairs(f.Tables[0])); diff != "" {
				t.Errorf("%s %s: %s", name, what, diff)
			}
		}
	}
}

// Two hosts whose lines are mixed are two tables; the ranks of one program are one.
func TestMixedHosts(t *testing.T) {
	check(t, "n1: # OSU MPI Latency Test v7.5\nn2: # OSU MPI Latency Test v7.5\nn1: # Size  Latency (us)\nn2: # Size  Latency (us)\n"+
		"n1: 1  1.50\nn2: 1  2.50\nn2: 2  2.60\nn1: 2  1.60\n",
		"OSU MPI Latency Test v7.5, n1: one-way time 1=1.5 2=1.6",
		"OSU MPI Latency Test v7.5, n2: one-way time 1=2.5 2=2.6")
	check(t, "rank0: # OSU MPI Latency Test v7.5\nrank1: hello\nrank0: # Size  Latency (us)\nrank0: 1  1.50\nrank1: 2 1.60\n",
		"OSU MPI Latency Test v7.5: one-way time 1=1.5 2=1.6")
}

// Columns are found by their names, and those that are not known are named.
func TestColumnsByName(t *testing.T) {
	const bw = "RDMA_Write BW Test\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
	check(t, bw+"    CPU_Util[%]\n 65536      1059332          0.00               92.57              0.176557         5.07\n",
		"RDMA_Write BW Test: gap 65536=5.6639", "- line 2: not read: column CPU_Util[%]")
	check(t, bw+"   Some thing\n 65536      1059332          0.00               92.57              0.176557   x\n",
		"RDMA_Write BW Test: gap 65536=5.6639", "- line 2: not read: column Some thing")
	// A message rate of few digits: the bandwidth has more.
	check(t, bw+"\n 67108864      1000          50.1               50.00              0.000093\n",
		"RDMA_Write BW Test: gap 67108864=10737")
	check(t, "Send Latency Test\n #bytes        #iterations       t_avg[usec]    tps average\n 2             1000              1.20           416666.66\n",
		"Send Latency Test: one-way time 2=1.2")
	check(t, "Send Latency Test\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]    CPU_Util[%]\n 2 1000 1.10 5.10 1.20 1.25 0.10 2.10 3.10 9.9\n",
		"Send Latency Test: one-way time 2=1.25", "- line 2: not read: column CPU_Util[%]")
	check(t, "# OSU MPI Latency Test v7.5\n# Size  Latency (us)  Extra\n1  1.50  x\n2  1.60  y\n",
		"OSU MPI Latency Test v7.5: one-way time 1=1.5 2=1.6", "- line 2: not read: column Extra")
	check(t, "# OSU MPI Latency Test v7.5\n# Size Latency (us) One Two\n1 1.50 x 7\n2 1.60 y 7\n",
		"OSU MPI Latency Test v7.5: one-way time 1=1.5 2=1.6", "- line 2: not read: column One Two")
	const nccl = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong"
	check(t, "# Collective test starting: all_reduce_perf\n"+nccl+" timestamp\n 1048576 262144 float sum -1 30.00 34.95 61.17 0 29.00 36.16 63.28 0 2025-01-01 10:00:00\n",
		"all_reduce_perf out-of-place: collective allreduce/8/0 1048576=30", "all_reduce_perf in-place: collective allreduce/8/0 1048576=29",
		`- line 2: not read: column "timestamp"`)
	check(t, "# Collective test starting: all_reduce_perf\n"+nccl+" new\n 1048576 262144 float sum -1 30.00 34.95 61.17 0 29.00 36.16 63.28 0 7.5\n",
		"all_reduce_perf out-of-place: collective allreduce/8/0 1048576=30", "all_reduce_perf in-place: collective allreduce/8/0 1048576=29",
		`- line 2: not read: column "new"`)
	check(t, "# Collective test starting: all_reduce_perf\n#  size  count  type  redop  root  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%\n"+
		" 1048576 262144 float sum -1 30.00 34.95 61.17 0 29.0 31.0 30.9 1.2 29.00 36.16 63.28 0 28.0 30.0 29.9 1.3\n",
		"all_reduce_perf out-of-place: collective allreduce/8/0 1048576=30", "all_reduce_perf in-place: collective allreduce/8/0 1048576=29")
	check(t, "# Benchmarking Ibcast\n# #processes = 8\n #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n 1 1000 10.00 5.00 5.00 0.00\n",
		"Ibcast, 8 processes: collective ibcast/8/0 1=5")
}

// Times of the launch of a collective are none of the collective.
func TestLaunchTimes(t *testing.T) {
	check(t, "#  size  count  type  redop  root  cputime  algbw  busbw  #wrong  cputime  algbw  busbw  #wrong\n 8 2 float sum -1 3.10 0.00 0.00 0 3.00 0.00 0.00 0\n",
		"error: x: "+cpuTimeOnly)
}

// Wrong results are named by their rows, and so are rates that cannot be.
func TestWrongResults(t *testing.T) {
	const osu = "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)        Validation\n"
	check(t, osu+"1   1.60   Pass\n1024  2.20  Fail\n65536  9.90  Pass\n",
		"OSU MPI Allreduce Latency Test v7.4: collective allreduce/0/0 1=1.6 1024=2.2 65536=9.9",
		"! OSU MPI Allreduce Latency Test v7.4: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 4)")
	check(t, osu+"1   1.60   Fail\n1024  2.20  Fail\n",
		"OSU MPI Allreduce Latency Test v7.4: collective allreduce/0/0 1=1.6 1024=2.2",
		"! OSU MPI Allreduce Latency Test v7.4: 2 rows with wrong results by the benchmark's own validation, read all the same (lines 3, 4)")
	check(t, "# Benchmarking PingPong\n#bytes #repetitions t[usec] Mbytes/sec defects\n8 1000 1.60 0.89 3.00\n",
		"PingPong: one-way time 8=1.6", "! PingPong: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 3)")
	check(t, "# Collective test starting: all_gather_perf\n#  size  count  type  redop  root  time  algbw  busbw  #wrong\n 1024 256 float none -1 3.10 0.33 0.33 77\n# Out of bounds values : 1 FAILED\n",
		"all_gather_perf out-of-place: collective allgather/0/0 1024=3.1", "! all_gather_perf out-of-place: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 3)")
	check(t, "RDMA_Write BW Test\n#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n8 1000 0.00 -5.30 2.000000\n",
		"RDMA_Write BW Test: gap 8=0.5", "! 1 row with a negative rate beside the one that is read (the first in line 3)")
}

// A remark behind a row is ignored, and a sentence that begins with two numbers is no row.
func TestRemarks(t *testing.T) {
	const osu = "# OSU MPI Latency Test v7.2\n# Size Latency (us)\n1 1.5\n"
	const one = "OSU MPI Latency Test v7.2: one-way time 1=1.5"
	for _, remark := range []string{"<-- jump here", "# jump", "(outlier)", "jump!", "  slow", "*"} {
		check(t, osu+"8 12.3 "+remark+"\n", one+" 8=12.3", "! 1 row read without the remark behind it (the first in line 4)")
	}
	for _, sentence := range []string{"8 12 ranks were started", "2025 12.50 seconds", "8 ranks", "8 x 2.5"} {
		check(t, osu+sentence+"\n", one)
	}
	check(t, "size time_us\n1 1.5\n8 12.3 <-- jump\n9 2 ranks\n", "csv: one-way time 1=1.5 8=12.3", "- 1 row read without the remark behind")
	check(t, "size,time_us\n1,1.5\n8,12.3 # jump\n", "csv: one-way time 1=1.5 8=12.3", "- 1 row read without the remark behind")
}

// Tables that people have written: rules between bars, sizes with units, rates of 0.
func TestSheets(t *testing.T) {
	const a = "csv: one-way time 1024=1.5 65536=9"
	check(t, "| size | time (us) |\n|---:|:--|\n| 1024 | 1.5 |\n| 65536 | 9 |\n", a)
	check(t, "size | time (us)\n-----+----------\n1024 | 1.5\n65536 | 9\n", a)
	check(t, "+------+------+\n| size | time_us |\n+------+------+\n| 1K | 1.5 |\n| 64 KiB | 9 us |\n+------+------+\n", a)
	check(t, "size,time_us\n1K,1.5\n64KB,9\n", a)
	check(t, "size;time_us\n1KiB;1,5\n64k;9\n", a)
	const zero = "! 1 row whose time or rate is printed as 0 left out (the first in line 2)"
	check(t, "size,time_us\n0,0\n1024,1.5\n65536,9\n", a, zero)
	const rates = "! the times are size over bandwidth, taken as that of a one-way time"
	check(t, "size,bandwidth (MB/s)\n0,0.0\n1000,500\n", "csv: one-way time 1000=2", rates, zero)
	check(t, "size,bandwidth (MB/s)\n1,0.00\n1000,500\n", "csv: one-way time 1000=2", rates, zero)
	// Sizes of 10⁶ bytes, by the bandwidth, by whole numbers, and by an option.
	const tens = "- sizes are in units of 1e+06 bytes, as the rows show"
	check(t, "size (MB),time (us),bandwidth (MB/s)\n1,100,10000\n8,800,10000\n", "csv: one-way time 1000000=100 8000000=800", tens)
	check(t, "size (MB),time (us),bandwidth (MB/s)\n1,104.8576,10000\n8,838.8608,10000\n", "csv: one-way time 1048576=104.86 8388608=838.86")
	check(t, "size_mb,time_us\n0.001,1\n1.048576,105\n", "csv: one-way time 1000=1 1048576=105", tens)
	if diff := cmp.Diff([]string{"csv: one-way time 2000000=100"}, described(t, "x", "size,time_us\n2,100\n", Options{X: "size:1e6B"})); diff != "" {
		t.Error(diff)
	}
	check(t, "size,time (seconds)\n0,3231\n1024,3240\n", "csv: one-way time 0=3.231e+09 1024=3.24e+09", "! line 2: 0 B take 3231 s: is that the unit of the times?")
	// rccl-tests -Z csv: no unit, and the bandwidths of nccl-tests.
	check(t, "name, nodes, ranks, ranksPerNode, gpusPerRank, size, type, redop, inplace, time, algbw, busbw, #wrong\nAllReduce, 1, 8, 8, 1, 1048576, float, sum, 0, 30.0, 34.95, 61.17, 0\nAllReduce, 1, 8, 8, 1, 2097152, float, sum, 0, 50.0, 41.94, 73.4, 5\n",
		"AllReduce: collective allreduce/8/1 1048576=30 2097152=50",
		"! AllReduce: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 3)")
}

// Columns that may each be the one that is meant are not chosen by their order.
func TestSeveralTimes(t *testing.T) {
	check(t, "size,send_us,recv_us\n1,2,3\n", `error: x:1: columns "send_us", "recv_us" may each be the one that is meant; choose one with y=send_us`)
	check(t, "size,time_us,time_us\n1,2,3\n", `error: x:1: columns "time_us", "time_us" may each be the one that is meant; choose one with y=2`)
	check(t, "size,read_mb_s,write_mb_s\n1,2,3\n", `error: x:1: columns "read_mb_s", "write_mb_s" may each be the one that is meant; choose one with y=read_mb_s`)
	check(t, "size,latency_us,send_us\n1,2,3\n", "csv: one-way time 1=2", `- line 1: column "latency_us" is read; not read: "send_us"`)
	check(t, "bytes,size_kib,time_us\n1024,1,3\n", "csv: one-way time 1024=3", `- line 1: column "time_us" is read; not read: "size_kib"`)
	check(t, "size,weight,colour\n1,2,3\n", "error: x:2: line 2 looks like a row (1,2,3): no column has a unit of times or rates; name the columns of sizes and of times or rates, and their units, such as x=1:B y=2:us → 1 B in 2 µs, if these are the units")
	for _, y := range []string{"send_us", "2"} { // as the message says
		if diff := cmp.Diff([]string{"csv: one-way time 1=2"}, described(t, "x", "size,send_us,recv_us\n1,2,3\n", Options{Y: y})); diff != "" {
			t.Error(diff)
		}
	}
}

// A file without a table names the first line that looks like a row, and what stopped it. The
// columns that a message advises are then read.
func TestAdvice(t *testing.T) {
	const units = "name the columns of sizes and of times or rates, and their units, such as "
	for _, c := range []struct{ text, message, x, y, want string }{
		{"# begin result \"Pingpong\"\ncount=  1  4  1.3  0.0  16\ncount=  256  1024  2.3  0.0  16\n# end result\n",
			`error: x:2: lines 2 to 3 look like rows (count= 1 4 1.3 0.0 16): no column has a unit of times or rates; ` + units + `x=3:B y=4:us → 1 KiB in 2.3 µs, if these are the units`,
			"3:B", "4:us", "csv: one-way time 4=1.3 1024=2.3"},
		{"Collective:\t\tAllreduce\nInplace:\t\t0\n  Count   Size     Time, us     Bandwidth, GB/s\n   2   8   4.31   4.02   0.00\n  256  1024   5.31  5.02  0.19\n",
			`error: x:4: lines 4 to 5 look like rows (2 8 4.31 4.02 0.00): several columns "Time, us" may each be the one that is meant; ` + units +
				`x=2:B y=4:us → 1 KiB in 5.02 µs, or x=2:B y=5:us → 1 KiB in 0.19 µs`,
			"2:B", "4:us", "csv: collective allreduce/0/0 8=4.02 1024=5.02"},
		{"größe,zeit\n1,2\n1024,3\n", // no bytes of a number of elements
			`error: x:2: lines 2 to 3 look like rows (1,2): no column has a unit of times or rates; ` + units + `x=1:B y=2:us → 1 KiB in 3 µs, if these are the units`,
			"1:B", "2:us", "csv: one-way time 1=2 1024=3"},
	} {
		if diff := cmp.Diff([]string{c.message}, described(t, "x", c.text, Options{})); diff != "" {
			t.Error(diff)
		}
		if got := described(t, "x", c.text, Options{X: c.x, Y: c.y}); !slices.Contains(got, c.want) {
			t.Errorf("%q", got)
		}
	}
	check(t, "ranks,time_s\n1,10.2\n2,5.3\n4,2.8\n",
		`error: x:2: lines 2 to 4 look like rows (1,10.2), but has times of numbers of ranks, not of sizes: this is scaling, which Extra-P models; halfpeak simulate predicts it of a program`)
	check(t, "# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n1  fast\n",
		`error: x:1: the output of OSU has no row with a size and a time; did the run fail, or was the output cut off?`)
	check(t, "# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n1  2  3\n2  3  4\n",
		`error: x:3: "1 2 3" is not read as a row: it has more values than the header has columns (2)`)
}

// The place of the ranks and the algorithm of nccl-tests stand in its list of ranks, in NCCL's log,
// and in the environment. Processes that were built without MPI do not know each other.
func TestRanksOfNCCL(t *testing.T) {
	const header = "#  size  count  type  redop  root  time  algbw  busbw  #wrong\n"
	const row = "1048576 262144 float sum -1 30.00 34.95 61.17 0\n"
	check(t, "# Collective test starting: broadcast_perf\na:1:2 [0] NCCL INFO NCCL_ALGO set by environment to Tree.\n"+
		"a:1:2 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"+header+row,
		"broadcast_perf out-of-place: collective bcast/16/2tree 1048576=30")
	check(t, "# Collective test starting: broadcast_perf\n#  Rank  0 Group  0 Pid  1 on a device  0\n#  Rank  1 Group  0 Pid  2 on b device  0\n"+
		"a:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE\n"+header+row,
		"broadcast_perf out-of-place: collective bcast/2/2 1048576=30")
	const list = "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid  %d on a device  0\n"
	check(t, fmt.Sprintf(list, 1)+fmt.Sprintf(list, 2)+header+header+row,
		"out-of-place: collective 1048576=30",
		"! line 6: rank 0 and the header come twice: nccl-tests was built without MPI (make MPI=1), and each process measured its own GPUs alone")
}

// What benchmarks write as JSON themselves.
func TestDocuments(t *testing.T) {
	const start = `{"start":{"test_start":{"protocol":"TCP","num_streams":1,"blksize":131072}},"intervals":[`
	const sum = `{"sum":{"bits_per_second":1000000000.0,"omitted":false}`
	const both = "! both directions were measured at once, each with its own rate"
	two := []string{"iperf3 TCP: gap 131072=1048.6", both, "iperf3 TCP, the other direction: gap 131072=2621.4", both}
	check(t, start+sum+`,"sum_bidir_reverse":{"bits_per_second":400000000.0}}],"end":{}}`, two...)
	check(t, start+sum+`,"sum":{"bits_per_second":400000000.0}}],"end":{}}`, two...)
	check(t, start+sum+`}],"end":{},"error":"unable to connect"}`, `error: x:1: iperf3 ended with an error: "unable to connect"; run it again`)
	check(t, `{"start":{"connected":[]},"intervals":[],"end":{},"error":"unable to connect"}`, `error: x:1: iperf3 ended with an error: "unable to connect"; run it again`)
	check(t, `{"start":{"test_start":{"protocol":"UDP","num_streams":1,"blksize":1448}},"intervals":[{"sum":{"bits_per_second":2e9}}],`+
		`"end":{"sum":{"bits_per_second":2e9,"lost_percent":17.0},"sum_received":{"bits_per_second":1.66e9,"lost_percent":17.0}}}`,
		"iperf3 UDP: gap 1448=5.792", "! 17 % of the packets were lost: the rate is the sender's; by the receiver's, the gap is 6.978 µs")
	stream := `{"event":"start","data":{"test_start":{"protocol":"TCP","num_streams":1,"blksize":131072}}}` + "\n" +
		`{"event":"interval","data":` + sum + `}}` + "\n"
	check(t, stream+`{"event":"end","data":{}}`+"\n", "iperf3 TCP: gap 131072=1048.6")
	check(t, stream, "iperf3 TCP: gap 131072=1048.6")
	check(t, stream+`{"event":"error","data":"no route"}`+"\n", `error: x:3: iperf3 ended with an error: "no route"; run it again`)

	row := `{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":30.0,"alg_bw":34.95,"bus_bw":61.17,"nwrong":2},` +
		`"in_place":{"time":29.0,"alg_bw":36.16,"bus_bw":63.28,"nwrong":null},"experiment_name":"AllReduce"}`
	const wrong = "! allreduce out-of-place: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 1)"
	check(t, `{"version":1,"config":{"nthreads":1,"ngpus":8},"results":[`+row+`]}`,
		"allreduce out-of-place: collective allreduce/8/0 1048576=30", "allreduce in-place: collective allreduce/8/0 1048576=29", wrong)
	check(t, `{"args":["/opt/all_reduce_perf"],"env":["NCCL_ALGO=Ring"],"config":{"nthreads":1,"ngpus":1,"devices":[{"rank":0,"hostname":"a"},{"rank":1,"hostname":"b"}]},"results":[`+row+`]}`,
		"allreduce out-of-place: collective allreduce/2/2ring 1048576=30", "allreduce in-place: collective allreduce/2/2ring 1048576=29", wrong)
	check(t, `{"config":{},"results":[`+strings.ReplaceAll(row, `"time"`, `"cpu_time"`)+`]}`, "error: x: "+cpuTimeOnly)
	check(t, `{"name":"AllReduce", "nodes":1, "ranks":8, "ranksPerNode":8, "gpusPerRank":1, "size":1048576, "type":"float", "redop":"sum", "inPlace":0, "time":30.0, "algBw":34.95, "busBw":61.17, "wrong":"0"}`+"\n",
		"AllReduce: collective allreduce/8/1 1048576=30")

	check(t, `{"test_info": {"test": "Send_Latency_Test", "Device": "mlx5_0"}, "results": {"MsgSize": 2, "n_iterations": 1000, "t_min": 1.1, "t_max": 5.1, "t_typical": 1.2, "t_avg": 1.25}}`,
		"Send Latency Test: one-way time 2=1.25")
	check(t, `{"test_info": {"test": "RDMA_Write_BW_Test"}, "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_peak": 92.6, "BW_average": 92.57, "MsgRate": 0.176557}}`,
		"RDMA Write BW Test: gap 65536=5.6637")
	check(t, "{\ntest_info: {\ntest: RDMA_Write_BW_Test,\nDevice: mlx5_0,\n},\nresults: {\nMsgSize: 65536,\nBW_peak: 92.6,\nBW_average: 92.57,\nMsgRate: 0.176557,\n}\n}\n",
		"RDMA Write BW Test: gap 65536=5.6637")
	check(t, `{"machine":{"name":"x"},"results":[{"size":8,"time_us":1.5},{"size":64,"time_us":2}]}`, "json: one-way time 8=1.5 64=2")
}

// A run of ucx_perftest without its command line has its size in its rows.
func TestSizeByRow(t *testing.T) {
	const head = "|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n"
	const bySize = "! no command line and no box give the size: it is bandwidth × time of each row"
	const guess = "! the test is not named; its times are taken as the %s, as their median beside the average suggests"
	check(t, head+"Final:                  1000      0.240  1675.942  1671.351    46615.58   46743.62         597         598\n",
		"ucx_perftest: gap 81920000=1672.2", bySize, fmt.Sprintf(guess, "gap"))
	check(t, head+"Final:                  31045     15.993    16.106    16.106     1776.36    1776.36  62089  62089\n",
		"ucx_perftest: one-way time 30000=16.106", bySize, fmt.Sprintf(guess, "one-way time"))
	check(t, "|              |              |       latency (usec)         |   bandwidth (MB/s)  |  message rate (msg/s) |\n"+head+
		"Final:                  31045     0.993    1.000    1.000     7.63    7.63  1000000  1000000\n",
		"ucx_perftest: one-way time 8=1", bySize)
}

// What stands beside a table, or only looks like one, is said first.
func TestBeside(t *testing.T) {
	check(t, "# OSU MPI Latency Test v5.6.2    [1,0]<stdout>:# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)    [1,0]<stdout>:# Size          Latency (us)\n"+
		"0                       0.26    [1,0]<stdout>:0                       1.11\n1                       0.28    [1,0]<stdout>:1                       2.44\n",
		"OSU MPI Latency Test v5.6.2    [1,0]<stdout>:# OSU MPI Latency Test v5.6.2: one-way time 0=0.26 1=0.28",
		"! line 2: a second table stands beside this one, and is not read; give it a file of its own", "- line 2: not read: column [1,0]<stdout>:# Size")
	check(t, "# Benchmarking S_IWrite_Indv \n# #processes = 1 \n       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n            1            2  624.28      27.53      98.50         0.00\n",
		"error: x: line 3: S_IWrite_Indv, 1 processes measures reading and writing of files, and is left out")
	// Of a message a second, the rate is printed as 0.
	check(t, "$ ucx_perftest -t ucp_put_bw 10.0.24.2 -s 1000000 -n 2\n|              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n| # iterations | typical | average | overall |  average |  overall |   average |   overall |\n"+
		"             1     0.000 40514.059 40514.059      23.54      23.54           0           0\n             2     0.000 41655.869 41084.964      22.89      23.21           0           0\n",
		"ucp_put_bw: gap 1000000=41085", "! the run of 1000000 B has no final line: its last average so far counts")
	check(t, "Latency-Bandwidth-Benchmark R1.5.1 (c) HLRS, University of Stuttgart\nMax Ping Pong Latency:                 0.001283 msecs\nPing Pong:\n"+
		"Latency   min / avg / max:   0.000238 /   0.000871 /   0.001283 msecs\nBandwidth min / avg / max:   9521.337 /  10000.000 /  12841.551 MByte/s\n",
		"HPCC ping pong: one-way time 8=0.871 2000000=200")
	check(t, " RDMA_Write BW Test\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]   Data validation\n 4096       5000           90.20              90.10                2.749634        Pass\n"+
		" 65536      5000           96.20              96.10                0.183296        Fail\n", "RDMA_Write BW Test: gap 4096=0.36368 65536=5.4557", "! RDMA_Write BW Test: 1 row with wrong results by the benchmark's own validation, read all the same (the first in line 4)")
	check(t, "|    Stage     | # iterations | typical | average | overall |  average |  overall |  average  |  overall  |\n[thread 5]              2582     0.089   387.483   387.483      161.30     161.30        2581        2581\n"+
		"[thread 7]              1934     0.090   518.020   518.020      120.65     120.65        1930        1930\n",
		"error: x: line 3: a run of ucx_perftest has rows of several threads, and no final line of them all; it is left out")
	check(t, "| message | latency (µs) |\n|---|---|\n| 8 B | 1.52 ± 0.03 |\n| 1 KiB | 2.5 +/- 0.1 |\n| 64 KiB | 9.8 µs |\n", "csv: one-way time 8=1.52 1024=2.5 65536=9.8",
		"- 2 rows read without the remark behind")
}
