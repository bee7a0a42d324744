package benchfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// slow reads line by line to the end.
var slow = pace{math.MaxInt64, 0}

// outcome is all that reading gives, as text. Floats are exact in it.
func outcome(f *File, err error) string {
	if d := new(Damaged); errors.As(err, &d) {
		f = d.File
	}
	var text strings.Builder
	fmt.Fprintf(&text, "error %v\n", err)
	if f == nil {
		return text.String()
	}
	fmt.Fprintf(&text, "%q, %d lines, %d skipped, %q %q\n", f.Name, f.Lines, f.Skipped, f.Warnings, f.Notes)
	for _, t := range f.Tables {
		fmt.Fprintf(&text, "%q %q %v %+v %d %v %d %v %q %v\n", t.Title, t.Format, t.Kind, t.Collective, t.Line, float64(t.Packet), t.Rows, float64(t.Quantum), t.Warnings, t.Bursts)
		for _, s := range t.Samples {
			fmt.Fprintln(&text, "", float64(s.Size), s.Count, float64(s.Mean), float64(s.Min), float64(s.Max), float64(s.Median), s.Variance, s.Line)
		}
	}
	return text.String()
}

// sameInBlocks fails if a text gives something else when it is read in blocks, on any number of
// processors.
func sameInBlocks(t *testing.T, text []byte, o Options, paces ...pace) {
	t.Helper()
	want := outcome(readAt(slow, bytes.NewReader(text), "x", o))
	for _, pace := range paces {
		if got := outcome(readAt(pace, bytes.NewReader(text), "x", o)); got != want {
			t.Fatalf("%.200q… at %v (-line by line +in blocks):\n%s", text, pace, cmp.Diff(want, got))
		}
	}
}

var paces = []pace{{1, 64}, {16, 200}, {100, 1 << 10}, {1 << 10, 8 << 10}, quick}

// oddLines are what stands in files beside plain rows.
var oddLines = []string{
	"", "# comment", "8,1.5 ", " 8,2.5", "8 , 2", "\"8\",2", "8,\"2.5\"", "8,1e1", "8,+2", "+8,2", "-8,2", "8,-2", "8,0", "8,NaN", "8,", "8", ",", "8,1,2", "8,1,", "8.5,1",
	"8.0,1", "x,y", "8,x", "1234567890123456,1", "8,1.2345678901234567890", "8,0.0000000001", "9999999999999999,1", "8,.5", "8,5.", "8,.", ".,5", "8,1.2.3", "8\t5", "8;5",
	"size_bytes,time_us", "n,latency_ms", "size_bytes,time_us,node", "\x1b[1m8,2\x1b[0m", "8,2\r", "x\r8,2", "0: 8,2", "[1,0]<stdout>:8,2", "2026-01-02 03:04:05 8,2",
	"8,1\x00", "size (KiB);time [ms]", "8,é", "0,3", "00008,3", "9007199254740993,1", "# OSU MPI Latency Test", "all times in ms", "{\"size\":8,\"time_us\":2}",
}

func TestBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	random := rand.New(rand.NewPCG(17, 0))
	heads := []string{"size_bytes,time_us\n", "time_ms,size_kib\n", "run,size_bytes,host,time_us\n", "size;t [ms]\n", "size_bytes\ttime_us\n", "size,bandwidth_mb_s\n", "size_bytes,time_us,min_us\n", "[x],size_bytes,time_us\n", "clock\tsize_bytes\ttime_us\n"}
	row := func(head string) string {
		n, time := random.IntN(40)*8, fmt.Sprintf("%.*f", random.IntN(5), 1+random.Float64()*9)
		switch {
		case strings.HasPrefix(head, "time"):
			return fmt.Sprintf("%s,%d\n", time, n)
		case strings.HasPrefix(head, "run"):
			return fmt.Sprintf("7,%d,node-%d,%s\n", n, 1, time)
		case strings.HasPrefix(head, "size;"):
			return fmt.Sprintf("%d;%s\n", n, time)
		case strings.HasPrefix(head, "clock"):
			return fmt.Sprintf("1%d:34:56\t%d\t%s\n", random.IntN(3), n, time)
		case strings.Contains(head, "\t"):
			return fmt.Sprintf("%d\t%s\n", n, time)
		case strings.Contains(head, "min"):
			return fmt.Sprintf("%d,%s,0.5\n", n, time)
		case strings.HasPrefix(head, "["):
			return fmt.Sprintf("a,%d,%s\n", n, time)
		}
		return fmt.Sprintf("%d,%s\n", n, time)
	}
	for i := range 270 {
		head := heads[i%len(heads)]
		text := []byte(head)
		every := 1 + random.IntN(200)
		for range random.IntN(2000) {
			text = append(text, row(head)...)
			if i%3 > 0 && random.IntN(every) == 0 {
				text = append(append(text, oddLines[random.IntN(len(oddLines))]...), '\n')
			}
		}
		if i%2 == 0 {
			text = bytes.TrimSuffix(text, []byte("\n"))
		}
		if i%7 == 0 {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		o := Options{}
		if i%5 == 0 {
			o.Pool = []string{"2"}
		}
		sameInBlocks(t, text, o, paces[i%4], quick)
	}
}

