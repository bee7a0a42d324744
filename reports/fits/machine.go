package fits

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Machine is the one that calibrate.c measured.
type Machine struct {
	*calibrate.Fit
	tests []machineTest
}

// A machineTest sums up how well the machine reproduces a kind of measurement.
type machineTest struct {
	calibrate.CheckSummary
	level string // where the ranks meet
	used  bool   // the fit uses these measurements: the errors are a residual, and no test
}

// machineOf fits a machine to calibrate.c's output, and checks it against those
// measurements of the same run that the fit does not use. A level that no pair of
// ranks measured is assumed to be like the next one, and notes say so, because a
// prediction across it is then a guess.
func machineOf(ctx context.Context, text *bufio.Reader, path string) (
	c *Machine, notes []remark.Note, err error) {

	f, err := calibrate.FitMachine(text, path)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Test(ctx); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	c = &Machine{Fit: f}
	// Collectives (level −1), fans and exchanges test the machine; all else made it.
	// A kind of measurement that the fit begins to use must leave this list, or a
	// residual is shown as a test.
	unused := []string{calibrate.FanIn, calibrate.FanOut, calibrate.Exchange, calibrate.Mixed}
	for _, s := range calibrate.Summarize(f.Checks) {
		used := s.Level >= 0 && !slices.Contains(unused, s.Measure)
		c.tests = append(c.tests, machineTest{s, c.placeOf(s), used})
	}
	notes = slices.Concat(f.Notes, c.levelNotes(), c.doubtNotes(), c.algorithmNotes())
	for _, name := range f.Unmeasured {
		notes = append(notes, remark.LevelLikeNext(name))
	}
	if gamma := f.PerByte(calibrate.Combine); gamma > 0 {
		notes = append(notes, remark.Combines(gamma.Nanos()))
	}
	return c, notes, nil
}

// placeOf names where the ranks of measurements meet. A collective spans all levels, and many pairs
// can meet inside a unit or cross its port ("out of").
func (c *Machine) placeOf(s calibrate.CheckSummary) string {
	switch {
	case s.Level < 0:
		return "all"
	case s.Out:
		return "out of " + c.Levels[s.Level].Name
	}
	return c.Levels[s.Level].Name
}

// Made returns the platform of the machine.
func (c *Machine) Made() (platforms.Platform, string, error) { return c.Platform(), "", nil }

// levelNotes returns one note per level: what a user can check against the data sheet of
// the machine, which is its arity, latency, bandwidth, and what its units share.
func (c *Machine) levelNotes() (notes []remark.Note) {
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
		notes, inner = append(notes, remark.Described(text)), l.Name+" units"
	}
	return notes
}

// doubtful is the median error from which a level does not describe what was measured at it.
const doubtful = 0.5

// doubtNotes returns a note for each kind of measurement that the machine does not reproduce. A
// saved machine shows no errors.
func (c *Machine) doubtNotes() (notes []remark.Note) {
	for _, s := range calibrate.Summarize(c.Checks) {
		if s.Level >= 0 && s.Median > doubtful {
			notes = append(notes, remark.LevelOff(c.Levels[s.Level].Name, s.Median,
				strings.ReplaceAll(s.Measure, "_", "-")))
		}
	}
	return notes
}

// algorithmNotes returns a note for each collective whose algorithms are guessed.
func (c *Machine) algorithmNotes() (notes []remark.Note) {
	for _, n := range c.Nearest() {
		notes = append(notes, remark.RunsAs(n.Collective, n.Algorithms, n.Worst))
	}
	return notes
}
