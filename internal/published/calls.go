package published

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Call is the time of a collective on a machine, by one algorithm or by the library's choice.
// Runs of one call are several Calls.
type Call struct {
	// File is the published file; see sources.csv.
	File             string
	Machine, Library string
	// Type is the type of the numbers if the benchmark varies it; else empty.
	Type string
	// Collective is the registry's word, Algorithm the name by which it was forced; empty: the
	// library's choice.
	Collective, Algorithm string
	// Nodes has the sides of a torus ("4x2x2"), or a number.
	Nodes          string
	Ranks, PerNode int
	// Bytes is the size as the source counts it; see [Call.Size].
	Bytes float64
	// Median, Mean and Max are times in µs, 0 if they were not published. Max is the time of the
	// slowest rank, Mean of ORFEO is the average over ranks. Median and Mean of PICO are of the
	// slowest rank, over calls.
	Median, Mean, Max float64
}

// Size returns the size as all algorithms but the hierarchical allreduces of GPUs count it. These
// count the bytes of all GPUs of a node: their sizes and numbers of calls are those of the other
// algorithms times the GPUs of a node. If they counted as the other algorithms do, 2 GiB on 4 nodes
// would need 290 GB/s of each node, and its four NICs have 100.
func (c Call) Size() float64 {
	if strings.HasPrefix(c.Algorithm, "allreduce_hier_") {
		return c.Bytes / float64(c.PerNode)
	}
	return c.Bytes
}

//go:embed testdata/calls.csv.gz
var callsFile []byte

// callColumns are the columns of the table of calls.
var callColumns = []string{
	"file", "machine", "library", "type", "collective", "algorithm", "nodes", "ranks", "per_node",
	"bytes", "median_us", "mean_us", "max_us",
}

// Calls returns the published calls of these machines, or of all, in the order of their files.
func Calls(machines ...string) ([]Call, error) {
	rows, err := read(callsFile, callColumns)
	if err != nil {
		return nil, fmt.Errorf("calls.csv.gz: %w", err)
	}
	var all []Call
	for _, r := range rows {
		if len(machines) > 0 && !slices.Contains(machines, r["machine"]) {
			continue
		}
		all = append(all, Call{
			File: r["file"], Machine: r["machine"], Library: r["library"], Type: r["type"],
			Collective: r["collective"], Algorithm: r["algorithm"], Nodes: r["nodes"],
			Ranks: r.whole("ranks"), PerNode: r.whole("per_node"), Bytes: r.number("bytes"),
			Median: r.number("median_us"), Mean: r.number("mean_us"), Max: r.number("max_us"),
		})
	}
	return all, nil
}

//go:embed testdata/sources.csv
var sourcesFile string

// sourceColumns are the columns of the table of files.
var sourceColumns = []string{"file", "machine", "repository", "commit", "path", "note"}

// Machines returns the machine of each published file, as far as it is known.
func Machines() (map[string]string, error) {
	rows, err := rowsOf(strings.NewReader(sourcesFile), sourceColumns)
	if err != nil {
		return nil, fmt.Errorf("sources.csv: %w", err)
	}
	all := map[string]string{}
	for _, r := range rows {
		all[r["file"]] = r["machine"]
	}
	return all, nil
}

// A row has the cells of a line by the names of their columns.
type row map[string]string

// number returns the number in a column; 0 if the cell has none.
func (r row) number(column string) float64 {
	v, _ := strconv.ParseFloat(r[column], 64) // checked where the tables are made
	return v
}

// whole is number for counts.
func (r row) whole(column string) int { return int(r.number(column)) }

// read returns the rows of a gzipped table that has these columns.
func read(zipped []byte, columns []string) ([]row, error) {
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return rowsOf(z, columns)
}

// rowsOf returns the rows of a table whose first line names its columns. It must have these.
func rowsOf(in io.Reader, columns []string) (all []row, err error) {
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, name := range columns {
		if len(lines) == 0 || !slices.Contains(lines[0], name) {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	for _, line := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		all = append(all, r)
	}
	return all, nil
}