// More sizes than a block, or a table, keeps apart.
func TestBlocksOfManySizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	random := rand.New(rand.NewPCG(18, 0))
	text := []byte("size_bytes,time_us\n")
	for i := range 70_000 {
		text = fmt.Appendf(text, "%d,%.2f\n", random.IntN(1+i), 1+random.Float64())
	}
	sameInBlocks(t, text, Options{}, paces...)
}

// Times over many orders of magnitude, few of a size, so that all are kept.
func TestBlocksOfWideTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 0))
	text := []byte("size_bytes,time_us\n")
	for range 30_000 {
		text = fmt.Appendf(text, "%d,%.9f\n", random.IntN(300), math.Exp(random.Float64()*28-20))
	}
	sameInBlocks(t, text, Options{}, paces[3], quick)
}

// What does not depend on threads: the result, and where reading fails.
func TestBlocksOnProcessors(t *testing.T) {
	text := csvFile(100_000)
	want := outcome(readAt(slow, bytes.NewReader(text), "x", Options{}))
	for _, n := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		for _, r := range []io.Reader{bytes.NewReader(text), iotest.HalfReader(bytes.NewReader(text)), iotest.DataErrReader(bytes.NewReader(text))} {
			if got := outcome(Read(r, "x", Options{})); got != want {
				t.Fatalf("%d processors: %s", n, cmp.Diff(want, got))
			}
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(text)
	_ = z.Close()
	cut := zipped.Bytes()[:zipped.Len()*2/3]
	want = outcome(readAt(slow, bytes.NewReader(cut), "x", Options{}))
	if got := outcome(Read(bytes.NewReader(cut), "x", Options{})); got != want || !strings.Contains(got, "damaged") {
		t.Error(cmp.Diff(want, got))
	}
	failing := func(p pace) string {
		return outcome(readAt(p, io.MultiReader(bytes.NewReader(text[:700_000]), iotest.ErrReader(errors.New("disk"))), "x", Options{}))
	}
	if got := failing(quick); got != failing(slow) || !strings.Contains(got, "disk") {
		t.Error(cmp.Diff(failing(slow), got))
	}
}

func FuzzBlocks(f *testing.F) {
	for i, line := range oddLines {
		f.Add([]byte("size_bytes,time_us\n8,1.5\n16,2\n"), []byte(line+"\n"), uint8(i), uint8(i))
	}
	f.Add([]byte("time_ms;size (KiB);x\n1;2;3\n2;2;3\n"), []byte("1,5;2;3\n"), uint8(9), uint8(1))
	f.Fuzz(func(t *testing.T, head, line []byte, at, which uint8) {
		// What comes once hides in many rows like the last of the head.
		last := head[bytes.LastIndexByte(bytes.TrimSuffix(head, []byte("\n")), '\n')+1:]
		rows := bytes.Repeat(last, 8)
		text := slices.Concat(head, bytes.Repeat(rows, int(at)%20), line, rows, rows, rows, line)
		sameInBlocks(t, text, Options{}, paces[int(which)%3])
	})
}
