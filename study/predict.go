package study

import (
	"fmt"
	"math"

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
		for _, n := range sizes {
			all.Costs = append(all.Costs, Predicted{
				Platform: d.Platform.Name, Layer: d.Layer.Name, Size: n, OneWay: m.OneWay(n), RTT: model.RTT(m, n), Gap: m.Gap(n),
				Bandwidth: model.Bandwidth(m, n), Throughput: model.Throughput(m, n), Packet: model.PacketSize(m, n),
				Regime: model.Regime(m, n), Peak: peak,
			})
		}
	}
	return all, nil
}

// Rows returns the table of the costs.
func (p *Predictions) Rows(units quantity.UnitChoice) reports.Rows {
	known := func(p Predicted) bool { return p.Peak.Known && p.Peak.Exists }
	rows := tableOf(p.Costs,
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
	)
	for _, peak := range p.Peaks {
		rows.Notes = append(rows.Notes, peak.Layer+": "+peak.Text(units))
	}
	return rows
}
