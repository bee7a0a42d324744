package simulations

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// Rows returns the table that was asked for.
func (s *Simulation) Rows() reports.Rows {
	var rows reports.Rows
	switch {
	case s.Times != nil:
		rows = s.distribution()
	case s.table == Reasons:
		rows = s.reasons()
	case s.table == Totals:
		rows = s.totals()
	case s.Runs[0].Path != nil:
		rows = s.machines()
	default:
		rows = s.ranks()
	}
	rows.Notes = append(rows.Notes, s.notes...)
	return rows
}

func (s *Simulation) ranks() reports.Rows {
	r := s.Runs[0].Result
	rows := reports.Rows{Columns: []reports.Column{{Key: "rank", Head: "rank"}, {Key: "finish_us", Head: "finish"}}}
	for rank, t := range r.Ranks {
		rows.Data = append(rows.Data, []any{rank, r.Micros(t)})
	}
	return rows
}

// machines has a row for each machine: the parts of the finish, and its difference from the first
// machine.
func (s *Simulation) machines() reports.Rows {
	first, _ := s.Runs[0].Result.Finish()
	several, noisy := len(s.Runs) > 1, false
	for _, m := range s.Runs {
		noisy = noisy || m.Path.Shares.Noise > 0
	}
	rows := reports.TableOf(s.Runs,
		reports.Col("machine", "machine", func(m MachineRun) any { return m.Machine }),
		reports.Col("finish_us", "finish", func(m MachineRun) any { t, _ := m.Result.Finish(); return t }),
		reports.Col("computation_us", "computation", func(m MachineRun) any { return m.Result.Micros(m.Path.Shares.Compute) }),
		reports.Col("communication_us", "communication", func(m MachineRun) any { return m.Result.Micros(m.Communication()) }),
		reports.Col("communication_percent", "%", func(m MachineRun) any {
			return 100 * float64(m.Communication()) / max(1, float64(m.Path.Shares.Sum()))
		}).Texted(reports.PercentText("%.3g")),
		reports.Col("noise_us", reports.HeadIf(noisy, "noise"), func(m MachineRun) any { return m.Result.Micros(m.Path.Shares.Noise) }),
		reports.Col("change_percent", reports.HeadIf(several, "change"), func(m MachineRun) any {
			t, _ := m.Result.Finish()
			return reports.Finite(100 * float64(t/first-1))
		}).Texted(reports.PercentText("%+.3g %%")),
	)
	rows.Notes = []string{fmt.Sprintf("%d ranks; computation and communication are those of the critical path, and add up to the finish.", s.Schedule.Ranks())}
	return rows
}

func (s *Simulation) totals() reports.Rows {
	r, messages := s.Runs[0].Result, 0
	for _, op := range s.Schedule.Ops() {
		if op.Kind == schedule.Send {
			messages++
		}
	}
	finish, rank := r.Finish()
	return reports.Rows{
		Columns: []reports.Column{{Key: "ranks", Head: "ranks"}, {Key: "operations", Head: "operations"}, {Key: "messages", Head: "messages"}, {Key: "events", Head: "events"},
			{Key: "finish_us", Head: "finish"}, {Key: "slowest_rank", Head: "slowest rank"}, {Key: "wall_s", Head: "simulated in (s)"}},
		Data: [][]any{{s.Schedule.Ranks(), len(s.Schedule.Ops()), messages, r.Events, finish, rank, s.Wall.Seconds()}},
	}
}

// distribution tabulates the finish time over many runs.
func (s *Simulation) distribution() reports.Rows {
	sum := quantity.Micros(0)
	for _, t := range s.Times {
		sum += t
	}
	q := func(q float64) quantity.Micros { return simulate.Quantile(s.Times, q) }
	return reports.Rows{
		Columns: []reports.Column{{Key: "runs", Head: "runs"}, {Key: "seed", Head: "seed"}, {Key: "min_us", Head: "min"}, {Key: "p5_us", Head: "5 %"}, {Key: "p50_us", Head: "median"},
			{Key: "mean_us", Head: "mean"}, {Key: "p95_us", Head: "95 %"}, {Key: "p99_us", Head: "99 %"}, {Key: "max_us", Head: "max"}},
		Data: [][]any{{len(s.Times), s.Seed, q(0), q(0.05), q(0.5), sum / quantity.Micros(len(s.Times)), q(0.95), q(0.99), q(1)}},
	}
}

