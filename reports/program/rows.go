package program

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table that was asked for. A distribution comes before everything else, since
// many runs have no single path or finish to show. Several simulations are compared.
func (a Answer) Rows() table.Rows {
	switch {
	case a.Scaling != nil:
		return scalingRows(a.Scaling)
	case len(a.Simulations) > 1:
		return scheduleRows(a.Simulations)
	}
	var rows table.Rows
	s := a.Simulations[0]
	switch {
	case s.Times != nil:
		rows = distributionRows(s)
	case s.Table == Reasons:
		rows = reasonRows(s)
	case s.Table == Totals:
		rows = totalRows(s)
	case s.Runs[0].OnPath != nil:
		rows = machineRows(s)
	default:
		rows = rankRows(s)
	}
	rows.Add(s.Notes...)
	rows.Add(s.NoInterval...)
	return rows
}

// Details returns a second table for people, which CSV and JSON have no place for: the marks of a
// program or, where reasons were asked for, the critical path. It may be empty.
func (a Answer) Details() table.Rows {
	switch {
	case a.Scaling != nil:
		return markRows(a.Scaling)
	case len(a.Simulations) == 1:
		return pathRows(a.Simulations[0])
	}
	return table.Rows{}
}

// columns returns columns from pairs of key and heading, for tables without typed
// rows.
func columns(pairs ...string) (all []table.Column) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, table.Column{Key: pairs[i], Head: pairs[i+1]})
	}
	return all
}

// rankRows has the finish of each rank: on one machine, the question of a schedule is
// who is late.
func rankRows(s *Simulation) table.Rows {
	r := s.Runs[0].Result
	rows := table.Rows{Columns: columns("rank", "rank", "finish_us", "finish")}
	for rank, t := range r.Ranks {
		rows.Data = append(rows.Data, []any{rank, r.Micros(t)})
	}
	finish, last := r.Finish()
	rows.Verdict = table.Say("rank %d of %d finishes last, after %v", last, len(r.Ranks), finish)
	return rows
}

// machineRows has a row for each machine: the parts of the finish, and its difference
// from the first machine. The parts are those of the critical path and not sums over
// ranks, so that they add up to the finish: halving a part saves at most half of it.
func machineRows(s *Simulation) table.Rows {
	first, _ := s.Runs[0].Result.Finish()
	several, noisy := len(s.Runs) > 1, false
	for _, m := range s.Runs {
		noisy = noisy || m.OnPath.Noise > 0
	}
	type run = MachineRun
	rows := table.TableOf(s.Runs,
		table.Col("machine", "machine", func(m run) any { return m.Machine }),
		table.Col("finish_us", "finish", func(m run) any {
			t, _ := m.Result.Finish()
			return t
		}),
		table.Col("computation_us", "computation", func(m run) any {
			return m.Result.Micros(m.OnPath.Computing)
		}),
		table.Col("communication_us", "communication", func(m run) any {
			return m.Result.Micros(m.OnPath.Messages)
		}),
		table.Col("communication_percent", "%", func(m run) any {
			return 100 * m.OnPath.share()
		}).Texted(table.PercentText("%.3g")),
		table.Col("noise_us", table.HeadIf(noisy, "noise"), func(m run) any {
			return m.Result.Micros(m.OnPath.Noise)
		}),
		table.Col("change_percent", table.HeadIf(several, "change"), func(m run) any {
			t, _ := m.Result.Finish()
			return table.Finite(100 * float64(t/first-1))
		}).Texted(table.PercentText("%+.3g %%")),
	)
	rows.Add(remark.PathShares(s.Schedule.Ranks()))
	finish := func(m run) quantity.Micros {
		t, _ := m.Result.Finish()
		return t
	}
	byFinish := func(a, b run) int { return cmp.Compare(finish(a), finish(b)) }
	best, worst := slices.MinFunc(s.Runs, byFinish), slices.MaxFunc(s.Runs, byFinish)
	if best.Machine != worst.Machine {
		rows.Verdict = fastestMachine(best.Machine, finish(best), worst.Machine, finish(worst))
	} else {
		rows.Verdict = table.Closing{Error: s.off, Values: []table.Closed{{
			Of: best.Machine, Value: finish(best), With: fmt.Sprintf(
				", of which %.3g %% communication",
				100*best.OnPath.share())}}}.Say()
	}
	return rows
}

// share returns the part of messages in the path; 0 in a path of no time.
func (p *OnPath) share() float64 {
	return float64(p.Messages) / max(1, float64(p.Computing+p.Noise+p.Messages))
}

