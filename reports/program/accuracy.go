package program

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
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

// offBy states the known errors of the model in one clause.
func offBy() string {
	return fmt.Sprintf("90 %% of measured programs take %.2g to %.3g times as long as predicted",
		lowRatio, highRatio)
}
