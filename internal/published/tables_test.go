package published

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

var update = flag.Bool("update", false, "make the tables from the published files")

// The tables are what the readers make of the published files.
func TestTables(t *testing.T) {
	folder := sharedtest.Path(t, "data")
	for name, rows := range map[string][][]string{
		"calls.csv.gz": callRows(t, folder), "curves.csv.gz": curvesOf(t, folder),
		"h100-pairs.csv.gz": pairRows(t, folder),
	} {
		path := filepath.Join("testdata", name)
		text := written(t, rows)
		if *update {
			save(t, path, text)
		}
		if !bytes.Equal(unzipped(t, path), text) {
			t.Errorf("%s is not what the published files give; -update makes it", path)
		}
	}
}

// Every file of the tables has a source, and every source is in a table.
func TestSources(t *testing.T) {
	rows, err := rowsOf(strings.NewReader(sourcesFile), sourceColumns)
	if err != nil {
		t.Fatal(err)
	}
	unread := map[string]bool{}
	for _, r := range rows {
		if r["repository"] == "" && r["note"] == "" {
			t.Errorf("%s: no repository, and no note that says why", r["file"])
		}
		unread[r["file"]] = true
	}
	calls, err := Calls()
	if err != nil {
		t.Fatal(err)
	}
	curves, err := Curves()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{"fleet/h100_pairs": true}
	for _, c := range calls {
		files[c.File] = true
	}
	for _, c := range curves {
		files[c.File] = true
	}
	for file := range files {
		if !unread[file] {
			t.Errorf("%s has no source", file)
		}
		delete(unread, file)
	}
	for file := range unread {
		t.Errorf("%s is in no table", file)
	}
}

// A curve is read as the table that it was made of, but for lines, labels, hosts and warnings.
func TestCurves(t *testing.T) {
	curves, err := Of("formats/osu/omb562_latency_alaska_roce_ompi4.txt")
	if err != nil || len(curves) != 1 {
		t.Fatal(len(curves), err)
	}
	c := curves[0]
	last := c.Samples[len(c.Samples)-1]
	if c.Kind != benchfile.OneWay || c.Format != "osu" || c.Rows != 24 || len(c.Samples) != 24 ||
		c.Quantum != 0.01 || last.Size != 4<<20 || last.Mean < 300 || last.Count != 1 {
		t.Errorf("%+v", c)
	}
	if _, err := Of("formats/osu/x"); err == nil {
		t.Error("curves of a file that was not published")
	}
}

// A page's bandwidths are gaps, its latencies times, of sizes that double from one byte.
func TestPages(t *testing.T) {
	for file, want := range map[string]struct {
		kind benchfile.Kind
		last float64 // µs of 4 MiB
	}{
		"pages/eiger/osu_bw_v1":         {benchfile.Gap, 4 << 20 / 23286.54},
		"pages/azure-hb/osu_latency_v2": {benchfile.OneWay, 178.11},
	} {
		curves, err := Of(file)
		if err != nil || len(curves) != 1 {
			t.Fatal(file, len(curves), err)
		}
		c := curves[0]
		last := c.Samples[len(c.Samples)-1]
		if c.Kind != want.kind || len(c.Samples) != 23 || last.Size != 4<<20 ||
			math.Abs(float64(last.Mean)/want.last-1) > 1e-12 {
			t.Errorf("%s: %+v", file, c)
		}
	}
}

