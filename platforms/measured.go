package platforms

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured holds the measurements that a layer was fitted to. The layer's times are those of the
// curve through them, see [forecast.Curve]; its lines explain them, see [model.Measured].
type Measured struct {
	Sizes []quantity.Bytes
	Times []quantity.Micros // one way, of each size; the mean of the runs
	// Deviations are the standard deviations between Runs at each size; empty with one run.
	Deviations []quantity.Micros
	Runs       int
	Resolution quantity.Micros // of the times as printed; 0: not known
	Operation  bool            // the times are of an operation, not of a message
	Source     string
}

// A measuredCurve remembers the forecasts that it has made.
type measuredCurve struct {
	curve forecast.Curve
	known sync.Map // of forecasts by size
}

func (c *measuredCurve) forecast(n quantity.Bytes) forecast.Forecast {
	f, known := c.known.Load(n)
	if !known {
		f, _ = c.known.LoadOrStore(n, c.curve.At(n))
	}
	return f.(forecast.Forecast)
}

// Next returns the forecast of the next measurement of n bytes by the curve that the layer was
// fitted to, regardless of changed parameters; nil if the layer was not fitted. The error wraps
// [forecast.ErrNoCurve] if its points make no curve.
func (l Layer) Next(n quantity.Bytes) (*forecast.Forecast, error) {
	if l.curve == nil {
		return nil, nil
	}
	c, err := l.curve()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Ref(), err)
	}
	f := c.forecast(n)
	return &f, nil
}

// measure replaces the layer's times by the measured curve, if it has one.
func (l *Layer) measure() {
	m := l.Measured
	if m == nil || len(m.Sizes) < forecast.MinSizes {
		return
	}
	l.curve = sync.OnceValues(func() (*measuredCurve, error) {
		points := make([]forecast.Point, len(m.Sizes))
		for i := range points {
			points[i] = forecast.Point{Size: m.Sizes[i], Time: m.Times[i], Runs: m.Runs}
			if m.Deviations != nil {
				points[i].Deviation = float64(m.Deviations[i] / m.Times[i])
			}
		}
		k := forecast.Latencies()
		if m.Operation || l.Timed.Of != Message {
			k = forecast.Operations()
		}
		c, err := k.New(points, m.Resolution)
		return &measuredCurve{curve: c}, err
	})
	lines, curve := l.Model, l.curve
	l.Model = &model.Measured{Lines: lines, Fitted: lines, Curve: func(n quantity.Bytes) quantity.Micros {
		c, err := curve()
		if err != nil {
			return lines.OneWay(n)
		}
		return c.forecast(n).Middle
	}}
}

// withLines returns the layer's model with other parameters of its lines.
func (l Layer) withLines(lines model.Layer) model.Layer {
	m, ok := l.Model.(*model.Measured)
	if !ok {
		return lines
	}
	return &model.Measured{Lines: lines, Fitted: m.Fitted, Curve: m.Curve}
}

// maxMeasured bounds the sizes of a measured table.
const maxMeasured = 1 << 16

func (b *builder) measuredTables() {
	for _, t := range b.sections("measured") {
		t.named()
		m := &Measured{Runs: 1, Source: t.text("source"), Operation: value[bool](t.Keys, "operation")}
		sizes := t.list("sizes")
		if len(sizes) < 2 || len(sizes) > maxMeasured {
			t.fail("sizes", `%d sizes; give 2 to %d, as in sizes = ["1B", "1KiB"]`, len(sizes), maxMeasured)
		}
		m.Sizes = t.sizes(1)
		m.Times = t.times("times", len(sizes))
		for i, v := range m.Times {
			if !(v > 0) {
				t.fail("times", "%q: a measured time must be above zero", t.list("times")[i])
			}
		}
		if t.has("deviations") {
			m.Deviations = t.times("deviations", len(sizes))
		}
		m.Runs = max(1, t.count("runs"))
		if (m.Runs > 1) != (m.Deviations != nil) {
			t.fail("", "runs and deviations go together: give at least 2 runs, and their standard deviation at each size")
		}
		if given := t.text("resolution"); given != "" {
			var err error
			if m.Resolution, err = quantity.ParseMicros(given); err != nil || m.Resolution < 0 {
				t.fail("resolution", "%q: a time, as in \"0.01us\"", given)
			}
		}
		b.measured[t.Name] = m
	}
}

func (s *section) sizes(least quantity.Bytes) (sizes []quantity.Bytes) {
	for i, text := range s.list("sizes") {
		n, err := quantity.ParseBytes(text)
		s.must(s.path+".sizes", err)
		if n < least || i > 0 && n <= sizes[i-1] {
			unit := "bytes"
			if least == 1 {
				unit = "byte"
			}
			s.fail("sizes", "%q: sizes are at least %.0f %s, and ascend", text, float64(least), unit)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// count reads a whole number of at least 1; 0 without the key.
func (s *section) count(key string) int {
	given := s.text(key)
	if given == "" {
		return 0
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		s.fail(key, "%q: give a whole number of at least 1", given)
	}
	return n
}

// times reads a list of n times, not negative.
func (s *section) times(key string, n int) []quantity.Micros {
	given := s.list(key)
	if len(given) != n {
		s.fail(key, "%d %s for %d sizes", len(given), key, n)
	}
	all := make([]quantity.Micros, n)
	for i, text := range given {
		var err error
		all[i], err = quantity.ParseMicros(text)
		s.must(s.path+"."+key, err)
		if all[i] < 0 {
			s.fail(key, "%q is below zero", text)
		}
	}
	return all
}

func (s *section) correlation() float64 {
	given := s.text("correlation")
	if given == "" {
		return 0
	}
	for _, key := range []string{"beta", "tau"} {
		if i, known := s.slotAt[s.path+"."+key]; !known || s.slots[i].PlusMinus == 0 {
			s.fail("correlation", "correlates the errors of beta and tau; give both with their ±")
		}
	}
	v, err := strconv.ParseFloat(given, 64)
	if err != nil || !(v >= -1 && v <= 1) {
		s.fail("correlation", "%q: a correlation is a number from -1 to 1", given)
	}
	return v
}
