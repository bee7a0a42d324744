package simulations

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// MachineOf returns the machine of the ranks: one of levels, where they are placed by
// [machine.Machine.Place] ("" being one core after the other), or without levels, the layer between
// all of them.
//
// Messages of more than eager bytes use the rendezvous protocol, see [simulate.FromLayer].
func MachineOf(m machine.Machine, l platforms.Layer, by string, ranks int,
	eager quantity.Bytes) (simulate.Machine, error) {
	if len(m.Levels) == 0 {
		if by != "" {
			return nil, fmt.Errorf("ranks can only be placed on a machine with levels, "+
				"and %s is one layer; name the platform alone", l.Ref())
		}
		return simulate.FromLayer(l, eager)
	}
	places, err := m.Place(by, ranks)
	if err == nil {
		var on simulate.Machine
		if on, err = simulate.FromMachine(m, places, eager); err == nil {
			return on, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", l.Platform, err)
}

// ShapeOf describes a machine: its levels, the placement of ranks, and the shared
// resources. It stands under every table, since two platforms of one name may share
// different things.
func ShapeOf(m machine.Machine, by string) string {
	if by == "" {
		by = machine.ByCore
	}
	text := m.String() + ", ranks by " + by
	if by[0] >= '0' && by[0] <= '9' { // a list of cores, and not the name of an order
		if len(by) > 60 { // such a list has an entry for each rank
			by = by[:strings.LastIndexByte(by[:60], ',')] + " …"
		}
		text = m.String() + ", ranks on cores " + by
	}
	shared := ""
	for _, l := range m.Levels {
		switch {
		case l.Lanes > 0:
			shared += fmt.Sprintf("; a %s carries %.4g transfers at once", l.Name, l.Lanes)
		case l.Shared != nil:
			shared += fmt.Sprintf("; messages inside a %s share it", l.Name)
		}
		switch {
		case l.Ports > 0:
			shared += fmt.Sprintf("; %.4g at once leave a %s, and enter it", l.Ports, l.Name)
		case l.Port != nil:
			shared += fmt.Sprintf("; messages out of a %s share its port, and those into it",
				l.Name)
		}
	}
	if shared == "" {
		shared = "; messages share nothing but the ways in and out of a rank"
	}
	return text + shared
}

// BlockingNote says where the gap is unknown, and what the simulation takes for it;
// "" if all gaps are known.
func BlockingNote(m machine.Machine, l platforms.Layer) string {
	var of []string
	for _, level := range m.Levels {
		if !level.HasGap() {
			of = append(of, level.Name)
		}
	}
	at := " at " + strings.Join(of, " and ")
	switch {
	case len(m.Levels) == 0 && !model.HasGap(l.Model):
		at = " of " + l.Ref()
	case len(of) == 0:
		return ""
	}
	return "The gap between messages" + at + " is unknown: " +
		"each message blocks its sender until it has arrived."
}

// ReadPlaces reads where ranks are from a CSV file with the columns rank, node and, if nodes are in
// groups, group; it may be gzipped or in UTF-16. Each rank from 0 has one row. It returns the list
// of cores for [machine.Machine.Place], and the number of ranks.
func ReadPlaces(path string, m machine.Machine) (cores string, ranks int, err error) {
	if len(m.Levels) == 0 {
		return "", 0,
			fmt.Errorf("%s places ranks on nodes, which requires a platform with levels; "+
				"name the platform alone", path)
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
	// A file without an end would fill the memory before it is refused.
	rows, err := csv.NewReader(io.LimitReader(text, most)).ReadAll()
	if err != nil || len(rows) < 2 {
		return "", 0, fmt.Errorf("%s is not a table of ranks and nodes; "+
			"write a line rank,node,group and one for each rank", path)
	}
	head := rows[0]
	rank, node := slices.Index(head, "rank"), slices.Index(head, "node")
	group := slices.Index(head, "group") // −1 if nodes are not in groups
	if rank < 0 || node < 0 {
		return "", 0, fmt.Errorf("%s: no column rank or no column node; "+
			"its first line names the columns, as in rank,node,group", path)
	}
	rows = rows[1:]
	// Nodes and groups have any names in the file, not numbers.
	nodes, groups := make([]string, len(rows)), make([]string, len(rows))
	seen := make([]bool, len(rows))
	for i, row := range rows {
		n, err := strconv.Atoi(row[rank])
		// Each rank from 0 once: with as many rows as ranks, no gap is possible.
		if err != nil || n < 0 || n >= len(rows) || seen[n] {
			return "", 0,
				fmt.Errorf("%s:%d: rank %q; the %d rows must have the ranks 0 to %d, each once",
					// +2: lines count from 1, and the first has the names.
					path, i+2, row[rank], len(rows), len(rows)-1)
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
