package benchfile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tablesOf is a file as lines: tables with their sizes and times, then notes.
func tablesOf(f *File) (lines []string) {
	for _, t := range f.Tables {
		s := t.Name() + ":"
		for _, p := range pairs(t) {
			s += fmt.Sprintf(" %v=%v", p[0], p[1])
		}
		lines = append(lines, s)
	}
	for _, n := range f.Notes {
		lines = append(lines, "- "+n)
	}
	return lines
}

func TestDimensions(t *testing.T) {
	check := func(text string, o Options, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, tablesOf(read(t, text, o))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	const nodes = "nodes,bytes,time_us\n2,8,1\n2,64,2\n4,8,3\n4,64,4\n"
	const note = `- column "nodes" separates tables (2, 4); pool=nodes merges them`
	check(nodes, Options{}, "nodes=2: 8=1 64=2", "nodes=4: 8=3 64=4", note)
	// Interleaved, as text, and in any column.
	check("bytes,time_us,cluster\n8,1,a\n8,3,b\n64,2,a\n64,4,b\n", Options{}, "cluster=a: 8=1 64=2", "cluster=b: 8=3 64=4",
		`- column "cluster" separates tables (a, b); pool=cluster merges them`)
	// The ranks and nodes of a collective separate tables, which its fit takes together: no note.
	check(nodes, Options{Collective: "allreduce"}, "nodes=2: 8=1 64=2", "nodes=4: 8=3 64=4")
	// Algorithms are never repeats of one, although the sizes of one table are not those of another.
	check("algorithm,size,time_us\na,8,1\na,64,2\nb,64,3\nb,4096,4\n", Options{}, "algorithm=a: 8=1 64=2", "algorithm=b: 64=3 4096=4",
		`- column "algorithm" separates tables (a, b); pool=algorithm merges them`)
	// Options decide otherwise.
	check(nodes, Options{Pool: []string{"nodes"}}, "csv: 8=2 64=3")
	check(nodes, Options{Pool: []string{"1"}}, "csv: 8=2 64=3")
	check("run,size,time_us\n1,8,1\n1,64,2\n2,8,3\n2,64,4\n", Options{}, "csv: 8=2 64=3",
		`- column "run" has 2 values for the same sizes, which are merged (group=run separates them)`)
	check("run,size,time_us\n1,8,1\n1,64,2\n2,8,3\n2,64,4\n", Options{Group: []string{"run"}}, "run=1: 8=1 64=2", "run=2: 8=3 64=4")
	check("host,size,time_us\na,8,1\na,64,2\nb,8,3\nb,64,4\n", Options{Pool: []string{"host"}}, "csv: 8=2 64=3")
	check("host,size,time_us\na,8,1\na,64,2\nb,8,3\nb,64,4\n", Options{}, "a: 8=1 64=2", "b: 8=3 64=4")
	// Two dimensions; one that follows from another is not named again.
	check("nodes,ppn,bytes,time_us\n2,1,8,1\n2,1,64,2\n2,4,8,3\n2,4,64,4\n4,1,8,5\n4,1,64,6\n4,4,8,7\n4,4,64,8\n", Options{},
		"nodes=2 ppn=1: 8=1 64=2", "nodes=2 ppn=4: 8=3 64=4", "nodes=4 ppn=1: 8=5 64=6", "nodes=4 ppn=4: 8=7 64=8", note,
		`- column "ppn" separates tables (1, 4); pool=ppn merges them`)
	check("nodes,racks,bytes,time_us\n2,1,8,1\n2,1,64,2\n4,2,8,3\n4,2,64,4\n", Options{}, "nodes=2: 8=1 64=2", "nodes=4: 8=3 64=4", note)
	// One size, and an experiment that is cut off.
	check("nodes,bytes,time_us\n2,8,1\n4,8,3\n", Options{}, "nodes=2: 8=1", "nodes=4: 8=3", note)
	check("nodes,bytes,time_us\n2,8,1\n2,64,2\n4,8,3\n4,64,4\n8,8,5\n", Options{}, "nodes=2: 8=1 64=2", "nodes=4: 8=3 64=4", "nodes=8: 8=5",
		`- column "nodes" separates tables (2, 4, 8); pool=nodes merges them`)
	// What follows from the size, is constant, or is a result tells nothing apart.
	check("bytes,count,nodes,time_us,errors,busbw,p99,foo_us\n8,1,2,1,0,3,1,7\n64,8,2,2,0,4,2,7\n8,1,2,3,1,5,3,8\n64,8,2,4,1,6,4,8\n", Options{}, "csv: 8=2 64=3",
		`- line 1: column "time_us" is read; not read: "foo_us"`)
	check("bytes,time_us,load\n8,1,0.113\n8,3,0.127\n64,2,0.119\n64,4,0.151\n", Options{}, "csv: 8=2 64=3",
		`- column "load" has 4 values for the same sizes, which are merged (group=load separates them)`)
	check("bytes,time_us,load\n8,1,0.113\n8,3,0.127\n", Options{}, "csv: 8=2",
		`- column "load" has 2 values for the same sizes, which are merged (group=load separates them)`)
	check(",bytes,time_us\n0,8,1\n1,8,3\n", Options{}, "csv: 8=2", // the index of pandas
		`- column "1" has 2 values for the same sizes, which are merged (group=1 separates them)`)
	// Without a header.
	check("2,8,1\n2,64,2\n4,8,3\n4,64,4\n", Options{X: "2:B", Y: "3:us"}, "column 1=2: 8=1 64=2", "column 1=4: 8=3 64=4",
		`- column "1" separates tables (2, 4); pool=1 merges them`)
	// A header that comes again, and another one.
	check("size,time_us\n8,1\nsize,time_us\n8,3\n", Options{}, "csv: 8=1", "csv (2): 8=3",
		"- the header comes again in line 3: what follows is a table of its own")
	check("size,time_us\nsize,time_us\n8,1\n", Options{}, "csv: 8=1")
	check("size,time_us\n8,1\nbytes,latency_us\n8,3\n", Options{}, "csv: 8=1", "csv (2): 8=3")
}

// A column of more values than are kept apart is pooled on the way, and nothing of the rows is
// lost: the mean, variance and median are those of a file without the column.
func TestManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	var with, without strings.Builder
	with.WriteString("stamp,tag,size,time_us\n")
	without.WriteString("size,time_us\n")
	for i := range 20_000 {
		row := fmt.Sprintf("%d,%.3f\n", 8<<random.IntN(8), 1+random.Float64())
		fmt.Fprintf(&with, "%d,%d,%s", i, random.IntN(100), row)
		without.WriteString(row)
	}
	got := read(t, with.String(), Options{Pool: []string{"tag"}})
	want := read(t, without.String(), Options{})
	if diff := cmp.Diff([]string{`column "stamp" has 1024 values or more: rows of the same size are merged (group=stamp separates them)`}, got.Notes); diff != "" {
		t.Error(diff)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a+b) })
	if len(got.Tables) != 1 {
		t.Fatalf("%d tables", len(got.Tables))
	}
	if diff := cmp.Diff(want.Tables[0].Samples, got.Tables[0].Samples, near, cmp.Transformer("line", func(s Sample) [7]float64 {
		return [7]float64{float64(s.Size), float64(s.Count), float64(s.Mean), float64(s.Min), float64(s.Max), float64(s.Median), s.Variance}
	})); diff != "" {
		t.Error(diff)
	}
	// Tables of several rows of a size that are put together keep their median.
	runs := read(t, "run,size,time_us\n1,8,1\n1,8,2\n1,8,3\n2,8,4\n2,8,50\n2,8,60\n2,8,70\n", Options{}).Tables[0].Samples[0]
	if runs.Median != 4 || runs.Count != 7 || runs.Line != 2 {
		t.Errorf("median %v of %d rows, want 4", runs.Median, runs.Count)
	}
	// So is what makes more combinations than are kept apart, the most of them first.
	var wide strings.Builder
	wide.WriteString("nodes,a,b,c,bytes,time_us\n")
	for i := range 10_000 {
		fmt.Fprintf(&wide, "%d,%d,%d,%d,%d,%d\n", 2<<(i%2), random.IntN(1000), random.IntN(1000), random.IntN(1000), 8<<(i/2%8), 1+i%2)
	}
	f := read(t, wide.String(), Options{})
	if got := tablesOf(f); len(f.Tables) != 2 || got[0] != "nodes=2: 8=1 16=1 32=1 64=1 128=1 256=1 512=1 1024=1" || len(f.Notes) != 4 {
		t.Errorf("%d tables, %.200q", len(f.Tables), strings.Join(got, "; "))
	}
	if _, err := Read(strings.NewReader(with.String()), "x.csv", Options{Group: []string{"stamp"}}); err == nil || !strings.Contains(err.Error(), "more than 4096 tables") {
		t.Error(err)
	}
}

