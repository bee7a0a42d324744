package benchfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func read(t *testing.T, text string, o Options) *File {
	t.Helper()
	f, err := Read(strings.NewReader(text), "x", o)
	if err != nil {
		t.Fatalf("Read(%.60q): %v", text, err)
	}
	return f
}

func open(t *testing.T, name string) *File {
	t.Helper()
	f, err := Open(filepath.Join("testdata", name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pairs are the sizes and mean times of a table.
func pairs(t Table) (p [][2]float64) {
	for _, s := range t.Samples {
		p = append(p, [2]float64{float64(s.Size), math.Round(float64(s.Mean)*1e9) / 1e9})
	}
	return p
}

func TestCSVHeaders(t *testing.T) {
	check := func(text string, o Options, kind Kind, want ...[2]float64) {
		t.Helper()
		f := read(t, text, o)
		if len(f.Tables) != 1 {
			t.Fatalf("%.60q: %d tables", text, len(f.Tables))
		}
		if diff := cmp.Diff(want, pairs(f.Tables[0])); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", text, diff)
		}
		if f.Tables[0].Kind != kind {
			t.Errorf("%.60q: %v, want %v", text, f.Tables[0].Kind, kind)
		}
	}
	a, b := [2]float64{1024, 2000}, [2]float64{2048, 3000}
	// Units in the header, in every spelling.
	check("size_bytes,time_us\n1024,2000\n2048,3000\n", Options{}, OneWay, a, b)
	check("size (KiB),time [ms]\n1,2\n2,3\n", Options{}, OneWay, a, b)
	check("Size [B]\tTime (s)\n1024\t0.002\n2048\t3e-3\n", Options{}, OneWay, a, b)
	check("# bytes ; latency_ns\n1024;2e6\n2048;3000000\n", Options{}, OneWay, a, b)
	check("size;t/ms\n1024;2\n2048;3\n", Options{}, OneWay, a, b)
	check("\"msg size (KiB)\",\"time (ms)\"\n\"1\",\"2\"\n2,3\n", Options{}, OneWay, a, b)
	check("size_bytes time_us\n1024 2000\n2048   3000\n", Options{}, OneWay, a, b)
	// Any order, other columns between, CR LF, a byte order mark, comments, a remark without a line end.
	check("\ufeffnode,time_us,note,size_bytes\r\nn1,2000,\"a, b\",1024\r\n\r\nn1,3000,,2048\r\n# later", Options{}, OneWay, a, b)
	// An empty value at the end, decimal commas, units under the header, in a comment, in a column.
	check("size_bytes,time_us\n1024,2000,\n2048,3000,,\n", Options{}, OneWay, a, b)
	check("size_kib;time_ms;n2\n1;2,000;0,5\n2;3,0;1\n", Options{}, OneWay, a, b)
	check("1;2,0\n2;3,0\n", Options{X: "1:KiB", Y: "2:ms"}, OneWay, a, b)
	check("size,latency\n[KiB],[ms]\n1,2\n2,3\n", Options{}, OneWay, a, b)
	check("size\tlatency\tbw\nKiB\tms\tMB/s\n1\t2\t.5\n2\t3\t.7\n", Options{}, OneWay, a, b)
	check("# times are in milliseconds\nsize_kib,latency,bw_mbps\n1,2,4\n2,3,5\n", Options{}, OneWay, a, b)
	check("size_kib,time,unit\n1,2000,us\n2,3,ms\n", Options{}, OneWay, a, b)
	check("size,time,time_unit,nodes\n1024,2000,usec,2\n2048,3000,usec,2\n", Options{}, OneWay, a, b)
	check("size_kib,bw_mbps\n1,4.096\n", Options{}, OneWay, a) // 8·1024/4.096 µs
	// Sizes may go without a unit: they are bytes.
	check("size,time_us\n1024,2000\n2048,3000\n", Options{}, OneWay, a, b)
	// Units and columns by option.
	check("size,time\n1,2\n2,3\n", Options{X: "size:KiB", Y: "time:ms"}, OneWay, a, b)
	check("a,b\n1024,2000\n2048,3000\n", Options{X: "a", Y: "b:us"}, OneWay, a, b)
	check("1024,2000\n2048,3000\n", Options{X: "1:B", Y: "2:us"}, OneWay, a, b)
	check("send_us,size_bytes,recv_us\n1,1024,2000\n1,2048,3000\n", Options{Y: "recv_us"}, OneWay, a, b)
	// What the time is.
	check("size_bytes,rtt_us\n1024,2000\n2048,3000\n", Options{}, RoundTrip, a, b)
	check("size_bytes,gap_us\n1024,2000\n2048,3000\n", Options{}, Gap, a, b)
	check("size_bytes,throughput_mb_s\n2000,1\n6000,2\n", Options{}, Gap, [2]float64{2000, 2000}, [2]float64{6000, 3000})
	// halfpeak's own: the one-way time among its bounds.
	check("transport,program,size_bytes,one_way_us,one_way_low_us,one_way_high_us,p50_us,p99_us,bandwidth_mb_s\nshm,pingpong,1024,2000,1900,2100,1990,2090,1\nshm,pingpong,2048,3000,2900,3100,2990,3090,1\n",
		Options{}, OneWay, a, b)
}

// Repeated sizes become one sample. Mean and variance of 1, 2, 3, 6: 3 and
// (4+1+0+9)/3; the median of an even number is the lower middle one.
func TestAggregate(t *testing.T) {
	f := read(t, "size,time_us\n64,1\n128,5\n64,2\n64,3\n64,6\n", Options{})
	got := f.Tables[0].Samples
	want := []Sample{
		{Size: 64, Count: 4, Mean: 3, Min: 1, Max: 6, Median: 2, Variance: 14. / 3, Line: 2},
		{Size: 128, Count: 1, Mean: 5, Min: 5, Max: 5, Median: 5, Line: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// With more sizes than are kept apart, neighbours are merged, and points on a line stay
// on the line.
func TestMergedSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	var text bytes.Buffer
	text.WriteString("size,time_us\n")
	const n = 3 * maxSizes
	for i := range n {
		size := (i*7919)%n + 1 // every size once, out of order
		text.WriteString(strconv.Itoa(size) + "," + strconv.Itoa(10+3*size) + "\n")
	}
	f := read(t, text.String(), Options{})
	table := f.Tables[0]
	if len(table.Samples) > maxSizes || len(table.Samples) < maxSizes/4 {
		t.Errorf("%d samples", len(table.Samples))
	}
	if len(table.Warnings) != 1 || !strings.Contains(table.Warnings[0], "merged") {
		t.Errorf("warnings %q", table.Warnings)
	}
	rows := int64(0)
	for _, s := range table.Samples {
		rows += s.Count
		if want := 10 + 3*float64(s.Size); math.Abs(float64(s.Mean)-want) > 1e-9*want {
			t.Fatalf("size %v takes %v, want %v", s.Size, s.Mean, want)
		}
	}
	if rows != n || table.Rows != n {
		t.Errorf("%d rows in samples, %d in the table, want %d", rows, table.Rows, n)
	}
}

func TestNetPIPE(t *testing.T) {
	out := open(t, "netpipe-3.7.2-openmpi-4.1.4-sm.np.out")
	log := open(t, "netpipe-3.7.2-openmpi-4.1.4-sm.log")
	if out.Skipped != 0 || log.Skipped != 5 {
		t.Errorf("skipped %d and %d, want 0 and 5", out.Skipped, log.Skipped)
	}
	a, b := out.Tables[0], log.Tables[0]
	if len(a.Samples) != 106 || a.Kind != OneWay || a.Format != "netpipe" {
		t.Errorf("%d samples, %v, %v", len(a.Samples), a.Kind, a.Format)
	}
	// The first and last row as they stand in the file, and the resolution of
	// its times: 8 decimals of a second.
	want := [][2]float64{{1, 0.30}, {1048579, 153.49}}
	if diff := cmp.Diff(want, [][2]float64{pairs(a)[0], pairs(a)[105]}); diff != "" {
		t.Error(diff)
	}
	if math.Abs(float64(a.Quantum)-0.01) > 1e-12 || math.Abs(float64(b.Quantum)-0.01) > 1e-12 {
		t.Errorf("quantum %v and %v, want 0.01 µs", a.Quantum, b.Quantum)
	}
	// The log has the same times, in µs.
	if diff := cmp.Diff(pairs(a), pairs(b)); diff != "" {
		t.Error(diff)
	}
}

func TestGzip(t *testing.T) {
	plain, err := os.ReadFile("testdata/netpipe-3.7.2-tcp-loopback.np.out")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	f, err := Read(&packed, "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(open(t, "netpipe-3.7.2-tcp-loopback.np.out").Tables, f.Tables); diff != "" {
		t.Error(diff)
	}
}

// Every file that cannot be used is one line: where, what, what to do.
func TestErrors(t *testing.T) {
	check := func(text string, o Options, want string) {
		t.Helper()
		f, err := Read(strings.NewReader(text), "x.csv", o)
		if err == nil {
			t.Fatalf("%.60q: no error but %+v; want %q", text, f, want)
		}
		if err.Error() != want {
			t.Errorf("%.60q:\n got %s\nwant %s", text, err, want)
		}
	}
	check("", Options{}, "x.csv: the file is empty; the benchmark may have said why on the terminal (calibrate needs at least two ranks)")
	check("# halfpeak calibrate 1\n# a\nmeasure,bytes,median_us\npingpong,8,1\nbcast,8,3\n", Options{},
		`x.csv:1: the output of calibrate has times of several kinds, of which only a machine can be fitted; give the file alone to "halfpeak fit"`)
	check("\x7fELF\x00\x00", Options{}, "x.csv: a binary file; wanted is the text that a benchmark printed")
	check("PK\x03\x04", Options{}, "x.csv: a zip archive (or spreadsheet); unpack it, or save it as CSV; wanted is the text that a benchmark printed")
	check("\x1f\x8bxxxxxxxxxxx", Options{}, "x.csv: broken gzip file: gzip: invalid header")
	check("hello\nworld\n", Options{}, "x.csv: no table of sizes and times in 2 lines; known formats are "+Known)
	check("size,time\n1,2\n", Options{}, `x.csv:1: column "time" has no unit; write it as "time_us", or give the unit with y=time:us`)
	check("1,2\n3,4\n", Options{}, `x.csv:1: numbers without a header; write one such as "size_bytes,time_us", or give columns and units with x=1:bytes y=2:us`)
	check("size,time_us\n1,2\n4,NaN\n", Options{}, `x.csv:3: time "NaN" is not a number; mend or remove the row`)
	check("size,time_us\n1,2\n4,abc\n5,x\n", Options{}, `x.csv:3: time "abc" is not a number; mend or remove the row, also in line 4`)
	check("size,time_us\n1,2\nx,3\n", Options{}, `x.csv:3: size "x" is not a number; mend or remove the row`)
	check("size,time_us\n1,-2\n", Options{}, `x.csv:2: time -2 is not above 0; mend or remove the row`)
	check("size,time_us\n1,0\n", Options{}, `x.csv:2: no row of csv has a usable size and time`)
	check("size,time_us\n-1,2\n", Options{}, `x.csv:2: size -1 is negative; mend or remove the row`)
	check("size,time_us\n1.5,2\n", Options{}, `x.csv:2: size 1.5 is not a whole number of bytes; mend or remove the row, or give the unit of sizes with x=COLUMN:UNIT`)
	check("size,time_us\n1e30,2\n", Options{}, `x.csv:2: size 1e30 is above 8192 TiB; mend or remove the row`)
	check("size,time_us\n1,2\n7\n8,9\n", Options{}, `x.csv:3: 1 value, want the 2 of the header; mend or remove the row`)
	const commas = "; mend or remove the row; write numbers without thousands commas (1,600 as 1600), decimal commas want \";\" between values, text with commas wants quotes"
	check("size,time_us\n2,1,600\n", Options{}, "x.csv:2: 3 values, want the 2 of the header"+commas)
	check("size,time_us,note\n2,1,a\n3,2,b,c\n", Options{}, "x.csv:3: 4 values, want the 3 of the header"+commas)
	check("size\ttime_us\n2\t1\t600\n", Options{}, "x.csv:2: 3 values, want the 2 of the header; mend or remove the row")
	check("size_bytes time_us\n1 2\n2 1 600\n", Options{}, "x.csv:3: 3 values, want the 2 of the header; mend or remove the row")
	check("size,time_us\n2,\"1,600\"\n", Options{}, `x.csv:2: time "1,600" is not a number; mend or remove the row (write numbers without thousands commas)`)
	check("size,time_us\n\"1,024\",2\n", Options{}, `x.csv:2: size "1,024" is not a number; mend or remove the row (write numbers without thousands commas)`)
	check("size;time_us\n1,024;2\n", Options{}, `x.csv:2: size 1,024 is not a whole number of bytes; mend or remove the row, or give the unit of sizes with x=COLUMN:UNIT`)
	check("size;time_us\n1024;1.600,5\n", Options{}, `x.csv:2: time "1.600,5" is not a number; mend or remove the row (write numbers without thousands commas)`)
	check("size,time,unit\n1,2,furlongs\n", Options{}, `x.csv:2: unit "furlongs" is not one of time; write ns, us, ms or s`)
	check("size,latency\n1,2\n", Options{}, `x.csv:1: column "latency" has no unit; write it as "latency_us", or give the unit with y=latency:us`)
	check("size,time_us\n1,2\n", Options{Group: []string{"nodes"}}, `x.csv: no column "nodes"`)
	check("size,time_us\n1,2\n", Options{Pool: []string{"nodes"}}, `x.csv: no column "nodes"`)
	check("size,time_us\n1,2\n", Options{Group: []string{"size"}}, `x.csv:1: column "size" cannot group: it is read as a size or time, or pooled`)
	check("size,time_us\n", Options{}, `x.csv:1: the header is not followed by a row`)
	check("size,time_us\n1,2\n", Options{X: "bytes"}, `x.csv:1: no column "bytes" in this header`)
	check("size,time_us\n1,2\n", Options{Y: "latency"}, `x.csv:1: no column "latency" in this header`)
	if _, err := Open("testdata", Options{}); err == nil || err.Error() != "testdata: is a directory; name a benchmark's output file" {
		t.Error(err)
	}
	if _, err := Open("testdata/nosuch", Options{}); err == nil || err.Error() != "testdata/nosuch: no such file or directory" {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	var last int64
	text := "size,time_us\n" + strings.Repeat("64,2\n", 1<<20)
	f := read(t, text, Options{Progress: func(n int64) {
		if n < last {
			t.Errorf("progress goes from %d back to %d", last, n)
		}
		last = n
	}})
	if last != int64(len(text)) {
		t.Errorf("progress ends at %d of %d bytes", last, len(text))
	}
	if s := f.Tables[0].Samples; len(s) != 1 || s[0].Count != 1<<20 || s[0].Size != quantity.Bytes(64) {
		t.Errorf("samples %+v", s)
	}
}

// Rates that are not size over time are told; the times count.
func TestContradictions(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		table := read(t, text, Options{}).Tables[0]
		if all := strings.Join(table.Warnings, "\n"); !strings.Contains(all, want) || want == "" && all != "" {
			t.Errorf("warnings %q, want %q", all, want)
		}
	}
	check("size_bytes,time_us,bandwidth_mb_s\n1000,10,100\n2000,20,100\n", "")
	check("size_bytes,time_us,bandwidth_mb_s\n1000,10,95.37\n2000,20,95.37\n", "line 2: it is 0.954 times size over time")
	check("       1024 8.192000   0.00100000\n       2048 8.192000   0.00200000\n", "of 10⁶ bits") // 8·1024/1000 µs
	check("       1024 7.812500   0.00100000\n       2048 7.812500   0.00200000\n", "")            // over 1.048576
}

// What launchers and terminals put around a line is taken off.
func TestLaunchers(t *testing.T) {
	want := [][2]float64{{8, 1.5}, {16, 1.75}}
	for _, text := range []string{
		"0: # OSU MPI Latency Test v5.8\n0: # Size          Latency (us)\n1: hello 8 9\n0: 8   1.5\n0: 16 1.75\n",
		"[0] # OSU MPI Latency Test v5.8\n[0] # Size          Latency (us)\n[0] 8   1.5\n[0] 16 1.75\n",
		"0: size,time_us\n0: 8,1.5\n0: 16,1.75\n",
		"[1,0]<stdout>:size,time_us\n[1,0]<stdout>:8,1.5\n[1,0]<stdout>:16,1.75\n",
		"size,time_us\n10 %\r50 %\r8,1.5\n16,1.75\r\n",
		"2026-05-01T10:00:00.5Z size,time_us\n2026-05-01T10:00:01Z 8,1.5\n[2026-05-01 10:00:02] 16,1.75\n",
	} {
		if diff := cmp.Diff(want, pairs(read(t, text, Options{}).Tables[0])); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

// A gzip file that is cut off or has a wrong checksum is an error, which has what was read before.
func TestDamagedGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	var text strings.Builder
	text.WriteString("size,time_us\n")
	for i := range 20_000 {
		text.WriteString(strconv.Itoa(i+1) + "," + strconv.Itoa(1+(i*7919)%1000) + "\n")
	}
	if _, err := z.Write([]byte(text.String())); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	check := func(file []byte, least, most int64, want string) {
		t.Helper()
		f, err := Read(bytes.NewReader(file), "x.gz", Options{})
		var d *Damaged
		if f != nil || !errors.As(err, &d) {
			t.Fatalf("%v, error %v", f, err)
		}
		if err.Error() != "x.gz:"+strconv.Itoa(d.File.Lines+1)+": the file is damaged or cut off here ("+want+"); fetch it again" {
			t.Error(err)
		}
		if n := d.File.Tables[0].Rows; n < least || n > most {
			t.Errorf("%d rows, want %d to %d", n, least, most)
		}
	}
	whole := packed.Bytes()
	check(whole[:len(whole)/2], 1000, 19_999, "unexpected EOF")
	check(whole[:len(whole)-3], 20_000, 20_000, "unexpected EOF")
	wrong := bytes.Clone(whole)
	wrong[len(wrong)-8] ^= 1 // of the CRC
	check(wrong, 20_000, 20_000, "gzip: invalid checksum")
	check(append(bytes.Clone(whole), "trailer"...), 20_000, 20_000, "unexpected EOF")
}

// utf16Text is a text as PowerShell writes it, with a byte order mark.
func utf16Text(text string, big bool) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestUTF16(t *testing.T) {
	text := "time_µs,größe,size\r\n1.5,\U0001F600,8\r\n" + strings.Repeat("2.5,ä,64\r\n", 20_000)
	for _, big := range []bool{false, true} {
		f, err := Read(bytes.NewReader(utf16Text(text, big)), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][2]float64{{8, 1.5}, {64, 2.5}}, pairs(f.Tables[0])); diff != "" || f.Tables[0].Rows != 20_001 {
			t.Errorf("big %v, %d rows: %s", big, f.Tables[0].Rows, diff)
		}
	}
}

// Runs that follow each other without a title, or without a header, are not averaged; times that
// cannot be are counted.
func TestRunsInAFile(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		f := read(t, text, Options{})
		got := tablesOf(f)
		for _, table := range f.Tables {
			got = append(got, table.Warnings...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	const header = "# Size          Latency (us)\n"
	check("# OSU MPI Latency Test v5.8\n"+header+"8 1\n64 2\n"+header+"8 3\n64 4\n", "OSU MPI Latency Test v5.8: 8=1 64=2", "OSU MPI Latency Test v5.8 (2): 8=3 64=4")
	check(header+"8 1\n64 2\n8 3\n64 4\n", "OSU: 8=1 64=2", "OSU (2): 8=3 64=4", "- the sizes of OSU begin again in line 4: what follows is a table of its own")
	check(header+"8 1\n8 3\n64 4\n", "OSU: 8=2 64=4")
	check("# OSU MPI Latency Test v5.8\n#\n"+header+"#\n8 1\n", "OSU MPI Latency Test v5.8: 8=1")
	check(header+"8 1\n16 -3\n32 nan\n64 0\n", "OSU: 8=1", "2 rows without a usable size or time left out (the first in line 3)",
		"1 row whose time or rate is printed as 0 left out (the first in line 5)")
	check("# OSU MPI Latency Test v5.8\n"+header+"8 1\n# OSU MPI Bcast Latency Test v5.8\n# Size Avg Latency(us)\n# Size  Avg Latency(us)\n8 3\n",
		"OSU MPI Latency Test v5.8: 8=1", "OSU MPI Bcast Latency Test v5.8: 8=3")
}

// With 3 more requests under way, a transaction takes 4 times the inverse of their rate.
func TestNetperfBurst(t *testing.T) {
	f := read(t, "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to x () port 0 AF_INET : first burst 3\n"+
		"bytes  Bytes  bytes    bytes   secs.    per sec\n\n16384  131072 64  64  10.00 80000.00\n16384  131072\n", Options{})
	if diff := cmp.Diff([][2]float64{{64, 50}}, pairs(f.Tables[0])); diff != "" {
		t.Error(diff)
	}
}

// Without a banner the burst is that of the run's own command line, behind the --.
func TestNetperfBurstOption(t *testing.T) {
	banner := "netperf -t TCP_RR -- -r 32 -b 3\nMIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to x () port 0 AF_INET : first burst 3\n" +
		"bytes  Bytes  bytes    bytes   secs.    per sec\n\n16384  131072 32  32  10.00 80000.00\n16384  131072\n"
	run := func(options string) string {
		return "netperf -P 0 -t TCP_RR " + options + " -k\nTHROUGHPUT=10000.00\nTHROUGHPUT_UNITS=Trans/s\n"
	}
	check(t, banner+run("-- -r 64")+run("-- -r 128 -b 6")+run("-b 6 -- -b2 -r 256")+run("-b 6 -- -r 512"),
		"TCP_RR: round trip 32=50 64=100 128=700 256=300 512=100")
}

// A run of which the receiver got nothing has no time, and takes none from the sender's row.
func TestNetperfNothingReceived(t *testing.T) {
	check(t, "MIGRATED UDP STREAM TEST from 0.0.0.0 () port 0 AF_INET to x () port 0 AF_INET\n"+
		"bytes   bytes    secs            #      #   10^6bits/sec\n\n"+
		"212992    1000   10.00     1250000      0    1000.00\n212992           10.00           0              0.00\n\n"+
		"212992    2000   10.00     1250000      0    2000.00\n212992           10.00     1000000            1600.00\n",
		"UDP_STREAM: gap 2000=10",
		"! netperf: the receiver of the run of UDP_STREAM in line 4 got nothing, so the run is left out")
}

// A file of one size is no error of reading.
func TestOneSize(t *testing.T) {
	table := read(t, "size,time_us\n8,1\n8,3\n", Options{}).Tables[0]
	if len(table.Samples) != 1 || table.Samples[0].Mean != 2 || table.Rows != 2 {
		t.Errorf("%+v", table)
	}
}

// A run that failed before its first row is said to be one, whatever else its log has.
func TestFailedRun(t *testing.T) {
	for _, text := range []string{
		"# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n[host:12] *** Process received signal ***\n{\"job\": {\"id\": 7}}\nmpirun noticed that process rank 1 exited on signal 11\n",
		"# OSU MPI Latency Test v5.8\n{\"job\": {\"id\": 7}}\nSegmentation fault\n",
		"[\n  {\"job\": {\"id\": 7}}\n]\n# OSU MPI Latency Test v5.8\nAbort(1)\n",
	} {
		_, err := Read(strings.NewReader(text), "run.log", Options{})
		if err == nil || !strings.Contains(err.Error(), "the output of OSU has no row with a size and a time; did the run fail, or was the output cut off?") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A last row without a line end, 486.43 become 48, is left out with an error, unless its last number
// has as many decimals as those of all rows before, or no value is read from its last field. A last
// line that is no row is left alone.
func TestCutRow(t *testing.T) {
	osu := "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
	full := "# OSU MPI Allreduce Latency Test v5.8\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
	nccl := "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
	for _, c := range []struct {
		text string
		rows int64
		cut  bool
	}{
		{osu + "1 1.5\n2 1.6\n4 48", 2, true},
		{osu + "1 1.5\n2 1.6\n4", 2, true},
		{osu + "1 1.50\n2 1.60\n4 4.8", 2, true},
		{osu + "1 1.50\n2 1.60\n4 4.85", 3, false},
		{osu + "1 1.5\n2 1.61\n4 4.8", 2, true}, // written without trailing zeros
		{osu + "1 1\n2 2\n4 48", 2, true},
		{osu + "0: 1 1.5\n0: 2 1.6\n0: 4 4.8", 3, false},
		{full + "1 2.00 1.00 3.00 1000\n2 2.10 1.00 3.00 10", 2, false},
		{full + "1 2.00 1.00 3.00 1000\n2 2.10 1.00 3.0", 1, true},
		{full + "1 2.00 1.00 3.00 1000\n2 2.10", 1, true},
		{nccl + "8 2 float sum -1 3.10 0.00 0.00 0 3.10 0.00 0.00 0\n16 4 float sum -1 3.20 0.01 0.01 0 3.10 0.00 0.00 0", 4, false},
		{nccl + "8 2 float sum -1 3.10 0.00 0.00 0 3.10 0.00 0.00 0\n16 4 float sum -1 3.20 0.01 0.01 0 3.1", 2, true},
		{"size_bytes,time_us\n1,1.5\n2,1.6\n4,48", 2, true},
		{"size_bytes,time_us\n1,1.5\n2,1.6\n4,4.8", 3, false},
		{"size_bytes,time_us\n1,1.5e-3\n2,1.6e-3\n4,4.8", 2, true},
		{"time_us,size_bytes\n1.5,10\n1.6,20\n4.8,40", 2, true},
		{"note,size_bytes,time_us\na,1,1.5\nb,2,1.6\nc,4,1.", 2, true},
		{"size_bytes,time_us,note\n1,1.5,a\n2,1.6,b\n4,1.8,c", 3, false},
		{"size_bytes,time_us,algo\n1,1.5,ring\n2,1.6,ring\n1,1.8,tree\n2,1.8,tre", 3, true},
		{"size_bytes,time_us,min_us\n1,1.50,1.50\n2,1.60,1.50\n4,4.85", 2, true},
		{"size_bytes,time_us\n1,1.5\n2,1.6\n4,", 2, true},
		{"size_bytes,time_us\n1,\"1.5\"\n2,\"1.6\"\n4,\"4.8", 2, true},
		{osu + "1 1.5\n2 1.6\n4 1.8\n", 3, false},
		{osu + "1 1.5\n2 1.6\n4 1.8\nreal 0m2.18s", 3, false},
	} {
		f, err := Read(strings.NewReader(c.text), "x", Options{})
		damaged := new(Damaged)
		cut := errors.As(err, &damaged) && strings.Contains(err.Error(), "may be cut off")
		if err != nil && !cut {
			t.Fatalf("%q: %v", c.text, err)
		}
		if cut {
			f = damaged.File
		}
		rows := int64(0)
		for _, table := range f.Tables {
			rows += table.Rows
		}
		if rows != c.rows || cut != c.cut {
			t.Errorf("%q: %d rows, error %v", c.text, rows, err)
		}
	}
}

// The last run of netperf is left out if it lacks the row of the receiver, or the unit that the run
// before has.
func TestCutNetperf(t *testing.T) {
	udp := "MIGRATED UDP STREAM TEST from 0.0.0.0 () port 0 AF_INET to x () port 0 AF_INET\n" +
		"bytes   bytes    secs            #      #   10^6bits/sec\n\n212992    1000   10.00     1250000      0    1000.00\n"
	keys := "netperf -t TCP_STREAM -- -m 1000 -k\nTHROUGHPUT=8.00\nTHROUGHPUT_UNITS=10^9bits/s\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{udp + "212992           10.00     1000000            800.00\n" + udp, []string{"UDP_STREAM: 1000=10"}},
		{keys + "THROUGHPUT=8.00\n", []string{"TCP_STREAM: 1000=1"}},
		{keys + "THROUGHPUT=9.00\nTHROUGHPUT_UNI", []string{"TCP_STREAM: 1000=1"}},
	} {
		_, err := Read(strings.NewReader(c.text), "x", Options{})
		damaged := new(Damaged)
		if !errors.As(err, &damaged) || !strings.HasSuffix(err.Error(), ": the last run of netperf is cut off here, so it is left out") {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		for i, table := range tablesOf(damaged.File)[:1] {
			if table != c.want[i] {
				t.Errorf("%q: %q, want %q", c.text, table, c.want[i])
			}
		}
		if len(damaged.File.Tables) != 1 || damaged.File.Tables[0].Rows != 1 {
			t.Errorf("%q: %+v", c.text, damaged.File.Tables)
		}
	}
}

// Fewer than 1 % of invalid rows of CSV are left out, counted and named by their lines; at 1 % the
// file is refused, as is one without a valid row.
func TestFewBadRows(t *testing.T) {
	file := func(good int, bad ...string) string {
		text := "size_bytes,time_us\n"
		for i := range good {
			text += fmt.Sprintf("%d,%d\n", 1+i%8, 10+i%8)
			if i < len(bad) {
				text += bad[i] + "\n"
			}
		}
		return text
	}
	check := func(text string, good int64, want string) {
		t.Helper()
		f, err := Read(strings.NewReader(text), "x.csv", Options{})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
		damaged := new(Damaged)
		if errors.As(err, &damaged) != (good > 0) || f != nil {
			t.Fatalf("file %v, error %T", f, err)
		}
		if good > 0 && damaged.File.Tables[0].Rows != good {
			t.Errorf("%d rows, want %d", damaged.File.Tables[0].Rows, good)
		}
	}
	const number = `x.csv:3: time "x" is not a number; mend or remove the row`
	check(file(99, "4,x"), 0, number)
	check(file(100, "4,x"), 100, number+"; 1 of 101 rows left out")
	check(file(300, "4,x", "-4,1", "5"), 300, number+"; 3 of 303 rows left out, also in line 5, 7")
	check(file(2000, "4,x", "4,x", "4,x", "4,x", "4,x", "4,x", "4,x"), 2000,
		number+"; 7 of 2007 rows left out, also in line 5, 7, 9, 11, 13, …")
	check(file(198, "4,x", "y,1"), 0, number+", also in line 5")
	// Lines of JSON are rows as well. A wrong option is no row: no share of it is allowed.
	json := strings.Repeat(`{"size":1,"time_us":2}`+"\n", 150)
	check(json+`{"size":2,"time_us":"?"}`+"\n", 150,
		`x.csv:151: object 151: time "?" is not a number; mend or remove the row; 1 of 151 rows left out`)
	_, err := Read(strings.NewReader(file(1000)), "x.csv", Options{Pool: []string{"run"}})
	if damaged := new(Damaged); errors.As(err, &damaged) || err == nil {
		t.Errorf("a wrong option: %v", err)
	}
}
