package fits

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model"
)

// levelNotes returns one note per level: what a user can check against the data sheet of
// the machine, which is its arity, latency, bandwidth, and what its units share.
func levelNotes(c *calibrate.Fit) (notes []string) {
	inner := "ranks"
	for _, l := range c.Fitted.Levels {
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

// doubtNotes returns a note for each kind of measurement that the machine does not reproduce. A
// saved machine shows no errors.
func doubtNotes(c *calibrate.Fit) (notes []string) {
	for _, s := range calibrate.Summarize(c.Checks) {
		if s.Level >= 0 && s.Median > doubtful {
			notes = append(notes, fmt.Sprintf("warning: level %s is off by %.0f %% in the median "+
				"of %s; measure again on quiet nodes, and do not use the level before",
				c.Levels[s.Level].Name, 100*s.Median, strings.ReplaceAll(s.Measure, "_", "-")))
		}
	}
	return notes
}

// algorithmNotes returns a note for each collective whose algorithms are guessed.
func algorithmNotes(c *calibrate.Fit) (notes []string) {
	for _, n := range c.Nearest() {
		notes = append(notes, calibrate.AsMeasured(n.Collective, n.Algorithms, n.Worst))
	}
	return notes
}
