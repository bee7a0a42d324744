package message

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A CostQuestion asks what messages cost.
type CostQuestion struct {
	On     []platforms.Design  // each is one layer
	Sizes  []quantity.Bytes    // of messages, at least 1 each
	Cycles bool                // times in cycles of the hosts' processors too
	Units  quantity.UnitChoice // of rates in notes
}

// Predictions are the costs of messages in some layers, layer by layer in the order
// given.
type Predictions struct {
	Costs []Predicted
	// kinds say of each layer what its times show: its peak, or of what other operation they are.
	kinds []remark.Note
	// Notes have the layers whose measured points make no curve, those without a gap, those whose
	// parameters have intervals of their own, and those that have other fitted layers beside them.
	Notes  []remark.Note
	Runs   int // minimum over the fitted layers' measurements
	clocks clocks
}

// Predicted is the cost of a message of one size in a layer, or of an operation or a collective.
type Predicted struct {
	Platform, Layer string
	Timed           platforms.Timed
	Size            quantity.Bytes
	// Time is the quantity that was timed: one way for messages, the gap for streams. Fields below
	// that do not apply are 0.
	Time                  quantity.Micros
	OneWay, RTT, Gap      quantity.Micros
	Bandwidth, Throughput quantity.MBps
	GapKnown              bool // false: Gap and Throughput are 0, and no column shows them
	Packet                quantity.Bytes
	Regime                string // the branches of switches, see [model.Regime]
	Peak                  platforms.Peak
	// Next is the next measurement of this size, predicted from the measurements that the layer was
	// fitted to; nil if the layer has none, or has been changed. Time is its middle.
	Next *forecast.Forecast
	// Beyond is the ratio of a size outside the measured ones to the nearest of them, above 1; 1 of
	// a size among them, and 0 if none are known.
	Beyond float64
	// Short says that the model is LogP, which has no cost per byte, and the size above 64 B: the
	// time is a lower bound, and no rate follows from it.
	Short bool
	// NoLatency says that L of LogP is 0, as a fit saves it that does not know L: the time is a
	// lower bound, since each message takes time in the network.
	NoLatency bool
	// Model is the time by the lines of the layer's model.
	Model quantity.Micros
	// NoInterval says what is known of the error if Within is not.
	NoInterval string
}

// Within returns the time with its 95 % interval, if that is known.
func (p Predicted) Within() quantity.Interval {
	if p.Next == nil || p.Next.Unknown != "" {
		return quantity.Alone(p.Time)
	}
	return p.Next.Interval
}

// measureFirst returns the size up to which to measure first, if the interval is too wide to plan
// with; else 0. Half of the octaves from the largest measured size to the one that is asked for
// have about half of the interval, as a logarithm.
func (p Predicted) measureFirst() quantity.Bytes {
	within := p.Within()
	if p.Next == nil || p.Next.From != forecast.Above ||
		!(within.High > fitted.Planable*within.Low) {
		return 0
	}
	last := p.Size / quantity.Bytes(p.Beyond)
	return last * quantity.Bytes(math.Exp2(math.Round(math.Log2(p.Beyond)/2)))
}

func (q CostQuestion) Ask(context.Context) (all *Predictions, err error) {
	if err := check(q.Sizes, q.On); err != nil {
		return nil, err
	}
	all = &Predictions{}
	if all.clocks, err = clocksOf(q.On, q.Cycles); err != nil {
		return nil, err
	}
	for _, d := range q.On {
		// Both belong to a layer, so they are computed once and not for each size.
		peak, noInterval := d.Layer.Peak(), study.NoInterval(d)
		all.kinds = append(all.kinds, kindNotes(peak, q.Units)...)
		all.doubt(d)
		all.doubtShort(d, slices.Max(q.Sizes))
		for _, n := range q.Sizes {
			p := predicted(d, n, peak)
			p.NoInterval = noInterval
			all.Costs = append(all.Costs, p)
		}
	}
	return all, nil
}

// Cost returns the cost of a message of n bytes in the layer of the design. The size is one that
// [CheckSize] accepts.
func Cost(d platforms.Design, n quantity.Bytes) Predicted {
	return predicted(d, n, d.Layer.Peak())
}

// check returns an error if a size is that of no message, or if a design has no layer.
func check(sizes []quantity.Bytes, designs []platforms.Design) error {
	for _, n := range sizes {
		if err := CheckSize(n); err != nil {
			return err
		}
	}
	for _, d := range designs {
		if d.Layer.Model == nil {
			_, err := d.Platform.Layer(d.Layer.Name)
			return cmp.Or(err, fmt.Errorf("%s has no layer of messages", d.Name()))
		}
	}
	return nil
}

