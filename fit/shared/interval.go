package shared

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Interval is by which factors a time may differ from the predicted one: with about 19 in 20 it is
// between Low and High of it. High is infinite where the data cannot tell how long it takes.
type Interval struct {
	Low, High float64
	Source    string
}

// Of is the interval of a predicted time.
func (i Interval) Of(t quantity.Micros) (low, high quantity.Micros) {
	return t * quantity.Micros(i.Low), t * quantity.Micros(i.High)
}

// What the broadcasts of two nodes with 128 cores taught (docs/collectives.md): of their times, 19 in 20
// were between these factors of the times predicted from point-to-point data alone, whichever two of the
// three algorithms they are taken from, and rounded outwards.
const (
	unseenLow  = 0.7
	unseenHigh = 2.5
)

// An algorithm that was not among those measured has errors at most this much greater, in
// logarithms: nine tenths of the errors of the others were below 1.9 times those of the one that the
// factors were fitted to.
const elsewhere = 2

// broken is the median error in logarithms above which a machine is another than the model's: a factor
// of 2. Fitted to a third of an algorithm, the median was 0.12 to 0.16 there.
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

// Seen is the interval after a fit, of the algorithms that it was made from, and of others: 95 % of the
// errors of its points, which are few beside those that they stand for, so at least a fifth. It is a
// [Mismatch] if the points are too far from the model.
func (f Fit) Seen() (same, other Interval, err error) {
	if typical := quantile(f.errors, 0.5); typical > broken {
		return same, other, Mismatch{typical}
	}
	q := max(quantile(f.errors, 0.95), math.Log(1.2))
	return Interval{math.Exp(-q), math.Exp(q), fmt.Sprintf("95 %% of the errors of %d measured collectives of the same algorithm", f.Points)},
		Interval{math.Exp(-elsewhere * q), math.Exp(elsewhere * q), fmt.Sprintf("twice the errors, in logarithms, of %d measured collectives of another algorithm", f.Points)}, nil
}
