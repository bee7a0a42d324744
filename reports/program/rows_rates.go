package program

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the measured steps beside those of the fitted rates.
func (f *Rates) Rows() table.Rows {
	rows := table.TableOf(f.Steps,
		table.Col("ranks", "ranks", func(s FittedStep) any { return s.Ranks }),
		table.Col("params", "parameters", func(s FittedStep) any {
			return strings.Join(s.Params, " ")
		}).Ranked(1),
		table.Col("measured_us", "measured", func(s FittedStep) any { return s.Time }),
		table.Col("fitted_us", "fitted", func(s FittedStep) any { return s.Fitted }),
		table.Col("error_percent", "error", func(s FittedStep) any {
			return 100 * float64(s.Fitted/s.Time-1)
		}).Texted(table.PercentText("%+.2g %%")),
		table.Col("flops_tflop_s", "", func(FittedStep) any { return f.Flops.Value / 1e6 }),
		table.Col("flops_low_tflop_s", "", func(FittedStep) any { return f.Flops.Low / 1e6 }),
		table.Col("flops_high_tflop_s", "", func(FittedStep) any { return f.Flops.High / 1e6 }),
		table.Col("memory_mb_s", "", func(FittedStep) any { return f.Memory.Value }),
		table.Col("memory_low_mb_s", "", func(FittedStep) any { return f.Memory.Low }),
		table.Col("memory_high_mb_s", "", func(FittedStep) any { return f.Memory.High }),
	)
	one := quantity.Plural(len(f.Steps), "step")
	if f.Assumed {
		rows.Add(remark.NoneLeft(one, stepError))
	}
	if f.Given {
		rows.Add(remark.MemoryGiven())
	}
	flops, memory := ratePhrase(f.Flops, quantity.DimFlops), ratePhrase(f.Memory, quantity.DimRate)
	rows.Add(remark.Ridge(f.Flops.Value / f.Memory.Value))
	rows.Verdict = table.Say("%s of %s: flops %s, memory %s", one, f.Name, flops, memory)
	return rows
}

// ratePhrase returns a rate with its interval.
func ratePhrase(in quantity.Interval, dim quantity.Dimension) string {
	show := func(v float64) string { return quantity.Value{Num: v, Dim: dim}.String() }
	if in.Low == in.High {
		return show(in.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", show(in.Value), show(in.Low), show(in.High))
}
