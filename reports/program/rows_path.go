package program

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// mostHops is the number of steps of a path that are shown at its beginning, and at its end. A
// path can have thousands of steps.
const mostHops = 12

// pathRows has the critical path, for people: its steps or, of many, the lines of the program, or
// of a schedule without lines the first and the last steps. It is empty unless reasons were asked
// for.
func pathRows(s *Simulation) (rows table.Rows) {
	if s.Why == nil {
		return rows
	}
	hops, r := s.Why.Path.Segments, s.Why.Result
	// Negative for a short path, which is shown whole.
	left := len(hops) - 2*mostHops
	if lines := pathLines(s); left > 0 && len(lines) > 0 {
		rows, left = lineRows(s, lines), 0
	} else {
		rows = stepRows(s, left)
	}
	ranks := map[int]bool{}
	for _, h := range hops {
		ranks[h.Rank] = true
	}
	finish, rank := r.Finish()
	rows.Add(remark.LastOnPath(rank, finish, len(hops), len(ranks), s.Schedule.Ranks()))
	if left > 0 {
		rows.Add(remark.MoreSteps(mostHops+1, mostHops+left))
	}
	return rows
}

// A pathLine is what a line of a program adds to the critical path, in ticks.
type pathLine struct {
	name                                             string
	all, computes, latency, overheads, streams, rest uint64
}

// pathLines returns the lines of a program on the critical path, the largest part first; nil of a
// schedule that was not made of a program.
func pathLines(s *Simulation) (all []*pathLine) {
	at := map[string]*pathLine{}
	for _, h := range s.Why.Path.Segments {
		name, of := s.Schedule.Line(h.Op), h.Shares
		if name == "" || of.Sum() == 0 {
			continue
		}
		name = filepath.Base(name) // all are of one file
		l := at[name]
		if l == nil {
			l = &pathLine{name: name}
			all, at[name] = append(all, l), l
		}
		l.all += of.Sum()
		l.computes += of.Compute
		l.latency += of.Latency
		l.overheads += of.SendOverhead + of.ReceiveOverhead + of.OverheadBytes
		l.streams += of.Gap + of.GapBytes
		l.rest += of.Noise + of.Collective + of.Sharing
	}
	slices.SortStableFunc(all, func(a, b *pathLine) int { return cmp.Compare(b.all, a.all) })
	return all
}

// lineRows has a row for each line.
func lineRows(s *Simulation, all []*pathLine) table.Rows {
	type line = *pathLine
	finish := float64(s.Why.Path.Shares.Sum())
	time := func(of uint64) any { return s.Why.Result.Micros(of) }
	hasRest := slices.ContainsFunc(all, func(l line) bool { return l.rest > 0 })
	// These columns have no keys: a program reads the trace instead.
	rows := table.TableOf(all,
		table.Col("", "line", func(l line) any { return l.name }),
		table.Col("", "path (%)", func(l line) any { return 100 * float64(l.all) / finish }).
			Texted(table.PercentText("%.3g")),
		table.Col("", "time", func(l line) any { return time(l.all) }),
		table.Col("", "computes", func(l line) any { return time(l.computes) }),
		table.Col("", "L", func(l line) any { return time(l.latency) }),
		table.Col("", "o, O·bytes", func(l line) any { return time(l.overheads) }),
		table.Col("", "g, G·bytes", func(l line) any { return time(l.streams) }),
		table.Col("", table.HeadIf(hasRest, "rest"), func(l line) any { return time(l.rest) }))
	rows.RowRank = func(i int) int { return max(0, i-2) } // as many as the screen has room for
	return rows
}

// stepRows has the steps of the critical path. If left is above 0, so many in the middle are left
// out.
func stepRows(s *Simulation, left int) (rows table.Rows) {
	r := s.Why.Result
	for i, h := range s.Why.Path.Segments {
		if left > 0 && i >= mostHops && i < mostHops+left {
			continue
		}
		from, to, takes := r.Micros(h.From), r.Micros(h.To), r.Micros(h.To-h.From)
		row := []any{i + 1, h.Rank, h.What, named(s, h.Op), from, to, takes, h.Until}
		rows.Data = append(rows.Data, row)
	}
	// These columns have no keys: a program reads the trace instead.
	rows.Columns = []table.Column{{Head: "step"}, {Head: "rank"}, {Head: "does", Rank: 1},
		{Head: "operation"}, {Head: "from", Rank: 3}, {Head: "to", Rank: 2}, {Head: "takes"},
		{Head: "until", Rank: 4}}
	rows.RowRank = func(i int) int { return max(0, i-2) } // as many as the screen has room for
	return rows
}

// named returns an operation as text, after its label if it has one.
func named(s *Simulation, op uint32) string {
	text := s.Schedule.Ops()[op].String()
	if s.Schedule.Ops()[op].Tag >= 1<<31 { // of a collective, not the program's own
		text, _, _ = strings.Cut(text, " tag ")
	}
	if label := cmp.Or(s.Schedule.Line(op), s.Schedule.Label(op)); label != "" {
		return label + ": " + text
	}
	return text
}
