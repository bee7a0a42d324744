package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

// aFleet is a folder with the pairs of 12 nodes, of which node 7 is slow, among files that are no
// benchmark's output and one that is cut off.
func aFleet(t *testing.T, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for a := range 12 {
		for b := range a {
			slow := 1.0
			if a == 7 || b == 7 {
				slow = 1.2
			}
			text := "size_bytes,time_us\n"
			for n := 8.0; n <= 1<<20; n *= 4 {
				text += fmt.Sprintf("%.0f,%.4f\n", n, slow*(2+n/1000)*(1+0.01*random.NormFloat64()))
			}
			write(fmt.Sprintf("rack-%d/pair_n%d_n%d.csv", a%3, a, b), text)
		}
	}
	write("rack-1/README", "nothing measured here\n")
	write("rack-2/pair_n50_n51.csv.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\xce\xac\x4a")
	return dir
}

// shown is all that is shown of a fleet.
func shown(t *testing.T, in Reading, o Options) string {
	t.Helper()
	a, err := Analyse(in, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, a.Broken)
	for _, view := range []reports.View{{Format: reports.Text}, {Format: reports.JSON}} {
		for _, rows := range []reports.Rows{a.FindingRows(), a.GroupRows(), a.SkippedRows(), a.WorstRows()} {
			if err := view.Write(&b, rows); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Document().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// However a fleet is divided, and in whatever order its parts are given, all that is shown is what
// one process shows; also of what could not be read.
func TestPartsOfFleet(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	now, before := aFleet(t, 1), aFleet(t, 2)
	o := Options{Name: "pair_{a}_{b}.csv*", MinEffect: 0.01, FDR: 0.05, All: true}
	for _, before := range []string{"", before} {
		q := Question{Roots: []string{now}, Before: before, Options: o}
		all, err := Load(t.Context(), q.Roots, q.Before, o, Reader{})
		if err != nil {
			t.Fatal(err)
		}
		want := shown(t, all, o)
		if before == "" && (!strings.Contains(want, "could not be read to the end") || !strings.Contains(want, "n50_n51") || !strings.Contains(want, "n7")) {
			t.Fatalf("%.3000s", want)
		}
		for _, count := range []int{1, 7, 64} {
			dir := t.TempDir()
			var paths []string
			for i := 1; i <= count; i++ {
				which := shard.Shard{Index: i, Count: count}
				paths = append(paths, filepath.Join(dir, fmt.Sprint("part-", i)))
				if err := WritePart(t.Context(), atomicfile.Files{}, paths[i-1], q, which, Reader{}, nil); err != nil {
					t.Fatal(err)
				}
			}
			random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			in, asked, err := MergeParts(paths)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(t, in, asked.Options); got != want {
				t.Errorf("%d shards, before %q: another answer", count, before)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != count {
				t.Errorf("left behind: %q", left)
			}
		}
	}
}

// A shard that is interrupted keeps what it read, and goes on with the rest; the answer is that of
// one that was not.
func TestFleetInterrupted(t *testing.T) {
	now, before := aFleet(t, 1), aFleet(t, 2)
	o := Options{Name: "pair_{a}_{b}.csv*", MinEffect: 0.01, FDR: 0.05, All: true}
	q := Question{Roots: []string{now}, Before: before, Options: o}
	all, err := Load(t.Context(), q.Roots, q.Before, o, Reader{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "part-1")
	run := func(files int) (resumed int64, err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		err = WritePart(ctx, atomicfile.Files{}, path, q, shard.Shard{Index: 1, Count: 1}, Reader{Workers: 1, Progress: func(int) {
			if files--; files == 0 {
				stop()
			}
		}}, func(n int64) { resumed = n })
		return resumed, err
	}
	for i, want := range []int64{0, 10, 70} { // of 136 files, half of them before
		resumed, err := run([]int{10, 60, 3}[i])
		if resumed != want || err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("interrupted: %d files read, and kept in ", want+[]int64{10, 60, 3}[i])) {
			t.Fatal(resumed, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if resumed, err := run(0); resumed != 73 || err != nil {
		t.Fatal(resumed, err)
	}
	in, asked, err := MergeParts([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	if shown(t, in, asked.Options) != shown(t, all, o) {
		t.Error("another answer after interruptions")
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// Names of files that are not UTF-8 stay apart in parts, and so do those that look quoted.
func TestFleetNames(t *testing.T) {
	names := []string{"a\xff", "a\xfe", "a\ufffd", `"a\xff"`, `"a`, "ä", "<\u2028\x00"}
	for i, name := range names {
		r := Record{Entry: Entry{Path: name, Source: "/" + name,
			Curves: []Curve{{Nodes: []string{name, "b"}, Group: Group{Labels: name}}}, Skipped: []Skipped{{Reason: name}}}}
		q := Question{Roots: []string{name}, Before: name, Options: Options{Name: name}}
		text, err := encode(r)
		question, errQuestion := encode(q)
		back, errBack := decode[Record](text)
		asked, errAsked := decode[Question](question)
		if err = errors.Join(err, errQuestion, errBack, errAsked); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, r) || !reflect.DeepEqual(asked, q) || r.Entry.Path != names[i] || r.Entry.Curves[0].Nodes[0] != name {
			t.Errorf("%q: %+v, %+v", name, back, asked)
		}
	}
	dir := t.TempDir()
	for i := range 12 {
		path := filepath.Join(dir, "pair-"+string([]byte{0xf0 + byte(i)})+".csv")
		if err := os.WriteFile(path, []byte(fmt.Sprintf("size_bytes,time_us\n8,%d\n64,3\n4096,9\n", 1+i%2)), 0o666); err != nil {
			t.Skip(err) // a file system that has no such names
		}
	}
	o := Options{FDR: 0.05, All: true}
	all, err := Load(t.Context(), []string{dir}, "", o, Reader{})
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(t.TempDir(), "part")
	if err := WritePart(t.Context(), atomicfile.Files{}, part, Question{Roots: []string{dir}, Options: o}, shard.Shard{Index: 1, Count: 1}, Reader{}, nil); err != nil {
		t.Fatal(err)
	}
	in, _, err := MergeParts([]string{part})
	if err != nil || !reflect.DeepEqual(in, all) {
		t.Error(err, "another reading")
	}
}

// A shard that is killed goes on from what it saved until then.
func TestFleetKilled(t *testing.T) {
	defer func(d time.Duration) { atomicfile.SaveEvery = d }(atomicfile.SaveEvery)
	atomicfile.SaveEvery = 0
	q := Question{Roots: []string{aFleet(t, 1)}, Options: Options{Name: "pair_{a}_{b}.csv*", FDR: 0.05}}
	all, err := Load(t.Context(), q.Roots, "", q.Options, Reader{})
	if err != nil {
		t.Fatal(err)
	}
	path, killed := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "part")
	which := shard.Shard{Index: 1, Count: 1}
	files := 0
	err = WritePart(t.Context(), atomicfile.Files{}, path, q, which, Reader{Workers: 1, Progress: func(int) {
		if files++; files != 40 {
			return
		}
		for _, end := range []string{".partial", ".partial.state"} { // what a process leaves that is killed now
			text, err := os.ReadFile(path + end)
			if err = errors.Join(err, os.WriteFile(killed+end, text, 0o666)); err != nil {
				t.Error(err)
			}
		}
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var resumed int64
	if err := WritePart(t.Context(), atomicfile.Files{}, killed, q, which, Reader{}, func(n int64) { resumed = n }); err != nil || resumed != 40 {
		t.Fatal(resumed, err)
	}
	in, _, err := MergeParts([]string{killed})
	if err != nil || !reflect.DeepEqual(in, all) {
		t.Error(err, "another reading")
	}
	want, _ := os.ReadFile(path)
	if got, _ := os.ReadFile(killed); !bytes.Equal(got, want) {
		t.Error("another part")
	}
}

// What could not be read is counted by file, not by output, and that of before apart.
func TestFleetFaults(t *testing.T) {
	good := Curve{Group: Group{Benchmark: "b", Sizes: 1, First: 8, Last: 8}, Latency: 1}
	broken := []Skipped{{Reason: "x", Fault: true}, {Reason: "y", Fault: true}, {Reason: "z"}}
	in := Reading{
		Now:    []Entry{{Path: "a", Curves: []Curve{good}, Skipped: broken}, {Path: "b", Skipped: broken[2:]}},
		Before: []Entry{{Path: "a", Curves: []Curve{good}}},
	}
	for _, want := range []string{"1 file could not be read to the end", "1 file of now and 1 of before could not be read to the end"} {
		if a, err := Analyse(in, Options{}); err != nil || a.Broken == nil || a.Broken.Error() != want {
			t.Errorf("%v, %v, want %q", a, err, want)
		}
		in.Before[0].Skipped = broken
	}
	// The band over the fleet has the quantiles of the table: type 7.
	if q := stats.Quantile([]float64{1, 2, 4}, 0.25); q != 1.5 {
		t.Error(q)
	}
}

// A part that is made again reads what is new or has changed, and nothing else; it is that of a
// first reading.
func TestIncrements(t *testing.T) {
	dir := aFleet(t, 1)
	q := Question{Roots: []string{dir}, Options: Options{Name: "pair_{a}_{b}.csv*", FDR: 0.05}}
	path, which := filepath.Join(t.TempDir(), "part"), shard.Shard{Index: 1, Count: 1}
	write := func(path string) (known int64, part []byte) {
		t.Helper()
		err := WritePart(t.Context(), atomicfile.Files{}, path, q, which, Reader{}, func(n int64) { known = n })
		if err == nil {
			part, err = os.ReadFile(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return known, part
	}
	_, first := write(path)
	name := filepath.Join(dir, "rack-0", "pair_n9_n0.csv")
	info, err := os.Stat(name)
	text, errRead := os.ReadFile(name)
	text[len(text)-2] ^= 1 // a digit
	if err = errors.Join(err, errRead, os.WriteFile(name, text, 0o666), os.Chtimes(name, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if known, again := write(path); known != 67 || !bytes.Equal(first, again) { // all but the damaged one
		t.Errorf("%d files known, and files that have not changed were read", known)
	}
	err = errors.Join(os.Chtimes(name, time.Time{}, info.ModTime().Add(time.Second)), os.WriteFile(filepath.Join(dir, "pair_n12_n0.csv"), text, 0o666),
		os.Remove(filepath.Join(dir, "rack-0", "pair_n3_n0.csv")))
	if err != nil {
		t.Fatal(err)
	}
	_, again := write(path)
	if _, fresh := write(path + "-fresh"); bytes.Equal(first, again) || !bytes.Equal(fresh, again) {
		t.Error("not the part of a first reading")
	}
}
