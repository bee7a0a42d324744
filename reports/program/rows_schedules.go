package program

import (
	"cmp"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// scheduleRows compares schedules: a row for each on each machine, and which is fastest.
func scheduleRows(all []*Simulation) table.Rows {
	type row struct {
		of            int // of all; two may have one name
		name, short   string
		machine       string
		ranks         int
		finish, first quantity.Micros
	}
	var runs []row
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	short := table.ShortPaths(names)
	machines := 0
	for of, s := range all {
		machines = len(s.Runs)
		for i, m := range s.Runs {
			first, _ := all[0].Runs[i].Result.Finish()
			finish, _ := m.Result.Finish()
			runs = append(runs, row{of, s.Name, short[of], m.Machine, s.Schedule.Ranks(), finish,
				first})
		}
	}
	rows := table.TableOf(runs,
		table.Col("schedule", "", func(r row) any { return r.name }),
		table.Col("", "schedule", func(r row) any { return r.short }),
		table.Col("machine", table.HeadIf(machines > 1, "machine"),
			func(r row) any { return r.machine }),
		table.Col("ranks", "ranks", func(r row) any { return r.ranks }),
		table.Col("finish_us", "finish", func(r row) any { return r.finish }),
		table.Col("change_percent", "change", func(r row) any {
			return table.Finite(100 * float64(r.finish/r.first-1))
		}).Texted(table.PercentText("%+.3g %%")),
	)
	for _, s := range all {
		rows.Add(s.NoInterval...)
		rows.Add(s.Notes...)
		if s.Schedule.Ranks() != all[0].Schedule.Ranks() {
			rows.Add(remark.OtherRanks())
			break
		}
	}
	byFinish := func(a, b row) int { return cmp.Compare(a.finish, b.finish) }
	slices.SortStableFunc(runs, byFinish)
	best, next := runs[0], runs[1]
	if machines > 1 {
		next = runs[slices.IndexFunc(runs, func(r row) bool {
			return r.of != best.of && r.machine == best.machine
		})]
	}
	rows.Verdict = fastest(best.short, best.finish, next.short, next.finish)
	if best.finish == next.finish {
		rows.Verdict = table.Say("%s and %s take %v", best.short, next.short, best.finish)
	}
	return rows
}
