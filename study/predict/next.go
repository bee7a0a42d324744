package predict

import (
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// nextFields returns the columns of a quantity in a table of predictions: for people its interval,
// or the value alone without one, and for programs three numbers.
func nextFields[T any](name, head string, of func(T) Predicted, value func(T) any) []reports.Field[T] {
	q, err := whatif.NewQuantity(name, 1)
	if err != nil {
		panic(err) // the names are those of followers
	}
	interval := func(v T, cell func(whatif.Interval) any, otherwise any) any {
		p := of(v)
		if p.Next == nil {
			return otherwise
		}
		return cell(whatif.ForecastInterval(name, p.Size, *p.Next))
	}
	return []reports.Field[T]{
		reports.Col("", head+" (95 %)", func(v T) any {
			return interval(v, func(in whatif.Interval) any {
				return reports.Interval{Dim: q.Dim(), Value: in.Value, Low: in.Low, High: in.High}
			}, value(v))
		}),
		reports.Col(q.Key(), "", value),
		reports.Col(q.KeyOf("low"), "", func(v T) any { return interval(v, func(in whatif.Interval) any { return in.Low }, nil) }),
		reports.Col(q.KeyOf("high"), "", func(v T) any { return interval(v, func(in whatif.Interval) any { return in.High }, nil) }),
	}
}

// Cell returns the curve's value of a cost, with its interval if the next measurement is predicted.
func (k CurveKind) Cell(p Predicted) any {
	switch {
	case p.Next != nil:
		in := whatif.ForecastInterval(k.Quantity(), p.Size, *p.Next)
		return reports.Interval{Dim: k.quantity(p.Size).Dim(), Value: in.Value, Low: in.Low, High: in.High}
	case k == Latency:
		return p.OneWay
	}
	return p.Bandwidth
}
