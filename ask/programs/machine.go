package programs

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
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Placement gives each rank a core of a machine of levels.
type Placement struct {
	By string // see [machine.Machine.Place]; "": one core after the other
	// In place of By, the node and, if nodes are in groups, the group of each rank; see
	// [machine.Machine.PlaceNodes]. File is where they are from, for errors.
	Nodes, Groups []string
	File          string
}

// given reports whether the placement is not the default.
func (p Placement) given() bool { return p.By != "" || len(p.Nodes) > 0 }

// places returns the cores of the ranks.
func (p Placement) places(m machine.Machine, ranks int) (machine.Places, error) {
	by := p.By
	if len(p.Nodes) > 0 {
		all, err := m.PlaceNodes(p.Nodes, p.Groups)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		by = all.List()
	}
	return m.Place(by, ranks)
}

// MachineOf returns the machine of the ranks: one of levels, or without levels, the layer between
// all of them.
//
// Messages of more than eager bytes use the rendezvous protocol, see [simulate.FromLayer].
func MachineOf(m machine.Machine, l platforms.Layer, on Placement, ranks int,
	eager quantity.Bytes) (simulate.Machine, error) {
	if len(m.Levels) == 0 {
		if on.given() {
			return nil, fmt.Errorf("ranks can only be placed on a machine with levels, "+
				"and %s is one layer; name the platform alone", l.Ref())
		}
		return simulate.FromLayer(l, eager)
	}
	places, err := on.places(m, ranks)
	if err == nil {
		var placed simulate.Machine
		if placed, err = simulate.FromMachine(m, places, eager); err == nil {
			return placed, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", l.Platform, err)
}

// ShapeOf describes a machine: its levels, the placement of ranks, and the shared
// resources. It stands under every table, since two platforms of one name may share
// different things.
func ShapeOf(m machine.Machine, on Placement) string {
	by := cmp.Or(on.By, machine.ByCore)
	if all, err := m.PlaceNodes(on.Nodes, on.Groups); err == nil && len(all) > 0 {
		by = all.List()
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
// groups, group; it may be gzipped or in UTF-16. Each rank from 0 has one row. It is an error if
// the machine has no place for them.
func ReadPlaces(path string, m machine.Machine) (Placement, error) {
	on := Placement{File: path}
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
	_, err = on.places(m, len(rows))
	return on, err
}