// parameterOf is the LogGOPS parameter behind a share, by its name.
var parameterOf = map[string]string{"L": "L", "o_s": "o", "o_r": "o", "g": "g", "G·bytes": "G", "O·bytes": "O"}

// reasons has a row for each share of the finish.
func (s *Simulation) reasons() reports.Rows {
	w := s.Why
	rows := reports.Rows{Columns: []reports.Column{{Key: "part", Head: "part"}, {Key: "time_us", Head: "time"}, {Key: "percent", Head: "%"},
		{Key: "parameter", Head: "parameter"}, {Key: "slope", Head: "∂T/∂parameter"}}}
	for _, g := range growths {
		rows.Columns = append(rows.Columns, reports.Column{Key: fmt.Sprintf("value_%.0f_percent_later_ns", 100*g), Head: fmt.Sprintf("%.0f %% later at", 100*g),
			Text: func(v any) string { return fmt.Sprintf("%.6g ns", v) }})
	}
	for _, part := range w.Path.Shares.Parts() {
		row := []any{part.Name, w.Result.Micros(part.Ticks), 100 * float64(part.Ticks) / max(1, float64(w.Path.Shares.Sum())), nil, nil}
		letter := parameterOf[part.Name]
		var growth []simulate.Tolerance
		for _, list := range w.Tolerances {
			if list[0].Parameter == letter {
				growth = list
			}
		}
		if growth != nil {
			row[3], row[4] = letter, w.Path.Slopes.By(letter)
		}
		for i := range growths {
			var value any
			if growth != nil && !math.IsInf(growth[i].Value, 0) {
				value = growth[i].Value * 1e3
			}
			row = append(row, value)
		}
		rows.Data = append(rows.Data, row)
	}
	return rows
}

// mostHops is the number of steps of a path that are shown at its beginning, and at its end.
const mostHops = 12

// PathRows has the steps of the critical path, for people: the first and the last ones of many.
// It is empty unless reasons were asked for.
func (s *Simulation) PathRows() reports.Rows {
	if s.Why == nil {
		return reports.Rows{}
	}
	path, r := s.Why.Path, s.Why.Result
	hops := path.Segments
	left := len(hops) - 2*mostHops
	var rows reports.Rows
	for i, h := range hops {
		if left > 0 && i >= mostHops && i < mostHops+left {
			continue
		}
		rows.Data = append(rows.Data, []any{i + 1, h.Rank, h.What, s.named(h.Op), r.Micros(h.From), r.Micros(h.To), r.Micros(h.To - h.From), h.Until})
	}
	for _, head := range []string{"step", "rank", "does", "operation", "from", "to", "takes", "until"} {
		rows.Columns = append(rows.Columns, reports.Column{Head: head})
	}
	ranks := map[int]bool{}
	for _, h := range hops {
		ranks[h.Rank] = true
	}
	finish, rank := r.Finish()
	rows.Notes = []string{fmt.Sprintf("rank %d finishes last, after %s; its path has %d steps on %d of %d ranks", rank, finish, len(hops), len(ranks), s.Schedule.Ranks())}
	if left > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("steps %d to %d are not shown; a trace marks all", mostHops+1, mostHops+left))
	}
	return rows
}

// named is an operation with its label, if it has one.
func (s *Simulation) named(op uint32) string {
	text := s.Schedule.Ops()[op].String()
	if label := s.Schedule.Label(op); label != "" {
		return label + ": " + text
	}
	return text
}
