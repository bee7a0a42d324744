package published

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Curve is a table of the output of a benchmark.
type Curve struct {
	// File is the published file, Machine what its publisher calls the machine; see sources.csv.
	File, Machine string
	benchfile.Table
}

//go:embed testdata/curves.csv.gz
var curvesFile []byte

// curveColumns are the columns of the table of curves, which has a row for each size. The first
// ones, up to resolution_us, are those of the whole curve.
var curveColumns = []string{
	"file", "title", "format", "kind", "collective", "algorithm", "series", "ranks", "per_rank",
	"resolution_us", "bytes", "count", "mean_us", "min_us", "max_us", "median_us", "slowest_us",
	"variance_us2",
}

// pagesFile has tables of OSU's latencies and bandwidths that were typed from pages: a row for each
// table, with the numbers for 1 B, 2 B, 4 B and so on.
//
//go:embed testdata/pages.csv
var pagesFile string

// Curves returns the published curves, in the order of their files, and then those of pages.
func Curves() (all []Curve, err error) {
	machines, err := Machines()
	if err != nil {
		return nil, err
	}
	all, err = curvesOfFiles(machines)
	if err != nil {
		return nil, err
	}
	pages, err := curvesOfPages(machines)
	return append(all, pages...), err
}

func curvesOfPages(machines map[string]string) (all []Curve, err error) {
	const values = "from_1_byte_doubling"
	rows, err := rowsOf(strings.NewReader(pagesFile), []string{"file", "quantity", values})
	if err != nil {
		return nil, fmt.Errorf("pages.csv: %w", err)
	}
	for _, r := range rows {
		c := Curve{File: r["file"], Machine: machines[r["file"]]}
		c.Format, c.Kind, c.Quantum = "osu", benchfile.OneWay, 0.01
		stream := r["quantity"] == "bandwidth_mb_s"
		if stream {
			c.Kind, c.Quantum = benchfile.Gap, 0 // rates have no step in time
		}
		size := quantity.Bytes(1)
		for text := range strings.FieldsSeq(r[values]) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v > 0) {
				return nil, fmt.Errorf("pages.csv: %s: invalid number %q", c.File, text)
			}
			if stream {
				v = float64(size) / v
			}
			s := benchfile.Sample{Size: size, Mean: quantity.Micros(v), Count: 1}
			c.Samples = append(c.Samples, s)
			size *= 2
		}
		c.Rows = int64(len(c.Samples))
		all = append(all, c)
	}
	return all, nil
}

func curvesOfFiles(machines map[string]string) (all []Curve, err error) {
	rows, err := read(curvesFile, curveColumns)
	if err != nil {
		return nil, fmt.Errorf("curves.csv.gz: %w", err)
	}
	last := ""
	for _, r := range rows {
		// A file has no two tables of one title.
		if key := r["file"] + "\n" + r["title"] + "\n" + r["kind"]; key != last {
			last = key
			kind, err := kindOf(r["kind"])
			if err != nil {
				return nil, err
			}
			c := Curve{File: r["file"], Machine: machines[r["file"]]}
			c.Title, c.Format, c.Kind, c.Series = r["title"], r["format"], kind, r["series"]
			c.Quantum = quantity.Micros(r.number("resolution_us"))
			c.Collective = benchfile.CollectiveOp{Name: r["collective"], Ranks: r.whole("ranks"),
				Algorithm: r["algorithm"], PerRank: r["per_rank"] == "true"}
			all = append(all, c)
		}
		t := &all[len(all)-1].Table
		us := func(column string) quantity.Micros { return quantity.Micros(r.number(column)) }
		s := benchfile.Sample{Size: quantity.Bytes(r.number("bytes")), Mean: us("mean_us"),
			Min: us("min_us"), Max: us("max_us"), Median: us("median_us"),
			Slowest: us("slowest_us"), Variance: r.number("variance_us2"),
			Count: int64(r.whole("count"))}
		t.Samples = append(t.Samples, s)
		t.Rows += s.Count
	}
	return all, nil
}

// Of returns the curves of a file.
func Of(file string) (all []Curve, err error) {
	curves, err := Curves()
	for _, c := range curves {
		if c.File == file {
			all = append(all, c)
		}
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no published curve of %s", file)
	}
	return all, err
}

func kindOf(name string) (benchfile.Kind, error) {
	for k := benchfile.OneWay; k <= benchfile.SharedGap; k++ {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("no kind of times %q", name)
}

// pairs are the options for a file of latencies in µs between pairs of processes.
var pairs = benchfile.Options{Y: "latency:us", Group: []string{"mapby", "recv"}}

// Read returns the tables of a benchmark's output; none if it is no output of a benchmark.
func Read(path string) []benchfile.Table {
	f, err := benchfile.Open(path, benchfile.Options{})
	if cut := new(benchfile.Damaged); errors.As(err, &cut) { // the rows before the damage are whole
		f, err = cut.File, nil
	}
	if err != nil {
		// The folders also hold scripts and notes, which no reader takes.
		if f, err = benchfile.Open(path, pairs); err != nil {
			return nil
		}
	}
	return f.Tables
}
