package study

import (
	"slices"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// followers are the quantities that follow from the one-way time t of n bytes.
var followers = map[string]func(n quantity.Bytes, t quantity.Micros) float64{
	"one_way":   func(_ quantity.Bytes, t quantity.Micros) float64 { return float64(t) },
	"rtt":       func(_ quantity.Bytes, t quantity.Micros) float64 { return 2 * float64(t) },
	"bandwidth": func(n quantity.Bytes, t quantity.Micros) float64 { return float64(n.Over(t)) },
}

// followerOf is the follower that a quantity of messages of these sizes is: where messages do not
// overlap, the gap is the one-way time.
func followerOf(d whatif.Design, name string, sizes []quantity.Bytes) (follower string, ok bool) {
	apart := !slices.ContainsFunc(sizes, func(n quantity.Bytes) bool { return d.Layer.Model.Gap(n) != d.Layer.Model.OneWay(n) })
	switch {
	case name == "gap" && apart:
		name = "one_way"
	case name == "throughput" && apart:
		name = "bandwidth"
	}
	return name, followers[name] != nil
}

// nextInterval is the interval of the next measurement of one of the followers.
func nextInterval(name string, n quantity.Bytes, f forecast.Forecast) whatif.Interval {
	of := followers[name]
	a, b := of(n, f.Low), of(n, f.High)
	return whatif.Interval{Value: of(n, f.Middle), Low: min(a, b), High: max(a, b)}
}

// nextNote says what the intervals of a table or a figure are.
const nextNote = "95 %: the next measurement by the same benchmark, on the machine that was measured, in 95 of 100 cases."

// nextFields are the columns of a follower in a table of predictions: for people its interval, or
// the value alone where there is none, and for programs three numbers.
func nextFields[T any](name, head string, of func(T) Predicted, value func(T) any) []field[T] {
	q, err := whatif.NewQuantity(name, 1)
	if err != nil {
		panic(err) // the names are those of followers
	}
	interval := func(v T, cell func(whatif.Interval) any, otherwise any) any {
		p := of(v)
		if p.Next == nil {
			return otherwise
		}
		return cell(nextInterval(name, p.Size, *p.Next))
	}
	return []field[T]{
		col("", head+" (95 %)", func(v T) any {
			return interval(v, func(in whatif.Interval) any {
				return reports.Interval{Dim: q.Dim(), Value: in.Value, Low: in.Low, High: in.High}
			}, value(v))
		}),
		col(q.Key(), "", value),
		col(q.KeyOf("low"), "", func(v T) any { return interval(v, func(in whatif.Interval) any { return in.Low }, nil) }),
		col(q.KeyOf("high"), "", func(v T) any { return interval(v, func(in whatif.Interval) any { return in.High }, nil) }),
	}
}

// cell is what the curve shows of a cost, with its interval where that is of the next measurement.
func (k CurveKind) cell(p Predicted) any {
	switch {
	case p.Next != nil:
		name, _ := k.follower()
		in := nextInterval(name, p.Size, *p.Next)
		dim := quantity.DimRate
		if k == Latency {
			dim = quantity.DimTime
		}
		return reports.Interval{Dim: dim, Value: in.Value, Low: in.Low, High: in.High}
	case k == Latency:
		return p.OneWay
	}
	return p.Bandwidth
}

// isFitted reports whether the next measurement of a design can be predicted.
func isFitted(d whatif.Design) (bool, error) {
	next, err := measuredCurve(d)
	return err == nil && next(1) != nil, err
}

// nextCosts are the costs of messages in a design, as [Predict] has them.
func nextCosts(d whatif.Design, sizes ...quantity.Bytes) ([]Predicted, error) {
	p, err := Predict(sizes, d)
	if err != nil {
		return nil, err
	}
	return p.Costs, nil
}

// withMeasured adds to ascending sizes those between them that a design was fitted to, and where
// they end the next ones.
func withMeasured(sizes []quantity.Bytes, d whatif.Design) []quantity.Bytes {
	all := slices.Clone(sizes)
	measured := d.Layer.Measured.Sizes
	for _, n := range append([]quantity.Bytes{measured[0] - 1, measured[len(measured)-1] + 1}, measured...) {
		if n >= sizes[0] && n <= sizes[len(sizes)-1] {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nextBands are the bands that hold the next measurement of a follower, over sizes of
// withMeasured: one of what was measured, and one on each side of what was not. Neighbours have the
// size in common at which they meet.
func nextBands(name, follower string, d whatif.Design, sizes []quantity.Bytes) ([]reports.Series, error) {
	next, err := measuredCurve(d)
	if err != nil {
		return nil, err
	}
	measured := d.Layer.Measured.Sizes
	first, last := measured[0], measured[len(measured)-1]
	var bands []reports.Series
	for _, part := range []struct {
		kind reports.Kind
		has  func(n quantity.Bytes) bool
	}{
		{reports.Beyond, func(n quantity.Bytes) bool { return n <= first }},
		{reports.Band, func(n quantity.Bytes) bool { return n >= first && n <= last }},
		{reports.Beyond, func(n quantity.Bytes) bool { return n >= last }},
	} {
		s := reports.Series{Name: name, Kind: part.kind}
		for _, n := range sizes {
			if part.has(n) {
				in := nextInterval(follower, n, *next(n))
				s.X, s.Y = append(s.X, float64(n)), append(s.Y, in.Value)
				s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
			}
		}
		if len(s.X) > 1 {
			bands = append(bands, s)
		}
	}
	return bands, nil
}

// bandNotes explain the bands among the series of a figure.
func bandNotes(series []reports.Series) []string {
	has := func(k reports.Kind) bool {
		return slices.ContainsFunc(series, func(s reports.Series) bool { return s.Kind == k })
	}
	var notes []string
	if has(reports.Band) || has(reports.Beyond) {
		notes = append(notes, "Band: the next measurement by the same benchmark, in 95 of 100 cases.")
	}
	if has(reports.Beyond) {
		notes = append(notes, "Paler, with a dashed edge: beyond the sizes that were measured; the protocol may change there.")
	}
	return notes
}
