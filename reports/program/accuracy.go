package program

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/platforms"
)

// Relative errors of predictions for traced programs on machines that calibrate had measured, from
// docs/tables/programs.csv: of the times of ten programs on two networks, and of the ratios of nine
// programs' times on both.
const (
	medianError, worstError = 0.056, 0.38
	MedianRatioError        = 0.018
	WorstRatioError         = 0.23
)

// noInterval says why times of a program on these machines have no interval, and what is known of
// their errors.
func noInterval(on []platforms.Design) (reasons []string) {
	unseen := false
	for _, d := range on {
		within := calibrate.DeviationOf(d.Platform)
		if !d.Whole || within.Ranks == 0 {
			unseen = true
			continue
		}
		reasons = append(reasons, fmt.Sprintf("No interval of the model's error: %s is known "+
			"from latencies alone. Collectives of such machines take %.2g to %.2g times as long "+
			"as predicted, and messages of a program may too.", d.Name(), within.Ratio.Low,
			within.Ratio.High))
	}
	if unseen {
		reasons = append(reasons, fmt.Sprintf("No interval of the model's error: ten measured "+
			"programs were off by %.2g %% in the median, %.2g %% at worst; ratios of networks by "+
			"%.2g and %.2g %% (docs/measure.md).", 100*medianError, 100*worstError,
			100*MedianRatioError, 100*WorstRatioError))
	}
	return reasons
}

// offBy states the known errors of the model in one clause.
func offBy() string {
	return fmt.Sprintf("no interval: measured programs were off by %.2g %% in the median, %.2g %% "+
		"at worst", 100*medianError, 100*worstError)
}
