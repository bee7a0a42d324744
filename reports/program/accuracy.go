package program

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// What is known of the errors of programs on machines that calibrate had measured, from
// docs/tables/programs.csv: ten programs on two networks of one computer. 90 % of their times were
// between lowRatio and highRatio of the predicted ones. The interval is that of Student's t of the
// logarithms, one for each program: made of nine programs, it holds 18 of the 20 times of those
// left out. The ratios of nine programs' times on both networks have relative errors.
const (
	lowRatio, highRatio = 0.88, 1.35
	MedianRatioError    = 0.018
	WorstRatioError     = 0.23
)

// noInterval says what is known of the errors of a program's times on these machines, in place of
// an interval of each.
func noInterval(on []platforms.Design) (reasons []remark.Note) {
	unseen := false
	for _, d := range on {
		within := calibrate.DeviationOf(d.Platform)
		if !d.Whole || within.Ranks == 0 {
			unseen = true
			continue
		}
		reasons = append(reasons,
			remark.ByLatencies(d.Name(), within.Ratio.Low, within.Ratio.High))
	}
	if unseen {
		reasons = append(reasons,
			remark.MeasuredPrograms(lowRatio, highRatio, MedianRatioError, WorstRatioError))
	}
	return reasons
}

// measuredRanks is the number of ranks of those programs.
const measuredRanks = 2

// offBy states in one clause the known errors of the times of a program on a number of ranks. Of
// more ranks than measured programs had, on a machine of which only single messages are known, they
// are those of collectives.
func offBy(on []platforms.Design, ranks int) string {
	single := func(d platforms.Design) bool {
		return d.Layer.Model != nil && calibrate.DeviationOf(d.Platform) == (calibrate.Deviation{})
	}
	if ranks > measuredRanks && slices.ContainsFunc(on, single) {
		return calibrate.OfSimulations("collectives took")
	}
	return fmt.Sprintf("90 %% of measured programs take %.2g to %.3g times as long as predicted",
		lowRatio, highRatio)
}

// isWide reports whether an interval is wider, on a side, than that of measured programs, whose
// factors have two decimals.
func isWide(in quantity.Interval) bool {
	const rounding = 0.005
	return in.Low < in.Value*(lowRatio-rounding) || in.High > in.Value*(highRatio+rounding)
}

// timesOf returns an interval as factors of its value.
func timesOf(in quantity.Interval) string {
	if math.IsInf(in.High, 1) {
		return fmt.Sprintf("at least %.2g times", in.Low/in.Value)
	}
	return fmt.Sprintf("%.2g to %.3g times", in.Low/in.Value, in.High/in.Value)
}