// TestPlanted plants experiments under random names and sizes, and finds every one of them again.
func TestPlanted(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	for range 200 {
		a, b, sizes, repeats := 2+random.IntN(4), 1+random.IntN(3), 2+random.IntN(6), 1+random.IntN(3)
		var rows []string
		for i := range a {
			for j := range b {
				for n := range sizes {
					for range repeats {
						rows = append(rows, fmt.Sprintf("%d,%c,%d,%d", 2<<i, 'x'+j, 8<<n, 1+100*i+10*j))
					}
				}
			}
		}
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		f := read(t, "nodes,net,bytes,time_us\n"+strings.Join(rows, "\n")+"\n", Options{})
		if len(f.Tables) != a*b {
			t.Fatalf("%d tables, want %d by %d", len(f.Tables), a, b)
		}
		for _, table := range f.Tables {
			for _, s := range table.Samples {
				if s.Min != s.Max || s.Count != int64(repeats) || len(table.Samples) != sizes {
					t.Fatalf("%s: %+v", table.Name(), s)
				}
			}
		}
	}
}

// A table says what it measured, from its header, the command line before it, or the file's name.
func TestCollectives(t *testing.T) {
	check := func(name, text string, kind Kind, want CollectiveOp) {
		t.Helper()
		f, err := Read(strings.NewReader(text), name, Options{Y: ""})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Tables[0]; got.Kind != kind || got.Collective != want {
			t.Errorf("%s, %.40q: %v %+v, want %v %+v", name, text, got.Kind, got.Collective, kind, want)
		}
	}
	osu := func(title string) string {
		return "# OSU MPI " + title + " Test v5.8\n# Size Avg Latency(us)\n# Size       Avg Latency(us)\n8 1.5\n"
	}
	check("x", osu("Allreduce Latency"), Collective, CollectiveOp{Name: "allreduce"})
	check("x", "$ srun -N 2 -n 16 ./osu_allreduce\n"+osu("Allreduce Latency"), Collective, CollectiveOp{Name: "allreduce", Ranks: 16, PerNode: 8, Nodes: 2})
	check("x", "$ flux submit -N 2 -n 16 osu_allreduce\n"+osu("Allreduce Latency"), Collective, CollectiveOp{Name: "allreduce", Ranks: 16, PerNode: 8, Nodes: 2})
	check("x", "jsrun -n 4 -a 2 -c 1 -r 2 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 8, PerNode: 4, Nodes: 2})
	check("x", "time jsrun -n 4 -a 2 -c 1 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 8})
	check("np32/allgather_np64.out", osu("Allgather Latency"), Collective, CollectiveOp{Name: "allgather", Ranks: 64, PerRank: true})
	check("x", osu("All-to-All Personalized Exchange Latency"), Collective, CollectiveOp{Name: "alltoall", PerRank: true})
	check("x", osu("Non-blocking Allreduce Latency"), Collective, CollectiveOp{Name: "iallreduce"})
	check("x", osu("Neighborhood Allgather Latency"), Collective, CollectiveOp{Name: "neighbor_allgather", PerRank: true})
	check("x", osu("Reduce_scatter Latency"), Collective, CollectiveOp{Name: "reduce_scatter"})
	check("x", osu("Latency"), OneWay, CollectiveOp{})
	const imb = "#---\n# Benchmarking %s \n# #processes = 4 \n#---\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 1000 1 2 1.5\n"
	check("x", fmt.Sprintf(imb, "Alltoall"), Collective, CollectiveOp{Name: "alltoall", Ranks: 4, PerRank: true})
	check("x", fmt.Sprintf(imb, "Iallreduce_pure"), Collective, CollectiveOp{Name: "iallreduce", Ranks: 4})
	check("x", fmt.Sprintf(imb, "Exchange"), Operation, CollectiveOp{})
	const nccl = "#   Rank  0 Pid 1 on h device  0\n#   Rank  1 Pid 1 on h device  1\n" +
		"#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n8 2 float sum 35.20 0 0 0 34 0 0 0\n"
	check("x", nccl, Collective, CollectiveOp{Ranks: 2, PerNode: 2, Nodes: 1})
	check("runs/all_reduce-8.log", nccl, Collective, CollectiveOp{Name: "allreduce", Ranks: 2, PerNode: 2, Nodes: 1})
	check("x", "# Collective test starting: reduce_scatter_perf\n"+nccl, Collective, CollectiveOp{Name: "reduce_scatter", Ranks: 2, PerNode: 2, Nodes: 1})
	check("x", "# Collective test starting: sendrecv_perf\n"+nccl, OneWay, CollectiveOp{Name: "sendrecv", Ranks: 2, PerNode: 2, Nodes: 1})
	const csv = "algorithm,np,op,bytes,time_us\nring,8,MPI_Allreduce,8,1\nring,8,MPI_Allreduce,64,2\n"
	check("x.csv", csv, Collective, CollectiveOp{Name: "allreduce", Ranks: 8, Algorithm: "ring"})
	check("bcast_core.csv", "bytes,time_us\n8,1\n64,2\n", Collective, CollectiveOp{Name: "bcast"})
	check("x.csv", "bytes,time_us\n8,1\n64,2\n", OneWay, CollectiveOp{})
	check("preduced.csv", "bytes,time_us\n8,1\n64,2\n", OneWay, CollectiveOp{})
	check("bcast.csv", "algorithm,p,n,time_us\n6,8,8,1\n6,8,64,2\n6,16,8,1\n6,16,64,2\n2,8,8,1\n2,8,64,2\n2,16,8,1\n2,16,64,2\n", Collective, CollectiveOp{Name: "bcast", Ranks: 8, Algorithm: "6"})
	check("all_reduce-16-256-1.out", osu("Allreduce Latency"), Collective, CollectiveOp{Name: "allreduce", Ranks: 256, PerNode: 16, Nodes: 16})
	check("all_reduce-16-250-1.out", osu("Allreduce Latency"), Collective, CollectiveOp{Name: "allreduce"})
	check("bcast_alg6.out", osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Algorithm: "6"})
	check("x", "mpirun -np 8 --mca coll_tuned_bcast_algorithm 6 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 8, Algorithm: "6"})
	check("x", "mpirun -np 8 --mca coll_tuned_reduce_algorithm 6 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 8})
	check("x", "mpirun -H a:4,b:4 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 8})
	check("x", "mpiexec -ppn 4 -hosts a,b,c osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 12, PerNode: 4, Nodes: 3})
	check("x", "srun -N 4 --ntasks-per-node=16 osu_bcast\n"+osu("Broadcast Latency"), Collective, CollectiveOp{Name: "bcast", Ranks: 64, PerNode: 16, Nodes: 4})
	check("x", osu("Allreduce Latency")+"\n"+`{"name":"shell.start","context":{"taskmap":{"version":1,"map":[[0,3,96,1],[3,1,4,2]]}}}`+"\n", Collective, CollectiveOp{Name: "allreduce", Ranks: 296})
	check("x.csv", "0,MPI_Alltoall,8,1.0,5e+00\n", Collective, CollectiveOp{Name: "alltoall", PerRank: true})
}

// A number of ranks that is none is not used, and the file's warnings say so.
func TestWrongPlacement(t *testing.T) {
	for _, number := range []string{"1.5", "-1", "0", "four"} {
		f, err := Read(strings.NewReader("nodes,ranks_per_node,bytes,time_us\n2,"+number+",8,1\n2,"+number+",64,2\n"), "allreduce.csv", Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("column ranks_per_node: %q is no whole number above 0, so it is not used", number)
		if got := f.Tables[0].Collective; got != (CollectiveOp{Name: "allreduce", Nodes: 2}) || !slices.Contains(f.Warnings, want) {
			t.Errorf("%s ranks on a node: %+v, %q", number, got, f.Warnings)
		}
	}
}

// The slowest rank is kept apart from the average over ranks, and from the largest of all rows.
func TestSlowestRank(t *testing.T) {
	read := func(name, text string) Table {
		t.Helper()
		f, err := Read(strings.NewReader(text), name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Tables[0]
	}
	osu := "# OSU MPI Broadcast Latency Test v5.7\n# Size   Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n8   2.00   1.00   5.00   1000\n16   3.00   1.00   6.00   1000\n"
	if s := read("x", osu).Samples[0]; s.Mean != 2 || s.Slowest != 5 {
		t.Errorf("%+v, want 2 and 5", s)
	}
	if s := read("bcast.csv", "bytes,time_us,max\n8,2,5\n8,4,7\n64,3,6\n").Samples[0]; s.Mean != 3 || s.Slowest != 6 || s.Max != 7 {
		t.Errorf("%+v, want 3, 6 and 7", s)
	}
	if s := read("latency.csv", "bytes,time_us,max\n8,2,5\n64,3,6\n").Samples[0]; s.Slowest != 0 {
		t.Errorf("a message has a slowest rank: %+v", s)
	}
	if s := read("x", strings.ReplaceAll(osu, "Max Latency(us)", "Any Latency(us)")).Samples[0]; s.Slowest != 0 {
		t.Errorf("a slowest rank of nowhere: %+v", s)
	}
}

// The rows of a small table are held as they are, and aggregated when a size comes again.
func TestHeldRows(t *testing.T) {
	p := parser{file: &File{}, tableLimit: 1}
	b := p.begin(Table{})
	for n := range 5 {
		b.add(row{size: float64(n), time: 1}, n)
	}
	if len(b.held) != 5 || b.sizes != nil || b.table.Rows != 5 || p.usage.sizes != 5 {
		t.Errorf("rows of different sizes are not held: %+v", b)
	}
	b.add(row{size: 2, time: 3}, 6)
	if b.held != nil || len(b.sizes) != 5 || b.table.Rows != 6 || p.usage.sizes != 5 || b.sizes[math.Float64bits(2)].Mean() != 2 {
		t.Errorf("a size that comes again: %+v", b)
	}
}

// Names that begin alike are different names, however long they are.
func TestLongNames(t *testing.T) {
	for _, length := range []int{60, 64, 250, 5000} {
		name := strings.Repeat("p", length)
		rows := fmt.Sprintf("%[1]sa,8,1\n%[1]sa,1024,2\n%[1]sb,8,10\n%[1]sb,1024,20\n", name)
		objects := regexp.MustCompile(`(p+.),(\d+),(\d+)`).ReplaceAllString(rows, `{"config":"$1","bytes":$2,"us":$3}`)
		for _, text := range []string{"config,bytes,us\n" + rows, objects} {
			f := read(t, text, Options{})
			if len(f.Tables) != 2 || f.Tables[0].Samples[0].Mean != 1 || f.Tables[1].Samples[0].Mean != 10 {
				t.Errorf("%d bytes: %d tables, the first with %+v", length, len(f.Tables), f.Tables[0].Samples)
			}
		}
	}
}
