package platforms

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/internal/list"
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
		if sizes := len(t.list("sizes")); sizes < 2 || sizes > maxMeasured {
			t.fail("sizes", `%d sizes; give 2 to %d, as in sizes = ["1B", "1KiB"]`, sizes, maxMeasured)
		}
		m.Sizes = t.sizes(1)
		m.Times = each(&t, "times", t.list("times"), aboveZero)
		if len(m.Times) != len(m.Sizes) {
			t.fail("times", "%d times for %d sizes", len(m.Times), len(m.Sizes))
		}
		m.Deviations = each(&t, "deviations", t.list("deviations"), quantity.ParseMicros)
		if m.Deviations != nil && len(m.Deviations) != len(m.Sizes) {
			t.fail("deviations", "%d deviations for %d sizes", len(m.Deviations), len(m.Sizes))
		}
		m.Runs = max(1, t.count("runs"))
		if (m.Runs > 1) != (m.Deviations != nil) {
			t.fail("", "runs and deviations go together: give at least 2 runs, and their standard deviation at each size")
		}
		if given := t.text("resolution"); given != "" {
			var err error
			if m.Resolution, err = quantity.ParseMicros(given); err != nil {
				t.fail("resolution", "%q: a time, as in \"0.01us\"", given)
			}
		}
		b.measured[t.Name] = m
	}
}

// each parses texts that stand in a key.
func each[V any](s *section, key string, texts []string, parse func(string) (V, error)) []V {
	return list.Map(texts, func(text string) V {
		v, err := parse(text)
		s.must(s.path+"."+key, err)
		return v
	})
}

func (s *section) sizes(least quantity.Bytes) []quantity.Bytes {
	sizes := each(s, "sizes", s.list("sizes"), quantity.ParseBytes)
	for i, n := range sizes {
		if n < least || i > 0 && n <= sizes[i-1] {
			s.fail("sizes", "%q: sizes are at least %s, and ascend", s.list("sizes")[i], least)
		}
	}
	return sizes
}

// count reads a whole number of at least 1; 0 without the key.
func (s *section) count(key string) int {
	if s.text(key) == "" {
		return 0
	}
	return each(s, key, []string{s.text(key)}, whole(key, 1, 1<<30))[0]
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
