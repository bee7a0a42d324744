package benchfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samplesOf returns the tables of a text without warnings and notes.
func samplesOf(t *testing.T, text string, o Options) (lines []string) {
	t.Helper()
	for _, line := range described(t, "x", text, o) {
		if !strings.HasPrefix(line, "!") && !strings.HasPrefix(line, "-") {
			lines = append(lines, line)
		}
	}
	return lines
}

const ncclHeader = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" +
	"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"

// Tables in the shapes that people have published, whose format no reader names.
func TestRecognised(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"a rate whose unit is spelled with _sec", "size_bytes,bw_mib_sec\n4096,600\n65536,4600\n1048576,33000\n",
			[]string{"csv: one-way time 4096=6.5104 65536=13.587 1048576=30.303"}},
		{"tests of qperf that its readers did not know, with blanks lost",
			"vsock_bw:\n    bw=  1.86 MB/sec\n    msg_size  =1 bytes\nvsock_bw:\n    bw        =  218 MB/sec\n    msg_size  =    1 KiB (1,024)\n",
			[]string{"vsock_bw: gap 1=0.53763 1024=4.6972"}},
		{"sizes in fields that dashes fill", "# OSU OpenSHMEM Put_nb Test\n# Size           Latency (us)\n---------1                   1.320\n------1024                   1.854\n",
			[]string{"OSU OpenSHMEM Put_nb Test: one-way time 1=1.32 1024=1.854"}},
		{"a clean header below a title that has a row", "# nixlbench v1\nsize time_us\n64 4.1\n1024 5.2\n65536 30.5\n",
			[]string{"nixlbench: operation 64=4.1 1024=5.2 65536=30.5"}},
		{"a bus bandwidth with its ranks", "collective,ranks,bytes,busbw_GBps\nallreduce,16,1048576,50\nallreduce,16,8388608,100\nallreduce,16,67108864,150\n",
			[]string{"allreduce: collective allreduce/16/0 1048576=39.322 8388608=157.29 67108864=838.86"}},
		{"a bus bandwidth whose ranks differ", "collective,ranks,bytes,busbw_GBps\nallreduce,2,1048576,50\nallreduce,16,8388608,100\nallreduce,2,67108864,150\n",
			[]string{"allreduce: collective allreduce/0/0 1048576=20.972 8388608=157.29 67108864=447.39"}},
		{"nccl-tests of two types",
			ncclHeader + "     1048576        524288      half     sum      -1     60.0   17.48   26.21      0     60.0   17.48   26.21      0\n" +
				"     4194304       2097152      half     sum      -1    120.0   34.95   52.43      0    120.0   34.95   52.43      0\n" +
				"     1048576        262144     float     sum      -1     30.0   34.95   52.43      0     30.0   34.95   52.43      0\n" +
				"     4194304       1048576     float     sum      -1     60.0   69.91  104.86      0     60.0   69.91  104.86      0\n",
			[]string{"out-of-place, half sum: collective allreduce/4/0 1048576=60 4194304=120", "in-place, half sum: collective allreduce/4/0 1048576=60 4194304=120",
				"out-of-place, float sum: collective allreduce/4/0 1048576=30 4194304=60", "in-place, float sum: collective allreduce/4/0 1048576=30 4194304=60"}},
		{"nccl-tests whose command line names the collective", "srun --nodes=2 --ntasks-per-node=8 all_gather_perf -b 64K -e 4M -f 4 -g 1\n" + ncclHeader +
			"       65536          1024     float    none      -1     40.0    1.64    1.54      0     40.0    1.64    1.54      0\n",
			[]string{"all_gather_perf out-of-place: collective allgather/16/2 65536=40", "all_gather_perf in-place: collective allgather/16/2 65536=40"}},
		{"mpirun -N of Open MPI", "mpirun -np 16 -N 8 all_reduce_perf -b 8G -e 8G -g 1\n" + ncclHeader +
			"  8589934592    2147483648     float     sum      -1   178956   48.00   90.00      0   178956   48.00   90.00      0\n",
			[]string{"all_reduce_perf out-of-place: collective allreduce/16/2 8589934592=1.7896e+05", "all_reduce_perf in-place: collective allreduce/16/2 8589934592=1.7896e+05"}},
		{"nccl-tests without its header, from size 0", "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n" +
			"           0             0     float    none      -1     3.00    0.00    0.00      0     3.00    0.00    0.00      0\n" +
			"        4096           128     float    none      -1    11.00    0.37    0.33      0    11.00    0.37    0.33      0\n" +
			"       65536          2048     float    none      -1    14.00    4.68    4.10      0    14.00    4.68    4.10      0\n" +
			"     1048576         32768     float    none      -1    60.00   17.48   15.29      0    60.00   17.48   15.29      0\n",
			[]string{"nccl-tests: collective 0=3 4096=11 65536=14 1048576=60"}},
		{"lines of names and values", "[0] Transfer size (B):       8, Transfer Time (s):   0.000010, Bandwidth (GB/s):   0.001\n" +
			"[0] Transfer size (B):    1024, Transfer Time (s):   0.000012, Bandwidth (GB/s):   0.079\n" +
			"[0] Transfer size (B):   65536, Transfer Time (s):   0.000018, Bandwidth (GB/s):   3.391\n",
			[]string{"table: one-way time 8=10 1024=12 65536=18"}},
		{"fabtests", "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n64      10      =10      1.2k        0.00s      6.40      10.00       0.10\n" +
			"1k      10      =10      20k         0.00s     93.09      11.00       0.09\n64k     10      =10      1.2m        0.00s   1638.40      40.00       0.03\n",
			[]string{"fabtests: one-way time 64=10 1024=11 65536=40"}},
		{"nixlbench", "Block Size (B)      Batch Size     B/W (GB/Sec)   Avg Lat. (us)  Avg Prep (us)  P99 Tx (us)\n" + strings.Repeat("-", 90) +
			"\n4096                1              0.50           8.2            1.0            12.0\n65536               1              4.68           14.0           1.0            18.0\n" +
			"1048576             1              34.95          30.0           1.0            40.0\n",
			[]string{"nixlbench: operation 4096=8.2 65536=14 1048576=30"}},
		{"IMB without its title", "# #processes = 2 \n#---------------------------------------------------\n#    MODE: AGGREGATE \n       #bytes #repetitions      t[usec]   Mbytes/sec\n" +
			"            0         1000         0.03         0.00\n         1024         1000         2.40       426.67\n        65536          640        10.70      6124.86\n",
			[]string{"IMB: operation 0=0.03 1024=2.4 65536=10.7"}},
		{"in-place before out-of-place, which is empty", "#                                    in-place                       out-of-place\n" +
			"#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n" +
			"#        (B)    (elements)     (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n" +
			"     1048576        262144    20.00   52.43   91.75      0\n     4194304       1048576    60.00   69.91  122.34      0\n    16777216       4194304    200.0   83.89  146.80      0\n",
			[]string{"allreduce: collective allreduce/8/0 1048576=20 4194304=60 16777216=200"}},
		{"ucx_perftest as CSV", "message_size,iterations,typical_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n8,1000000,1.500,1.510,1.510,5.05,5.05,662252,662252\n" +
			"1024,1000000,2.000,2.010,2.010,485.85,485.85,497512,497512\n65536,100000,9.000,9.010,9.010,6936.74,6936.74,110988,110988\n",
			[]string{"ucx_perftest: one-way time 8=1.51 1024=2.01 65536=9.01"}},
		{"mpiBench", "Allreduce\tBytes:\t  8\tIters:\t 100\tAvg:\t  5.4000\tMin:\t 5.2\tMax:\t 5.9\tComm: MPI_COMM_WORLD\tRanks: 64\n" +
			"Allreduce\tBytes:\t 1024\tIters:\t 100\tAvg:\t 9.4000\tMin:\t 9.2\tMax:\t 9.9\tComm: MPI_COMM_WORLD\tRanks: 64\n",
			[]string{"allreduce: collective allreduce/64/0 8=5.4 1024=9.4"}},
		{"UCC, whose statistics stand under a heading", "Collective:             Allreduce\n       Count        Size                Time, us\n                                 avg         min         max\n" +
			"           2           8        4.31        4.02        4.70\n         256        1024        5.31        5.02        5.70\n       65536      262144       35.31       35.02       36.70\n",
			[]string{"allreduce: collective allreduce/0/0 8=4.31 1024=5.31 262144=35.31"}},
		{"GASNet: the total is not the average", "U:   0 -        8 byte :    1000 iters, latency         2000 us total,     2.001 us ave. (put)\n" +
			"U:   0 -     1024 byte :    1000 iters, latency         2102 us total,     2.102 us ave. (put)\n" +
			"U:   0 -    65536 byte :    1000 iters, latency         8553 us total,     8.554 us ave. (put)\n",
			[]string{"table: one-way time 8=2.001 1024=2.102 65536=8.554"}},
		{"Charm++", "Roundtrip time for 1D Arrays (4 bytes msgs) is 4.001 us\nRoundtrip time for 1D Arrays (1024 bytes msgs) is 4.205 us\nRoundtrip time for 1D Arrays (65536 bytes msgs) is 17.107 us\n",
			[]string{"table: round trip 4=4.001 1024=4.205 65536=17.107"}},
		{"mpi4py", "# MPI Bcast Latency Test\n# Size [B]        Latency [us]\n4                     2.00\n1024                  2.10\n65536                 8.55\n",
			[]string{"MPI Bcast Latency Test: collective bcast/0/0 4=2 1024=2.1 65536=8.55"}},
		{"MSCCL++ beside NCCL", "mscclpp allreduce\n| Size | Time (us) | AlgBW (GB/s) | Correctness | NCCL Time (us) | NCCL AlgBW (GB/s) |\n|---|---|---|---|---|---|\n" +
			"| 1.0 KiB | 4.00 | 0.26 | PASS | 8.00 | 0.13 |\n| 64.0 KiB | 10.00 | 6.55 | PASS | 20.00 | 3.28 |\n| 1.0 MiB | 100.00 | 10.49 | PASS | 200.00 | 5.24 |\n",
			[]string{"allreduce: collective allreduce/0/0 1024=4 65536=10 1048576=100"}},
		{"PARAM, whose labels have a name", "\tCOMMS-RES  total-size (B)  num-elem  Latency(us):p50  p75  Min  Max  AlgBW(GB/s)\n\tCOMMS-RES-all_reduce-float32 1024 256 4.00 4.10 3.90 5.00 0.256\n" +
			"\tCOMMS-RES-all_reduce-float32 65536 16384 10.00 10.10 9.90 11.00 6.554\n\tCOMMS-RES-all_reduce-float32 1048576 262144 100.00 100.10 99.90 110.00 10.486\n",
			[]string{"allreduce: collective allreduce/0/0 1024=4 65536=10 1048576=100"}},
		{"commas between thousands", "| Size    | Time (us)  |\n|---------|------------|\n| 1,024   |  14,276.09 |\n| 65,536  |  14,715.67 |\n| 262,144 |  15,375.00 |\n",
			[]string{"csv: one-way time 1024=14276 65536=14716 262144=15375"}},
		{"a header of OSU's words beside other columns", "Size (bytes)    Time (s)        Bandwidth (MB/s)\n8               0.000001230     6.504\n" +
			"1024            0.000002010     509.453\n65536           0.000012010     5456.786\n",
			[]string{"table: one-way time 8=1.23 1024=2.01 65536=12.01"}},
		{"labels of two words", "[rank 1] bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n[rank 1] 64      10      =10      1.2k        0.00s      6.40      10.00       0.10\n" +
			"[rank 1] 1k      10      =10      20k         0.00s     93.09      11.00       0.09\n[rank 1] 64k     10      =10      1.2m        0.00s   1638.40      40.00       0.03\n",
			[]string{"fabtests: one-way time 64=10 1024=11 65536=40"}},
		{"sizes before a colon", "msg 8B: avg 1.60us min 1.50us max 9.10us\nmsg 1KB: avg 2.10us min 1.90us max 9.90us\nmsg 64KB: avg 9.80us min 9.60us max 20.10us\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"sizes in rounded thousands", "benchmark      time/iter   iters/s  message_size\nWrite(8192)     160.00us     6.25K         8.19K\n" +
			"Write(65536)    179.00us     5.58K        65.54K\nWrite(1048576)  271.00us     3.69K         1.05M\n",
			[]string{"table: one-way time 8192=160 65536=179 1048576=271"}},
		{"ucx_perftest without its size, of versions without stages", "|              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n" +
			"| # iterations | typical | average | overall |  average |  overall |   average |   overall |\n+--------------+---------+---------+---------+\n" +
			"           667     0.000  1500.047  1500.047    2666.58    2666.58         667         667\n          1000     0.000  1502.114  1500.735    2662.91    2665.36         666         666\n",
			[]string{"ucx_perftest: one-way time 4194304=1500.7"}},
		{"a heading with the unit", "### Latency (µs)\n\n| bytes | value |\n|---:|---:|\n| 16 K | 4.95 |\n| 64 K | 19.87 |\n| 1 M | 318.25 |\n",
			[]string{"table: one-way time 16384=4.95 65536=19.87 1048576=318.25"}},
		{"a name of a column over words", "1: Benchmark                               Time             CPU   Iterations UserCounters...\n1: pingpong_isend/1/manual_time        0.295 us        0.567 us      2291565 bytes=2\n" +
			"1: pingpong_isend/2/manual_time        0.300 us        0.579 us      2318277 bytes=4\n1: pingpong_isend/4/manual_time        0.303 us        0.575 us      2344989 bytes=8\n",
			[]string{"google-benchmark: operation 2=0.295 4=0.3 8=0.303"}},
		{"tags of mpirun, and an empty half", "[1,0]<stdout>:#                             in-place                       out-of-place\n[1,0]<stdout>:#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n" +
			"[1,0]<stdout>:#        (B)    (elements)     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n[1,0]<stdout>:  1073741824      16777216                                     23275   46.13   43.25      0\n",
			[]string{"nccl-tests: collective 1073741824=23275"}},
		{"sizes in By", "   test\t  atts\t units\tmedian\tmean\n   H2D_Bandwidth\t     +064By\t  GB/sec\t0.0029\t0.0026\n   H2D_Bandwidth\t     +512By\t  GB/sec\t0.0228\t0.0227\n   H2D_Bandwidth\t        1kB\t  GB/sec\t0.0455\t0.0452\n",
			[]string{"hipBusBandwidth: operation 64=22.069 512=22.456 1024=22.505"}},
		{"rates that are about right", "64K: ~100 MB/s\n1MB: ~1.250 GB/s\n16MB: ~2.500 GB/s\n", []string{"table: gap 65536=655.36 1048576=838.86 16777216=6710.9"}},
		{"a collective in the line above a CSV", "Running benchmark OSU Scatterv on 2 MPI ranks\n\n```\nsize (bytes),iterations,min_time (seconds),max_time (seconds),avg_time (seconds)\n" +
			"4,100,1.2e-6,1.4e-6,1.3e-6\n8,100,1.3e-6,1.5e-6,1.4e-6\n", []string{"csv: collective scatterv/0/0 4=1.3 8=1.4"}},
		{"a number before the sizes, which tells rows of one size apart", "nodes_x        size         count     type     time   algbw   busbw\n                (B)    (elements)              (us)  (GB/s)  (GB/s)\n" +
			"   1        1048576        262144    float    100.0   10.49   18.35\n   2        1048576        262144    float    200.0    5.24    9.83\n",
			[]string{"nccl-tests nodes_x=1: collective 1048576=100", "nccl-tests nodes_x=2: collective 1048576=200"}},
		{"sizes of 10⁶ bytes with decimals", "size(MB)   tavg(usec)    tmin(usec)    tmax(usec)\n0.10      227.7          196.8          692.7\n0.12      227.8          196.8          255.1\n" +
			"0.20      228.4          160.2          240.5\n0.50      299.3          130.4         5432.0\n1.00      321.5          116.5          351.2\n",
			[]string{"table: one-way time 100000=227.7 120000=227.8 200000=228.4 500000=299.3 1000000=321.5"}},
		{"calls over their rows", "Comm. Op            Message Size        Count               Avg Latency(ms)\nbroadcast\n                    16.0 KB              3                   0.22\n" +
			"                    64.0 KB              2                   0.30\nbarrier\n                    0B                  3                   1.80\nall_gather_into_tensor\n" +
			"                    32.0 KB             2                   0.15\n                    128.0 KB             2                   4.60\n",
			[]string{"bcast: collective bcast/0/0 16384=220 65536=300", "allgather: collective allgather/0/0 32768=150 131072=4600"}},
		{"a setting of two numbers between title and table", "Collective: Allreduce\nWarmup: 200; Iterations: 100\n       Count        Size                Time, us\n                                 avg         min         max\n" +
			"         128         512        6.48        5.76        7.18\n         256        1024        7.65        7.19        8.10\n        4096       16384       41.91       41.02       42.14\n",
			[]string{"allreduce: collective allreduce/0/0 512=6.48 1024=7.65 16384=41.91"}},
		{"an operation in prose that the bandwidths contradict", "#Using the sizes of a reduce-scatter, 8 GPUs\n#       size         count     time   algbw   busbw\n#        (B)    (elements)     (us)  (GB/s)  (GB/s)\n" +
			"     1048576        262144    20.00   52.43   91.75\n     4194304       1048576    60.00   69.91  122.34\n    16777216       4194304    200.0   83.89  146.80\n",
			[]string{"allreduce: collective allreduce/8/0 1048576=20 4194304=60 16777216=200"}},
		{"names before the sizes", "name          bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\nmsg_req       64      1k      62k         0.00s     14.85       4.31       0.23\n" +
			"msg_req       1k      1k      1000k       0.00s    236.00       4.34       0.23\nmsg_req       64k     1k      62m         0.03s   2542.82      25.77       0.04\n",
			[]string{"fabtests msg_req: one-way time 64=4.31 1024=4.34 65536=25.77"}},
		{"rows of nccl-tests without a header", "        1024           256     float     sum      -1    50.00    0.02    0.04    N/A    60.00    0.02    0.03    N/A\n" +
			"       65536         16384     float     sum      -1    90.00    0.73    1.27    N/A    80.00    0.82    1.43    N/A\n      131072         32768     float     sum      -1    110.0    1.19    2.09    N/A    100.0    1.31    2.29    N/A\n",
			[]string{"allreduce out-of-place: collective allreduce/8/0 1024=50 65536=90 131072=110", "allreduce in-place: collective allreduce/8/0 1024=60 65536=80 131072=100"}},
		{"rows of perftest behind host and program", "node01 ib_write_bw: 65536      5000           96.20              96.10                0.183296\nnode02 ib_write_bw: 65536      5000           90.20              90.10                0.171853\n",
			[]string{"perftest node01: gap 65536=5.4557", "perftest node02: gap 65536=5.8189"}},
		{"google-benchmark without its header, whose k are 1000", "pingpong/64/manual_time            0.264 us        0.539 us      2668844 bytes=128\npingpong/256/manual_time           0.283 us        0.579 us      2446539 bytes=512\n" +
			"pingpong/512/manual_time           0.330 us        0.633 us      2198542 bytes=1.024k\n",
			[]string{"google-benchmark: operation 128=0.264 512=0.283 1024=0.33"}},
		{"times behind rates", "   D2H_Bandwidth\t     +064By\t  GB/sec\t0.0029\t0.0026\n   D2H_Bandwidth\t     +512By\t  GB/sec\t0.0228\t0.0227\n   D2H_Bandwidth\t        1kB\t  GB/sec\t0.0455\t0.0452\n" +
			"        D2H_Time\t     +064By\t      ms\t0.0221\t0.0474\n        D2H_Time\t        1kB\t      ms\t0.0226\t0.0227\n        D2H_Time\t       64kB\t      ms\t0.0266\t0.0266\n",
			[]string{"hipBusBandwidth: operation 64=22.069 512=22.456 1024=22.505", "hipBusBandwidth (2): operation 64=22.1 1024=22.6 65536=26.6"}},
		{"names with blanks between semicolons", "Größe (B);Latenz (µs);Wiederholungen\n8;1,52;1000\n1024;2,10;1000\n65536;9,81;100\n", []string{"table: one-way time 8=1.52 1024=2.1 65536=9.81"}},
		{"a unit behind the last name", "TEST bcast:\n     msgsize      min      max      avg      sigma  (in microseconds)\n           1    0.279    6.151    4.429      0.317\n          16    0.279    6.178    4.428      0.295\n          64    0.278    6.200    4.431      0.298\n",
			[]string{"bcast: collective bcast/0/0 1=4.429 16=4.428 64=4.431"}},
		{"bold lines", "_sockperf ping-pong -i 10.0.0.1 -m 350 --full-rtt\n**sockperf: Summary: Round trip is 1892.600 usec**\nsockperf: ---> MAX observation = **11541.068**\n",
			[]string{"sockperf ping-pong: round trip 350=1892.6"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if diff := cmp.Diff(c.want, samplesOf(t, c.text, Options{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	bold := "| bytes   | old (us) | new (us) |\n|---------|----------|----------|\n| 2048    | 19.77    | **5.86** |\n| 65536   | 18.81    | **8.20** |\n"
	if diff := cmp.Diff([]string{"csv: one-way time 2048=5.86 65536=8.2"}, samplesOf(t, bold, Options{Y: "new (us)"})); diff != "" {
		t.Error(diff)
	}
}

// Numbers in other notations than plain decimals, and rows in other forms than lines of columns.
func TestNotations(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"sizes in hexadecimal", "# size(hex)   lat(us)\n0x8        1.60\n0x400      2.10\n0x10000    9.80\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"powers of two", "msg size    RTT/2 (us)\n2^3     1.60\n2^10    2.10\n2^16    9.80\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"blanks between thousands", "  Message size (B)     Time (us)\n               8          1.60\n          65 536          9.80\n       1 048 576         97.10\n",
			[]string{"table: one-way time 8=1.6 65536=9.8 1048576=97.1"}},
		{"blanks between thousands from the first row on", "  Message size (B)     Time (us)\n           1 024          2.10\n          65 536          9.80\n         262 144         26.10\n",
			[]string{"table: one-way time 1024=2.1 65536=9.8 262144=26.1"}},
		{"ranks before sizes are no thousands", "rank size   time(us)\n1 8        1.60\n1 512      2.10\n1 65536    9.80\n", []string{"csv: one-way time 8=1.6 512=2.1 65536=9.8"}},
		{"narrow blanks", "  Message size (B)     Time (us)\n               8          1.60\n        65\u2009536          9.80\n     1\u2009048\u2009576         97.10\n",
			[]string{"table: one-way time 8=1.6 65536=9.8 1048576=97.1"}},
		{"apostrophes", "  Message size (B)     Time (us)\n               8          1.60\n          65'536          9.80\n       1'048'576         97.10\n",
			[]string{"table: one-way time 8=1.6 65536=9.8 1048576=97.1"}},
		{"deviations", "  bytes     time [us]\n      8   1.60 ± 0.05\n   1024   2.10 ± 0.06\n  65536   9.80 ± 0.31\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"a name before each value", "rdma: sz 4096 ops/s 500000 gbps 16.384\nrdma: sz 65536 ops/s 125000 gbps 65.536\nrdma: sz 1048576 ops/s 10000 gbps 83.886\n",
			[]string{"table: gap 4096=2 65536=8 1048576=100"}},
		{"elements", "[rank0] all_reduce numel=1024 dtype=float32 time=0.020ms algbw=0.205GB/s busbw=0.358GB/s\n[rank0] all_reduce numel=65536 dtype=float32 time=0.040ms algbw=6.554GB/s busbw=11.469GB/s\n" +
			"[rank0] all_reduce numel=1048576 dtype=float32 time=0.400ms algbw=10.486GB/s busbw=18.350GB/s\n",
			[]string{"allreduce: collective allreduce/8/0 4096=20 262144=40 4194304=400"}},
		{"an index without a name", "    nbytes  lat_us\n0        8    1.60\n1     1024    2.10\n2    65536    9.80\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"dictionaries of Python", "{'size': 8, 'time_us': 1.6}\n{'size': 1024, 'time_us': 2.1}\n{'size': 65536, 'time_us': 9.8}\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"sizes in words", "BenchmarkPingPong/8-16   \t  500000\t    1600 ns/op\t    5.00 MB/s\nBenchmarkPingPong/1024-16   \t  500000\t    2100 ns/op\t  487.62 MB/s\n" +
			"BenchmarkPingPong/65536-16   \t  100000\t    9800 ns/op\t 6687.35 MB/s\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"criterion", "pingpong/8        time:   [1.590 µs 1.600 µs 1.620 µs]\npingpong/1024     time:   [2.090 µs 2.100 µs 2.120 µs]\npingpong/65536    time:   [9.700 µs 9.800 µs 9.920 µs]\n",
			[]string{"criterion: operation 8=1.6 1024=2.1 65536=9.8"}},
		{"a line for each value", "--- run 1 ---\nmessage_size: 8\niterations: 1000\navg_latency_us: 1.60\n\n--- run 2 ---\nmessage_size: 1024\niterations: 1000\navg_latency_us: 2.10\n\n" +
			"--- run 3 ---\nmessage_size: 65536\niterations: 1000\navg_latency_us: 9.80\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"a list in YAML", "results:\n  - size: 8\n    latency_us: 1.60\n  - size: 1024\n    latency_us: 2.10\n  - size: 65536\n    latency_us: 9.80\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"points between thousands, with decimal commas", "Größe [Byte];Zeit [µs]\n64;1,60\n65.536;9,80\n1.048.576;97,10\n", []string{"table: one-way time 64=1.6 65536=9.8 1048576=97.1"}},
		{"units in a line of a CSV", "message length,average one-way latency,99th percentile\nbytes,microseconds,microseconds\n8,1.60,2.10\n1024,2.10,2.80\n65536,9.80,12.0\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"pytest-benchmark", "Name (time in us)            Min        Max       Mean    StdDev    Median   Rounds\ntest_pingpong[64]           1.5000     3.5550     1.6000   0.1000     1.5900     1000\n" +
			"test_pingpong[1024]         2.0000     3.6210     2.1000   0.1000     2.0900     1000\ntest_pingpong[65536]        9.7000    12.6575     9.8000   0.1000     9.7900     1000\n",
			[]string{"table: one-way time 64=1.6 1024=2.1 65536=9.8"}},
		{"zmq, whose count of round trips is no name of its times", "message size: 1 [B]\nroundtrip count: 10000\naverage latency: 1.60 [us]\nmessage size: 1024 [B]\nroundtrip count: 10000\naverage latency: 2.10 [us]\n" +
			"message size: 65536 [B]\nroundtrip count: 10000\naverage latency: 9.80 [us]\n", []string{"table: one-way time 1=1.6 1024=2.1 65536=9.8"}},
		{"settings above a table", "Collective:  Alltoall\nWarmup: 10\nIterations: 100\n       Count        Size                Time, us\n                                 avg         min         max\n" +
			"         128         512        6.48        5.76        7.18\n         256        1024        7.65        7.19        8.10\n        4096       16384       41.91       41.02       42.14\n",
			[]string{"alltoall: collective alltoall/0/0 512=6.48 1024=7.65 16384=41.91"}},
		{"ticks of Markdown under a heading with the unit", "### One-way latency, microseconds\n\n| size | shm |\n|------|-----|\n| `8 B` | 1.60 |\n| `1 KB` | 2.10 |\n| `64 KB` | 9.80 |\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"exponents of Fortran", "   size (bytes)     time (s)\n  8   1.60000D-06\n 1024   2.10000D-06\n 65536   9.80000D-06\n", []string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"a total beside a time per iteration", "8 bytes x 1000 iters: total 0.001600 s, per iter 1.600 us\n1024 bytes x 1000 iters: total 0.002100 s, per iter 2.100 us\n65536 bytes x 1000 iters: total 0.009800 s, per iter 9.800 us\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"hexadecimal sizes in a CSV", "size_bytes,time_us\n0x8,1.60\n0x400,2.10\n", []string{"csv: one-way time 8=1.6 1024=2.1"}},
		{"blanks between thousands in Markdown", "| size_bytes | time_us |\n|---|---|\n| 8 | 1.60 |\n| 65 536 | 9.80 |\n", []string{"csv: one-way time 8=1.6 65536=9.8"}},
		{"sizes of I/O in JSON", "{\"io_size\": 8, \"lat\": {\"mean_us\": 1.6}}\n{\"io_size\": 1024, \"lat\": {\"mean_us\": 2.1}}\n", []string{"json: one-way time 8=1.6 1024=2.1"}},
		{"sizes in headings", "Running size 8\n  min = 1.50 us\n  avg = 1.60 us\nRunning size 1024\n  min = 2.00 us\n  avg = 2.10 us\nRunning size 65536\n  min = 9.70 us\n  avg = 9.80 us\n",
			[]string{"table: one-way time 8=1.6 1024=2.1 65536=9.8"}},
		{"one size, whose rate is size over time", "transport=rc\nsize=1048576\niters=1000\ntime=95.30us\nbw=11.00GB/s\n", []string{"table: one-way time 1048576=95.3"}},
		{"one size, by its names", "Message size: 4096 bytes\nAverage latency: 3.20 us\n", []string{"table: one-way time 4096=3.2"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if diff := cmp.Diff(c.want, samplesOf(t, c.text, Options{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The unit of a rate is that of size over time, whatever the header calls it.
func TestUnitByIdentity(t *testing.T) {
	check(t, "Message size   MB/sec    msg/sec\n1024  976.56  1000000\n65536 6250.00  100000\n1048576 10000.00 10000\n",
		"table: gap 1024=1 65536=10 1048576=100", "! the times are size over \"MB/sec\"",
		"- line 2: the columns are recognised by their values: \"Message size\" is the size, \"MB/sec\" the rate in MiB/s; \"MB/sec\" and \"msg/sec\" agree")
}

// Columns of other names are a question, and so are columns that could each be sizes.
func TestUndecided(t *testing.T) {
	for text, want := range map[string]string{
		"size predicted(us) measured(us) baseline(us)\n1024  2.00 2.10 1.90\n65536 9.00 9.30 8.80\n1048576 90.00 95.00 85.00\n": "may each be the one that is meant",
		"1024  2.00\n65536 9.00\n1048576 90.00\n":                                                                                                                                                      "numbers without a header",
		"collective,bytes,busbw_GBps\nallreduce,1048576,50\nallreduce,8388608,100\nallreduce,67108864,150\n":                                                                                           "until the collective and its ranks are known",
		"## Bandwidth (GB/s)\n| bytes | host | wire |\n|---|---|---|\n| 16 K | 3.307 | 1.581 |\n| 64 K | 3.298 | 6.220 |\n| 1 M | 3.295 | 100.294 |\n":                                                 "x=1:B y=2:GB/s → 1 MiB in 318",
		"memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1         2\n 0       N/A    276.07    276.36\n 1    276.19       N/A    276.29\n 2    276.31    276.33       N/A\n": "a number for each pair, and no sizes",
		"Bandwidth Matrix (GB/s)\n   D\\D     0      1\n     0 1288.49  14.55\n     1  14.60 1290.62\n":                                                                                                "a number for each pair, and no sizes",
		"step 100 loss 2.31 time 0.412 s tokens/s 12412\nstep 200 loss 2.11 time 0.410 s tokens/s 12450\n":                                                                                             "no column behaves as sizes do",
		"#       size    ntok           NCCL               NCCL_SYMMETRIC                UB\n#                       time(us)       algbw    time(us)       algbw    time(us)       algbw\n       16384       1       12.10        1.35       9.80        1.67       8.20        2.00\n       65536       4       13.10        5.00      10.20        6.42       8.90        7.36\n      262144      16       16.40       15.98      12.00       21.85      10.20       25.70\n": "may each be the one that is meant",
		"[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-1.00   sec   414 MBytes  3.46 Gbits/sec    5   4.00 MBytes\n[  5]   1.00-2.00   sec   506 MBytes  4.24 Gbits/sec    0   4.00 MBytes\n":                                                                                                                                                                                                                                                   "known formats",
		"50000 x pi_a():\t0.29 s\t(MPI comm size = 1)\n50000 x pi_b():\t0.38 s\t(MPI comm size = 1)\n50000 x pi_a():\t0.17 s\t(MPI comm size = 2)\n50000 x pi_b():\t0.28 s\t(MPI comm size = 2)\n" +
			"50000 x pi_a():\t0.13 s\t(MPI comm size = 4)\n50000 x pi_b():\t0.24 s\t(MPI comm size = 4)\n": "no column behaves as sizes do",
		"1       images/sec: 196.7 +/- 0.0 (jitter = 0.0)        8.170\n10      images/sec: 188.1 +/- 2.3 (jitter = 5.7)        7.592\n40      images/sec: 191.6 +/- 2.0 (jitter = 10.4)       7.999\n":                                                                                               "but no column has a unit of times or rates; known",
		"[ ID] Interval           Transfer     Bandwidth       Retr  Cwnd\n[  4]   0.00-1.00   sec  84.8 KBytes   694 Kbits/sec    2   1.41 KBytes\n[  4]   3.00-4.00   sec  375 MBytes  3.14 Gbits/sec    1   1.41 KBytes\n[  4]   4.00-5.00   sec  392 MBytes  3.29 Gbits/sec    0   1.41 KBytes\n": "the bytes of an interval are no size of a message",
		"run 0/10: 0.71 sec 9.07 GFLOP/s 108.85 Gb/s\nrun 1/10: 0.65 sec 9.88 GFLOP/s 118.53 Gb/s\nrun 2/10: 0.65 sec 9.89 GFLOP/s 118.71 Gb/s\n":                                                                                                                                                     "no column behaves as sizes do",
		"bytes    time (us)\n1.024    2.5\n16.384   4.6\n65.536   9.7\n": "are no whole bytes",
		"iter 0: loss 4.000, time 130.00ms, mfu 40.00%\niter 10: loss 3.900, time 131.00ms, mfu 40.10%\niter 20: loss 3.800, time 132.00ms, mfu 40.20%\niter 30: loss 3.700, time 133.00ms, mfu 40.30%\n": "no column behaves as sizes do",
		"Taille (octets)\tLatence (µs)\n8\t1,600\n1024\t2,100\n65536\t9,800\n": "a comma, as in 1,220, may be that of decimals or of thousands",
		"buffer_size: 4096\ntimeout: 30 s\n":                                   "one row without a header",
		"./netty latency -a 10.0.0.1 -l 4096 -m 100000 -s\n":                   "no table of sizes and times",
		"\t// 64 KiB take 486.4 µs at 135 MB/s\n":                              "no table of sizes and times",
	} {
		got := described(t, "x", text, Options{})
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Facts that stand beside the rows of a log.
func TestBesideRows(t *testing.T) {
	// Runs that follow each other are tables of their own.
	check(t, "Block Size (B)      B/W (GB/Sec)   Avg Lat. (us)  Avg Prep (us)\n4096  0.50  8.2 1.0\n65536 4.68  14.0  1.0\n1048576  34.95 30.0  1.0\n2097152  34.95 60.0  1.0\n"+
		"4096  0.48  8.6 1.0\n65536 4.60  14.3  1.0\n1048576  33.83 31.0  1.0\n2097152  33.83 62.0  1.0\n",
		"nixlbench: operation 4096=8.2 65536=14 1048576=30 2097152=60", "nixlbench (2): operation 4096=8.6 65536=14.3 1048576=31 2097152=62",
		`- line 2: the columns are recognised by their values: "Block Size (B)" is the size, "Avg Lat. (us)" the time in us; "Avg Lat. (us)" and "B/W (GB/Sec)" agree`,
		`- line 2: not read: "Avg Prep (us)"`)
	// Sizes with few digits: a power of two within the rounding is one, and 1.1MB may be anything.
	const rounded = "! 1 row whose size is rounded to unknown bytes left out (the first in line %d)"
	check(t, "| Size | Time (us) |\n|---|---|\n| 64.0KB | 10.000 |\n| 1.1MB | 110.000 |\n| 4.0MB | 400.000 |\n",
		"csv: one-way time 65536=10 4194304=400", fmt.Sprintf(rounded, 4))
	check(t, "Size  Time (us)  B/W (MB/s) Extra\n64.0KB 10.000  6553.60 1 x\n1.1MB  110.000  10000.00 1 x\n4.0MB  400.000  10485.76 1 x\n",
		"table: one-way time 65536=10 4194304=400", fmt.Sprintf(rounded, 3),
		`- line 2: the columns are recognised by their values: "Size" is the size, "Time (us)" the time in us`)
	// perftest -C prints cycles under [usec].
	const cycles = "$ ib_write_lat -C host\nRDMA_Write Latency Test\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n 8       1000          1500.00           3000.00         1600.00       1610.00\n"
	check(t, cycles,
		"error: x: line 3: RDMA_Write Latency Test was run with -C, so its times are cycles of the processor, and are left out; run it without -C, or give the clock with clock=3GHz")
	if diff := cmp.Diff([]string{"RDMA_Write Latency Test: one-way time 8=0.805"}, described(t, "x", cycles, Options{Clock: 2000})); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		`{"results": [{"command": "sleep 1", "mean": 1.0, "stddev": 0.1, "times": [1.0, 1.1]}]}` + "\n":                 "hyperfine times commands",
		`{"context": {"date": "x"}, "benchmarks": [{"name": "BM_memcpy/8", "real_time": 1.0, "cpu_time": 1.0}]}` + "\n": "google-benchmark times functions",
	} {
		if got := described(t, "x", text, Options{}); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q", got)
		}
	}
	// A line above a table names its pair of hosts.
	for _, line := range []string{"== node01 <-> node02 ==", "pair: node01, node02", "node01 -> node02", "# pair node01 node02"} {
		f, err := Read(strings.NewReader(line+"\n# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n1  1.50\n"), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"node01", "node02"}, f.Tables[0].Hosts); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	// Words behind the first number of a line that begins with it.
	described(t, "x", "8 bytes total, latency 2.00 us\n64 bytes total, latency 3.00 us\n", Options{})
	for _, line := range []string{"step1 step2", "PASS1 to PASS2", "Nodes: 2 8"} {
		if hosts := pairOfHosts([]byte(line)); hosts != nil {
			t.Errorf("%s: %q", line, hosts)
		}
	}
}

// A table with a question is not left out in silence beside one that is read.
func TestRefusedBeside(t *testing.T) {
	check(t, "8M: 0.096 ms\n16M: 0.167 ms\n32M: 0.312 ms\n\n    Size  Custom(ms)  Symm(ms)\n     32K         0.049        0.090\n     64K         0.051        0.050\n    1M         0.047        0.049\n",
		"table: one-way time 8388608=96 16777216=167 33554432=312",
		`! lines 6 to 8 look like rows; not read: columns "Custom(ms)", "Symm(ms)" may each be the one that is meant`,
		`- line 1: the columns are recognised by their values: column 1 is the size, column 2 the time in ms`)
}

// What is not read beside a time is said: another time, and a rate that contradicts it.
func TestNotReadIsSaid(t *testing.T) {
	check(t, "# bytes  avg(us)  mean(us)  p99(us)\n8 1.60 1.61 2.0\n64 1.70 1.69 2.0\n1024 2.60 2.61 3.0\n65536 20.5 20.6 30\n",
		"table: one-way time 8=1.6 64=1.7 1024=2.6 65536=20.5",
		`! line 2: not read: "mean(us)"`,
		`- line 2: the columns are recognised by their values: "bytes" is the size, "avg(us)" the time in us`)
	// The rate is that of four threads.
	check(t, "Block Size (B)      Batch Size     B/W (GB/Sec)   Avg Lat. (us)\n4096                1              0.027182       602.8\n8192                1              0.050828       644.7\n16384               1              0.105219       622.9\n",
		"nixlbench: operation 4096=602.8 8192=644.7 16384=622.9",
		`! "Avg Lat. (us)" is read, and "B/W (GB/Sec)" is 4 times size over it: which of the two is meant?`,
		`- line 2: the columns are recognised by their values: "Block Size (B)" is the size, "Avg Lat. (us)" the time in us`)
	check(t, "Payload Size [kB] | Average Latency [µs]\n1 | 20\n2 | 19\n4 | 18\n16 | 21\n",
		"table: one-way time 1024=20 2048=19 4096=18 16384=21",
		`- line 2: the columns are recognised by their values: "Payload Size [kB]" is the size (2.3 % less if it is of powers of 1000), "Average Latency [µs]" the time in us`)
	// Rows that begin as a header of OSU does.
	check(t, "Size (MB): 1, Elapsed time (s): 0.000176531, Bandwidth per GPU (GB/s): 16.9942\nSize (MB): 2, Elapsed time (s): 0.000267493, Bandwidth per GPU (GB/s): 22.4305\nSize (MB): 8, Elapsed time (s): 0.000512558, Bandwidth per GPU (GB/s): 46.824\n",
		"table: one-way time 1048576=176.53 2097152=267.49 8388608=512.56",
		`! "Elapsed time (s)" is read, and "Bandwidth per GPU (GB/s)" is 2.9 times size over it: which of the two is meant?`,
		`- line 1: the columns are recognised by their values: "Size (MB)" is the size (4.6 % less if it is of powers of 1000), "Elapsed time (s)" the time in s`)
	// A header with single blanks, whose names have two words.
	check(t, "size(B)  MPI time(us)  MPI BW(MB/s) NCCL time(us)\n8  1.60 5.00 3.61\n64  1.70 37.65 3.69\n1024  2.60 393.85 4.61\n65536  20.5 3196.9 26.6\n",
		"table: one-way time 8=1.6 64=1.7 1024=2.6 65536=20.5",
		`! line 2: not read: "NCCL time(us)"`,
		`- line 2: the columns are recognised by their values: "size(B)" is the size, "MPI time(us)" the time in us; "MPI time(us)" and "MPI BW(MB/s)" agree`)
}

// The first size of a list may have no unit; where none has, the numbers may be ranks.
func TestListedSizes(t *testing.T) {
	check(t, "128: ~1 MB/s\n1K: ~8 MB/s\n64K: ~100 MB/s\n1M: 300 MB/s\n",
		"table: gap 128=128 1024=128 65536=655.36 1048576=3495.3", "! the times are size over column 2",
		"- line 1: the columns are recognised by their values: column 1 is the size, column 2 the rate in MB/s (4.9 % more if it is of powers of 1024)")
	for text, want := range map[string]string{
		"1: 10 us\n2: 8 us\n4: 6 us\n8: 5 us\n": "the numbers before the colons have no unit; name the columns",
		"| Rows | NCCL (µs) | Ours (µs) |\n|---|---|---|\n| 1 | 8.31 | 4.08 |\n| 2 | 8.40 | 3.97 |\n| 4 | 10.68 | 4.18 |\n| 64 | 31.62 | 14.11 |\n":                                                         "but no column behaves as sizes do; known",
		"Sampled, median throughput, GiB/s:\n\n| Place | Payload | ipc | shm |\n|---|---|---|---|\n| same | 1 KiB | 1.052 | 0.163 |\n| same | 64 KiB | 2.217 | 4.203 |\n| same | 1 MiB | 2.032 | 4.135 |\n": "x=2:B y=3:GiB/s → 1 MiB in 481 µs",
	} {
		got := described(t, "x", text, Options{})
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// An option says what the times are, where no format does.
func TestKindByOption(t *testing.T) {
	const text = "size time_us\n1 1.5\n8 12.3\n"
	if diff := cmp.Diff([]string{"csv: gap 1=1.5 8=12.3"}, samplesOf(t, text, Options{Kind: "gap"})); diff != "" {
		t.Error(diff)
	}
	const osu = "# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n1  1.50\n"
	if diff := cmp.Diff([]string{"OSU MPI Latency Test v7.5: one-way time 1=1.5"}, samplesOf(t, osu, Options{Kind: "gap"})); diff != "" {
		t.Error(diff)
	}
}

// The first row of a table whose columns are given by number is a row, also if its times have units
// of their own.
func TestNumberedColumnsWithUnits(t *testing.T) {
	text := "| ranks | size | SHM |\n|---|---|---|\n| 2 | 8B | 2.22 us |\n| 2 | 32B | 2.41 us |\n| 2 | 64B | 3.32 us |\n"
	got := samplesOf(t, text, Options{X: "2", Y: "3"})
	if len(got) != 1 || !strings.Contains(got[0], "8=2.22 32=2.41 64=3.32") {
		t.Errorf("%q", got)
	}
}
