package program

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// scalingRows returns a row for each number of ranks, machine and set of parameters.
func scalingRows(s *Scaling) table.Rows {
	type row = Scaled
	of := func(part func(row) quantity.Micros) func(row) any {
		return func(r row) any {
			return ratio(100 * float64(part(r)/max(r.Finish, 1e-12)))
		}
	}
	computing := func(r row) quantity.Micros { return r.Computing }
	messages := func(r row) quantity.Micros { return r.Messages }
	waiting := func(r row) quantity.Micros { return r.Waiting }
	percent := table.PercentText("%.3g")
	time := func(part func(row) quantity.Micros) func(row) any {
		return func(r row) any {
			return table.OrAbsent(part(r), !math.IsNaN(float64(part(r))))
		}
	}
	within := slices.ContainsFunc(s.Rows, func(r row) bool { return r.Within.Value > 0 })
	end := func(of func(row) float64) func(row) any {
		return func(r row) any { return table.OrAbsent(quantity.Micros(of(r)), r.Within.Value > 0) }
	}
	// On one number of ranks every row is the smallest of its machine and parameters.
	scales := len(s.Rows) == 1 || ranksDiffer(s)
	computes := slices.ContainsFunc(s.Rows, func(r row) bool { return ratio(r.Efficiency) != nil })
	columns := []table.Field[row]{
		table.Col("machine", table.HeadIf(differ(s, func(r row) string { return r.Machine }),
			"machine"), func(r row) any { return r.Machine }),
		table.Col("params", table.HeadIf(differ(s, func(r row) string { return r.Params }),
			"parameters"), func(r row) any { return r.Params }),
		table.Col("ranks", "ranks", func(r row) any { return r.Ranks }),
		table.Col("finish_us", "finish", func(r row) any { return r.Finish }),
		table.Col("finish_from_us", table.HeadIf(within, "90 % from"), end(func(r row) float64 {
			return r.Within.Low
		})),
		table.Col("finish_to_us", table.HeadIf(within, "to"), end(func(r row) float64 {
			return r.Within.High
		})),
		table.Col("computing_us", "", time(computing)),
		table.Col("messages_us", "", time(messages)),
		table.Col("waiting_us", "", time(waiting)),
		table.Col("computing_percent", "computes (%)", of(computing)).Texted(percent),
		table.Col("messages_percent", table.HeadIf(!s.counts(), "overheads (%)"),
			of(messages)).Texted(percent).Ranked(2),
		table.Col("waiting_percent", table.HeadIf(!s.counts(), "waits (%)"),
			of(waiting)).Texted(percent),
		table.Col("speed_up", table.HeadIf(scales, "speed-up"), func(r row) any {
			return ratio(r.SpeedUp)
		}).Texted(table.PercentText("%.3g")).Ranked(1),
		table.Col("efficiency_percent", table.HeadIf(scales && computes, "efficiency (%)"),
			func(r row) any { return ratio(100 * r.Efficiency) }).Texted(percent),
	}
	if s.counts() {
		columns = append(columns, splitColumns(s)...)
	}
	names := markNames(s)
	keys := markKeys(names)
	for i, name := range names {
		mark := func(r row) MarkTime {
			i := slices.IndexFunc(r.Marks, func(m MarkTime) bool { return m.Name == name })
			if i < 0 {
				return MarkTime{}
			}
			return r.Marks[i]
		}
		columns = append(columns,
			table.Col(keys[i]+"_us", "", func(r row) any { return mark(r).Mean }),
			table.Col(keys[i]+"_max_us", "", func(r row) any { return mark(r).Max }))
	}
	ofRatio := func(of func(row) float64) func(row) any {
		return func(r row) any { return table.OrAbsent(of(r), r.SpeedUpWithin.Value > 0) }
	}
	efficient := func(r row) float64 { return 100 * r.Efficiency / r.SpeedUp }
	columns = append(columns,
		table.Col("speed_up_from", "", ofRatio(func(r row) float64 { return r.SpeedUpWithin.Low })),
		table.Col("speed_up_to", "", ofRatio(func(r row) float64 { return r.SpeedUpWithin.High })),
		table.Col("efficiency_from_percent", "", ofRatio(func(r row) float64 {
			return efficient(r) * r.SpeedUpWithin.Low
		})),
		table.Col("efficiency_to_percent", "", ofRatio(func(r row) float64 {
			return efficient(r) * r.SpeedUpWithin.High
		})))
	rows := table.TableOf(s.Rows, columns...)
	rows.Add(s.Notes...)
	rows.Verdict = scalingVerdict(s)
	switch {
	case !computes:
		rows.Add(remark.NoEfficiency().As(remark.Doubt))
	case ranksDiffer(s):
		rows.Add(efficiencyNote(s))
		if within {
			rows.Add(remark.RatioUnknown("Speed-up and efficiency have"))
		}
	}
	if rows.Add(s.NoInterval...); !s.counts() {
		rows.Add(kneeNotes(s)...)
	} else {
		rows.Add(remark.SplitParts())
		if !differ(s, func(r row) string { return r.Machine }) {
			rows.Verdict = splitVerdict(s)
		}
	}
	return rows
}

