package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Quantities lists the quantities of a layer that can be predicted, for formulas of platform files,
// what-if questions and help.
var Quantities = []Quantity{
	{
		Name: "one_way", Title: "one-way time", Dim: quantity.DimTime, Sizes: 1,
		FromOneWay: func(_ quantity.Bytes, t quantity.Micros) float64 { return float64(t) },
		Of:         func(l Layer, n, _ quantity.Bytes) float64 { return float64(l.OneWay(n)) },
	},
	{
		Name: "rtt", Title: "round-trip time", Dim: quantity.DimTime, Sizes: 1,
		FromOneWay: func(_ quantity.Bytes, t quantity.Micros) float64 { return 2 * float64(t) },
		Of:         func(l Layer, n, _ quantity.Bytes) float64 { return float64(RTT(l, n)) },
	},
	{
		Name: "gap", Title: "gap", Dim: quantity.DimTime, Sizes: 1, Stream: true,
		Lacks: lacksGap,
		Of:    func(l Layer, n, _ quantity.Bytes) float64 { return float64(l.Gap(n)) },
	},
	{
		Name: "bandwidth", Title: "bandwidth", Dim: quantity.DimRate, Sizes: 1,
		FromOneWay: func(n quantity.Bytes, t quantity.Micros) float64 { return float64(n.Over(t)) },
		Of:         func(l Layer, n, _ quantity.Bytes) float64 { return float64(Bandwidth(l, n)) },
	},
	{
		Name: "throughput", Title: "throughput", Dim: quantity.DimRate, Sizes: 1, Stream: true,
		Lacks: lacksGap,
		Of:    func(l Layer, n, _ quantity.Bytes) float64 { return float64(n.Over(l.Gap(n))) },
	},
	{
		Name: "send_overhead", Title: "send overhead", Dim: quantity.DimTime, Sizes: 1,
		Lacks: lacksOverheads,
		Of: func(l Layer, n, _ quantity.Bytes) float64 {
			send, _ := l.Overheads(n)
			return float64(send)
		},
	},
	{
		Name: "receive_overhead", Title: "receive overhead", Dim: quantity.DimTime, Sizes: 1,
		Lacks: lacksOverheads,
		Of: func(l Layer, n, _ quantity.Bytes) float64 {
			_, receive := l.Overheads(n)
			return float64(receive)
		},
	},
	{
		Name: "packet", Title: "packet", Dim: quantity.DimSize, Sizes: 1,
		Lacks: lacksPackets,
		Of:    func(l Layer, n, _ quantity.Bytes) float64 { return float64(PacketSize(l, n)) },
	},
	{
		Name: "r_inf", Title: "r∞", Dim: quantity.DimRate,
		Lacks: lacksPeak,
		Of:    func(l Layer, _, _ quantity.Bytes) float64 { return float64(Asymptote(l)) },
	},
	{
		Name: "n_half", Title: "n½", Dim: quantity.DimSize,
		Lacks: lacksPeak,
		Of:    func(l Layer, _, _ quantity.Bytes) float64 { return orNaN(HalfPeak(l)) },
	},
	{
		Name: "threshold", Title: "threshold", Dim: quantity.DimSize,
		Lacks: lacksThreshold,
		Of:    func(l Layer, _, _ quantity.Bytes) float64 { return orNaN(threshold(l)) },
	},
	{
		Name: "paper_packet", Title: "packet of eq. 10", Dim: quantity.DimSize, Sizes: 1,
		Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, _ quantity.Bytes) float64 {
			return float64(l.PaperPacket(n))
		}),
	},
	{
		Name: "best_packet", Title: "best packet", Dim: quantity.DimSize, Sizes: 1,
		Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, _ quantity.Bytes) float64 {
			p, _ := l.BestPacket(n)
			return float64(p)
		}),
	},
	{
		Name: "paper_bound", Title: "bound of eq. 8", Dim: quantity.DimTime, Sizes: 2,
		Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, p quantity.Bytes) float64 {
			return float64(l.PaperBound(n, p))
		}),
	},
	{
		Name: "one_way_in", Title: "one-way time in packets", Dim: quantity.DimTime, Sizes: 2,
		Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, p quantity.Bytes) float64 {
			return float64(l.OneWayIn(n, min(p, n)))
		}),
	},
}

// A Quantity is a quantity of a layer.
type Quantity struct {
	Name   string // in formulas: "one_way"
	Title  string // for people
	Dim    quantity.Dimension
	Sizes  int  // number of its size arguments: the message, its packets
	Stream bool // of a steady stream of messages, so that it follows from the gap

	// FromOneWay returns the quantity of messages of n bytes that take t one way. It turns the
	// interval of a measured time into one of the quantity. nil: the quantity does not follow from
	// that time alone.
	FromOneWay func(n quantity.Bytes, t quantity.Micros) float64

	// Of returns the quantity for messages of n bytes in packets of p, in µs and bytes; size
	// arguments beyond Sizes are ignored. It is NaN or infinite if the layer has no such quantity.
	Of func(l Layer, n, p quantity.Bytes) float64
	// Lacks returns the reason why the quantity is undefined or meaningless for the layer; nil: it
	// is defined for every layer.
	Lacks func(l Layer, n quantity.Bytes) error
}