// callRows returns the rows of the published tables of collectives, in their order.
func callRows(t *testing.T, folder string) [][]string {
	rows := [][]string{callColumns}
	table := func(file string, to func(r row) Call) {
		f, err := os.Open(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := rowsOf(f, nil)
		if err != nil {
			t.Fatal(file, err)
		}
		for _, r := range all {
			c := to(r)
			whole := func(v int) string { return strconv.Itoa(v) }
			rows = append(rows, []string{file, c.Machine, c.Library, c.Type, Collective(c.Collective),
				c.Algorithm, c.Nodes, whole(c.Ranks), whole(c.PerNode), cell(c.Bytes),
				cell(c.Median), cell(c.Mean), cell(c.Max)})
		}
	}
	for _, m := range [][2]string{{"LUMI", "lumi"}, {"MareNostrum", "mare_nostrum"}, {"Fugaku", "fugaku"}} {
		table("scale/pico-"+m[1]+".csv", func(r row) Call {
			nodes := 1
			for side := range strings.SplitSeq(r["nodes"], "x") {
				n, err := strconv.Atoi(side)
				if err != nil {
					t.Fatal(err)
				}
				nodes *= n
			}
			each := r.whole("tasks_per_node")
			return Call{Machine: m[0], Library: r["library"], Collective: r["collective"],
				Algorithm: r["algorithm"], Nodes: r["nodes"], Ranks: nodes * each, PerNode: each,
				Bytes: r.number("bytes"), Median: r.number("median_us"), Mean: r.number("mean_us")}
		})
	}
	table("scale/nccl-one-node.csv", func(r row) Call {
		return Call{Machine: strings.ToUpper(strings.TrimSuffix(r["sys"], "_sxm")),
			Library: "NCCL " + r["version"], Type: r["dtype"], Collective: r["op"], Nodes: "1",
			Ranks: r.whole("ranks"), PerNode: 8, Bytes: r.number("bytes"), Mean: r.number("time_us")}
	})
	table("scale/perlmutter-2-gpus-a-node.csv", func(r row) Call {
		return Call{Machine: "Perlmutter", Library: "NCCL", Collective: r["op"], Nodes: r["nodes"],
			Ranks: r.whole("ranks"), PerNode: r.whole("gpus_per_node"), Bytes: r.number("bytes"),
			Mean: r.number("time_us")}
	})
	const each = 128
	names := map[string]string{"2": "chain", "5": "binary", "6": "binomial"} // Open MPI's numbers
	table("collectives/orfeo-epyc/bcast_core_algorithms_2_5_6.csv", func(r row) Call {
		ranks := r.whole("cores")
		return Call{Machine: "ORFEO", Library: "Open MPI", Collective: "bcast",
			Algorithm: names[r["algorithm"]], Nodes: strconv.Itoa((ranks + each - 1) / each),
			Ranks: ranks, PerNode: each, Bytes: r.number("size"), Mean: r.number("latency"),
			Max: r.number("max")}
	})
	return rows
}

// curvesOf returns the rows of the tables in all outputs of benchmarks, by file.
func curvesOf(t *testing.T, folder string) [][]string {
	rows := [][]string{curveColumns}
	for _, set := range []string{"formats", "repeats", "collectives"} {
		err := filepath.WalkDir(filepath.Join(folder, set), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			for _, table := range Read(path) {
				rows = append(rows, curveRows(filepath.ToSlash(name), &table)...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func curveRows(file string, t *benchfile.Table) (rows [][]string) {
	perRank := ""
	if t.Collective.PerRank {
		perRank = "true"
	}
	head := []string{file, t.Title, t.Format, t.Kind.String(), t.Collective.Name,
		t.Collective.Algorithm, t.Series, cell(float64(t.Collective.Ranks)), perRank,
		cell(float64(t.Quantum))}
	for _, s := range t.Samples {
		row := append(slices.Clone(head), strconv.FormatFloat(float64(s.Size), 'g', -1, 64),
			strconv.FormatInt(s.Count, 10))
		for _, v := range []float64{float64(s.Mean), float64(s.Min), float64(s.Max),
			float64(s.Median), float64(s.Slowest), s.Variance} {
			row = append(row, cell(v))
		}
		rows = append(rows, row)
	}
	return rows
}

// pairRows returns the times between the pairs of a cluster's nodes.
func pairRows(t *testing.T, folder string) [][]string {
	rows := [][]string{{"node_a", "node_b", "collective", "ranks", "place", "bytes", "time_us"}}
	files, err := filepath.Glob(filepath.Join(folder, "fleet", "h100_pairs", "*.log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		for _, table := range Read(path) {
			nodes := slices.Compact(slices.Sorted(slices.Values(table.Hosts)))
			if len(nodes) != 2 {
				t.Fatalf("%s: nodes %q", path, nodes)
			}
			for _, s := range table.Samples {
				rows = append(rows, []string{nodes[0], nodes[1], table.Collective.Name,
					strconv.Itoa(table.Collective.Ranks), table.Series,
					strconv.FormatFloat(float64(s.Size), 'f', -1, 64), cell(float64(s.Mean))})
			}
		}
	}
	return rows
}

// cell writes a number such that it is read as it was; nothing for 0.
func cell(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func written(t *testing.T, rows [][]string) []byte {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func save(t *testing.T, path string, text []byte) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = z.Write(text)
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unzipped(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
