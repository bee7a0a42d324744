package fleet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// ReadPlaces reads the group of each node, such as its rack or switch: a CSV with the names of a
// node and of its group in the first two columns. A heading that begins with "node" is skipped.
func ReadPlaces(in io.Reader) (map[string]string, error) {
	text, done, err := benchfile.Text(in)
	if err != nil {
		return nil, err
	}
	defer done()
	const most = 64 << 20 // bytes: a million nodes take 20 MB
	limited := &io.LimitedReader{R: text, N: most}
	rows := csv.NewReader(limited)
	rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.Comment = -1, true, '#'
	places := map[string]string{}
	for n := 0; ; n++ {
		row, err := rows.Read()
		if limited.N == 0 {
			return nil, errors.New("the list of nodes is larger than 64 MiB; write only a node and its group in each row")
		}
		if err == io.EOF && len(places) > 0 {
			return places, nil
		}
		if err == io.EOF {
			return nil, errors.New("no node has a group; write a row for each node, as in n01,rack1")
		}
		if err != nil {
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		node := strings.TrimSpace(row[0])
		switch {
		case n == 0 && strings.EqualFold(node, "node"):
			continue
		case len(row) < 2 || node == "" || strings.TrimSpace(row[1]) == "":
			return nil, fmt.Errorf("line %d: want a node and its group, as in n01,rack1", line)
		}
		place := strings.TrimSpace(row[1])
		if was := places[node]; was != "" && was != place {
			return nil, fmt.Errorf("line %d: node %q is in %q and in %q", line, node, was, place)
		}
		places[node] = place
	}
}
