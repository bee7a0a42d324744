// Package openmpi compares schedules with what Open MPI sends. Scripts beside it count that; its
// tests compare a count that is published, or one of theirs.
package openmpi

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A pair of ranks, and what went from one to the other.
type pair struct{ from, to int }
type traffic struct{ messages, bytes uint64 }
type matrix map[pair]traffic

func (m matrix) add(o matrix) matrix {
	for p, t := range o {
		m[p] = traffic{m[p].messages + t.messages, m[p].bytes + t.bytes}
	}
	return m
}

func (m matrix) String() string {
	var lines []string
	for p, t := range m {
		lines = append(lines, fmt.Sprintf("%d>%d:%dx%d", p.from, p.to, t.messages, t.bytes))
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// sent is what a schedule sends.
func sent(e collective.Entry, ranks int, c collective.Call) (matrix, error) {
	s, err := e.Schedule(ranks, c)
	if err != nil {
		return nil, err
	}
	m := matrix{}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		for _, o := range s.Ops()[lo:hi] {
			if o.Kind == schedule.Send {
				m.add(matrix{{rank, int(o.Peer)}: {1, o.Size}})
			}
		}
	}
	return m, nil
}

// A count is one call of a library, and what it sent.
type count struct {
	collective     string // ours
	number         int    // of the algorithm; 0 if the library chose
	segment, ranks int
	bytes          uint64
	sent           matrix
}

func (c count) String() string {
	s := fmt.Sprintf("%s of %d bytes on %d ranks", c.collective, c.bytes, c.ranks)
	if c.segment > 0 {
		s += fmt.Sprintf(" in segments of %d", c.segment)
	}
	return s
}

// call is what our schedules are asked for: Open MPI cuts at elements, which program/call.c's
// reductions have of 4 bytes, and the rest of 1.
func (c count) call() collective.Call {
	out := collective.Call{Bytes: c.bytes, Segment: uint64(c.segment), Element: 1}
	switch {
	case c.collective == "barrier":
		out.Bytes = 0
	case strings.HasPrefix(c.collective, "reduce") || c.collective == "allreduce" || c.collective == "scan":
		out.Element = 4
	}
	return out
}

// counts reads a table as count.sh writes it.
func counts(r io.Reader) ([]count, error) {
	in := csv.NewReader(r)
	var all []count
	at := map[string]int{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return all, nil
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, err
		}
		if line == 1 {
			if want := "collective,number,algorithm,segment,ranks,bytes,src,dst,messages,total_bytes"; strings.Join(row, ",") != want {
				return nil, fmt.Errorf("line 1: the columns are %q, want %q", strings.Join(row, ","), want)
			}
			continue
		}
		var n [10]int
		for i := range row {
			if i == 0 || i == 2 {
				continue
			}
			if n[i], err = strconv.Atoi(row[i]); err != nil || n[i] < 0 {
				return nil, fmt.Errorf("line %d: %q is no count", line, row[i])
			}
		}
		key := strings.Join(row[:6], ",")
		if _, ok := at[key]; !ok {
			at[key] = len(all)
			all = append(all, count{strings.ReplaceAll(row[0], "_", "-"), n[1], n[3], n[4], uint64(n[5]), matrix{}})
		}
		all[at[key]].sent.add(matrix{{n[6], n[7]}: {uint64(n[8]), uint64(n[9])}})
	}
}

// parts are the two collectives of which a call of Open MPI consists, each by its fixed
// rules, with the bytes of each.
func (c count) parts() (first, second string, firstBytes, secondBytes uint64) {
	total := c.bytes * uint64(c.ranks)
	switch {
	case c.collective == "allreduce" && c.number == 2:
		return "reduce", "bcast", c.bytes, c.bytes
	case strings.HasPrefix(c.collective, "reduce-scatter") && c.number == 1:
		return "reduce", "scatter", total, c.bytes
	case c.collective == "allgather" && c.number == 1:
		return "gather", "bcast", c.bytes, total
	}
	return "", "", 0, 0
}

// sums is what a collective sends with each of Open MPI's algorithms and the segments that its
// fixed rules have.
func sums(name string, ranks int, c collective.Call) map[string]matrix {
	all := map[string]matrix{}
	for _, e := range collective.Of(name) {
		for _, c.Segment = range []uint64{0, 1 << 10, 8 << 10, 32 << 10, 64 << 10, 128 << 10} {
			if e.OpenMPI == 0 || c.Segment > 0 && e.Params&collective.Segment == 0 {
				continue
			}
			if m, err := sent(e, ranks, c); err == nil {
				all[fmt.Sprintf("%s/%d", e.Name, c.Segment)] = m
			}
		}
	}
	return all
}

// differs says how our schedule differs from what was counted, or nothing.
func (c count) differs() string {
	if first, second, firstBytes, secondBytes := c.parts(); first != "" {
		element := c.call().Element
		then := sums(second, c.ranks, collective.Call{Bytes: secondBytes, Element: element})
		for _, a := range sums(first, c.ranks, collective.Call{Bytes: firstBytes, Element: element}) {
			for _, b := range then {
				if maps.Equal(matrix{}.add(a).add(b), c.sent) {
					return ""
				}
			}
		}
		return fmt.Sprintf("%s, algorithm %d: no %s and %s of ours send %s", c, c.number, first, second, c.sent)
	}
	for _, e := range collective.Of(c.collective) {
		if e.OpenMPI != c.number {
			continue
		}
		ours, err := sent(e, c.ranks, c.call())
		switch {
		case err != nil:
			return fmt.Sprintf("%s: %v", c, err)
		case !maps.Equal(ours, c.sent):
			return fmt.Sprintf("%s, %s:\nours    %s\ncounted %s", c, e.Name, ours, c.sent)
		}
		return ""
	}
	return fmt.Sprintf("%s: algorithm %d is not in the list", c, c.number)
}
