package trace

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	// Any order, other columns between, CR LF, a byte order mark, comments, no last line end.
	check("\ufeffnode,time_us,note,size_bytes\r\nn1,2000,\"a, b\",1024\r\n\r\n# later\r\nn1,3000,,2048", Options{}, OneWay, a, b)
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
// (4+1+0+9)/3; the median of an even number is the lower middle one, to 1 %.
func TestAggregate(t *testing.T) {
	f := read(t, "size,time_us\n64,1\n128,5\n64,2\n64,3\n64,6\n", Options{})
	got := f.Tables[0].Samples
	if math.Abs(float64(got[0].Median)-2) > 0.02 {
		t.Errorf("median %v, want 2 within 1 %%", got[0].Median)
	}
	got[0].Median = 2
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
	var text bytes.Buffer
	text.WriteString("size,time_us\n")
	const n = 3 * MaxSizes
	for i := range n {
		size := (i*7919)%n + 1 // every size once, out of order
		text.WriteString(itoa(size) + "," + itoa(10+3*size) + "\n")
	}
	f := read(t, text.String(), Options{})
	table := f.Tables[0]
	if len(table.Samples) > MaxSizes || len(table.Samples) < MaxSizes/4 {
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
	check("", Options{}, "x.csv: the file is empty")
	check("\x7fELF\x00\x00", Options{}, "x.csv: a binary file; wanted is the text that a benchmark printed")
	check("PK\x03\x04", Options{}, "x.csv: a zip archive (or spreadsheet); unpack it, or save it as CSV; wanted is the text that a benchmark printed")
	check("\x1f\x8bxxxxxxxxxxx", Options{}, "x.csv: broken gzip file: gzip: invalid header")
	check("hello\nworld\n", Options{}, "x.csv: no table of sizes and times in 2 lines; known are "+Known)
	check("size,time\n1,2\n", Options{}, `x.csv:1: column "time" has no unit; write it as "time_us", or give the unit with --y time:us`)
	check("1,2\n3,4\n", Options{}, `x.csv:1: numbers without a header; write one such as "size_bytes,time_us", or give columns and units with --x 1:bytes --y 2:us`)
	check("size,time_us\n1,2\n4,NaN\n", Options{}, `x.csv:3: time "NaN" is not a number; mend or remove the row`)
	check("size,time_us\n1,2\n4,abc\n5,x\n", Options{}, `x.csv:3: time "abc" is not a number; mend or remove the row (and 1 row more)`)
	check("size,time_us\n1,2\nx,3\n", Options{}, `x.csv:3: size "x" is not a number; mend or remove the row`)
	check("size,time_us\n1,-2\n", Options{}, `x.csv:2: time -2 is not above 0; mend or remove the row`)
	check("size,time_us\n1,0\n", Options{}, `x.csv:2: time 0 is not above 0; mend or remove the row`)
	check("size,time_us\n-1,2\n", Options{}, `x.csv:2: size -1 is negative; mend or remove the row`)
	check("size,time_us\n1.5,2\n", Options{}, `x.csv:2: size 1.5 is not a whole number of bytes; mend or remove the row, or give the unit of sizes with --x`)
	check("size,time_us\n1e30,2\n", Options{}, `x.csv:2: size 1e30 is above 8 PiB; mend or remove the row`)
	check("size,time_us\n1,2\n7\n8,9\n", Options{}, `x.csv:3: 1 value, want the 2 of the header; mend or remove the row`)
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

// Numbers are strconv's to the last bit.
func TestParse(t *testing.T) {
	check := func(text string, want float64, exp int) {
		t.Helper()
		if got, ok := parse([]byte(text)); !ok || got.value != want || got.exp != exp {
			t.Errorf("parse(%q) = %v %v, want %v·10^%d", text, got, ok, want, exp)
		}
	}
	check("0", 0, 0)
	check("1048576", 1048576, 0)
	check("0.00000030", 3e-7, -8)
	check("-12.5", -12.5, -1)
	check("123456789.123456789", 123456789.123456789, -9)
	check("4.5e-07", 4.5e-7, -8)
	check("1E3", 1000, 3)
	check("9007199254740993", 9007199254740992, 0) // 2⁵³+1 rounds to even
	for _, text := range []string{"", ".", "-", "NaN", "inf", "0x10", "1_000", "1e", "1.2.3", "12us", "1e999"} {
		if got, ok := parse([]byte(text)); ok {
			t.Errorf("parse(%q) = %v, want no number", text, got)
		}
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

// Of a gzip file that is cut off, what is whole is read.
func TestCutGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	var text strings.Builder
	text.WriteString("size,time_us\n")
	for i := range 20_000 {
		text.WriteString(itoa(i+1) + "," + itoa(1+(i*7919)%1000) + "\n")
	}
	if _, err := z.Write([]byte(text.String())); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(packed.Bytes()[:packed.Len()/2]), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Tables[0].Rows; n < 1000 || n >= 20_000 || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "unexpected EOF") {
		t.Errorf("%d rows, warnings %q", n, f.Warnings)
	}
}

func TestBetween(t *testing.T) {
	table := read(t, "size,time_us\n1,1\n2,2\n3,3\n4,4\n", Options{}).Tables[0]
	if diff := cmp.Diff([][2]float64{{2, 2}, {3, 3}}, pairs(table.Between(2, 3))); diff != "" || len(table.Samples) != 4 {
		t.Errorf("%d samples left; %s", len(table.Samples), diff)
	}
}
