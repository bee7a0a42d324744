package fits

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates the tests.
func (p *Pipelines) Rows() table.Rows {
	type row = PipelineTest
	col := table.Col[row]
	percent := func(key, head string, of func(row) float64) table.Field[row] {
		return col(key, head, func(r row) any { return math.Round(1e6*of(r)) / 1e4 }).
			Texted(table.PercentError)
	}
	rows := table.TableOf(p.Tests,
		col("file", "", func(row) any { return p.File }),
		col("pipeline", "pipeline", func(r row) any { return r.Pipeline }),
		col("message_bytes", "message", func(r row) any { return r.Message }),
		col("packet_bytes", "best packet", func(r row) any { return r.Packet }),
		col("predicted_us", "predicted", func(r row) any { return r.Predicted }),
		col("measured_us", "measured", func(r row) any { return r.Took }),
		col("fastest_bytes", "fastest", func(r row) any { return r.Fastest }),
		percent("loss_percent", "loss", func(r row) float64 { return float64(r.Took/r.Best) - 1 }),
		percent("median_error_percent", "median error", func(r row) float64 { return r.Median }),
	)
	rows.Add(remark.StagesAlone())
	if p.Left > 0 {
		rows.Add(remark.SharedCore(p.Left, p.All))
	}
	return rows
}
