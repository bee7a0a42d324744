// Package placed puts the ranks of programs and collectives on the cores of a machine.
package placed

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Machine returns the machine of the ranks: one of levels, or without levels, the layer between
// all of them.
//
// Messages of more than eager bytes use the rendezvous protocol, see [simulate.FromLayer].
func Machine(m machine.Machine, l platforms.Layer, on machine.Placement, ranks int,
	eager quantity.Bytes) (simulate.Machine, error) {
	if len(m.Levels) == 0 {
		if on.By != "" || len(on.Nodes) > 0 {
			return nil, fmt.Errorf("ranks can only be placed on a machine with levels, "+
				"and %s is one layer; name the platform alone", l.Ref())
		}
		return simulate.FromLayer(l, eager)
	}
	places, err := m.Place(on, ranks)
	if err == nil {
		var placed simulate.Machine
		if placed, err = simulate.FromMachine(m, places, eager); err == nil {
			return placed, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", l.Platform, err)
}

// Shape describes a machine: its levels, the placement of ranks, and the shared
// resources. It stands under every table, since two platforms of one name may share
// different things.
func Shape(m machine.Machine, on machine.Placement) string {
	by := cmp.Or(on.By, machine.ByCore)
	if all, err := m.Place(on, len(on.Nodes)); err == nil && len(all) > 0 {
		by = strings.Join(list.Map(all, strconv.Itoa), ",")
	}
	text := m.String() + ", ranks by " + by
	if by[0] >= '0' && by[0] <= '9' { // a list of cores, and not the name of an order
		if len(by) > 60 { // such a list has an entry for each rank
			by = by[:60]
			if i := strings.LastIndexByte(by, ','); i > 0 {
				by = by[:i]
			}
			by += " …"
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
		case len(l.Port) > 1:
			shared += fmt.Sprintf("; messages out of a %s share its %d rails, and those into it",
				l.Name, len(l.Port))
		case len(l.Port) > 0:
			shared += fmt.Sprintf("; messages out of a %s share its port, and those into it",
				l.Name)
		}
	}
	if shared == "" {
		shared = "; messages share nothing but the ways in and out of a rank"
	}
	return text + shared
}

// Blocking returns the note of gaps that are not known, for which the simulation takes that a NIC
// is busy until its message has arrived; none if all gaps are known.
func Blocking(m machine.Machine, l platforms.Layer) (notes []remark.Note) {
	var of []string
	for _, level := range m.Levels {
		if !model.HasGap(level.Layer) {
			of = append(of, level.Name)
		}
	}
	at := " at " + strings.Join(of, " and ")
	switch {
	case len(m.Levels) == 0 && !model.HasGap(l.Model):
		at = " of " + l.Ref()
	case len(of) == 0:
		return nil
	}
	return []remark.Note{remark.Blocks(at)}
}

// Read reads where ranks are from a CSV file with the columns rank, node and, if nodes are in
// groups, group; it may be gzipped or in UTF-16. Each rank from 0 has one row. It is an error if
// the machine has no place for them.
func Read(path string, m machine.Machine) (machine.Placement, error) {
	on := machine.Placement{File: path}
	if len(m.Levels) == 0 {
		return on, fmt.Errorf("%s places ranks on nodes, which requires a platform with levels; "+
			"name the platform alone", path)
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return on, err
	}
	defer f.Close()
	text, done, err := benchfile.Text(f)
	if err != nil {
		return on, fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	const most = 64 << 20 // bytes: a million ranks take 20 MB
	// A file without an end would fill the memory before it is refused.
	r := csv.NewReader(io.LimitReader(text, most))
	var rows [][]string
	var lines []int // in which rows begin
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return on, fmt.Errorf("%s: %w; write a line rank,node,group and one for each rank",
				path, err)
		}
		line, _ := r.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
	if len(rows) < 2 {
		return on, fmt.Errorf("%s is not a table of ranks and nodes; "+
			"write a line rank,node,group and one for each rank", path)
	}
	head := rows[0]
	rank, node := slices.Index(head, "rank"), slices.Index(head, "node")
	group := slices.Index(head, "group") // −1 if nodes are not in groups
	if rank < 0 || node < 0 {
		return on, fmt.Errorf("%s: no column rank or no column node; "+
			"its first line names the columns, as in rank,node,group", path)
	}
	rows = rows[1:]
	// Nodes and groups have any names in the file, not numbers.
	on.Nodes = make([]string, len(rows))
	if group >= 0 {
		on.Groups = make([]string, len(rows))
	}
	seen := make([]bool, len(rows))
	for i, row := range rows {
		n, err := strconv.Atoi(row[rank])
		// Each rank from 0 once: with as many rows as ranks, no gap is possible.
		if err != nil || n < 0 || n >= len(rows) || seen[n] {
			return on, fmt.Errorf("%s:%d: rank %q; the %d rows must have the ranks 0 to %d, "+
				"each once", path, lines[i+1], row[rank], len(rows), len(rows)-1)
		}
		seen[n], on.Nodes[n] = true, row[node]
		if group >= 0 {
			on.Groups[n] = row[group]
		}
	}
	_, err = m.Place(on, len(rows))
	return on, err
}
