package fits

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/reports"
)

// calibrated is the machine that calibrate.c's output describes, and the comparison
// of this machine with the collectives and exchanges that the same run measured.
// Those measurements are not used in the fit, so they test it.
type calibrated struct {
	*calibrate.Calibration
	file    string
	machine machine.Machine
	checks  []calibrate.Checked
}

// recognized is the number of bytes that show whether a text is of calibrate.c or pipeline.c. It
// leaves room for what mpirun and a job's script print before the header.
const recognized = 64 << 10

// levels returns one note per level: what a user can check against the data sheet of
// the machine, which is its arity, latency, bandwidth, and what its units share.
func (c *calibrated) levels() (notes []string) {
	inner := "ranks"
	for _, l := range c.machine.Levels {
		// The bandwidth is the slope between 1 and 2 MiB, so that latency and
		// protocol switches do not lower it; calibrate.c measures up to 4 MiB. A file
		// that was cut before 64 KiB shows a latency alone: its last slope is not a
		// bandwidth.
		const n, least = 1 << 20, 64 << 10 // smaller messages show a latency alone
		one, two := l.Layer.OneWay(n), l.Layer.OneWay(2*n)
		// A larger message that takes less time was disturbed in all passes. Half of
		// its time for half of its size then gives the bandwidth of the whole
		// message, a lower bound.
		if two <= one { // the measurement was disturbed
			one = two / 2
		}
		latency := float64(l.Layer.OneWay(1))
		text := fmt.Sprintf("level %s: %d %s; %.3g µs, ", l.Name, l.Arity, inner, latency)
		if t, ok := l.Layer.(*model.Table); ok && t.Sizes[len(t.Sizes)-1] < least {
			text += fmt.Sprintf("bandwidth unknown: round trips end at %.0f B, "+
				"and larger messages are extrapolated", float64(t.Sizes[len(t.Sizes)-1]))
		} else {
			text += fmt.Sprintf("%.0f MB/s", n/float64(two-one))
		}
		if l.Eager > 0 {
			text += fmt.Sprintf("; eager up to %.0f B", float64(l.Eager))
		}
		// A shared resource has a line: what it takes at all, and what each byte
		// takes. A note gives the first as µs a message, and the second as a rate.
		share := func(what string, layer model.Layer) {
			if layer != nil {
				start := layer.OneWay(1)
				rate := n / float64(layer.OneWay(n)-start)
				text += fmt.Sprintf("; %s %.0f MB/s, %.3g µs a message", what, rate,
					float64(start))
			}
		}
		if l.Reverse > 0 {
			text += fmt.Sprintf("; both directions at once %.3g %% slower", 100*l.Reverse)
		}
		share("all inside one together", l.Shared)
		share("all out of one together", l.Port)
		if network := l.Topology.String(); network != "" {
			text += fmt.Sprintf("; %s, %.3g µs a link", network, float64(l.Hop))
			share("through a link", l.Link)
		}
		// The arity of the next level counts units of this one.
		notes, inner = append(notes, text), l.Name+" units"
	}
	return notes
}

// doubtful is the median error from which a level does not describe what was measured at it.
const doubtful = 0.5

// doubts returns a note for each kind of measurement that the machine does not reproduce: a saved
// machine shows no errors.
func (c *calibrated) doubts() (notes []string) {
	for _, s := range calibrate.Summarize(c.checks) {
		if s.Level >= 0 && s.Median > doubtful {
			notes = append(notes, fmt.Sprintf("warning: level %s is off by %.0f %% in the median "+
				"of %s; measure again on quiet nodes, and do not use the level before",
				c.Levels[s.Level].Name, 100*s.Median, strings.ReplaceAll(s.Measure, "_", "-")))
		}
	}
	return notes
}

// A nearest says which algorithms of a collective, by size, have the times nearest to the measured
// ones, and their largest relative error.
type nearest struct {
	collective, algorithms string
	worst                  float64
}

// nearest returns the algorithms of each measured collective if the library's are not known.
func (c *calibrated) nearest() (found []nearest) {
	of := map[string][]calibrate.Checked{}
	var names []string
	for _, k := range c.checks {
		if k.Nearest == "" {
			continue
		}
		if of[k.Measure] == nil {
			names = append(names, k.Measure)
		}
		of[k.Measure] = append(of[k.Measure], k)
	}
	for _, name := range names {
		all := of[name]
		slices.SortFunc(all, func(a, b calibrate.Checked) int {
			return cmp.Compare(a.Size, b.Size)
		})
		var parts []string
		worst := 0.0
		for i, k := range all {
			worst = max(worst, math.Abs(float64(k.NearestTime/k.Time)-1))
			if i == 0 || k.Nearest != all[i-1].Nearest {
				parts = append(parts, fmt.Sprintf("%s from %.0f B", k.Nearest, float64(k.Size)))
			}
		}
		found = append(found, nearest{name, strings.Join(parts, ", "), worst})
	}
	return found
}

// algorithms returns a note for each of them.
func (c *calibrated) algorithms() (notes []string) {
	for _, n := range c.nearest() {
		notes = append(notes, calibrate.AsMeasured(n.collective, n.algorithms, n.worst))
	}
	return notes
}

// rows tabulates how well the machine reproduces each kind of measurement at each
// level. The column "used" separates the rows that are a residual of the fit from
// those that are a test of it.
func (c *calibrated) rows() reports.Rows {
	// A collective spans all levels, and many pairs can meet inside a unit or cross
	// its port ("out of").
	name := func(s calibrate.CheckSummary) string {
		switch {
		case s.Level < 0:
			return "all"
		case s.Out:
			return "out of " + c.Levels[s.Level].Name
		}
		return c.Levels[s.Level].Name
	}
	type row = calibrate.CheckSummary
	col := reports.Col[row]
	percent := func(key, head string, of func(row) float64) reports.Field[row] {
		cell := func(s row) any { return math.Round(1e6*of(s)) / 1e4 } // four decimals of a percent
		return col(key, head, cell).Texted(reports.PercentError)
	}
	// Collectives (level −1), fans and exchanges test the machine; all else made it.
	// A kind of measurement that the fit begins to use must leave this list, or a
	// residual is shown as a test.
	unused := []string{calibrate.FanIn, calibrate.FanOut, calibrate.Exchange, calibrate.Mixed}
	rows := reports.TableOf(calibrate.Summarize(c.checks),
		col("file", "", func(row) any { return c.file }),
		col("measure", "measure",
			func(s row) any { return strings.ReplaceAll(s.Measure, "_", "-") }),
		col("level", "level", func(s row) any { return name(s) }),
		col("used", "used in the fit",
			func(s row) any { return s.Level >= 0 && !slices.Contains(unused, s.Measure) }),
		col("cases", "cases", func(s row) any { return s.Cases }),
		col("from_bytes", "from", func(s row) any { return s.From }),
		col("to_bytes", "to", func(s row) any { return s.To }),
		percent("median_error_percent", "median error", func(s row) float64 { return s.Median }),
		percent("bias_percent", "", func(s row) float64 { return s.Bias }),
		percent("worst_error_percent", "worst", func(s row) float64 { return s.Worst }),
	)
	// Without the library's rules, the fastest algorithm is the least favourable
	// choice for us: if the library's is slower, the difference counts as our error.
	compared := "the algorithm that the machine makes fastest; the library's is not known."
	if c.ChoicesKnown() {
		compared = "the algorithms that the library takes by default."
	}
	rows.Notes = []string{"Collectives are compared with " + compared}
	return rows
}
