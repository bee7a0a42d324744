package whatif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Followers are the quantities that follow from the one-way time t of n bytes.
var Followers = map[string]func(n quantity.Bytes, t quantity.Micros) float64{
	"one_way":   func(_ quantity.Bytes, t quantity.Micros) float64 { return float64(t) },
	"rtt":       func(_ quantity.Bytes, t quantity.Micros) float64 { return 2 * float64(t) },
	"bandwidth": func(n quantity.Bytes, t quantity.Micros) float64 { return float64(n.Over(t)) },
}

// followerOf is the follower that a quantity of messages of these sizes is: where messages do not
// overlap, the gap is the one-way time.
func followerOf(d Design, name string, sizes []quantity.Bytes) (follower string, ok bool) {
	apart := !slices.ContainsFunc(sizes, func(n quantity.Bytes) bool { return d.Layer.Model.Gap(n) != d.Layer.Model.OneWay(n) })
	switch {
	case name == "gap" && apart:
		name = "one_way"
	case name == "throughput" && apart:
		name = "bandwidth"
	}
	return name, Followers[name] != nil
}

// ForecastInterval is the interval of the next measurement of one of the followers.
func ForecastInterval(name string, n quantity.Bytes, f forecast.Forecast) Interval {
	of := Followers[name]
	a, b := of(n, f.Low), of(n, f.High)
	return Interval{Value: of(n, f.Middle), Low: min(a, b), High: max(a, b)}
}

// ForecastNote says what the intervals of a table or a figure are.
const ForecastNote = "95 %: the next measurement by the same benchmark, on the machine that was measured, in 95 of 100 cases."

// Forecastable reports whether the next measurement of a design can be predicted.
func Forecastable(d Design) (bool, error) {
	next, err := Forecasts(d)
	return err == nil && next(1) != nil, err
}

// Forecasts returns the forecasts of a design that says what it was fitted to. Others have
// none, which is nil for every size: neither have those with changes, which nobody has measured,
// and those whose points make no curve.
func Forecasts(d Design) (at func(quantity.Bytes) *forecast.Forecast, err error) {
	c, err := CurveOf(d)
	switch {
	case errors.Is(err, forecast.ErrNoCurve) || err == nil && c == nil:
		return func(quantity.Bytes) *forecast.Forecast { return nil }, nil
	case err != nil:
		return nil, err
	}
	return func(n quantity.Bytes) *forecast.Forecast {
		f := c.At(n)
		return &f
	}, nil
}

// CurveOf is the curve that a design was fitted to, nil if it does not say. The error wraps
// [forecast.ErrNoCurve] if its points make none.
func CurveOf(d Design) (*forecast.Curve, error) {
	m := d.Layer.Measured
	if m == nil || len(d.Changes) > 0 || len(m.Sizes) < forecast.MinSizes {
		return nil, nil
	}
	points := make([]forecast.Point, len(m.Sizes))
	for i := range points {
		points[i] = forecast.Point{Size: m.Sizes[i], Time: m.Times[i], Runs: m.Runs}
		if m.Deviations != nil {
			points[i].Deviation = float64(m.Deviations[i] / m.Times[i])
		}
	}
	k := forecast.Latencies
	if m.Operation || d.Layer.Timed.Of != platforms.Message {
		k = forecast.Operations
	}
	c, err := k.New(points, m.Resolution)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Layer.Ref(), err)
	}
	return &c, nil
}