// totalRows has the size of the schedule and its finish.
func totalRows(s *Simulation) table.Rows {
	r := s.Runs[0].Result
	finish, rank := r.Finish()
	return table.Rows{
		Verdict: table.Say("rank %d of %d finishes last, after %v", rank, s.Schedule.Ranks(),
			finish),
		Columns: columns(
			"ranks", "ranks",
			"operations", "operations",
			"messages", "messages",
			"events", "events",
			"finish_us", "finish",
			"slowest_rank", "slowest rank"),
		Data: [][]any{{s.Schedule.Ranks(), len(s.Schedule.Ops()), s.messages(), r.Events, finish,
			rank}},
	}
}

// distributionRows tabulates the finish time over many runs. The seed makes the row
// reproducible.
func distributionRows(s *Simulation) table.Rows {
	sum := quantity.Micros(0)
	for _, t := range s.Times {
		sum += t
	}
	mean := sum / quantity.Micros(len(s.Times))
	// 5 % and 95 % bound nine of ten runs; 99 % shows rare delays.
	q := s.attained
	rows := table.Rows{
		Verdict: table.Say("median of %d runs: %v in 90 %% of them", len(s.Times),
			table.Interval{Dim: quantity.DimTime, Interval: quantity.Interval{
				Value: float64(q(0.5)), Low: float64(q(0.05)), High: float64(q(0.95))}}),
		Columns: columns(
			"runs", "runs",
			"seed", "seed",
			"min_us", "min",
			"p5_us", "5 %",
			"p50_us", "median",
			"mean_us", "mean",
			"p95_us", "95 %",
			"p99_us", "99 %",
			"max_us", "max"),
		Data: [][]any{{len(s.Times), s.Seed, q(0), q(0.05), q(0.5), mean, q(0.95), q(0.99), q(1)}},
	}
	// Noise may be a small part of the finish.
	digits := table.TellingDigits([]float64{float64(q(0.05)), float64(q(0.5)), float64(q(0.95))})
	for i := range rows.Columns {
		rows.Columns[i].Digits = digits
	}
	return rows
}

// parameterOf is the LogGOPS parameter behind a share, by its name. Computation, noise, waiting and
// sharing have none, so their rows have no slope. LogGOPS has one o for both overheads.
var parameterOf = map[string]string{
	"L":       "L",
	"o_s":     "o",
	"o_r":     "o",
	"g":       "g",
	"G·bytes": "G",
	"O·bytes": "O",
}

// reasonRows has a row for each share of the finish. A slope is the number of times that
// a parameter counts on the critical path, which holds until another path becomes the
// longest; the tolerances say how far away that is.
func reasonRows(s *Simulation) table.Rows {
	w := s.Why
	rows := table.Rows{Columns: columns(
		"part", "part",
		"time_us", "time",
		"percent", "%",
		"parameter", "parameter",
		"slope", "∂T/∂parameter")}
	for _, g := range Growths {
		rows.Columns = append(rows.Columns, table.Column{
			// In ns, as LogGOPSim takes its parameters.
			Key:  fmt.Sprintf("value_%.0f_percent_later_ns", 100*g),
			Head: fmt.Sprintf("%.0f %% later at", 100*g),
			Text: func(v any) string { return fmt.Sprintf("%.6g ns", v) },
		})
	}
	finish := max(1, float64(w.Path.Shares.Sum())) // a finish at 0 has shares of 0 %, not NaN
	for _, part := range w.Path.Shares.Parts() {
		percent := 100 * float64(part.Ticks) / finish
		row := []any{part.Name, w.Result.Micros(part.Ticks), percent, nil, nil}
		letter := parameterOf[part.Name]
		growth := tolerancesOf(w, letter)
		if growth != nil {
			row[3], row[4] = letter, w.Path.Slopes.By(letter)
		}
		for i := range Growths {
			var value any // empty if no value of the parameter delays the finish that much
			if growth != nil && !math.IsInf(growth[i].Value, 0) {
				value = growth[i].Value * 1e3 // ns
			}
			row = append(row, value)
		}
		rows.Data = append(rows.Data, row)
	}
	parts := w.Path.Shares.Parts()
	rows.RowRank = func(i int) int {
		if parts[i].Ticks == 0 {
			return math.MaxInt
		}
		return 0
	}
	if len(parts) > 0 {
		most := parts[0]
		for _, p := range parts {
			if p.Ticks > most.Ticks {
				most = p
			}
		}
		end, _ := w.Result.Finish()
		rows.Verdict = table.Say("%v in all; most is %s, %v (%.0f %%)", end, most.Name,
			w.Result.Micros(most.Ticks), 100*float64(most.Ticks)/finish)
		if lines := pathLines(s); len(lines) > 1 {
			rows.Verdict = table.Say("%v; %s takes most, %.0f %%", rows.Verdict, lines[0].name,
				100*float64(lines[0].all)/finish)
		}
	}
	return rows
}