// Key names the quantity's column for programs: "bandwidth_mb_s".
func (q *Quantity) Key() string { return q.Name + q.Dim.Column().Suffix }

// Interval returns the quantity of messages of n bytes whose one-way time has an interval. The
// quantity must have FromOneWay.
func (q *Quantity) Interval(n quantity.Bytes, time quantity.Interval) quantity.Interval {
	of := func(t float64) float64 { return q.FromOneWay(n, quantity.Micros(t)) }
	a, b := of(time.Low), of(time.High) // a rate falls where the time rises
	return quantity.Interval{Value: of(time.Value), Low: min(a, b), High: max(a, b)}
}

// Check returns the reason why the layer lacks the quantity, or nil.
func (q *Quantity) Check(l Layer, n quantity.Bytes) error {
	if q.Lacks == nil {
		return nil
	}
	return q.Lacks(l, n)
}

// FindQuantity returns the row with the name.
func FindQuantity(name string) (*Quantity, bool) {
	for i := range Quantities {
		if Quantities[i].Name == name {
			return &Quantities[i], true
		}
	}
	return nil, false
}

func lacksGap(l Layer, _ quantity.Bytes) error {
	if !HasGap(l) {
		return errors.New("one-way times do not show the gap between messages; " +
			"measure a stream (osu_bw, ib_send_bw), or fit LogGP")
	}
	return nil
}

func lacksOverheads(l Layer, n quantity.Bytes) error {
	if send, receive := l.Overheads(n); send == 0 && receive == 0 {
		return errors.New("the times of messages on the processors are unknown")
	}
	return nil
}

func lacksPeak(l Layer, _ quantity.Bytes) error {
	if _, ok := HalfPeak(l); !ok {
		return errors.New("no cost is per byte, so bandwidth has no peak")
	}
	return nil
}

func lacksPackets(l Layer, n quantity.Bytes) error {
	if _, ok := At(l, n).(packetizer); !ok {
		return errors.New("its messages are not cut into packets")
	}
	return nil
}

func lacksThreshold(l Layer, _ quantity.Bytes) error {
	if _, ok := threshold(l); !ok {
		return errors.New("the layer is one for all sizes; it must be a switch or an envelope")
	}
	return nil
}

func lacksPipeline(l Layer, n quantity.Bytes) error {
	if _, ok := pipelineAt(l, n); !ok {
		return fmt.Errorf("the layer has no pipeline of %d stages at %s", PaperStages, n)
	}
	return nil
}

// ofPipeline evaluates the pipeline that serves n bytes.
func ofPipeline(
	of func(l *Pipeline, n, p quantity.Bytes) float64,
) func(Layer, quantity.Bytes, quantity.Bytes) float64 {
	return func(l Layer, n, p quantity.Bytes) float64 {
		pipe, ok := pipelineAt(l, n)
		if !ok {
			return math.NaN()
		}
		return of(pipe, n, p)
	}
}

// pipelineAt returns the pipeline that serves n bytes, if it has the stages that formulas of the
// paper need.
func pipelineAt(l Layer, n quantity.Bytes) (*Pipeline, bool) {
	p, ok := At(l, n).(*Pipeline)
	return p, ok && len(p.Stages) >= PaperStages
}

func orNaN(n quantity.Bytes, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return float64(n)
}

// BestPacket returns the best size of equal packets of a message of n bytes; 0 if no pipeline sends
// it.
func BestPacket(l Layer, n quantity.Bytes) quantity.Bytes {
	if pipe, ok := At(l, n).(*Pipeline); ok {
		size, _ := pipe.BestPacket(n)
		return size
	}
	return 0
}

// RTT returns the round-trip time of n bytes in each direction, in a ping-pong of many rounds:
// max(2·T(n), Gap(n)), since the next ping cannot leave before the gap of the previous one has
// ended. It is 2·T(n) if the gap is unknown; see [HasGap].
func RTT(l Layer, n quantity.Bytes) quantity.Micros {
	rtt := 2 * l.OneWay(n)
	if HasGap(l) {
		rtt = max(rtt, l.Gap(n))
	}
	return rtt
}

// Bandwidth returns n over the one-way time.
func Bandwidth(l Layer, n quantity.Bytes) quantity.MBps { return n.Over(l.OneWay(n)) }
