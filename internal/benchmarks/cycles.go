package benchmarks

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// cyclesRows is the number of rows that show cycles. Times of perftest in µs have two decimals, so
// that the least and the greatest of three rows are all whole or halves in one of 1.6 × 10¹⁰ files.
const cyclesRows = 3

// checkCycles returns an error if a table of perftest has cycles of the processor, which its option
// -C prints below the heading "usec". Half of a round trip of whole cycles is whole or a half.
func checkCycles(f *benchfile.File, o fit.Options) error {
	if o.Trace.Clock > 0 {
		return nil // the times are no cycles any more
	}
	halves := func(t float64) bool { return 2*t == math.Trunc(2*t) }
	for _, t := range f.Tables {
		in := t.Format == "perftest" && t.Kind == benchfile.OneWay && len(t.Samples) >= cyclesRows
		for _, s := range t.Samples {
			in = in && halves(float64(s.Min)) && halves(float64(s.Max)) && s.Min < s.Max
		}
		if in {
			return &benchfile.Error{File: f.Name, Line: t.Samples[0].Line, Msg: fmt.Sprintf(
				"the times of %s are whole numbers and halves, so they are the cycles that "+
					"perftest -C prints, and not µs; give the clock of the processor with "+
					"--clock 3GHz, or measure without -C", t.Name())}
		}
	}
	return nil
}
