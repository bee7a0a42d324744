package contention

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Interval is by which factors a time may differ from the predicted one: with about 19 in 20 it
// is between Low and High of it. High is infinite where the data cannot tell how long it takes.
type Interval struct {
	Low, High float64
	Source    string
}

// Of is the interval of a predicted time.
func (i Interval) Of(t quantity.Micros) (low, high quantity.Micros) {
	return t * quantity.Micros(i.Low), t * quantity.Micros(i.High)
}

// What the broadcasts of two nodes with 128 cores taught (docs/collectives.md): of their times, 19
// in 20 were between 0.47 and 1.73 of the times predicted from point-to-point data alone, whichever
// two of the three algorithms they are taken from. Elsewhere it may err to the other side as well.
const (
	unseenLow  = 1 / unseenHigh
	unseenHigh = 2.2
)

// elsewhere is the least half of an interval of an algorithm that was not among those measured, in
// logarithms: a factor of 2. Of such, nine tenths of the errors were below 1.5 to 1.8, whichever of
// three algorithms the factors were fitted to.
const elsewhere = math.Ln2

// broken is the median error in logarithms above which a machine is another than the model's: a
// factor of 2. Fitted to a third of an algorithm, the median was 0.12 to 0.16 there.
var broken = math.Ln2

// A Mismatch says that the measured collectives are too far from the model, whatever the factors.
type Mismatch struct{ Typical float64 }

func (e Mismatch) Error() string {
	return fmt.Sprintf("the model does not describe this machine: half of the measured collectives differ by more than a factor of %.2g from what it gives", math.Exp(e.Typical))
}

// Unseen is the interval of collectives on a machine where none was measured: wide, and without
// ends if ranks meet at a level at which nothing was measured.
func (e *Estimate) Unseen() Interval {
	for _, l := range e.levels {
		if l.unmeasured {
			return Interval{0, math.Inf(1), fmt.Sprintf("nothing was measured between ranks that meet in a %s, so it cannot be told how long a collective takes", l.Name)}
		}
		if len(l.Fans) == 0 {
			return Interval{unseenLow, unseenHigh * unseenHigh, fmt.Sprintf("no collective was measured on this machine, and at level %s no root with several receivers", l.Name)}
		}
	}
	return Interval{unseenLow, unseenHigh, "no collective was measured on this machine; on another one 19 of 20 broadcasts were between these factors"}
}

// Seen is the interval after a fit, of the algorithms that it was made from, and of others. That of
// the same ones is the error that 39 of 40 of its points are below, and at least a fifth: points
// that were fitted are nearer to the model than others. It is a [Mismatch] if the points are too
// far from the model.
func (f Fit) Seen() (same, other Interval, err error) {
	if typical := stats.QuantileOf(f.errors, 0.5); typical > broken {
		return same, other, Mismatch{typical}
	}
	q := max(stats.QuantileOf(f.errors, 0.975), math.Log(1.2))
	wide := max(q, elsewhere)
	return Interval{math.Exp(-q), math.Exp(q), fmt.Sprintf("from the errors of %d measured collectives of the same algorithm", f.Points)},
		Interval{math.Exp(-wide), math.Exp(wide), fmt.Sprintf("from the errors of %d measured collectives of another algorithm, at least a factor of 2", f.Points)}, nil
}
