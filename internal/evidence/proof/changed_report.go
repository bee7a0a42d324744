package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

func (f forecastOfChange) byLibrary() bool { return slices.Contains(libraries, f.asked.choice) }

// A row of the report has the forecasts of some calls.
type changedRow struct {
	name string
	all  []forecastOfChange
}

// write writes the row: errors in percent, then how often the intervals hold the ratio and the
// time, and how wide those of the time are.
func (r changedRow) write(out io.Writer) {
	if len(r.all) == 0 {
		return
	}
	errors := list.Map(r.all, func(f forecastOfChange) float64 { return math.Abs(f.ratioError()) })
	widths := list.Map(r.all, func(f forecastOfChange) float64 {
		return f.after.High/f.after.Low - 1
	})
	share := func(holds func(forecastOfChange) bool) float64 {
		n := 0
		for _, f := range r.all {
			if holds(f) {
				n++
			}
		}
		return 100 * float64(n) / float64(len(r.all))
	}
	factor := func(q float64) float64 { return 100 * (math.Exp(stats.QuantileOf(errors, q)) - 1) }
	ratio := share(func(f forecastOfChange) bool { return f.normed() <= 1 })
	fmt.Fprintf(out, "| %s | %d | %.1f, %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n", r.name,
		len(r.all), factor(0.5), factor(0.95), ratio,
		share(func(f forecastOfChange) bool {
			return f.after.Low <= float64(f.asked.time) && float64(f.asked.time) <= f.after.High
		}), 100*stats.QuantileOf(widths, 0.5))
}

// runChanged measures what dir lacks, and judges whatif.
func runChanged(ctx context.Context, dir, only string, out, details io.Writer) error {
	if err := measureChanged(ctx, dir, only, details); err != nil {
		return err
	}
	for _, plain := range []bool{false, true} {
		var all []forecastOfChange
		refused := 0
		for _, p := range changedKinds {
			if !strings.Contains(p.file(), only) {
				continue
			}
			j, err := newChangedJudge(dir, p, plain)
			if err != nil {
				return err
			}
			of, no, err := j.ask(ctx, func(timed) bool { return true })
			if err != nil {
				return err
			}
			all, refused = append(all, of...), refused+no
		}
		fmt.Fprintf(out, "\n%s; %d calls refused\n\n", map[bool]string{false: "Calibrated machines",
			true: "Machines known from latencies"}[plain], refused)
		report(out, all)
	}
	answers, refused, err := alps(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAlps, alltoall of 8 ranks; %d calls refused\n\n", refused)
	for _, from := range []string{"slingshot", "tcp"} {
		for _, f := range answers[from] {
			fmt.Fprintf(out, "from %s, %.0f B: %.1f µs; predicted %.1f (%.1f to %.1f), "+
				"measured %.1f\n", from, float64(f.asked.bytes), f.before.Value, f.after.Value,
				f.after.Low, f.after.High, float64(f.asked.time))
		}
	}
	return nil
}

// report writes the rows of all forecasts: of calls with a named algorithm, and of the libraries',
// all and by change.
func report(out io.Writer, all []forecastOfChange) {
	fmt.Fprintln(out, "| calls | number | ratio off by: median, 95th percentile "+
		"| its interval holds | interval of the time holds | median width |\n"+
		"|---|---|---|---|---|---|")
	for _, who := range []string{"named", "library's"} {
		of := slices.DeleteFunc(slices.Clone(all), func(f forecastOfChange) bool {
			return f.byLibrary() != (who == "library's")
		})
		changedRow{who, of}.write(out)
		for _, c := range changes[1:] {
			changedRow{who + ", " + c.name, slices.DeleteFunc(slices.Clone(of),
				func(f forecastOfChange) bool { return f.asked.change != c.name })}.write(out)
		}
	}
}
