package message

import (
	"fmt"

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

// beyondMeasured is the doubt of a size outside of the measured ones.
const beyondMeasured = "Beyond the sizes that were measured the protocol may change."

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
