package simulations

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/machine"
)

// ReadPlaces reads where ranks are from a CSV file with the columns rank, node and, if nodes are in
// groups, group; it may be gzipped or in UTF-16. Each rank from 0 has one row. It returns the list
// of cores for [machine.Machine.Place], and the number of ranks.
func ReadPlaces(path string, m machine.Machine) (cores string, ranks int, err error) {
	if len(m.Levels) == 0 {
		return "", 0, fmt.Errorf("%s places ranks on nodes, which requires a platform with levels; name the platform alone", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	text, done, err := benchfile.Text(f)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	const most = 64 << 20 // bytes: a million ranks take 20 MB
	rows, err := csv.NewReader(io.LimitReader(text, most)).ReadAll()
	if err != nil || len(rows) < 2 {
		return "", 0, fmt.Errorf("%s is not a table of ranks and nodes; write a line rank,node,group and one for each rank", path)
	}
	rank, node, group := slices.Index(rows[0], "rank"), slices.Index(rows[0], "node"), slices.Index(rows[0], "group")
	if rank < 0 || node < 0 {
		return "", 0, fmt.Errorf("%s: no column rank or no column node; its first line names the columns, as in rank,node,group", path)
	}
	rows = rows[1:]
	nodes, groups := make([]string, len(rows)), make([]string, len(rows))
	seen := make([]bool, len(rows))
	for i, row := range rows {
		n, err := strconv.Atoi(row[rank])
		if err != nil || n < 0 || n >= len(rows) || seen[n] {
			return "", 0, fmt.Errorf("%s:%d: rank %q; the %d rows must have the ranks 0 to %d, each once", path, i+2, row[rank], len(rows), len(rows)-1)
		}
		seen[n], nodes[n] = true, row[node]
		if group >= 0 {
			groups[n] = row[group]
		}
	}
	if group < 0 {
		groups = nil
	}
	places, err := m.PlaceNodes(nodes, groups)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", path, err)
	}
	return places.List(), len(places), nil
}