// CheckSize returns an error if no message has n bytes.
func CheckSize(n quantity.Bytes) error {
	if !(n >= 1 && n <= 1<<53) || n != quantity.Bytes(math.Trunc(float64(n))) {
		return fmt.Errorf("%g bytes: a message has 1 to 2⁵³ whole ones", float64(n))
	}
	return nil
}

// shortMessage is the size above which LogP's cost is a bound. Its message is "a small number of
// words" (Culler and others, LogP, 1993, section 3): up to 16 words of 4 bytes are taken as small.
const shortMessage = 64 * quantity.Bytes(1)

// tooLong reports whether a message of n bytes is too long for a model without a cost per byte.
func tooLong(l model.Layer, n quantity.Bytes) bool {
	_, is := l.(*model.LogP)
	return is && n > shortMessage
}

// withoutLatency reports whether the layer is LogP whose L is not known.
func withoutLatency(l model.Layer) bool {
	logP, is := l.(*model.LogP)
	return is && logP.Latency == 0
}

// doubtShort notes that LogP, which has no cost per byte, does not answer for long messages.
func (p *Predictions) doubtShort(d platforms.Design, largest quantity.Bytes) {
	l := model.LinesOf(d.Layer.Model)
	if withoutLatency(l) {
		p.Notes = append(p.Notes, remark.NoLatency(d.Layer.Ref()))
	}
	if !tooLong(l, largest) {
		return
	}
	p.Notes = append(p.Notes,
		remark.ShortMessages(d.Layer.Ref(), shortMessage, l.OneWay(largest)))
}

// doubt notes how far the costs in the design can be trusted.
func (p *Predictions) doubt(d platforms.Design) {
	// The error is that of the curve, the same at every size.
	if _, err := d.Layer.Next(1); err != nil && len(d.Changes) == 0 {
		p.Notes = append(p.Notes, remark.ModelAlone(err.Error()))
	}
	if err := d.Layer.GapError(); err != nil && d.Layer.Timed.Of == platforms.Message {
		p.Notes = append(p.Notes, remark.NoGap("gap or throughput", err))
	}
	// The note about runs must hold for every layer, so it has the fewest.
	if d.Forecastable() && (p.Runs == 0 || d.Layer.Measured.Runs < p.Runs) {
		p.Runs = d.Layer.Measured.Runs
	}
	if names := otherFits(d); len(names) > 0 {
		p.Notes = append(p.Notes,
			remark.OneOfLayers(d.Layer.Ref(), len(names)+1, strings.Join(names, ", ")))
	}
	uncertain := func(p platforms.Param) bool { return p.PlusMinus > 0 }
	if !d.Forecastable() && slices.ContainsFunc(d.Uses(), uncertain) {
		p.Notes = append(p.Notes, remark.UncertainParameters(d.Layer.Ref()))
	}
}

// otherFits returns the other layers with measurements of a platform that the design's layer stands
// for: whoever names the platform alone may not know them. A machine's levels show its layers.
func otherFits(d platforms.Design) (names []string) {
	if d.Layer.Measured == nil || d.Layer.Name != d.Platform.Default || len(d.Platform.Levels) > 0 {
		return nil
	}
	for _, l := range d.Platform.Layers {
		if l.Measured != nil && l.Name != d.Layer.Name {
			names = append(names, l.Ref())
		}
	}
	return names
}

// predicted returns the cost of a message of n bytes, given the peak of the layer, which is one for
// all sizes. The times of a stream show no latency, and those of a collective or another operation
// show no cost of one message. A field that does not follow from them stays 0 and is absent in the
// table: a guess would look like a prediction.
func predicted(d platforms.Design, n quantity.Bytes, peak platforms.Peak) Predicted {
	p := Predicted{Platform: d.Platform.Name, Layer: d.Layer.Name, Timed: d.Layer.Timed, Size: n,
		Peak: peak}
	if first, last, measured := d.Layer.MeasuredRange(); measured {
		p.Beyond = max(1, float64(first/n), float64(n/last))
	}
	p.Next = d.Forecast(n)
	m := d.Layer.Model
	p.Short, p.NoLatency = tooLong(model.LinesOf(m), n), withoutLatency(model.LinesOf(m))
	p.Time, p.Model, p.Regime = m.OneWay(n), model.LinesOf(m).OneWay(n), model.Regime(m, n)
	// platforms.Operation and Collective have no case: nothing follows from such a time.
	switch rate := n.Over; p.Timed.Of {
	case platforms.Message:
		p.OneWay, p.RTT, p.Bandwidth = p.Time, model.RTT(m, n), rate(p.Time)
		p.Packet = model.PacketSize(m, n)
		if p.GapKnown = model.HasGap(m); p.GapKnown {
			p.Gap = m.Gap(n)
			p.Throughput = rate(p.Gap)
		}
	case platforms.Stream:
		p.Gap, p.Throughput, p.GapKnown = p.Time, rate(p.Time), true
	}
	return p
}
