package benchfile

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// checkInvariants fails if a file breaks what the doc comments promise.
func checkInvariants(t *testing.T, f *File) {
	t.Helper()
	if len(f.Tables) == 0 || f.Skipped > f.Lines {
		t.Errorf("%d tables, %d of %d lines skipped", len(f.Tables), f.Skipped, f.Lines)
	}
	for _, text := range append(append([]string{}, f.Warnings...), f.Notes...) {
		if lex.Quote(text) != text {
			t.Errorf("%q", text)
		}
	}
	names := map[string]bool{}
	for _, table := range f.Tables {
		if table.Format == "" || names[table.Name()] || table.Line < 1 || table.Line > f.Lines {
			t.Errorf("table %q of format %q in line %d of %d", table.Name(), table.Format, table.Line, f.Lines)
		}
		names[table.Name()] = true
		for _, text := range append([]string{table.Title}, table.Warnings...) {
			if lex.Quote(text) != text {
				t.Errorf("%q", text)
			}
		}
		if c := table.Collective; (table.Kind == Collective) != (c != CollectiveOp{}) && table.Format != "nccl-tests" || c.Ranks < 0 {
			t.Errorf("%v of %+v", table.Kind, c)
		}
		if math.IsNaN(float64(table.Quantum)) || table.Quantum < 0 {
			t.Errorf("quantum %v", table.Quantum)
		}
		rows := int64(len(table.Bursts))
		for _, b := range table.Bursts {
			if b.Messages < 1 || b.Delta < 0 || !goodTime(float64(b.Interval)) {
				t.Errorf("burst %+v", b)
			}
		}
		for i, s := range table.Samples {
			rows += s.Count
			const near = 1 + 1e-9
			if s.Size < 0 || s.Count < 1 || !goodTime(float64(s.Mean)) || s.Min > s.Mean*near || s.Mean > s.Max*near || s.Min <= 0 ||
				s.Median < 0 || s.Variance < 0 || math.IsNaN(s.Variance) || math.IsInf(s.Variance, 0) || s.Line < 1 || s.Line > f.Lines {
				t.Errorf("sample %+v", s)
			}
			if i > 0 && s.Size <= table.Samples[i-1].Size {
				t.Errorf("size %v behind %v", s.Size, table.Samples[i-1].Size)
			}
		}
		if rows != table.Rows || rows == 0 {
			t.Errorf("%d rows, %d in the samples", table.Rows, rows)
		}
	}
}

// fuzz reads anything, beginning with the named samples: whole, and cut in the middle.
func fuzz(f *testing.F, names ...string) {
	for _, name := range names {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) > 1500 {
			text = text[:1500]
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(text), "x", Options{})
		if err != nil {
			var e *Error
			var d *Damaged
			if !errors.As(err, &e) && !errors.As(err, &d) || lex.Quote(err.Error()) != err.Error() || !strings.HasPrefix(err.Error(), "x:") {
				t.Errorf("error %q", err)
			}
			return
		}
		checkInvariants(t, file)
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("size (KiB),time [ms],min_ms,p50_us\n1,2,1,2000\n2,3\n\"4\",5,1,1\nx\n"))
	f.Add([]byte("time_us;node;size\n1;a;2\n3;b;4\n"))
	f.Add([]byte("size_bytes\tthroughput_mb_s\n1\t2\n0\t3\n"))
	fuzz(f, "stages.csv", "packets.csv", "signature.csv", "dimensions.csv", "decimal_commas.csv", "unit_remark.csv")
}

// FuzzDress reads lines with labels, escapes and bars.
func FuzzDress(f *testing.F) {
	f.Add([]byte("node01: # OSU MPI Latency Test v7.5\nnode02: \\# OSU MPI Latency Test v7.5\nnode01: # Size  Latency (us)\nnode02: # Size  Latency (us)\nnode01: 1  1.50\nnode02: 1  2.50 <-- x\n"))
	f.Add([]byte("> [x] (y) z| # Size\u00a0 Latency (us)\n> [x] (y) z| 8 1.5"))
	f.Add([]byte("| size (MB) | time_us | bandwidth (MB/s) |\n|---|---|---|\n| 1K | 2 us | 3 |\n| 0.5 | 2 | 3 |\n"))
	f.Add([]byte("count= 1 4 1.3\ncount= 2 8 1.4"))
	f.Add([]byte(`{"event":"start","data":{"test_start":{"blksize":9}}}` + "\n" + `{"event":"interval","data":{"sum":{"bits_per_second":1},"sum":{"bits_per_second":2}}}` + "\n"))
	f.Add([]byte(`{"config":{"nthreads":1,"ngpus":8,"devices":[{"hostname":"a"}]},"results":[{"size":8,"out_of_place":{"time":3,"nwrong":1},"in_place":null}]}`))
	f.Add([]byte("{\ntest_info: {\ntest: Send_BW_Bidirectional,\n},\nresults: {\nMsgSize: 8,\nBW_average: 1,\nMsgRate: 2,\n}\n}\n"))
	f.Add([]byte("|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\nFinal: 1000 0.240 1675.942 1671.351 46615.58 46743.62 597 598\n"))
	fuzz(f)
}

// FuzzUTF16 reads the same as UTF-16, and half characters.
func FuzzUTF16(f *testing.F) {
	text, err := os.ReadFile("testdata/decimal_commas.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(utf16Text(string(text), true))
	f.Add(utf16Text(string(text), false))
	f.Add([]byte("\xff\xfe\x00\xd8\x00"))
	fuzz(f)
}
func FuzzNetPIPE(f *testing.F) {
	fuzz(f, "netpipe-3.7.2-openmpi-4.1.4-sm.np.out", "netpipe-3.7.2-openmpi-4.1.4-sm.log", "netpipe5.np.out", "netpipe5.log")
}
func FuzzOSU(f *testing.F)      { fuzz(f, "osu_mixed.txt", "osu_dressed.txt") }
func FuzzIMB(f *testing.F)      { fuzz(f, "imb_suite.txt", "imb_pingpong.csv") }
func FuzzPerftest(f *testing.F) { fuzz(f, "perftest_pair.log") }
func FuzzNCCL(f *testing.F)     { fuzz(f, "nccl_three.log", "nccl_debug.log") }
func FuzzNetgauge(f *testing.F) {
	fuzz(f, "netgauge_loggp.out", "netgauge_loggp.stdout", "netgauge_one_one.txt")
}
func FuzzUCX(f *testing.F)      { fuzz(f, "ucx_runs.txt") }
func FuzzSockperf(f *testing.F) { fuzz(f, "sockperf_runs.txt", "sockperf_colours.log") }
func FuzzNetperf(f *testing.F)  { fuzz(f, "netperf_runs.txt", "netperf_selected.txt") }
func FuzzQperf(f *testing.F)    { fuzz(f, "qperf_verbose.txt") }
func FuzzIperf3(f *testing.F)   { fuzz(f, "iperf3_cut.json") }
func FuzzSimGrid(f *testing.F)  { fuzz(f, "simgrid.csv", "simgrid_load.csv") }
func FuzzJSON(f *testing.F)     { fuzz(f, "own.json", "one_line.json", "columns.json") }
