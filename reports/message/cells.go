package message

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// isMessage reports whether the time is that of one message, so that all other columns follow.
func isMessage(p Predicted) bool { return p.Timed.Of == platforms.Message }

// hasPeak reports whether a bandwidth follows from the times: of messages, and of streams.
func hasPeak(p Predicted) bool { return isMessage(p) || p.Timed.Of == platforms.Stream }

// within returns the interval of the next measurement, if the layer was fitted.
func within(p Predicted) quantity.Interval {
	if p.Next == nil {
		return quantity.Alone(quantity.Unknown)
	}
	return p.Within()
}

// bandwidths returns the bandwidths of a collective as cells, absent of other times.
func bandwidths(p Predicted) (alg, bus any) {
	a, b := p.Timed.Bandwidths(p.Size, p.Time)
	return table.OrAbsent(a, a > 0), table.OrAbsent(b, b > 0)
}

// nameOf returns the layer's reference.
func nameOf(p Predicted) string { return p.Platform + "/" + p.Layer }

// extrapolated says how far a size is outside of the measured ones.
func extrapolated(p Predicted) string {
	if p.Beyond <= 1 {
		return ""
	}
	if p.Beyond >= 100 { // without an exponent
		return fmt.Sprintf(", extrapolated %.0f ×", p.Beyond)
	}
	return fmt.Sprintf(", extrapolated %.3g ×", p.Beyond)
}

// betweenProtocols reports whether the size lies between the measured ones of two protocols.
func (p Predicted) betweenProtocols() bool { return p.Next != nil && p.Next.From == forecast.Ramp }

// quantity returns a quantity that follows from the one-way time of a message, with its interval;
// see [model.Quantities]. It is unknown of other times.
func (p Predicted) quantity(name string) quantity.Interval {
	q, _ := model.FindQuantity(name)
	if !isMessage(p) {
		return quantity.Alone(quantity.Unknown)
	}
	return q.Interval(p.Size, p.Within())
}

// CurveCell returns the curve's value of a cost, with its interval if the next measurement
// is predicted. Gaps and throughputs have no forecast, since one-way times were
// measured, and so tables beside curves are of Bandwidth and Latency only.
func CurveCell(k curves.Kind, p Predicted) any {
	q := k.Row() // of a stream, the same functions of its gap
	return table.Shown(q.Dim, q.Interval(p.Size, p.Within()))
}
