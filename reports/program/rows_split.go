package program

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// splitColumns are those of a program that counts.
func splitColumns(s *Scaling) []table.Field[Scaled] {
	share := func(key, head string, part func(Scaled) quantity.Micros) table.Field[Scaled] {
		return table.Col(key+"_percent", head+" (%)", func(r Scaled) any {
			return ratio(100 * float64(part(r)/max(r.Finish, 1e-12)))
		}).Texted(table.PercentText("%.3g"))
	}
	return []table.Field[Scaled]{
		share("shown", "shown", func(r Scaled) quantity.Micros { return r.Shown }),
		share("hidden", "hidden", func(r Scaled) quantity.Micros { return r.Hidden }).Ranked(1),
		share("bubbles", "bubbles", func(r Scaled) quantity.Micros { return r.Bubbles }),
		table.Col("unit", "", func(r Scaled) any { return r.Unit }),
		table.Col("units_per_s", s.Rows[0].Unit+"/s", func(r Scaled) any {
			return ratio(r.Rate(r.Finish))
		}).Texted(func(v any) string {
			if rate, is := v.(float64); is && rate >= 1e4 {
				return fmt.Sprintf("%.0f", rate)
			}
			return fmt.Sprintf("%.3g", v)
		}),
	}
}

// splitVerdict says what binds the step on the largest number of ranks, and what a network would
// give.
func splitVerdict(s *Scaling) table.Sentence {
	last := s.Rows[len(s.Rows)-1]
	first := last
	for _, r := range s.Rows {
		if r.Machine == last.Machine && r.Params == last.Params && r.Ranks < first.Ranks {
			first = r
		}
	}
	of := quantity.Plural(last.Ranks, "rank")
	if last.Params != "" {
		of += " with " + last.Params
	}
	times := ""
	if first.Ranks < last.Ranks {
		rates := last.Rate(last.Finish) / first.Rate(first.Finish)
		times = fmt.Sprintf(", %.3g × as many %s a second as %d", rates, last.Unit, first.Ranks)
		if in := last.SpeedUpWithin; in.Value > 0 {
			times += fmt.Sprintf(" (%.3g to %.3g)", rates*in.Low/in.Value, rates*in.High/in.Value)
		}
	}
	binds, part := "computation", last.Computing
	if last.Shown > part {
		binds, part = "communication that is not hidden", last.Shown
	}
	if last.Bubbles > part {
		binds, part = "waiting for other ranks", last.Bubbles
	}
	finish := table.Say("%v", last.Finish)
	if last.Within.Value > 0 {
		finish = table.Say("%v", table.Interval{Dim: quantity.DimTime, Interval: last.Within})
	}
	verdict := table.Say("%s: %v%s; %s takes %.0f %%", of, finish, times, binds,
		100*float64(part/last.Finish))
	if s.bound != "" {
		verdict = table.Say("%v; a bound, since no log has %s", verdict, s.bound)
	}
	if s.faster > 0 {
		verdict = table.Say("%v; %s twice as fast would make it %.2f ×", verdict, s.fasterLink,
			float64(last.Finish/s.faster))
	}
	if free := last.Finish - last.Shown; free > 0 {
		verdict = table.Say("%v; no network makes it more than %.2f ×", verdict,
			float64(last.Finish/free))
	}
	return verdict
}

// ratio returns a ratio of times, which is absent if a program takes no time or the simulator does
// not know its parts.
func ratio(v float64) any { return table.OrAbsent(v, !math.IsNaN(v) && !math.IsInf(v, 0)) }
