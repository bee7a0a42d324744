package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// Predictions are what messages cost in some layers.
type Predictions struct {
	Costs []Predicted
	Peaks []Peak // one for each layer
}

// Predicted is what a message of one size costs in a layer.
type Predicted struct {
	Platform, Layer       string
	Size                  quantity.Bytes
	OneWay, RTT, Gap      quantity.Micros
	Bandwidth, Throughput quantity.MBps
	Packet                quantity.Bytes
	Regime                string // the branches of switches, see [model.Regime]
	Peak                  Peak
	// Next is the next measurement of this size, predicted from what the layer was fitted to; nil
	// where the layer does not say what, or has been changed. OneWay is its middle then, and the
	// RTT, the bandwidth and, where messages do not overlap, the gap follow from it.
	Next *forecast.Forecast
	// Model is the one-way time by the layer's model.
	Model quantity.Micros
}

// A Peak is where a layer's bandwidth levels off.
type Peak struct {
	Layer     string // "clip/pio"
	Asymptote quantity.MBps
	Half      quantity.Bytes
	Known     bool // false: the intervals of the parameters leave r∞ and n½ without a bound
	Exists    bool // false: no cost is per byte
}

// PeakOf is the peak of a design.
func PeakOf(d whatif.Design) (Peak, error) {
	p := Peak{Layer: d.Layer.Ref(), Asymptote: model.Asymptote(d.Layer.Model)}
	p.Half, p.Exists = model.HalfPeak(d.Layer.Model)
	p.Exists = p.Exists && !math.IsInf(float64(p.Asymptote), 0)
	var err error
	p.Known, err = d.PeakKnown()
	return p, err
}

// Text tells the peak in words.
func (p Peak) Text(units quantity.UnitChoice) string {
	switch {
	case !p.Exists:
		return "no cost is per byte, so bandwidth has no peak"
	case !p.Known:
		return "r∞ = –, n½ = –: the interval of the time per byte holds 0"
	}
	return fmt.Sprintf("r∞ = %s, n½ = %s", units.Print(rate(p.Asymptote)), p.Half)
}

func rate(r quantity.MBps) quantity.Value {
	return quantity.Value{Num: float64(r), Dim: quantity.DimRate}
}

// Predict computes the costs of messages of these sizes, at least 1 byte each, in each layer.
func Predict(sizes []quantity.Bytes, designs ...whatif.Design) (*Predictions, error) {
	all := &Predictions{}
	for _, d := range designs {
		peak, err := PeakOf(d)
		if err != nil {
			return nil, err
		}
		all.Peaks = append(all.Peaks, peak)
		m := d.Layer.Model
		curve, err := measuredCurve(d)
		if err != nil {
			return nil, err
		}
		for _, n := range sizes {
			p := Predicted{
				Platform: d.Platform.Name, Layer: d.Layer.Name, Size: n, OneWay: m.OneWay(n), RTT: model.RTT(m, n), Gap: m.Gap(n),
				Bandwidth: model.Bandwidth(m, n), Throughput: model.Throughput(m, n), Packet: model.PacketSize(m, n),
				Regime: model.Regime(m, n), Peak: peak, Model: m.OneWay(n), Next: curve(n),
			}
			if p.Next != nil {
				p.follow()
			}
			all.Costs = append(all.Costs, p)
		}
	}
	return all, nil
}

// follow takes the costs over from the next measurement.
func (p *Predicted) follow() {
	if p.Gap == p.OneWay {
		p.Gap = p.Next.Middle
		p.Throughput = quantity.MBps(float64(p.Size) / float64(p.Gap))
	}
	p.OneWay = p.Next.Middle
	p.RTT = 2 * p.OneWay
	p.Bandwidth = quantity.MBps(float64(p.Size) / float64(p.OneWay))
}

// measuredCurve returns the forecasts of a design that says what it was fitted to. Others have none:
// neither have those with changes, which nobody has measured.
func measuredCurve(d whatif.Design) (at func(quantity.Bytes) *forecast.Forecast, err error) {
	none := func(quantity.Bytes) *forecast.Forecast { return nil }
	m := d.Layer.Measured
	if m == nil || len(d.Changes) > 0 || len(m.Sizes) < forecast.MinSizes {
		return none, nil
	}
	points := make([]forecast.Point, len(m.Sizes))
	for i := range points {
		points[i] = forecast.Point{Size: m.Sizes[i], Time: m.Times[i], Runs: m.Runs}
		if m.Deviations != nil {
			points[i].Deviation = float64(m.Deviations[i] / m.Times[i])
		}
	}
	k := forecast.Latencies
	if m.Operation {
		k = forecast.Operations
	}
	c, err := k.New(points, m.Resolution)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Layer.Ref(), err)
	}
	return func(n quantity.Bytes) *forecast.Forecast {
		f := c.At(n)
		return &f
	}, nil
}

// Rows returns the table of the costs.
func (p *Predictions) Rows(units quantity.UnitChoice) reports.Rows {
	known := func(p Predicted) bool { return p.Peak.Known && p.Peak.Exists }
	fitted := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Next != nil })
	next := func(key, head string, of func(f forecast.Forecast) any) field[Predicted] {
		return col(key, head, func(p Predicted) any {
			if p.Next == nil {
				return nil
			}
			return of(*p.Next)
		})
	}
	fields := []field[Predicted]{
		col("platform", "platform", func(p Predicted) any { return p.Platform }),
		col("layer", "layer", func(p Predicted) any { return p.Layer }).ranked(1),
		col("size_bytes", "size", func(p Predicted) any { return p.Size }),
		col("one_way_us", "one way", func(p Predicted) any { return p.OneWay }),
		col("rtt_us", "RTT", func(p Predicted) any { return p.RTT }).ranked(3),
		col("gap_us", "gap", func(p Predicted) any { return p.Gap }),
		col("bandwidth_mb_s", "bandwidth", func(p Predicted) any { return p.Bandwidth }),
		col("throughput_mb_s", "throughput", func(p Predicted) any { return p.Throughput }).ranked(4),
		col("packet_bytes", "packet", func(p Predicted) any { return p.Packet }).ranked(5),
		col("regime", "regime", func(p Predicted) any { return orNil(p.Regime) }).ranked(2),
		col("r_inf_mb_s", "", func(p Predicted) any { return orAbsent(p.Peak.Asymptote, p.Peak.Known) }),
		col("n_half_bytes", "", func(p Predicted) any { return orAbsent(p.Peak.Half, known(p)) }),
	}
	if fitted {
		fields = append(fields,
			next("", "95 % of measurements", func(f forecast.Forecast) any {
				return reports.Interval{Dim: quantity.DimTime, Value: float64(f.Middle), Low: float64(f.Low), High: float64(f.High)}
			}),
			next("one_way_low_us", "", func(f forecast.Forecast) any { return f.Low }),
			next("one_way_high_us", "", func(f forecast.Forecast) any { return f.High }),
			next("beyond", "beyond", func(f forecast.Forecast) any { return f.Beyond }),
			next("from", "from", func(f forecast.Forecast) any { return string(f.From) }),
			col("model_us", "", func(p Predicted) any { return p.Model }),
		)
	}
	rows := tableOf(p.Costs, fields...)
	if fitted {
		rows.Notes = append(rows.Notes, "One way is the next measurement, predicted from what was measured; the lines of the model are for reading. Beyond the sizes that were measured the protocol may change.")
	}
	for _, peak := range p.Peaks {
		rows.Notes = append(rows.Notes, peak.Layer+": "+peak.Text(units))
	}
	return rows
}
