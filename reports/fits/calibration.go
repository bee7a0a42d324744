package fits

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// Calibrated is the machine that calibrate.c's output describes, and the comparison
// of this machine with the collectives and exchanges that the same run measured.
// Those measurements are not used in the fit, so they test it.
type Calibrated struct {
	*calibrate.Calibration
	File    string
	machine machine.Machine
	Checks  []calibrate.Checked
}

// recognized is the number of bytes that show whether a text is of calibrate.c or pipeline.c. It
// leaves room for what mpirun and a job's script print before the header.
const recognized = 64 << 10

// levels returns one note per level: what a user can check against the data sheet of
// the machine, which is its arity, latency, bandwidth, and what its units share.
func (c *Calibrated) levels() (notes []string) {
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
		if words := calibrate.InWords(l.Handshake, l.Data); words != "" {
			text += "; " + words
		}
		// A shared resource has a line: what it takes at all, and what each byte
		// takes. A note gives the first as µs a message, and the second as a rate. If no
		// large messages were measured, it has no rate.
		share := func(what string, layer model.Layer) {
			if layer != nil {
				start, rate := layer.OneWay(1), ""
				if bytes := layer.OneWay(n) - start; bytes > 0 {
					rate = fmt.Sprintf("%.0f MB/s, ", n/float64(bytes))
				}
				text += fmt.Sprintf("; %s %s%.3g µs a message", what, rate, float64(start))
			}
		}
		if l.Reverse > 0 {
			text += fmt.Sprintf("; both directions at once %.3g %% slower", 100*l.Reverse)
		}
		share("all inside one together", l.Shared)
		if len(l.Port) > 0 { // a calibration finds one rail
			share("all out of one together", l.Port[0])
		}
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
func (c *Calibrated) doubts() (notes []string) {
	for _, s := range calibrate.Summarize(c.Checks) {
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
func (c *Calibrated) nearest() (found []nearest) {
	of := map[string][]calibrate.Checked{}
	var names []string
	for _, k := range c.Checks {
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
func (c *Calibrated) algorithms() (notes []string) {
	for _, n := range c.nearest() {
		notes = append(notes, calibrate.AsMeasured(n.collective, n.algorithms, n.worst))
	}
	return notes
}
