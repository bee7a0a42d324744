package main

import (
	"context"

	"github.com/spf13/cobra"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/study/collectives"
)

// measuredFlags name files of measured collectives.
type measuredFlags struct {
	files     collectives.MeasuredFiles
	ranks     []int
	statistic choice
}

func (m *measuredFlags) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&m.files.Paths, "measured", nil, "put the times beside those in these benchmark `files`")
	flags.Var(f, &m.ranks, flags.ParseRanks, "numbers", "measured-ranks", "", "how many ranks took part, where files do not say: one number, or one for each such table")
	enum(cmd, &m.statistic, "statistic", "whose measured time counts", "both", string(fitted.Average), string(fitted.Slowest))
	m.files.Fit.Trace.Spell = asFlag
	f.StringVar(&m.files.Fit.Trace.X, "x", "", "`column` of the sizes in a measured CSV, by name or number, as in \"size:KiB\"")
	f.StringVar(&m.files.Fit.Trace.Y, "y", "", "`column` of the times in a measured CSV, as in \"time:ms\"")
}

// chosenStatistic returns the statistic of --statistic; it is empty for both.
func (m *measuredFlags) chosenStatistic() fitted.Statistic {
	if m.statistic.value == "both" {
		return ""
	}
	return fitted.Statistic(m.statistic.value)
}

// write answers the question beside the measurements, at their ranks and sizes where it asks for
// none.
func (m *measuredFlags) write(ctx context.Context, cmd *cobra.Command, out *output, q collectives.Question) error {
	if q.Library != "" {
		return usagef("--export and --measured do not go together: rules are of one machine's times")
	}
	if !cmd.Flags().Changed("ranks") {
		q.Ranks = nil
	}
	if !cmd.Flags().Changed("size") {
		q.Sizes = nil
	}
	q.Progress = nil
	m.files.Fit.Measured.Ranks = m.ranks
	m.files.Fit.Progress = terminal.Reading(cmd.ErrOrStderr())
	answer, err := collectives.CompareMeasured(ctx, q, m.files)
	if answer == nil {
		return err
	}
	if failed := out.write(cmd, answer.Rows()); failed != nil {
		return failed
	}
	return err
}