// efficiencyNote says what the efficiency of the last row is.
func efficiencyNote(s *Scaling) remark.Note {
	last := s.Rows[len(s.Rows)-1]
	first := last
	for _, r := range s.Rows {
		if r.Machine == last.Machine && r.Params == last.Params && r.Ranks < first.Ranks {
			first = r
		}
	}
	return last.efficiencyNote(&first)
}

// scalingVerdict describes the largest number of ranks with the last parameters; of several
// machines, it names the one that is fastest there.
func scalingVerdict(s *Scaling) (none table.Sentence) {
	if len(s.Rows) == 0 {
		return none
	}
	last := s.Rows[len(s.Rows)-1]
	of := quantity.Plural(last.Ranks, "rank")
	if last.Params != "" {
		of += " with " + last.Params
	}
	best, worst := last, last
	for _, r := range s.Rows {
		if r.Ranks != last.Ranks || r.Params != last.Params {
			continue
		}
		if r.Finish < best.Finish {
			best = r
		}
		if r.Finish > worst.Finish {
			worst = r
		}
	}
	with := ""
	if ranksDiffer(s) && ratio(last.Efficiency) != nil {
		with = fmt.Sprintf(", efficiency %.3g %%", 100*last.Efficiency)
	}
	if waiting := ratio(100 * float64(last.Waiting/max(last.Finish, 1e-12))); waiting != nil {
		with += fmt.Sprintf(", %.3g %% waiting", waiting)
	}
	if best.Machine != worst.Machine {
		return table.Say("%s: %v", of,
			fastestMachine(best.Machine, best.Finish, worst.Machine, worst.Finish))
	}
	closing := table.Closing{}
	for _, r := range s.Rows {
		if r.Machine != last.Machine {
			continue
		}
		v := table.Closed{Of: quantity.Plural(r.Ranks, "rank"), Value: r.Finish}
		if r.Within.Value > 0 {
			v.Value = table.Interval{Dim: quantity.DimTime, Interval: r.Within}
		} else {
			closing.Error = s.off
		}
		if r.Params != "" {
			v.Of = quantity.Plural(r.Ranks, "rank") + " with " + r.Params
		}
		if r.Ranks == last.Ranks && r.Params == last.Params {
			v.With = with
		}
		closing.Values = append(closing.Values, v)
	}
	return closing.Say()
}

// kneeNotes says from which number of ranks messages take most of the time, and of which line.
func kneeNotes(s *Scaling) (notes []remark.Note) {
	for _, k := range s.Knees {
		subject := "Messages"
		if len(s.Rows) > 1 {
			subject = fmt.Sprintf("From %s, messages", quantity.Plural(k.Ranks, "rank"))
		}
		on := ""
		if differ(s, func(r Scaled) string { return r.Machine }) {
			on = " on " + k.Machine
		}
		if k.Params != "" {
			on += " with " + k.Params
		}
		notes = append(notes, remark.MessagesTakeHalf(subject, on, k.Messages, k.Line, k.Part))
	}
	return notes
}

// markRows returns the times of the program's marks: a row for each mark and row of the scaling.
func markRows(s *Scaling) table.Rows {
	type row struct {
		Scaled
		MarkTime
	}
	var all []row
	for _, r := range s.Rows {
		for _, m := range r.Marks {
			all = append(all, row{r, m})
		}
	}
	rows := table.TableOf(all,
		table.Col("machine", table.HeadIf(differ(s, func(r Scaled) string {
			return r.Machine
		}), "machine"), func(r row) any { return r.Machine }),
		table.Col("params", table.HeadIf(differ(s, func(r Scaled) string {
			return r.Params
		}), "parameters"), func(r row) any { return r.Params }),
		table.Col("ranks", "ranks", func(r row) any { return r.Ranks }),
		table.Col("mark", "mark", func(r row) any { return r.Name }),
		table.Col("mean_us", "mean of ranks", func(r row) any { return r.Mean }),
		table.Col("max_us", "largest", func(r row) any { return r.Max }),
		table.Col("mean_percent", "of the finish (%)", func(r row) any {
			return table.Finite(100 * float64(r.Mean/max(r.Finish, 1e-12)))
		}).Texted(table.PercentText("%.3g")))
	// A small screen has the marks of the last row, whose finish is the verdict.
	rows.RowRank = func(i int) int {
		if all[i].Ranks != all[len(all)-1].Ranks {
			return 1
		}
		return 0
	}
	return rows
}

// differ reports whether the rows have several values of a name.
func differ(s *Scaling, name func(Scaled) string) bool {
	return slices.ContainsFunc(s.Rows, func(r Scaled) bool {
		return name(r) != name(s.Rows[0])
	})
}

// ranksDiffer reports whether the rows have several numbers of ranks.
func ranksDiffer(s *Scaling) bool {
	return slices.ContainsFunc(s.Rows, func(r Scaled) bool {
		return r.Ranks != s.Rows[0].Ranks
	})
}

// markNames returns the names of all marks.
func markNames(s *Scaling) (names []string) {
	for _, r := range s.Rows {
		for _, m := range r.Marks {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}
